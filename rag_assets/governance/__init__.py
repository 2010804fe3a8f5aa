"""What people do to the knowledge: review, erase, disclose, back up, publish, export, and ask what is missing.

Each module is one duty, used by the command line, the web and Dagster alike. Machines' own bookkeeping (stages, audit,
reconcile) lives in `ledger`; what governance needs of Dagster is a small port that `orchestration.history` fills.
"""
