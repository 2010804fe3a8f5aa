"""From what has to be done to which runs to ask for: the same for the command line, sensors and schedules. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from rag_assets.ledger.stages import STAGES, DocumentPlan
from rag_assets.orchestration.partitions import MAX_KEYS_A_RUN, KeyRange, ranges


@dataclass(frozen=True, slots=True)
class Request:
    """One run: neighbouring keys, and the stages that every one of them needs."""

    keys: KeyRange
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a sensor remembers of a document that it asked for: a digest of the work, and how often it asked."""

    work: str
    times: int


def requests(plan: Iterable[DocumentPlan], order: Sequence[str], *, most: int = MAX_KEYS_A_RUN) -> list[Request]:
    """The runs that do the planned work.

    Documents that need the same stages go together, because a run works through all its stages for all its keys;
    whole documents come first, in Dagster's order of keys.
    """
    by_stages: dict[tuple[str, ...], set[str]] = {}
    for document in plan:
        by_stages.setdefault(document.stages, set()).add(document.partition_key)
    found = []
    for stages in sorted(by_stages, key=lambda stages: (-len(stages), [STAGES.index(stage) for stage in stages])):
        found += [Request(keys, stages) for keys in ranges(by_stages[stages], order, most=most)]
    return found


def run_key(request: Request, asked: Mapping[str, Asked]) -> str:
    """Names the request by its content: the same keys, stages and work give the same key, and Dagster runs it once.

    How often a document was asked for is part of it: what was asked for in vain is asked for again.
    """
    content = [*request.stages, *(f"{key}={asked[key].work}.{asked[key].times}" for key in request.keys.keys)]
    return sha256("\n".join(content).encode()).hexdigest()[:32]


def to_ask(
    planned: Mapping[str, str], asked: Mapping[str, Asked], busy: frozenset[str], *, times: int
) -> tuple[frozenset[str], dict[str, Asked]]:
    """Which keys to ask for now, and what to remember.

    `planned` holds a digest of the open work by key. What a run works on now, and what was asked for in vain `times`
    times for the same work, is not asked for. Keys without open work are forgotten.
    """
    chosen: set[str] = set()
    remembered: dict[str, Asked] = {}
    for key, work in planned.items():
        before = asked.get(key)
        known = before if before is not None and before.work == work else Asked(work, 0)
        if key not in busy and known.times < times:
            chosen.add(key)
            known = Asked(work, known.times + 1)
        remembered[key] = known
    return frozenset(chosen), remembered
