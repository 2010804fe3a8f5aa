"""A process of its own for `search`: opens the index in a folder, searches once, and says what that took."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.measuring import memory_mb, spent_by
from benchmarks.search import COLLECTION, DIMENSION, LIMIT
from rag_assets.stores.database import Database
from rag_assets.stores.vectors.base import Query
from rag_assets.stores.vectors.embedded import EmbeddedIndex


def main(folder: Path) -> None:
    """Print the milliseconds of the first search and the memory that was added, as JSON."""
    query = Query(vector=np.full(DIMENSION, DIMENSION**-0.5, dtype=np.float32), terms=("wort1", "wort77"))
    database = Database(f"sqlite:///{folder / 'rag.sqlite'}")
    index = EmbeddedIndex(database, folder / "index")
    index.count(COLLECTION)  # the connection is open before it is measured
    before = memory_mb()
    first = spent_by(lambda: index.search(COLLECTION, query, limit=LIMIT))
    after = memory_mb()
    database.close()
    print(json.dumps({"first_ms": first.wall_ms, **{name: after[name] - before[name] for name in after}}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
