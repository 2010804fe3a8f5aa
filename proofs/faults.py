"""Faults to plant: small mutations of the product, each one line of its source put wrong.

A fault names a module, the text that stands there exactly once, and what takes its place. `proofs.planted` plants them
one at a time; whoever changes a line named here is told by a test to name another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Fault:
    """A mutation: `right` is the source's text, `wrong` what it becomes."""

    what: str
    module: str
    right: str
    wrong: str


FAULTS: Final = {
    "moved-is-new": Fault(
        "a moved file becomes another document",
        "rag_assets.offline.file_changes",
        "        if mover is not None:\n            changes.moved",
        "        if False:\n            changes.moved",
    ),
    "vectors-of-dead-stay": Fault(
        "vectors of chunks that no longer answer stay in the index",
        "rag_assets.offline.embeddings",
        "        parts.index.delete_chunks(collection, chunk_ids)\n",
        "",
    ),
    "no-flip": Fault(
        "a changed document goes on answering from its old version",
        "rag_assets.offline.embeddings",
        "        if before != version.id:\n",
        "        if before is None:\n",
    ),
    "evidence-off-by-one": Fault(
        "evidence lies one character off in all chunks but the first",
        "rag_assets.offline.intake",
        "kept.append(replace(fact, start=fact.start + start, end=fact.end + start))",
        "kept.append(replace(fact, start=fact.start + start + (start > 0), end=fact.end + start + (start > 0)))",
    ),
    "entities-outlive-mentions": Fault(
        "an entity lives on after its last mention went",
        "rag_assets.ledger.reconcile_entities",
        "    if row.id not in resolved.living:\n",
        "    if row.id not in resolved.living and row.status == EntityStatus.EXTRACTED:\n",
    ),
    "kept-apart-merges": Fault(
        "machines merge what people keep apart",
        "rag_assets.knowledge.resolution",
        "apart = frozenset(pair for pair, item in last.items() if item.kind is not DecisionKind.MERGE)",
        "apart = frozenset(pair for pair, item in last.items() if item.kind is DecisionKind.UNMERGE)",
    ),
    "first-spelling-wins": Fault(
        "an entity keeps the name that it was first seen under: the order of documents matters",
        "rag_assets.ledger.reconcile_entities",
        "    return most_frequent(spelled) or row.name\n",
        "    return row.name\n",
    ),
    "audit-hash-wrong": Fault(
        "rows are hashed for a seal with another number than the seal has",
        "rag_assets.ledger.audit",
        "        hashed = _hash(number, previous, batch)\n",
        "        hashed = _hash(number + 1, previous, batch)\n",
    ),
    "audit-forgets": Fault(
        "steps of entities are not audited",
        "rag_assets.ledger.reconcile_entities",
        "        entries += move.entries\n",
        "",
    ),
    "rerun-writes": Fault(
        "every reconcile leaves a row, also when nothing moved",
        "rag_assets.ledger.reconcile",
        "    if entries:\n",
        "    if entries is not None:\n",
    ),
}
