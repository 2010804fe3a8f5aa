"""Where knowledge lies: the SQL schema and its migrations, one repository per aggregate, the archive, the vector indexes.

With `ledger` the only package that imports sqlalchemy. Repositories take a connection and return plain values; they
decide nothing about what holds (`ledger`) or what is built (`offline`).
"""
