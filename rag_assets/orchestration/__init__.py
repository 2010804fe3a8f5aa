"""Dagster's side of the house, the only package that imports dagster.

One module per Dagster concept: partitions, resources, assets, lineage, checks, sensors, schedules, jobs, history, and
`build`, which puts definitions together. Assets are thin: they call the library and report counts, hashes, codes and
links. Text never passes through here, because Dagster keeps what it sees.
"""
