"""Identifiers that never change once they are minted.

Here: how a uid is made from what was known first about a thing. Not here: keeping it. A uid is minted once, stored
and never computed again; keys (paths, canonical names) point to it, so that moves and renames keep identity.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import Final
from uuid import UUID, uuid5

_SLUG_LENGTH: Final = 48


def uid(namespace: UUID, kind: str, natural_key: str, generation: int = 0) -> str:
    """UUIDv5 of a thing's kind, first natural key and generation, as 36 characters.

    `namespace` is the installation's own random namespace, so that nobody can work out a person's uid from a name.
    `generation` counts newcomers under a key that another thing had before (a new file at an old path): 0, 1, ….
    """
    if generation < 0:
        raise ValueError("generation counts from 0")
    # Lengths first: no choice of kind and key can run into another one.
    return str(uuid5(namespace, f"{len(kind)}:{kind}:{len(natural_key)}:{natural_key}:{generation}"))


def window_uid(chunk_text_sha256: str, ordinal: int, model: str) -> str:
    """Id of a vector point: the window's chunk text, its number in the chunk, and the model's name or digest.

    It needs no namespace: vectors are derivatives and the same text under the same model is the same point.
    """
    return str(uuid5(_WINDOW_NAMESPACE, f"{chunk_text_sha256}:{ordinal}:{model}"))


_WINDOW_NAMESPACE: Final = UUID("7d3e5f0a-59d1-5c0c-9a55-2b8c1d1f6e10")


def partition_key(namespace: UUID, source_path: str, *, opaque: bool = False, generation: int = 0) -> str:
    """Partition key of a document, `[a-z0-9-]` only: `slug-8hex`, or `doc-12hex` when `opaque` (personal sources).

    Made from the path first seen. The hex digits of an opaque key depend on the secret namespace, those of the other
    kind on the path alone. A caller that meets a key already taken asks again with the next `generation`.
    """
    normal = unicodedata.normalize("NFC", source_path)
    if opaque:
        return "doc-" + uid(namespace, "partition", normal, generation).replace("-", "")[:12]
    digest = sha256(f"{normal}\n{generation}".encode() if generation else normal.encode()).hexdigest()[:8]
    return f"{_slug(normal)}-{digest}"


def _slug(path: str) -> str:
    stem = path.rsplit("/", 1)[-1]
    stem = stem.rsplit(".", 1)[0] or stem
    spelled = stem.casefold()
    for umlaut, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        spelled = spelled.replace(umlaut, letters)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_SLUG_LENGTH].strip("-") or "document"
