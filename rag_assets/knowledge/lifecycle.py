"""Life cycles: which state may follow which, for whom, and by what operation. One table; anything else is a bug.

Not here: changing a row, writing the audit. Both happen in the layers above, after `check_transition` has agreed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rag_assets.errors import RagError


class Kind(StrEnum):
    """What has a life cycle. Relations, statements and property values share `FACT`."""

    DOCUMENT = "document"
    CHUNK = "chunk"
    ENTITY = "entity"
    FACT = "fact"
    STAGE = "stage"


class Actor(StrEnum):
    """Who moves a state: the pipeline, or a person by a decision (also when it is replayed)."""

    MACHINE = "machine"
    PERSON = "person"


class DocumentStatus(StrEnum):
    """Derived from the document's stages. A file that vanished keeps its status and gets `removed_at`."""

    PENDING = "pending"
    PROCESSING = "processing"
    DONE = "done"
    ERROR = "error"


class ChunkStatus(StrEnum):
    """How far a chunk's windows are embedded."""

    CREATED = "created"
    EMBEDDING = "embedding"
    EMBEDDED = "embedded"
    ERROR = "error"
    DEPRECATED = "deprecated"


class EntityStatus(StrEnum):
    """How much an entity is to be trusted, or where it went."""

    EXTRACTED = "extracted"
    NORMALIZED = "normalized"
    VALIDATED = "validated"
    DEPRECATED = "deprecated"
    MERGED = "merged"


class FactStatus(StrEnum):
    """Status of a relation, a statement or a property value."""

    PROPOSED = "proposed"
    VALIDATED = "validated"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"


