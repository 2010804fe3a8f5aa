"""Thousands of damaged files of every format: each is read or refused with a code; none hangs, crashes or eats memory.

The files and the damage are those of the suite's sample (`rag_assets_tests.readers.damage`), with other numbers.

RAG_PROOF_DAMAGED (2000) says how many files of each format.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from proofs.record import parameter, record
from rag_assets.readers.worker import ReadingWorker
from rag_assets_tests.readers.damage import FORMATS, LIMITS, damaged, outcome

DAMAGED = parameter("DAMAGED", 2000)


@pytest.mark.timeout(7200)
def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Every format in turn, through the same process as long as it lives."""
    faults: dict[tuple[str, int], str] = {}
    table = ["| format | read | refused | why |", "|---|---:|---:|---|"]
    with ReadingWorker(LIMITS) as worker:
        for kind in FORMATS:
            said = {number: outcome(worker, tmp_path / f"a.{kind}", damaged(kind, number)) for number in range(DAMAGED)}
            faults |= {(kind, number): text for number, text in said.items() if text.startswith("FAULT")}
            counts = Counter(text.split(":")[0] for text in said.values())
            read = counts.pop("read", 0)
            why = ", ".join(f"{code} {count:,}" for code, count in counts.most_common())
            table.append(f"| {kind} | {read:,} | {counts.total():,} | {why} |")
    record(
        "damaged files",
        [
            f"{DAMAGED:,} files of each of {len(FORMATS)} formats, through one reading process with {LIMITS.memory_mb} MiB",
            f"{len(faults)} that hung, crashed, ate memory or failed without a reason of their own",
        ],
        table=table,
    )
    assert not faults
