"""The schema's history: one module in `versions/` for each step, run by `stores.migrate`.

`scripts/revision.py` writes the steps from the difference between the last one and the schema, and sets `HEAD`.
"""

from typing import Final

# Named here so that an up-to-date database is recognised without loading Alembic; a test compares it.
HEAD: Final = "8ba97eb77d9e"
