"""Hashes of a stage's inputs: equal fingerprints mean that there is nothing to do.

Here is how a fingerprint is made; where it is kept and compared is `ledger.stages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256


def fingerprint(stage: str, upstream: str, parameters: str) -> str:
    """Hash of a stage's inputs: what came from upstream (a data version, or the file's hash) and its parameters."""
    return digest(stage, upstream, parameters)


def with_place(
    parameters: Mapping[str, str], *, collection: str, kind: str, local_only: bool = False
) -> dict[str, str]:
    """The parameters for one document: its vectors also depend on its collection and type, which they carry.

    A `local_only` document takes those of `<stage>.local` where there are any.
    """
    local = {name.removesuffix(".local"): value for name, value in parameters.items() if name.endswith(".local")}
    own = {**parameters, **(local if local_only else {})}
    return {**own, "embeddings": f"{parameters['embeddings']}, {collection}, {kind}"}


def digest(*parts: str) -> str:
    """SHA-256 over parts, so that no two lists of parts can run into each other."""
    hashed = sha256()
    for part in parts:
        data = part.encode()
        hashed.update(len(data).to_bytes(8, "big"))
        hashed.update(data)
    return hashed.hexdigest()
