"""Phase A3: load the full text of the chunks from SQL, never from the vector store; here status and audience decide.

A chunk that SQL does not let answer (superseded, removed, not yet embedded) or that the person may not see falls out,
whatever the index said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.ledger.spaces import point_uid
from rag_assets.online.selection import Candidate
from rag_assets.stores import answering, installation, places
from rag_assets.stores.answering import LoadedChunk
from rag_assets.stores.database import Connection
from rag_assets.stores.vectors.base import ModelRef

EVERYBODY: Final = "all"


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that may answer, with how it was found; `focus` is the span of its best window within its text."""

    candidate: Candidate
    chunk: LoadedChunk
    focus: tuple[int, int]


def load(
    connection: Connection,
    candidates: Sequence[Candidate],
    *,
    model: ModelRef,
    audiences: frozenset[str] | None,
    without_local: bool = False,
) -> list[Passage]:
    """The candidates that may answer this person, in their order.

    `audiences` None sees everything. `without_local` leaves out what may not leave the machine, for a model outside.
    """
    loaded = by_id(connection, [candidate.chunk_id for candidate in candidates])
    spans = places.window_spans(connection, loaded.keys())
    namespace = installation.namespace(connection)
    passages = []
    for candidate in candidates:
        chunk = loaded.get(candidate.chunk_id)
        if chunk is None or not may_see(chunk, audiences) or (without_local and chunk.local_only):
            continue
        focus = (0, len(chunk.content))
        for window_uid, start, end in spans.get(chunk.id, ()):
            if point_uid(namespace, window_uid, model) == candidate.uid:
                focus = (start - chunk.char_start, end - chunk.char_start)
        passages.append(Passage(candidate, chunk, focus))
    return passages


def by_id(connection: Connection, chunk_ids: Sequence[int]) -> dict[int, LoadedChunk]:
    """Those of the chunks that may answer, by id."""
    return {chunk.id: chunk for chunk in answering.load(connection, chunk_ids)}


def may_see(chunk: LoadedChunk, audiences: frozenset[str] | None) -> bool:
    """Whether somebody of these groups may see the chunk."""
    return audiences is None or EVERYBODY in chunk.audience or bool(audiences & set(chunk.audience))