class StageStatus(StrEnum):
    """How far one stage of one document version is. A claim (`running`) has an owner and a lease."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    ERROR = "error"


class DeprecationReason(StrEnum):
    """Why an entity is deprecated: `no_provenance` ends when evidence returns, `manual` only by a person."""

    NO_PROVENANCE = "no_provenance"
    MANUAL = "manual"


Status = DocumentStatus | ChunkStatus | EntityStatus | FactStatus | StageStatus

STATUSES: Final[Mapping[Kind, type[StrEnum]]] = {
    Kind.DOCUMENT: DocumentStatus,
    Kind.CHUNK: ChunkStatus,
    Kind.ENTITY: EntityStatus,
    Kind.FACT: FactStatus,
    Kind.STAGE: StageStatus,
}


@dataclass(frozen=True, slots=True)
class Transition:
    """A legal move. `before` is None for a newcomer; `operation` names it in the audit."""

    before: str | None
    after: str
    operation: str
    actors: frozenset[Actor]


_MACHINE: Final = frozenset({Actor.MACHINE})
_PERSON: Final = frozenset({Actor.PERSON})
_BOTH: Final = _MACHINE | _PERSON


def _rows(*rows: tuple[str, str, str, frozenset[Actor]]) -> tuple[Transition, ...]:
    """Spell out rows whose `before` lists several states with `|`; an empty `before` is a newcomer."""
    return tuple(
        Transition(before or None, after, operation, actors)
        for befores, after, operation, actors in rows
        for before in befores.split("|")
    )


TRANSITIONS: Final[Mapping[Kind, tuple[Transition, ...]]] = {
    Kind.DOCUMENT: _rows(
        ("", "pending", "discover", _MACHINE),
        ("pending|done|error", "processing", "start", _MACHINE),
        ("processing", "done", "finish", _MACHINE),
        ("processing", "error", "fail", _MACHINE),
        ("processing", "pending", "release", _MACHINE),  # the claim of a dead process expired
    ),
    Kind.CHUNK: _rows(
        ("", "created", "create", _MACHINE),
        ("created|error", "embedding", "claim", _MACHINE),
        ("embedded", "embedding", "reembed", _MACHINE),  # another embedding model
        ("embedding", "embedded", "embed", _MACHINE),
        ("embedding", "error", "fail", _MACHINE),
        ("embedding", "created", "release", _MACHINE),  # the claim of a dead process expired
        ("created|embedding|embedded|error", "deprecated", "deprecate", _MACHINE),
        ("deprecated", "created", "revive", _MACHINE),  # content went A→B→A
    ),
    Kind.ENTITY: _rows(
        ("", "extracted", "extract", _MACHINE),
        ("extracted", "normalized", "normalize", _MACHINE),
        ("normalized", "validated", "validate", _PERSON),
        ("validated", "normalized", "withdraw", _PERSON),
        ("extracted|normalized|validated", "deprecated", "deprecate", _BOTH),
        # Only to the status held before, and by the machine only when the reason was `no_provenance`.
        ("deprecated", "extracted", "restore", _BOTH),
        ("deprecated", "normalized", "restore", _BOTH),
        ("deprecated", "validated", "restore", _BOTH),
        # The machine merges on an equal key or an unambiguous variant, never what a person validated.
        ("extracted|normalized|deprecated", "merged", "merge", _BOTH),
        ("validated", "merged", "merge", _PERSON),
        # The machine takes back only merges of its own, when a newcomer made the variant ambiguous: the order of
        # documents must not matter. What a person merged, a person un-merges.
        ("merged", "extracted", "unmerge", _BOTH),
        ("merged", "normalized", "unmerge", _BOTH),
        ("merged", "deprecated", "unmerge", _BOTH),
        ("merged", "validated", "unmerge", _PERSON),
    ),
    Kind.FACT: _rows(
        ("", "proposed", "extract", _MACHINE),
        ("", "rejected", "refuse", _MACHINE),  # breaks domain and range; kept with the reason
        ("proposed|deprecated", "validated", "validate", _PERSON),
        ("proposed|validated|deprecated", "rejected", "reject", _PERSON),
        ("proposed", "rejected", "refuse", _MACHINE),  # no longer fits after a change of the ontology
        ("rejected", "proposed", "readmit", _BOTH),  # the machine only where no person's rejection stands
        ("rejected", "validated", "validate", _PERSON),
        ("validated", "proposed", "withdraw", _PERSON),
        ("proposed|validated", "deprecated", "deprecate", _BOTH),
        ("deprecated", "proposed", "restore", _BOTH),
        ("deprecated", "validated", "restore", _MACHINE),  # evidence returned to what a person had validated
    ),
    Kind.STAGE: _rows(
        ("", "pending", "plan", _MACHINE),
        ("", "running", "claim", _MACHINE),
        ("pending|done|error", "running", "claim", _MACHINE),
        ("running", "done", "finish", _MACHINE),
        ("running", "error", "fail", _MACHINE),
        ("running", "pending", "release", _MACHINE),  # the lease of a dead process expired
        ("done|error", "pending", "invalidate", _MACHINE),
    ),
}

_BY_MOVE: Final = {
    kind: {
        (before, after): tuple(row for row in rows if (row.before, row.after) == (before, after))
        for before, after in {(row.before, row.after) for row in rows}
    }
    for kind, rows in TRANSITIONS.items()
}


class IllegalTransition(RagError):
    """A move that the table does not know, or not for this actor. Always a bug in the caller."""

    default_code = "illegal_transition"


def check_transition(
    kind: Kind | str, before: str | None, after: str, *, by: Actor | str = Actor.MACHINE
) -> str | None:
    """Operation that takes `before` to `after`, or None when nothing moves (`before == after`).

    `before` is None for a newcomer. Raises IllegalTransition for an unknown kind, state or move, and for a move that
    only the other actor may make.
    """
    try:
        kind, by = Kind(kind), Actor(by)
        statuses = STATUSES[kind]
        before = None if before is None else statuses(before).value
        after = statuses(after).value
    except ValueError as error:
        raise IllegalTransition(None, kind=kind, before=before, after=after, by=by) from error
    if before == after:
        return None
    for row in _BY_MOVE[kind].get((before, after), ()):
        if by in row.actors:
            return row.operation
    raise IllegalTransition(None, kind=kind.value, before=before, after=after, by=by.value)
