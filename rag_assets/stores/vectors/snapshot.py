"""A segment as one immutable file that any number of processes map into memory.

Layout: 8 bytes of magic, 8 bytes of header length and 8 of its checksum (little endian), the header as JSON, then each
array at a multiple of 64 bytes. The header names form, place and checksum of every array, so that a damaged file is found out before it can
answer. A new snapshot replaces the old by rename; who has the old one mapped keeps it until he looks again.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np

from rag_assets.stores.vectors.base import ModelRef
from rag_assets.stores.vectors.segment import Segment

_MAGIC: Final = b"RAGIDX1\n"
_PREAMBLE: Final = 24
_ALIGNMENT: Final = 64
_ARRAYS: Final[dict[str, str]] = {
    "ids": "<i8", "uids": "|S36", "chunk_ids": "<i8", "document_ids": "<i8", "language_codes": "<i4",
    "type_codes": "<i4", "vectors": "<f4", "terms": "<u8", "starts": "<i8", "rows": "<i4", "counts": "<u2",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a snapshot file says: all windows of `collection` up to `last_id` as they were at `generation`."""

    collection: str
    model: ModelRef
    generation: int
    last_id: int
    segment: Segment


def path_of(folder: Path, collection: str) -> Path:
    """Where the collection's snapshot lies; any name of a collection makes a safe name of a file."""
    return folder / f"{quote(collection, safe='')}.snapshot"


def write(folder: Path, snapshot: Snapshot) -> Path:
    """Put the snapshot into place atomically and durably; leftovers of killed writers are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    target = path_of(folder, snapshot.collection)
    for leftover in folder.glob(f"{target.name}.*.tmp"):
        leftover.unlink(missing_ok=True)
    arrays = {name: np.ascontiguousarray(getattr(snapshot.segment, name), dtype) for name, dtype in _ARRAYS.items()}
    described: dict[str, Any] = {}
    offset = 0
    for name, array in arrays.items():
        offset = -(-offset // _ALIGNMENT) * _ALIGNMENT
        described[name] = {"shape": array.shape, "offset": offset, "crc32": zlib.crc32(_bytes(array))}
        offset += array.nbytes
    header = json.dumps(
        {
            "collection": snapshot.collection,
            "model": asdict(snapshot.model),
            "generation": snapshot.generation,
            "last_id": snapshot.last_id,
            "languages": snapshot.segment.languages,
            "types": snapshot.segment.types,
            "arrays": described,
            "size": offset,
        }
    ).encode()
    descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + zlib.crc32(header).to_bytes(8, "little") + header)
            base = _aligned(file.tell())
            for key, array in arrays.items():
                file.seek(base + described[key]["offset"])
                file.write(_bytes(array))
            file.truncate(base + offset)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise
    return target


def read(folder: Path, collection: str) -> Snapshot | None:
    """The collection's snapshot, checked in full; None when there is none or it is damaged in any way."""
    try:
        with path_of(folder, collection).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # absent, not readable, or empty
        return None
    try:
        return _parse(mapped, collection)
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _parse(mapped: mmap.mmap, collection: str) -> Snapshot:
    if mapped[:8] != _MAGIC:
        raise ValueError("magic")
    length, checksum = int.from_bytes(mapped[8:16], "little"), int.from_bytes(mapped[16:24], "little")
    told_header = mapped[_PREAMBLE : _PREAMBLE + length]
    if len(told_header) != length or zlib.crc32(told_header) != checksum:
        raise ValueError("header")
    header = json.loads(told_header)
    base = _aligned(_PREAMBLE + length)
    if header["collection"] != collection or base + header["size"] != len(mapped):
        raise ValueError("size")
    arrays: dict[str, Any] = {}
    for name, dtype in _ARRAYS.items():
        told = header["arrays"][name]
        count = int(np.prod(told["shape"], dtype=np.int64))
        array = np.frombuffer(mapped, dtype=dtype, count=count, offset=base + told["offset"]).reshape(told["shape"])
        if zlib.crc32(_bytes(array)) != told["crc32"]:
            raise ValueError(name)
        arrays[name] = array
    segment = Segment(**arrays, languages=tuple(header["languages"]), types=tuple(header["types"]))
    model = ModelRef(**header["model"])
    _check_shapes(segment, model)
    return Snapshot(collection, model, int(header["generation"]), int(header["last_id"]), segment)


def _check_shapes(segment: Segment, model: ModelRef) -> None:
    n = len(segment.ids)
    per_row = {"uids", "chunk_ids", "document_ids", "language_codes", "type_codes"}
    whole = (
        segment.vectors.shape == (n, model.dimension)
        and all(len(getattr(segment, item.name)) == n for item in fields(segment) if item.name in per_row)
        and len(segment.starts) == len(segment.terms) + 1
        and len(segment.rows) == len(segment.counts) == int(segment.starts[-1])
    )
    if not whole:
        raise ValueError("shapes")


def _bytes(array: np.ndarray[Any, Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
