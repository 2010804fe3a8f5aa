"""Keeping the result of a proof in docs/proofs.md: under the proof's heading, with date and machine."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.measuring import PROJECT, this_machine

DOCUMENT: Final = PROJECT / "docs" / "proofs.md"


def parameter(name: str, default: int) -> int:
    """A number that makes a proof longer or shorter: `RAG_PROOF_<NAME>` of the environment."""
    return int(os.environ.get(f"RAG_PROOF_{name}", str(default)))


def record(proof: str, lines: Sequence[str], *, table: Sequence[str] = ()) -> None:
    """Print the result, and write it between the marks of this proof when RAG_PROOF_RECORD is set."""
    text = "\n".join(f"- {line}" for line in [str(this_machine()), *lines])
    if table:
        text = "\n".join([text, "", *table])
    print(f"\n{proof}\n{text}")
    if os.environ.get("RAG_PROOF_RECORD"):
        DOCUMENT.write_text(replaced(DOCUMENT.read_text(encoding="utf-8"), proof, text), encoding="utf-8")


def replaced(document: str, proof: str, text: str) -> str:
    """The document with the result of this proof in its place.

    Raises:
        ValueError: it has no place for this proof.
    """
    pattern = re.compile(rf"(<!-- {re.escape(proof)}: begin -->\n).*?(<!-- {re.escape(proof)}: end -->)", re.DOTALL)
    after, found = pattern.subn(lambda match: f"{match[1]}{text}\n{match[2]}", document)
    if found != 1:
        raise ValueError(f"docs/{Path(DOCUMENT).name} has no place for {proof}")
    return after
