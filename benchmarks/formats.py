"""Every document of the corpora as we read it, held against what another program reads in it.

For each file: pages, words, headings, repairs, warnings, time; and how far its words and headings are those of the
other program (`benchmarks.references`). Where they differ, `EXPLAINED` and `HEADINGS_EXPLAINED` say why.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.measuring import PROJECT, spent_by
from benchmarks.references import Agreement, Reference, agreement, available, needed, reference, words
from benchmarks.rows import figure
from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.text.blocks import BlockKind
from rag_assets.text.cleaning import CanonicalText, canonicalise

LEAST: Final = 0.98
"""Recall and precision of words that every file has, but for those in `EXPLAINED`."""

_MAIL: Final = "the line that names people and day is ours (`E-Mail von … an … vom …`), and the mail is short"

#: Why a file has less than `LEAST`, by the beginning of its name.
EXPLAINED: Final[Mapping[str, str]] = {
    "12": "pandoc leaves out the alternative text of a picture that has a caption",
    "52": "pandoc leaves out the fields of a form and what is filled in",
    "61": f"{_MAIL}; who writes to himself is named once",
    "62": _MAIL,
    "63": f"{_MAIL}; so is the heading over what is attached",
}
#: Why a file's headings differ: how many we have and the other program does not, how many the other way round, reason.
HEADINGS_EXPLAINED: Final[Mapping[str, tuple[int, int, str]]] = {
    "12": (
        2,
        1,
        "two on the title page are closed by wrong tags, which loses them for pandoc; one of 690 characters is a"
        " paragraph in large type to us",
    ),
    "20": (1, 0, "pandoc takes the heading of the title page for the book's title"),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One file: what we read, what the other program reads, and how far they agree."""

    path: Path
    cpu_ms: float
    result: ReadResult
    text: CanonicalText
    reference: Reference
    agreement: Agreement

    @property
    def headings(self) -> tuple[tuple[int, str], ...]:
        """Level and text of our headings, in order."""
        found = (block for block in self.text.blocks if block.kind is BlockKind.HEADING)
        return tuple((block.level or 0, self.text.text[block.start : block.end]) for block in found)

    @property
    def heading_differences(self) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Headings that only we have and that only the reference has: same words, same level, same order."""
        return _beside(self.headings, self.reference.headings or ()), _beside(
            self.reference.headings or (), self.headings
        )


def compare(path: Path) -> Comparison:
    """Read a file in both ways.

    Raises:
        DocumentError: we do not read it.
    """
    registry.read(path, ReadLimits())  # what is imported for the first of its format is no part of the time
    read: list[tuple[ReadResult, CanonicalText]] = []

    def take() -> None:
        result = registry.read(path, ReadLimits())
        read.append((result, canonicalise(result.blocks, repairs=result.repairs)))

    cpu_ms = spent_by(take).cpu_ms
    ((result, text),) = read
    other = reference(path)
    return Comparison(path, cpu_ms, result, text, other, agreement(words(text.text), other.words))


def documents(corpora: Path) -> list[Path]:
    """The files, in order of format and name."""
    return sorted((corpora / "docs").iterdir(), key=lambda path: (path.suffix, path.name))


def tell(*, quick: bool) -> str:
    """The tables, as Markdown; `quick`: the first file of each format.

    Raises:
        SystemExit: the corpora or a program are not there.
    """
    corpora = Path(os.environ.get("RAG_CORPORA", PROJECT / "../shared/corpora"))
    if not (corpora / "docs").is_dir():
        raise SystemExit("formats: no corpora here (RAG_CORPORA names their folder)")
    paths = documents(corpora)
    if missing := {needed(path) for path in paths if not available(path)}:
        raise SystemExit(f"formats: not installed: {', '.join(sorted(str(name) for name in missing))}")
    if quick:
        paths = list({path.suffix: path for path in reversed(paths)}.values())
    rows, refused, reasons = [], [], []
    for path in paths:
        try:
            found = compare(path)
        except DocumentError as error:
            refused.append(f"| `{path.name}` | `{error.code}` |")
            continue
        rows.append(_row(found))
        reasons += _reasons(found)
    return "\n".join(
        [
            "| file | pages | words | headings | repairs | warnings | time, ms CPU | reference | recall | precision |"
            " set aside |",
            "|---|---:|---:|---:|---|---|---:|---|---:|---:|---:|",
            *rows,
            "",
            "Where they differ:",
            "",
            *reasons,
            "",
            "Not read, and why:",
            "",
            "| file | error |",
            "|---|---|",
            *refused,
        ]
    )


def _row(found: Comparison) -> str:
    other, result = found.reference, found.result
    headings = str(len(found.headings))
    if other.headings is not None:
        common = len(found.headings) - len(found.heading_differences[0])
        headings += f" ({common} of {len(other.headings)})"
    cells = (
        f"`{found.path.name}`",
        str(result.page_count or ""),
        f"{words(found.text.text).total():,}",
        headings,
        ", ".join(f"{name} {number}" for name, number in sorted(found.text.repairs.items())),
        ", ".join(f"`{code}`" for code in result.warnings),
        figure(found.cpu_ms),
        other.program,
        f"{found.agreement.recall:.3f}" if other.words else "no text",
        f"{found.agreement.precision:.3f}" if other.words else "no text",
        f"{other.set_aside:,}" if other.set_aside else "",
    )
    return f"| {' | '.join(cells)} |"


def _reasons(found: Comparison) -> list[str]:
    number = found.path.name[:2]
    low = min(found.agreement.recall, found.agreement.precision) < LEAST
    lines = [f"- `{found.path.name}`: words: {EXPLAINED.get(number, 'not explained')}."] if low else []
    if found.reference.headings is not None and any(found.heading_differences):
        reason = HEADINGS_EXPLAINED[number][2] if number in HEADINGS_EXPLAINED else "not explained"
        lines.append(f"- `{found.path.name}`: headings: {reason}.")
    return lines


def _beside(ours: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """What stands in the first and not, in this order, in the second."""
    # Compared by their words: quotation marks and dashes are each program's own matter.
    at, left = 0, []
    keys = [(level, words(text)) for level, text in others]
    for level, text in ours:
        try:
            at = keys.index((level, words(text)), at) + 1
        except ValueError:
            left.append((level, text))
    return left
