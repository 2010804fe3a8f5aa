"""How well documents were read, from what the stage `documents` counted: signs to look at, no invariants.

Reads counts only, no text; so it costs the same for long and short documents. Documents that were removed, or whose
stage is not done, are left out: what failed shows as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from rag_assets.knowledge.lifecycle import StageStatus
from rag_assets.ledger import stages
from rag_assets.stores.schema.sources import Document, DocumentStage

MOST_GLUED: Final = 0.01
"""Share of glued words from which a document is conspicuous."""
LEAST_GLUED: Final = 3
"""Fewer glued words than this say nothing, however short the document."""
MOST_REPAIRS: Final = 5.0
"""Repairs for 1,000 characters from which a document is conspicuous."""
LEAST_REPAIRS: Final = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """What was counted of one document."""

    uid: str
    partition_key: str
    counts: Mapping[str, int]

    def count(self, name: str) -> int:
        """A count; 0 where it was not taken."""
        return self.counts.get(name, 0)


@dataclass(frozen=True, slots=True)
class Quality:
    """One sign over the whole base: its rate over all documents, and the documents that are conspicuous."""

    rate: float
    documents: int
    """How many were looked at."""
    conspicuous: tuple[Reading, ...]
    """The worst first."""


def readings(connection: Connection) -> tuple[Reading, ...]:
    """What was counted of every document that is there, in its present content."""
    query = (
        select(DocumentStage.__table__, Document.uid, Document.partition_key)
        .join(Document, Document.current_version_id == DocumentStage.document_version_id)
        .where(
            Document.removed_at.is_(None),
            DocumentStage.stage == "documents",
            DocumentStage.status == StageStatus.DONE.value,
        )
    )
    rows = connection.execute(query)
    found = (Reading(row.uid, row.partition_key, stages.row_of(row).counts) for row in rows)
    return tuple(sorted(found, key=lambda reading: reading.uid))


def words_stand_apart(found: tuple[Reading, ...]) -> Quality:
    """Glued words: the share of words with more letters than a German word has."""

    def of_one(reading: Reading) -> float:
        return _share(reading.count("glued_words"), reading.count("words"))

    return _quality(
        found,
        of_one,
        lambda reading: reading.count("glued_words") >= LEAST_GLUED and of_one(reading) > MOST_GLUED,
        _share(sum(r.count("glued_words") for r in found), sum(r.count("words") for r in found)),
    )


def pages_have_text(found: tuple[Reading, ...]) -> Quality:
    """Pages that show something but gave no text."""

    def of_one(reading: Reading) -> float:
        return _share(reading.count("needs_ocr_pages"), reading.count("pages"))

    return _quality(
        found,
        of_one,
        lambda reading: reading.count("needs_ocr_pages") > 0,
        _share(sum(r.count("needs_ocr_pages") for r in found), sum(r.count("pages") for r in found)),
    )


def text_needs_few_repairs(found: tuple[Reading, ...]) -> Quality:
    """Repairs of the cleaning step for 1,000 characters."""

    def of_one(reading: Reading) -> float:
        return 1000 * _share(reading.count("repairs"), reading.count("characters"))

    return _quality(
        found,
        of_one,
        lambda reading: reading.count("repairs") >= LEAST_REPAIRS and of_one(reading) > MOST_REPAIRS,
        1000 * _share(sum(r.count("repairs") for r in found), sum(r.count("characters") for r in found)),
    )


def check_all(connection: Connection) -> dict[str, Quality]:
    """Every sign by its name."""
    found = readings(connection)
    return {check.__name__: check(found) for check in (words_stand_apart, pages_have_text, text_needs_few_repairs)}


def _quality(
    found: tuple[Reading, ...],
    of_one: Callable[[Reading], float],
    conspicuous: Callable[[Reading], bool],
    rate: float,
) -> Quality:
    worst = sorted(filter(conspicuous, found), key=lambda reading: (-of_one(reading), reading.uid))
    return Quality(rate, len(found), tuple(worst))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
