"""Consistency of an ontology: what a file of the right form can still have wrong. Each mistake names its place."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import EDGE_TYPES, Ontology, broken


def check_consistency(ontology: Ontology) -> None:
    """Raise SettingsError (`broken_ontology`) for the first mistake found, in the order of the file."""
    _check_classes(ontology)
    _check_taxonomy(ontology)
    _check_relation_types(ontology)
    _check_synonyms(ontology)


def find_cycle(edges: Iterable[tuple[str, str]]) -> tuple[str, ...] | None:
    """The nodes of one cycle in a directed graph, first = last, or None. The same edges give the same cycle."""
    successors: dict[str, list[str]] = {}
    for source, target in sorted(set(edges)):
        successors.setdefault(source, []).append(target)
    done: set[str] = set()
    for start in sorted(successors):
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:  # a loop of our own: chains can be longer than Python's recursion limit
            node, index = stack.pop()
            if index == 0:
                if node in on_path:
                    return (*path[path.index(node) :], node)
                if node in done:
                    continue
                path.append(node)
                on_path.add(node)
            following = successors.get(node, [])
            if index < len(following):
                stack.append((node, index + 1))
                stack.append((following[index], 0))
            else:
                path.pop()
                on_path.discard(node)
                done.add(node)
    return None


def _check_classes(ontology: Ontology) -> None:
    seen: set[str] = set()
    for number, item in enumerate(ontology.classes):
        if item.name in seen:
            raise broken(f"classes[{number}].name", f"{item.name!r} stands there twice")
        seen.add(item.name)
        names = [prop.name for prop in item.properties]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise broken(f"classes[{number}].properties[{place}].name", f"{name!r} stands there twice")
    parents: dict[str, str] = {}
    for number, item in enumerate(ontology.classes):
        if item.parent is None:
            continue
        if item.parent not in seen:
            raise broken(f"classes[{number}].parent", f"no class is called {item.parent!r}")
        parents[item.name] = item.parent
        if find_cycle(parents.items()):
            raise broken(f"classes[{number}].parent", f"{item.name!r} is above itself")


def _check_taxonomy(ontology: Ontology) -> None:
    edges: dict[str, dict[tuple[str, str], int]] = {}
    for number, edge in enumerate(ontology.taxonomy):
        if edge.type not in EDGE_TYPES:
            raise broken(f"taxonomy[{number}].type", f"must be one of {', '.join(EDGE_TYPES)}")
        pair = (canonical_key(edge.narrower), canonical_key(edge.broader))
        if pair[0] == pair[1]:
            raise broken(f"taxonomy[{number}]", "narrower and broader are the same")
        if pair in edges.setdefault(edge.type, {}):
            raise broken(f"taxonomy[{number}]", "this edge stands there twice")
        edges[edge.type][pair] = number
    for kind, pairs in edges.items():
        cycle = find_cycle(pairs)
        if cycle:
            last = max(pairs[pair] for pair in pairwise(cycle))
            raise broken(f"taxonomy[{last}]", f"closes a circle of {kind} edges")


def _check_relation_types(ontology: Ontology) -> None:
    seen: set[str] = set()
    for number, kind in enumerate(ontology.relation_types):
        if kind.code in seen:
            raise broken(f"relation_types[{number}].code", f"{kind.code!r} stands there twice")
        seen.add(kind.code)
        for place, rule in enumerate(kind.rules):
            for end, name in zip(("domain", "range"), rule, strict=True):
                if not ontology.has_class(name):
                    raise broken(f"relation_types[{number}].rules[{place}].{end}", f"no class is called {name!r}")
            if rule in kind.rules[:place]:
                raise broken(f"relation_types[{number}].rules[{place}]", "this rule stands there twice")


def _check_synonyms(ontology: Ontology) -> None:
    names: dict[str, int] = {}
    for number, entry in enumerate(ontology.synonyms):
        if not ontology.has_class(entry.class_name):
            raise broken(f"synonyms[{number}].class", f"no class is called {entry.class_name!r}")
        key = canonical_key(entry.name)
        if key in names:
            raise broken(f"synonyms[{number}].name", f"{entry.name!r} is also synonyms[{names[key]}]")
        names[key] = number
    for number, entry in enumerate(ontology.synonyms):
        for place, label in enumerate(entry.labels):
            owner = names.get(canonical_key(label), number)
            # A label shared by two entries is an ambiguous abbreviation and merges nothing; a label that is another
            # entry's name would say that the two are one.
            if owner != number:
                raise broken(f"synonyms[{number}].labels[{place}]", f"{label!r} is the name of synonyms[{owner}]")
