"""The product from outside: commands, Dagster and files, as a person would use them."""
