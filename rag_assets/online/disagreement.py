"""The block "Die Quellen sind sich hier nicht einig": built from the statements in SQL, without any model.

Which statements conflict was decided when the knowledge was built; here is decided which of these conflicts belong to
the question at hand, and how the positions are shown with their sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rag_assets.ledger.disagreements import FoundConflict, Position, PositionEvidence
from rag_assets.text.lexical import content_words

HEADING: Final = "Die Quellen sind sich hier nicht einig:"
#: Share of the question's content words that the two positions must hold together.
ENOUGH_WORDS: Final = 0.5
MOST: Final = 3
KINDS: Final = {
    "contradiction": "Widerspruch",
    "opinion": "verschiedene Auffassungen",
    "outdated": "möglicherweise überholt",
    "scope": "verschiedener Geltungsbereich",
}
MODALITIES: Final = {"hypothetical": "als Vermutung", "normative": "als Regel", "citing": "als Zitat"}


@dataclass(frozen=True, slots=True)
class ShownPosition:
    """One side as it is shown: its passage, and the number of the source that holds it."""

    position: Position
    passage: PositionEvidence
    source: int


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """A conflict that belongs to the question, with both sides."""

    conflict: FoundConflict
    positions: tuple[ShownPosition, ShownPosition]

    def to_json(self) -> dict[str, Any]:
        """As the `conflicts` of an answer list it."""
        return {
            "kind": self.conflict.kind,
            "status": self.conflict.status,
            "confidence": self.conflict.confidence,
            "positions": [
                {
                    "statement": shown.position.statement_uid,
                    "subject": shown.position.subject,
                    "predicate": shown.position.predicate,
                    "object": shown.position.object,
                    "modality": shown.position.modality,
                    "polarity": shown.position.polarity,
                    "source": shown.source,
                    "document_uid": shown.passage.document_uid,
                    "quote": shown.passage.quote,
                }
                for shown in self.positions
            ],
        }


def relevant(conflicts: Sequence[FoundConflict], words: frozenset[str], used: Sequence[str]) -> list[FoundConflict]:
    """Those of the conflicts that the question is about, surest first, at most three.

    Either a sentence of the answer (`used`, verbatim) holds one of the passages, or the question names the subject,
    asks for what the positions speak of, and they hold half of its content words.
    """
    shown = [" ".join(sentence.split()) for sentence in used]
    found = []
    for conflict in conflicts:
        quotes = [passage.quote for position in conflict.positions for passage in position.evidence]
        said = any(_overlaps(" ".join(quote.split()), sentence) for quote in quotes for sentence in shown)
        subject = set(content_words(" ".join(position.subject for position in conflict.positions)))
        about = subject | set(content_words(" ".join(quotes)))
        beyond = words - subject
        named = subject & words and (not beyond or beyond & about)
        if said or (named and len(words & about) >= ENOUGH_WORDS * len(words)):
            found.append(conflict)
    return found[:MOST]


def show(conflicts: Sequence[FoundConflict], numbers: Mapping[int, int]) -> list[ShownConflict]:
    """The conflicts both sides of which have a source; `numbers` maps chunk ids to the sources' numbers."""
    found = []
    for conflict in conflicts:
        sides = [_side(position, numbers) for position in conflict.positions]
        first, second = sides
        if first is not None and second is not None:
            found.append(ShownConflict(conflict, (first, second)))
    return found


def block(conflicts: Sequence[ShownConflict]) -> str:
    """The text for people; empty without conflicts."""
    if not conflicts:
        return ""
    lines = [HEADING]
    for conflict in conflicts:
        kind = KINDS.get(conflict.conflict.kind)
        if kind and len(conflicts) > 1:
            lines.append(f"{kind}:")
        for shown in conflict.positions:
            modality = MODALITIES.get(shown.position.modality)
            quote = " ".join(shown.passage.quote.split())
            lines.append(f"– „{quote}“{f' ({modality})' if modality else ''} [Quelle {shown.source}]")
    if len(conflicts) == 1 and (kind := KINDS.get(conflicts[0].conflict.kind)):
        lines[0] = f"{HEADING[:-1]} ({kind}):"
    return "\n".join(lines)


def _side(position: Position, numbers: Mapping[int, int]) -> ShownPosition | None:
    for passage in position.evidence:
        if passage.chunk_id is not None and passage.chunk_id in numbers:
            return ShownPosition(position, passage, numbers[passage.chunk_id])
    return None


def _overlaps(quote: str, sentence: str) -> bool:
    return bool(quote) and bool(sentence) and (quote in sentence or sentence in quote)
