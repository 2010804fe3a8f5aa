"""Which entities are one: a pure function of all entities, curated names and people's decisions at once.

Machines join only what KNOWLEDGE calls certain (see `variants`); what is merely similar becomes a proposal (see
`proposals`). The result does not depend on the order of anything that comes in, and nothing is lost by a merge: the
survivor is named, every member stays. Not here: changing rows, mentions, statuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rag_assets.knowledge.components import Components
from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import SynonymEntry
from rag_assets.knowledge.person_names import display_name
from rag_assets.knowledge.proposals import MergeProposal, find_proposals
from rag_assets.knowledge.variants import Link, Node, equal_forms, open_short_forms, short_forms


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFacts:
    """What resolution needs of one entity.

    `key`: its canonical key, unique. `surfaces`: how it is written in texts. `documents`: where it occurs (any stable
    id). `evidence_count`: living mentions. `manual`: made by a person.
    """

    key: str
    name: str
    class_name: str
    evidence_count: int = 0
    surfaces: tuple[str, ...] = ()
    documents: frozenset[str] = frozenset()
    status: str = "extracted"
    manual: bool = False


class DecisionKind(StrEnum):
    """Decisions of people that bear on identity."""

    MERGE = "merge"
    UNMERGE = "unmerge"
    KEEP_APART = "keep_apart"
    RENAME = "rename"
    RECLASSIFY = "reclassify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's decision about the entity `key`; a later one (greater `number`) about the same thing supersedes it.

    `other` is the other entity's key (merge: the one to merge into), the new name, or the new class.
    """

    number: int
    kind: DecisionKind
    key: str
    other: str


