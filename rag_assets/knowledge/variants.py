"""Forms of a name that can only mean one entity: the links that resolution follows without asking a person.

`equal_forms`: the same name in another spelling, a curated label, a homonym with its qualifier. `short_forms`:
initials, missing given names, bare surnames and genitives of persons, where over the whole base exactly one fuller
name fits. Every link needs the same class; numbers, negations and salutations forbid it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from rag_assets.knowledge.naming import (
    canonical_key,
    key_without_spaces,
    lemma_key,
    merge_veto,
    salutation,
    sorted_key,
    split_qualifier,
)
from rag_assets.knowledge.ontology import SynonymEntry
from rag_assets.knowledge.person_names import PersonName, is_shorter_form, parse_person

PERSON: Final = "Person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity as resolution sees it. `virtual`: curated, but no text names it yet. `group`: its topmost class."""

    key: str
    name: str
    class_name: str
    group: str
    forms: tuple[str, ...]
    documents: frozenset[str]
    evidence_count: int
    validated: bool
    manual: bool
    virtual: bool

    @property
    def is_person(self) -> bool:
        """Whether the rules for person names apply."""
        return self.group == PERSON


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Two keys that are one, the rule that says so, and the rule's rank (smaller is surer)."""

    rank: int
    a: str
    b: str
    rule: str


@dataclass(frozen=True, slots=True)
class OpenForm:
    """A short form (members of one cluster) with several possible persons, or none that is certain."""

    members: tuple[str, ...]
    documents: frozenset[str]
    candidates: tuple[tuple[str, ...], ...]


def equal_forms(nodes: Mapping[str, Node], synonyms: Sequence[SynonymEntry]) -> Iterator[Link]:
    """Links between different spellings of one name."""
    yield from _labels(nodes, synonyms)
    yield from _grouped(nodes, 2, "spacing", lambda node: key_without_spaces(node.key))
    yield from _grouped(nodes, 3, "inflection", _inflection_key)
    yield from _grouped(nodes, 4, "word_order", lambda node: sorted_key(node.key) if node.is_person else None)
    yield from _qualified(nodes)


def label_targets(synonyms: Sequence[SynonymEntry]) -> dict[str, tuple[str, ...]]:
    """Key of each curated label → keys of the entities it belongs to; more than one: an ambiguous abbreviation."""
    found: dict[str, set[str]] = {}
    for entry in synonyms:
        for label in entry.labels:
            found.setdefault(canonical_key(label), set()).add(canonical_key(entry.name))
    return {label: tuple(sorted(keys)) for label, keys in found.items()}


def _labels(nodes: Mapping[str, Node], synonyms: Sequence[SynonymEntry]) -> Iterator[Link]:
    names = {canonical_key(entry.name) for entry in synonyms}
    for label, targets in label_targets(synonyms).items():
        if label not in nodes or label in names or len(targets) != 1:
            continue
        # A person wrote the label down, and classes from machines waver; only a person is never a thing.
        if nodes[label].is_person == nodes[targets[0]].is_person:
            yield Link(1, label, targets[0], "label")


def _grouped(nodes: Mapping[str, Node], rank: int, rule: str, key_of: object) -> Iterator[Link]:
    groups: dict[tuple[str, str], list[Node]] = {}
    assert callable(key_of)
    for node in nodes.values():
        key = key_of(node)
        if key:
            groups.setdefault((node.group, key), []).append(node)
    for members in groups.values():
        if len(members) < 2 or any(_vetoed(one, other) for one, other in combinations(members, 2)):
            continue  # one doubtful pair leaves the whole group to people
        for one, other in combinations(members, 2):
            yield Link(rank, one.key, other.key, rule)


def _inflection_key(node: Node) -> str | None:
    return None if node.is_person else key_without_spaces(lemma_key(node.key))


