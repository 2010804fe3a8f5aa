"""Pairs of entities that might be one, ranked, for people to decide. Nothing here is ever merged by a machine.

Sources: short names with several candidates, ambiguous abbreviations, abbreviations beside a fitting long form,
pairs that a text calls synonyms, and similar spelling (rapidfuzz within a class, blocked by word beginnings).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process

from rag_assets.knowledge.naming import abbreviates, is_acronym, merge_veto
from rag_assets.knowledge.ontology import SynonymEntry
from rag_assets.knowledge.person_names import parse_person, same_surname
from rag_assets.knowledge.variants import Node, OpenForm, label_targets

SIMILAR: Final = 85.0
"""token_sort_ratio from which a pair is worth a look; no threshold separates equal from different (FACTS §5)."""
_BLOCK: Final = 4
_LARGEST_BLOCK: Final = 3000

Candidate = tuple[str, str, float, str]
"""Two keys, score, reason."""


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """Two surviving entities that might be one. `score` in 0..1 ranks, it is no probability; `reason` is a code."""

    a: str
    b: str
    score: float
    reason: str


def find_proposals(
    nodes: Mapping[str, Node],
    synonyms: Sequence[SynonymEntry],
    survivor: Mapping[str, str],
    left_open: Iterable[OpenForm],
    same_as: Iterable[tuple[str, str]],
    apart: frozenset[frozenset[str]],
) -> tuple[MergeProposal, ...]:
    """Proposals between survivors, best first; pairs kept apart by a person are left out."""
    best: dict[tuple[str, str], MergeProposal] = {}
    separated = {frozenset(survivor[key] for key in pair) for pair in apart if all(key in survivor for key in pair)}

    def propose(one: str, other: str, score: float, reason: str) -> None:
        if one not in survivor or other not in survivor:
            return
        a, b = sorted((survivor[one], survivor[other]))
        if a == b or frozenset((a, b)) in separated or frozenset((one, other)) in apart:
            return
        known = best.get((a, b))
        if known is None or (score, known.reason) > (known.score, reason):
            best[a, b] = MergeProposal(a, b, round(score, 4), reason)

    heads = [nodes[key] for key in sorted(set(survivor.values()))]
    for one, other, score, reason in chain(
        ((one, other, 0.9, "called_synonym") for one, other in same_as if _same_group(nodes, one, other)),
        _ambiguous_labels(synonyms),
        _open_forms(left_open),
        _abbreviations(heads),
        _similar(heads),
    ):
        propose(one, other, score, reason)
    return tuple(sorted(best.values(), key=lambda item: (-item.score, item.a, item.b)))


def _same_group(nodes: Mapping[str, Node], one: str, other: str) -> bool:
    return one in nodes and other in nodes and nodes[one].group == nodes[other].group


def _ambiguous_labels(synonyms: Sequence[SynonymEntry]) -> Iterator[Candidate]:
    for label, targets in label_targets(synonyms).items():
        if len(targets) > 1:
            for target in targets:
                yield label, target, 0.6, "ambiguous_label"


def _open_forms(left_open: Iterable[OpenForm]) -> Iterator[Candidate]:
    for form in left_open:
        for candidate in form.candidates:
            for key in candidate:
                yield form.members[0] if form.members else "", key, 0.7 / len(form.candidates), "short_form"


def _abbreviations(heads: Sequence[Node]) -> Iterator[Candidate]:
    shorts = [node for node in heads if is_acronym(node.name) and not node.is_person]
    by_initial: dict[tuple[str, str], list[Node]] = {}
    for node in heads:
        if not node.is_person and len(node.key) > 6:
            by_initial.setdefault((node.group, node.key[0]), []).append(node)
    for short in shorts:
        for long in by_initial.get((short.group, short.key[0]), ()):
            if long.key != short.key and abbreviates(short.name, long.name):
                yield short.key, long.key, 0.7, "abbreviation"


def _similar(heads: Sequence[Node]) -> Iterator[Candidate]:
    seen: set[tuple[str, str]] = set()
    for block in _blocks(heads):
        keys = [node.key for node in block]
        ratios = process.cdist(keys, keys, scorer=fuzz.token_sort_ratio, score_cutoff=SIMILAR, dtype=np.float32)
        for i, j in zip(*np.nonzero(np.triu(ratios, 1)), strict=True):
            one, other = block[int(i)], block[int(j)]
            if (one.key, other.key) in seen:
                continue
            seen.add((one.key, other.key))
            if not _forbidden(one, other):
                yield one.key, other.key, 0.8 * float(ratios[i, j]) / 100, "similar"


def _blocks(heads: Sequence[Node]) -> Iterator[list[Node]]:
    """Nodes of a class that share the beginning of a word, in blocks that one matrix holds."""
    blocks: dict[tuple[str, str], list[Node]] = {}
    for node in heads:
        for start in sorted({token[:_BLOCK] for token in node.key.split() if len(token) > 2}):
            blocks.setdefault((node.group, start), []).append(node)
    for _, block in sorted(blocks.items(), key=lambda item: item[0]):
        if len(block) < 2:
            continue
        if len(block) <= _LARGEST_BLOCK:
            yield block
            continue
        # Too many share a beginning: neighbours in the order of keys, overlapping by half.
        ordered = sorted(block, key=lambda node: node.key)
        for first in range(0, len(ordered), _LARGEST_BLOCK // 2):
            yield ordered[first : first + _LARGEST_BLOCK]


def _forbidden(one: Node, other: Node) -> bool:
    if one.is_person:
        left, right = parse_person(one.name), parse_person(other.name)
        if not same_surname(left, right) or (left.gender and right.gender and left.gender != right.gender):
            return True
        # "Anna Meyer" and "Hanna Meyer": two given names that are both known are two persons.
        pairs = list(zip(left.given, right.given, strict=False))
        if any(len(a) > 1 and len(b) > 1 and a[0] != b[0] and {a, b} not in _SPELLINGS for a, b in pairs):
            return True
    return merge_veto(one.name, other.name) is not None


_SPELLINGS: Final = [
    {one, other}
    for group in ("carl karl", "jacob jakob", "marc mark", "claus klaus", "katrin catrin", "kurt curt", "filip philip",
                  "christine kristine", "cornelia kornelia", "clara klara", "erik eric", "viktor victor")
    for one, other in combinations(group.split(), 2)
]  # fmt: skip