@dataclass(frozen=True, slots=True, order=True)
class Synonym:
    """Another label of a surviving entity. Origin `manual` (curated), `merge` (a person) or `extracted`."""

    survivor: str
    label_key: str
    label: str
    origin: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Outcome of `resolve`.

    survivor: every entity's key → key of the entity that stands for it (itself, when nothing is merged)
    names, classes: survivor's key → name and class to show
    links: why members belong together, sorted
    synonyms: further labels of survivors, sorted
    proposals: pairs for people to decide, best first
    by_document: (key, document) → survivor, for names that are open in general but clear in that document
    refused: numbers of merge decisions that later ones made impossible
    """

    survivor: Mapping[str, str]
    names: Mapping[str, str]
    classes: Mapping[str, str]
    links: tuple[Link, ...] = ()
    synonyms: tuple[Synonym, ...] = ()
    proposals: tuple[MergeProposal, ...] = ()
    by_document: Mapping[tuple[str, str], str] = field(default_factory=dict)
    refused: tuple[int, ...] = ()


def resolve(
    entities: Sequence[EntityFacts],
    synonyms: Sequence[SynonymEntry] = (),
    decisions: Iterable[Decision] = (),
    *,
    roots: Mapping[str, str] | None = None,
    same_as: Iterable[tuple[str, str]] = (),
) -> Resolution:
    """Decide over the whole base which entities are one.

    `roots` maps a class to its topmost class: entities count as "of the same class" when these agree (default: the
    class itself). `same_as` are pairs of keys that some text calls synonyms; they are proposed, never merged.
    Raises ValueError when a key comes twice.
    """
    ordered = sorted(decisions, key=lambda item: item.number)
    nodes = _nodes(entities, synonyms, ordered, roots or {})
    apart, must = _constraints(ordered, nodes)
    joined = Components(nodes, apart)
    refused: list[int] = []
    for number, link in must:
        if not joined.join(link, by_person=True):
            refused.append(number)
    for link in sorted(equal_forms(nodes, synonyms)):
        joined.join(link)
    short, open_forms = short_forms(joined.clusters())
    for link in sorted(short):
        joined.join(link)
    survivor = _survivors(joined.clusters(), {link.b for _, link in must})
    decided = {key for _, link in must for key in (link.a, link.b)}
    names = _names(joined.clusters(), survivor, ordered, decided)
    proposals = find_proposals(nodes, synonyms, survivor, open_forms, same_as, apart)
    by_document = open_short_forms(open_forms, joined.clusters(), survivor, apart)
    return Resolution(
        survivor=survivor,
        names=names,
        classes={key: nodes[key].class_name for key in sorted(set(survivor.values()))},
        links=tuple(sorted(link for link in joined.links if not (nodes[link.a].virtual or nodes[link.b].virtual))),
        synonyms=_synonyms(nodes, survivor, names, synonyms, decided),
        proposals=proposals,
        by_document=by_document,
        refused=tuple(sorted(refused)),
    )


def _nodes(
    entities: Sequence[EntityFacts],
    synonyms: Sequence[SynonymEntry],
    decisions: Sequence[Decision],
    roots: Mapping[str, str],
) -> dict[str, Node]:
    classes = {item.key: item.other for item in decisions if item.kind is DecisionKind.RECLASSIFY}
    curated = {canonical_key(entry.name): entry for entry in synonyms}
    nodes: dict[str, Node] = {}
    for facts in sorted(entities, key=lambda item: item.key):
        if facts.key in nodes:
            raise ValueError("one key, one entity: a key came twice")
        class_name = classes.get(facts.key, facts.class_name)
        nodes[facts.key] = Node(
            key=facts.key,
            name=facts.name,
            class_name=class_name,
            group=roots.get(class_name, class_name),
            forms=tuple(sorted({facts.name, *facts.surfaces})),
            documents=facts.documents,
            evidence_count=facts.evidence_count,
            validated=facts.status == "validated",
            manual=facts.manual or facts.key in curated,
            virtual=False,
        )
    for key, entry in curated.items():
        # A curated entity that no text names yet still counts as "known" when variants look for their one target.
        nodes.setdefault(
            key,
            Node(
                key=key,
                name=entry.name,
                class_name=entry.class_name,
                group=roots.get(entry.class_name, entry.class_name),
                forms=(entry.name,),
                documents=frozenset(),
                evidence_count=0,
                validated=False,
                manual=True,
                virtual=True,
            ),
        )
    return dict(sorted(nodes.items()))


def _constraints(
    decisions: Sequence[Decision], nodes: Mapping[str, Node]
) -> tuple[frozenset[frozenset[str]], list[tuple[int, Link]]]:
    """Pairs kept apart, and merges that people want, newest first. The last word on a pair counts."""
    last: dict[frozenset[str], Decision] = {}
    for item in decisions:
        if item.kind in (DecisionKind.MERGE, DecisionKind.UNMERGE, DecisionKind.KEEP_APART) and item.key != item.other:
            last[frozenset((item.key, item.other))] = item
    apart = frozenset(pair for pair, item in last.items() if item.kind is not DecisionKind.MERGE)
    merges = sorted((item for pair, item in last.items() if pair not in apart), key=lambda item: -item.number)
    must = [
        (item.number, Link(0, item.key, item.other, "decision"))
        for item in merges
        if item.key in nodes and item.other in nodes
    ]
    return apart, must


def _survivors(clusters: Iterable[tuple[Node, ...]], targets: set[str]) -> dict[str, str]:
    """Validated before manual before most evidence before the smallest key; never the oldest: order must not matter."""
    survivor: dict[str, str] = {}
    for cluster in clusters:
        real = [node for node in cluster if not node.virtual]
        if real:
            best = min(
                real,
                key=lambda node: (
                    not node.validated,
                    not (node.manual or node.key in targets),
                    -node.evidence_count,
                    node.key,
                ),
            )
            survivor.update({node.key: best.key for node in real})
    return dict(sorted(survivor.items()))


def _names(
    clusters: Iterable[tuple[Node, ...]],
    survivor: Mapping[str, str],
    decisions: Sequence[Decision],
    decided: set[str],
) -> dict[str, str]:
    """The name that a person gave last, else the curated one, else the fullest of a person, else the survivor's own."""
    renamed = {item.key: (item.number, item.other) for item in decisions if item.kind is DecisionKind.RENAME}
    names: dict[str, str] = {}
    for cluster in clusters:
        real = [node for node in cluster if not node.virtual]
        if not real:
            continue
        key = survivor[real[0].key]
        given = max((renamed[node.key] for node in real if node.key in renamed), default=None)
        curated = [node.name for node in cluster if node.virtual]
        own = next(node for node in real if node.key == key)
        if given is not None:
            names[key] = given[1]
        elif own.manual or own.validated:
            names[key] = own.name
        else:
            # What a person merged under this name may be called quite differently; it does not rename the survivor.
            alike = [node for node in real if node.key == key or node.key not in decided]
            names[key] = curated[0] if curated else _fullest_name(own, alike)
    return dict(sorted(names.items()))


def _fullest_name(own: Node, members: Sequence[Node]) -> str:
    """Of a person the name that says most, else the survivor's own."""
    if not own.is_person:
        return own.name
    return max((display_name(node.name) for node in members), key=lambda name: (len(canonical_key(name)), name))


def _synonyms(
    nodes: Mapping[str, Node],
    survivor: Mapping[str, str],
    names: Mapping[str, str],
    curated: Sequence[SynonymEntry],
    merged_by_person: set[str],
) -> tuple[Synonym, ...]:
    found: dict[tuple[str, str], Synonym] = {}
    labels = {canonical_key(entry.name): entry.labels for entry in curated}
    for key, target in survivor.items():
        origin = "merge" if key in merged_by_person and key != target else "extracted"
        ranked = [(label, "manual") for label in labels.get(key, ())] + [(form, origin) for form in nodes[key].forms]
        for label, source in ranked:
            label_key = canonical_key(label)
            if label_key and label_key != canonical_key(names[target]):
                known = found.get((target, label_key))
                candidate = Synonym(target, label_key, label, source)
                if known is None or (_ORIGINS[source], label) < (_ORIGINS[known.origin], known.label):
                    found[target, label_key] = candidate
    return tuple(sorted(found.values()))


_ORIGINS = {"manual": 0, "merge": 1, "extracted": 2}
