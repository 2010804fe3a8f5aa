"""The embedded index: points in SQL, exact search in NumPy over a mapped snapshot and the segments written since.

SQL is the truth. A process holds, per collection, segments that together are all points up to some id; before each
search it compares the collection's generation, and only if that moved it reads what is new, marks what is gone, and now
and then writes a new snapshot. All of that happens in the read transaction of the search, so a hit was a point at that
moment; besides, every hit's id and uid are looked up in SQL before it is returned.

Any number of processes may do all of this: writers queue at the collection's row, a snapshot is replaced by rename, and
a stale, foreign or damaged snapshot is found out and made again.
"""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from rag_assets.errors import StoreError
from rag_assets.stores.bulk import in_write
from rag_assets.stores.database import Database
from rag_assets.stores.vectors import points as table
from rag_assets.stores.vectors import search
from rag_assets.stores.vectors import snapshot as files
from rag_assets.stores.vectors.base import (
    LEXICAL_WEIGHT,
    Filter,
    Hit,
    ModelRef,
    Query,
    VectorPoint,
    refuse_missing,
    refuse_other_dimension,
    refuse_other_model,
)
from rag_assets.stores.vectors.search import Part, alive_rows
from rag_assets.stores.vectors.segment import build, merge

#: A new snapshot is written when this many rows, and this share of all, came or went since the last.
SNAPSHOT_MIN_CHANGES: Final = 512
SNAPSHOT_SHARE: Final = 0.1
_MOST_SEGMENTS: Final = 6


@dataclass(frozen=True, slots=True)
class _Held:
    """What this process knows of a collection: all its points with an id up to `last_id` at `generation`."""

    model: ModelRef
    generation: int
    last_id: int
    parts: tuple[Part, ...]
    stamp: tuple[int, ...] | None  # which snapshot file the first part is mapped from; None: it is no file
    in_snapshot: int

    @property
    def alive(self) -> int:
        return sum(alive_rows(part) for part in self.parts)

    @property
    def changes(self) -> int:
        """Rows that came since the snapshot, and rows of it that are gone."""
        if not self.in_snapshot:
            return sum(len(segment) for segment, _ in self.parts)
        return self.in_snapshot - alive_rows(self.parts[0]) + sum(len(segment) for segment, _ in self.parts[1:])


class _SnapshotOfOthers(Exception):
    """The snapshot has points under ids that are other points in SQL: it belongs to another database."""


