"""One build in the process that others are forked from: what is made lazily, and only once, is then there in all.

Imported by the fork server only.
"""

from __future__ import annotations

import gc
import tempfile
import threading
from pathlib import Path

from rag_assets_tests.system.test_crash import eight_documents

with tempfile.TemporaryDirectory() as _folder:
    eight_documents(Path(_folder) / "warm").rag("all", "--quiet")
# A fork would take along locks that a thread holds, but not the thread.
assert threading.active_count() == 1, threading.enumerate()
gc.collect()
gc.freeze()
