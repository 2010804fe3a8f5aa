"""Where sources disagree: pairs of statements that cannot both hold as they stand.

Three signs: same subject, predicate and object with opposite polarity; different values of a single-valued
predicate (and bounds that exclude each other); objects that the graph joins by CONTRADICTS. What is only supposed or
only quoted conflicts with nothing by itself. Not here: deciding who is right, storing, showing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from rag_assets.knowledge.quantities import Quantity, comparable_value


class ConflictKind(StrEnum):
    """Nature of a disagreement, as far as the statements themselves tell."""

    CONTRADICTION = "contradiction"
    OPINION = "opinion"
    OUTDATED = "outdated"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFacts:
    """A statement as far as conflicts need it.

    `subject` and `object_entity` name the surviving entities (any stable key). `evidence` holds quotes, from which
    times ("seit 2020") are read; it may be empty.
    """

    uid: str
    subject: str
    predicate: str
    object_entity: str | None = None
    object_literal: str | None = None
    modality: str = "assertive"
    polarity: str = "affirmed"
    evidence: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, order=True)
class Conflict:
    """A suspected conflict between two statements, `a` < `b` by uid; `reason` is a code."""

    a: str
    b: str
    kind: ConflictKind
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class TimeScope:
    """Years within which a statement claims to hold, both ends included; None = open."""

    since: int | None = None
    until: int | None = None

    def apart_from(self, other: TimeScope) -> bool:
        """Whether no year belongs to both."""
        return _before(self.until, other.since) or _before(other.until, self.since)


MAX_PAIRS_PER_GROUP: Final = 200
"""Statements of one subject and predicate are compared pairwise up to here, so that a flooded group stays cheap."""

_SILENT: Final = frozenset({"hypothetical", "citing"})
_UPPER: Final = re.compile(r"\b(höchstens|maximal)$")
_LOWER: Final = re.compile(r"\b(mindestens|wenigstens|minimal)$")
_SINCE: Final = re.compile(r"\b(?i:seit|ab)\s+(?:dem\s+)?(?:\d{1,2}\.\s*)?(?:[A-ZÄÖÜ][a-zäöü]+\s+)?((?:19|20)\d\d)\b")
_UNTIL: Final = re.compile(
    r"\bbis\s+(?:zum\s+)?(?:Ende\s+)?(?:\d{1,2}\.\s*)?(?:[A-ZÄÖÜ][a-zäöü]+\s+)?((?:19|20)\d\d)\b", re.IGNORECASE
)
_SPAN: Final = re.compile(r"\bvon\s+((?:19|20)\d\d)\s+bis\s+((?:19|20)\d\d)\b")


def find_conflicts(
    statements: Iterable[StatementFacts],
    *,
    single_valued: AbstractSet[str] = frozenset(),
    contradicting: Iterable[tuple[str, str]] = (),
) -> tuple[Conflict, ...]:
    """All suspected conflicts, sorted; one per pair. The order of the statements does not matter.

    `single_valued` are predicates with one right value; `contradicting` pairs of entities joined by CONTRADICTS.
    Linear in the number of statements for groups of ordinary size.
    """
    opposed = frozenset(frozenset(pair) for pair in contradicting)
    groups: dict[tuple[str, str], list[StatementFacts]] = {}
    for statement in sorted(statements, key=lambda item: item.uid):
        if statement.modality not in _SILENT:
            groups.setdefault((statement.subject, _stripped(statement.predicate)), []).append(statement)
    found: list[Conflict] = []
    for group in groups.values():
        if len(group) > 1:
            for number, (one, other) in enumerate(combinations(group, 2)):
                if number >= MAX_PAIRS_PER_GROUP:
                    break
                conflict = _compare(one, other, single_valued, opposed)
                if conflict is not None:
                    found.append(conflict)
    return tuple(sorted(found))


def time_scope(quotes: Iterable[str]) -> TimeScope:
    """Years that the quotes name with "seit", "ab", "bis" or "von … bis"; open where they name none or differ."""
    since: set[int] = set()
    until: set[int] = set()
    for quote in quotes:
        for span in _SPAN.finditer(quote):
            since.add(int(span[1]))
            until.add(int(span[2]))
        since.update(int(year) for year in _SINCE.findall(quote))
        until.update(int(year) for year in _UNTIL.findall(quote))
    return TimeScope(since.pop() if len(since) == 1 else None, until.pop() if len(until) == 1 else None)


def _compare(
    one: StatementFacts, other: StatementFacts, single_valued: AbstractSet[str], opposed: frozenset[frozenset[str]]
) -> Conflict | None:
    reason = _reason(one, other, single_valued, opposed)
    if reason is None:
        return None
    kind = ConflictKind.OPINION if reason == "contradicts" else ConflictKind.CONTRADICTION
    confidence = min(one.confidence, other.confidence)
    if time_scope(one.evidence).apart_from(time_scope(other.evidence)):
        kind = ConflictKind.OUTDATED
    elif one.modality != other.modality:
        # What ought to be against what is: both may hold, the rule just is not kept.
        kind, confidence = ConflictKind.SCOPE, confidence * 0.6
    return Conflict(one.uid, other.uid, kind, reason, round(confidence, 6))


def _reason(
    one: StatementFacts, other: StatementFacts, single_valued: AbstractSet[str], opposed: frozenset[frozenset[str]]
) -> str | None:
    left, right = _object(one), _object(other)
    if one.predicate != other.predicate:
        return "bounds" if _bounds_exclude(one, other, left, right) else None
    if one.polarity != other.polarity:
        return "polarity" if left == right else None
    if one.polarity == "negated":
        return None  # two denials never exclude each other
    if one.object_entity and other.object_entity and frozenset((one.object_entity, other.object_entity)) in opposed:
        return "contradicts"
    if one.predicate in single_valued and left != right and _same_scale(left, right):
        return "single_valued"
    return None


def _object(statement: StatementFacts) -> Quantity | str | tuple[str, str]:
    if statement.object_entity is not None:
        return ("entity", statement.object_entity)
    return comparable_value(statement.object_literal or "")


def _same_scale(left: object, right: object) -> bool:
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        # Ranges that overlap do not exclude each other.
        return left.unit == right.unit and (left.high < right.low or right.high < left.low)
    return type(left) is type(right)


def _bounds_exclude(one: StatementFacts, other: StatementFacts, left: object, right: object) -> bool:
    if one.polarity != "affirmed" or other.polarity != "affirmed":
        return False
    if not (isinstance(left, Quantity) and isinstance(right, Quantity) and left.unit == right.unit):
        return False
    one_low, other_low = bool(_LOWER.search(one.predicate)), bool(_LOWER.search(other.predicate))
    if one_low != other_low:
        low, rest = (left, right) if one_low else (right, left)
        return low.low > rest.high
    one_top, other_top = bool(_UPPER.search(one.predicate)), bool(_UPPER.search(other.predicate))
    if one_top != other_top:
        top, exact = (left, right) if one_top else (right, left)
        return exact.low > top.high
    return False


def _stripped(predicate: str) -> str:
    return _LOWER.sub("", _UPPER.sub("", predicate)).strip()


def _before(end: int | None, start: int | None) -> bool:
    return end is not None and start is not None and end < start