class EmbeddedIndex:
    """`VectorIndex` on the project's own database and a folder for snapshots.

    >>> index = EmbeddedIndex(database, Path(".rag/index"))  # doctest: +SKIP
    """

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()

    def ensure(self, collection: str, model: ModelRef) -> None:
        """See `VectorIndex`."""
        recorded = self.model(collection)
        if recorded is None:
            in_write(self._database, lambda connection: table.make_collection(connection, collection, model))
            recorded = self.model(collection) or model
        refuse_other_model(collection, recorded, model)

    def reset(self, collection: str, model: ModelRef) -> None:
        """See `VectorIndex`. Vectors of the old model stay in `embeddings`, so that going back costs nothing."""
        if self.model(collection) is None:
            self.ensure(collection, model)
            return
        in_write(self._database, lambda connection: table.change_model(connection, collection, model))

    def model(self, collection: str) -> ModelRef | None:
        """See `VectorIndex`."""
        with self._database.read() as connection:
            row = table.collection_row(connection, collection)
        return None if row is None else row.model

    def upsert(self, collection: str, points: Sequence[VectorPoint]) -> None:
        """See `VectorIndex`. Points that are stored exactly so already are left alone, row and id included."""
        wanted = list({point.uid: point for point in points}.values())
        with self._database.read() as connection:
            row = table.collection_row(connection, collection)
            if row is None:
                raise refuse_missing(collection)
            refuse_other_dimension(collection, row.model.dimension, [point.vector for point in wanted])
            if not table.differing(connection, collection, wanted, row.model_id):
                return

        def work(connection: Connection) -> None:
            table.move_generation(connection, collection)
            now = table.collection_row(connection, collection)
            if now is None or now.model_id != row.model_id:
                raise StoreError("dimension_mismatch", "the collection's model was changed", collection=collection)
            changed = table.differing(connection, collection, wanted, now.model_id)
            table.replace(connection, collection, changed, now.model_id)

        in_write(self._database, work)

    def delete_chunks(self, collection: str, chunk_ids: Sequence[int]) -> int:
        """See `VectorIndex`."""

        def work(connection: Connection) -> int:
            table.move_generation(connection, collection)
            return table.delete_of_chunks(connection, collection, chunk_ids)

        with self._database.read() as connection:
            if not chunk_ids or table.collection_row(connection, collection) is None:
                return 0
        return in_write(self._database, work)

    def search(
        self,
        collection: str,
        query: Query,
        *,
        limit: int,
        lexical_weight: float = LEXICAL_WEIGHT,
        where: Filter | None = None,
    ) -> list[Hit]:
        """See `VectorIndex`."""
        if limit < 1 or (query.vector is None and not query.terms):
            return []
        for fresh in (False, True):
            with self._database.read() as connection:
                held = self._refreshed(connection, collection, afresh=fresh)
                if held is None:
                    return []
                if query.vector is not None:
                    refuse_other_dimension(collection, held.model.dimension, [query.vector])
                try:
                    return _verified(connection, collection, held, query, limit, lexical_weight, where)
                except _SnapshotOfOthers:
                    continue
        raise StoreError("index_damaged", "the index does not agree with the database", collection=collection)

    def vectors(self, collection: str, uids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """See `VectorIndex`."""
        with self._database.read() as connection:
            return table.vectors(connection, collection, uids)

    def sample(self, collection: str, size: int) -> NDArray[np.float32]:
        """See `VectorIndex`."""
        with self._database.read() as connection:
            row = table.collection_row(connection, collection)
            if row is None:
                return np.empty((0, 0), dtype=np.float32)
            found = table.vectors(connection, collection, table.first_uids(connection, collection, size))
        return np.vstack([np.empty((0, row.model.dimension), dtype=np.float32), *found.values()])

    def count(self, collection: str) -> int:
        """See `VectorIndex`."""
        with self._database.read() as connection:
            return table.count(connection, collection)

    def chunk_ids(self, collection: str) -> set[int]:
        """See `VectorIndex`."""
        with self._database.read() as connection:
            return table.chunk_ids(connection, collection)

    def compact(self, collection: str) -> None:
        """Write the snapshot anew from SQL alone: after an erasure nothing that was deleted is left in the file.

        Other processes drop their mapping of the old file at their next search.
        """
        if self.model(collection) is None:
            return
        in_write(self._database, lambda connection: table.move_generation(connection, collection))
        with self._writing(collection, wait=True), self._database.read() as connection:
            row = table.collection_row(connection, collection)
            if row is None:
                return
            held = _caught_up(connection, collection, _nothing(row.model), row.generation)
            self._held[collection] = self._write_snapshot(collection, held)

    def _refreshed(self, connection: Connection, collection: str, *, afresh: bool = False) -> _Held | None:
        """What is held of the collection, brought up to the transaction's state."""
        row = table.collection_row(connection, collection)
        if row is None:
            return None
        held = self._held.get(collection)
        if not afresh and held is not None and (held.generation, held.model) == (row.generation, row.model):
            return held
        with self._lock:
            start = _nothing(row.model) if afresh else self._start(collection, row)
            held = _caught_up(connection, collection, start, row.generation)
            useless = held.stamp is None and _stamp(files.path_of(self._folder, collection)) is not None
            if useless or held.changes > max(SNAPSHOT_MIN_CHANGES, SNAPSHOT_SHARE * held.in_snapshot):
                # It only makes the next start faster: on a full disk what is held answers as well.
                with suppress(OSError), self._writing(collection, wait=False) as mine:
                    if mine:
                        held = self._write_snapshot(collection, held)
            self._held[collection] = held
        return held

    def _start(self, collection: str, row: table.CollectionRow) -> _Held:
        """What is held already or lies in the snapshot, whichever is newer; nothing if neither fits the database."""
        held = self._held.get(collection)
        stamp = _stamp(files.path_of(self._folder, collection))
        usable = held is not None and held.model == row.model and held.generation <= row.generation
        if held is not None and usable and held.stamp == stamp:
            return held
        found = files.read(self._folder, collection)
        if found is not None and found.model == row.model and found.generation <= row.generation:
            part: Part = (found.segment, None)
            return _Held(row.model, found.generation, found.last_id, (part,), stamp, len(found.segment))
        return _nothing(row.model)

    def _write_snapshot(self, collection: str, held: _Held) -> _Held:
        whole = merge(held.parts) if held.parts else build((), held.model.dimension)
        files.write(self._folder, files.Snapshot(collection, held.model, held.generation, held.last_id, whole))
        written = files.read(self._folder, collection)
        stamp = _stamp(files.path_of(self._folder, collection))
        if written is None or written.generation != held.generation:  # a faster process, or a disk that lies
            return replace(held, parts=((whole, None),), stamp=stamp, in_snapshot=len(whole))
        return replace(held, parts=((written.segment, None),), stamp=stamp, in_snapshot=len(whole))

    @contextmanager
    def _writing(self, collection: str, *, wait: bool) -> Iterator[bool]:
        """Whether this process may write the snapshot now; without `wait` False when another one does."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with files.path_of(self._folder, collection).with_suffix(".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            yield True


def _nothing(model: ModelRef) -> _Held:
    return _Held(model, -1, 0, (), None, 0)


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _caught_up(connection: Connection, collection: str, held: _Held, generation: int) -> _Held:
    """`held` with what was written since and without what was deleted since."""
    parts = list(held.parts)
    if table.count(connection, collection, up_to=held.last_id) != held.alive:
        left = table.ids(connection, collection, up_to=held.last_id)
        parts = [(segment, np.isin(segment.ids, left, assume_unique=True)) for segment, _ in parts]
    new = build(table.newer_than(connection, collection, held.last_id), held.model.dimension)
    last_id = held.last_id
    if len(new):
        parts.append((new, None))
        last_id = int(new.ids[-1])
    if len(parts) > _MOST_SEGMENTS:
        parts = [parts[0], (merge(parts[1:]), None)]
    return replace(held, generation=generation, last_id=last_id, parts=tuple(parts))


def _verified(
    connection: Connection, collection: str, held: _Held, query: Query, limit: int, weight: float, where: Filter | None
) -> list[Hit]:
    """The best hits, each looked up in SQL; when some are gone, further ones take their places."""
    scored = search.score(held.parts, query, weight, where)
    wanted = limit
    while True:
        candidates = scored.best(wanted)
        there = table.places(connection, collection, [point_id for point_id, _ in candidates])
        if any(there.get(point_id, hit.uid) != hit.uid for point_id, hit in candidates):
            raise _SnapshotOfOthers
        hits = [hit for point_id, hit in candidates if point_id in there][:limit]
        if len(hits) == limit or wanted >= scored.admitted:
            return hits
        wanted *= 4