def _qualified(nodes: Mapping[str, Node]) -> Iterator[Link]:
    """A bare name and the only homonym of its class that carries a qualifier."""
    homonyms: dict[tuple[str, str], list[Node]] = {}
    for node in nodes.values():
        base, qualifier = split_qualifier(node.name)
        if qualifier is not None:
            homonyms.setdefault((node.group, canonical_key(base)), []).append(node)
    for (group, base), targets in homonyms.items():
        bare = nodes.get(base)
        if bare is not None and bare.group == group and len(targets) == 1:
            yield Link(5, base, targets[0].key, "qualifier")


def _vetoed(one: Node, other: Node) -> bool:
    return any(merge_veto(left, right) is not None for left in _veto_forms(one) for right in _veto_forms(other))


def _veto_forms(node: Node) -> tuple[str, ...]:
    """The name, and the forms with a salutation: only they can add a veto."""
    return (node.name, *(form for form in node.forms if form != node.name and salutation(form)))


def short_forms(clusters: Sequence[tuple[Node, ...]]) -> tuple[list[Link], list[OpenForm]]:
    """Links of short person names to the only fuller one that fits, and the short names that stay open.

    Looks at clusters of equal forms. "The only one" means: all fuller names that fit are themselves short forms of
    one of them.
    """
    persons = [(cluster, name) for cluster in clusters if (name := _fullest(cluster)) is not None]
    by_surname: dict[str, list[int]] = {}
    for number, (_, name) in enumerate(persons):
        by_surname.setdefault(name.rest[-1], []).append(number)
    links: list[Link] = []
    left_open: list[OpenForm] = []
    for cluster, name in persons:
        surname = name.rest[-1]
        near = by_surname.get(surname, []) + (by_surname.get(surname[:-1], []) if surname.endswith("s") else [])
        fuller = [persons[n] for n in near if persons[n][0] is not cluster and is_shorter_form(name, persons[n][1])]
        tops = [one for one in fuller if not any(is_shorter_form(one[1], other[1]) for other in fuller)]
        if len(tops) == 1 and not _mixed(cluster):
            links.append(Link(6, cluster[0].key, tops[0][0][0].key, "short_form"))
        elif tops:
            left_open.append(
                OpenForm(
                    tuple(node.key for node in cluster if not node.virtual),
                    frozenset().union(*(node.documents for node in cluster)),
                    tuple(tuple(node.key for node in top) for top, _ in tops),
                )
            )
    return links, left_open


def open_short_forms(
    left_open: Iterable[OpenForm],
    clusters: Iterable[tuple[Node, ...]],
    survivor: Mapping[str, str],
    apart: frozenset[frozenset[str]],
) -> dict[tuple[str, str], str]:
    """(key, document) → survivor for short names of which only one candidate occurs in that document."""
    home = {node.key: cluster for cluster in clusters for node in cluster}
    found: dict[tuple[str, str], str] = {}
    for form in left_open:
        for document in sorted(form.documents):
            here = {
                survivor[node.key]
                for candidate in form.candidates
                for node in home[candidate[0]]
                if not node.virtual and document in node.documents
            }
            if len(here) == 1:
                target = here.pop()
                for key in form.members:
                    if frozenset((key, target)) not in apart:
                        found[key, document] = target
    return dict(sorted(found.items()))


def _fullest(cluster: tuple[Node, ...]) -> PersonName | None:
    """The name that says most among a cluster's persons, with the gender that any form tells; None for non-persons."""
    if not all(node.is_person for node in cluster):
        return None
    names = [parse_person(node.name) for node in cluster if node.key]
    if not names or not all(name.rest for name in names):
        return None
    best = max(names, key=lambda name: (len(name.tokens), sum(len(token) for token in name.tokens), name.tokens))
    genders = _genders(cluster)
    return PersonName(best.given, best.rest, genders.pop() if len(genders) == 1 else best.gender)


def _genders(cluster: tuple[Node, ...]) -> set[str]:
    return {gender for node in cluster for form in node.forms if (gender := parse_person(form).gender)}


def _mixed(cluster: tuple[Node, ...]) -> bool:
    """Whether a name is used for a woman and for a man."""
    return len(_genders(cluster)) > 1
