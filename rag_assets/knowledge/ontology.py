"""The ontology as a frozen value: classes with properties, taxonomy, relation types, curated names.

Made from the mapping that `ontology.yaml` holds; every mistake in it is named by its place. Reading the file and
storing versions is done elsewhere. Curated names and labels are indexed in `curation`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, NoReturn

from rag_assets.errors import SettingsError
from rag_assets.knowledge.naming import canonical_key

EDGE_TYPES: Final = ("is_a", "part_of", "belongs_to")


@dataclass(frozen=True, slots=True)
class PropertyDefinition:
    """A property that entities of a class can have; `single_valued`: two different values are a conflict."""

    name: str
    description: str
    single_valued: bool


@dataclass(frozen=True, slots=True)
class OntologyClass:
    """A class of things. What holds for `parent` holds for it too."""

    name: str
    parent: str | None
    description: str
    properties: tuple[PropertyDefinition, ...]


@dataclass(frozen=True, slots=True)
class TaxonomyEdge:
    """`narrower` lies below `broader`; both are canonical names of entities."""

    narrower: str
    broader: str
    type: str


@dataclass(frozen=True, slots=True)
class RelationType:
    """A type of relation. `rules` are the pairs (domain class, range class) that it allows."""

    code: str
    label: str
    inverse_label: str
    symmetric: bool
    transitive: bool
    acyclic: bool
    rules: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SynonymEntry:
    """A curated entity: its canonical name, its class and what else it is called."""

    name: str
    class_name: str
    labels: tuple[str, ...]
    definition: str | None


@dataclass(frozen=True)
class Ontology:
    """See the module. Build it with `from_mapping`; a value of this class is always consistent."""

    version: int
    classes: tuple[OntologyClass, ...]
    taxonomy: tuple[TaxonomyEdge, ...]
    relation_types: tuple[RelationType, ...]
    synonyms: tuple[SynonymEntry, ...]
    single_valued_predicates: frozenset[str]

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Ontology:
        """Check the mapping of ontology.yaml and freeze it.

        Raises SettingsError (`broken_ontology`) whose message names the place, e.g. `classes[2].parent`.
        """
        from rag_assets.knowledge.ontology_check import check_consistency

        top = _Place("", raw)
        ontology = cls(
            version=top.integer("version"),
            classes=tuple(_class(item) for item in top.items("classes")),
            taxonomy=tuple(
                TaxonomyEdge(item.text("narrower"), item.text("broader"), item.text("type"))
                for item in top.items("taxonomy", required=False)
            ),
            relation_types=tuple(_relation_type(item) for item in top.items("relation_types")),
            synonyms=tuple(_synonym(item) for item in top.items("synonyms", required=False)),
            single_valued_predicates=frozenset(top.texts("single_valued_predicates")),
        )
        top.no_more(("version", "classes", "taxonomy", "relation_types", "synonyms", "single_valued_predicates"))
        check_consistency(ontology)
        return ontology

    @cached_property
    def revision(self) -> str:
        """SHA-256 of the content in a canonical form: the order of lists in the file does not count."""
        content = asdict(self)
        for name, rows in content.items():
            if name != "version":
                content[name] = sorted(rows, key=lambda row: json.dumps(row, sort_keys=True, ensure_ascii=False))
        return sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    @cached_property
    def _parents(self) -> dict[str, str | None]:
        return {item.name: item.parent for item in self.classes}

    def has_class(self, name: str) -> bool:
        """Whether the ontology knows this class."""
        return name in self._parents

    def find_relation_type(self, code: str) -> RelationType | None:
        """The relation type of this code, or None."""
        return self._types.get(code)

    @cached_property
    def _types(self) -> dict[str, RelationType]:
        return {item.code: item for item in self.relation_types}

    def ancestors(self, name: str) -> Iterator[str]:
        """The class itself, its parent, and so on up to the root. Nothing for an unknown class."""
        current: str | None = name if name in self._parents else None
        while current is not None:
            yield current
            current = self._parents[current]

    def root(self, name: str) -> str:
        """The topmost class above `name`; an unknown class is its own root."""
        return tuple(self.ancestors(name))[-1] if self.has_class(name) else name

    def is_subclass(self, name: str, other: str) -> bool:
        """Whether `name` is `other` or below it."""
        return other in self.ancestors(name)

    def properties_of(self, name: str) -> tuple[PropertyDefinition, ...]:
        """Properties of the class and of its ancestors; the nearest definition of a name counts."""
        by_name = {item.name: item for item in self.classes}
        found: dict[str, PropertyDefinition] = {}
        for ancestor in self.ancestors(name):
            for item in by_name[ancestor].properties:
                found.setdefault(item.name, item)
        return tuple(found.values())

    @cached_property
    def curated_classes(self) -> Mapping[str, tuple[str, str]]:
        """Canonical key → (canonical name, class) of every curated entity: synonym entries and taxonomy terms.

        A term that stands only in the taxonomy has the class of its neighbours over is_a edges where they agree,
        else Konzept (the first class without parent that is called so, else the first class).
        """
        found = {canonical_key(item.name): (item.name, item.class_name) for item in self.synonyms}
        fallback = "Konzept" if self.has_class("Konzept") else self.classes[0].name
        open_terms = {
            canonical_key(term): term for edge in self.taxonomy for term in (edge.narrower, edge.broader)
        }.items() - {key: name for key, (name, _) in found.items()}.items()
        pending = {key: name for key, name in open_terms if key not in found}
        neighbours: dict[str, set[str]] = {key: set() for key in pending}
        for edge in self.taxonomy:
            if edge.type == "is_a":
                low, high = canonical_key(edge.narrower), canonical_key(edge.broader)
                neighbours.get(low, set()).add(high)
                neighbours.get(high, set()).add(low)
        while True:
            decided: dict[str, tuple[str, str]] = {}
            for key in pending:
                classes = {self.root(found[other][1]) for other in neighbours[key] if other in found}
                if len(classes) == 1:
                    decided[key] = (pending[key], classes.pop())
            if not decided:
                break
            found.update(decided)
            pending = {key: name for key, name in pending.items() if key not in decided}
        found.update({key: (name, fallback) for key, name in pending.items()})
        return MappingProxyType(found)


class _Place:
    """A mapping inside the file together with its place, for messages."""

    def __init__(self, path: str, raw: object) -> None:
        self.path = path
        if not isinstance(raw, Mapping):
            self.fail("", "must be a mapping")
        self.raw: Mapping[str, Any] = raw

    def fail(self, name: str, problem: str) -> NoReturn:
        raise broken(".".join(part for part in (self.path, name) if part), problem)

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if not isinstance(value, str) or not value.strip():
            self.fail(name, "must be a text")
        return value.strip()

    def optional(self, name: str) -> str | None:
        return None if self.raw.get(name) is None else self.text(name)

    def integer(self, name: str) -> int:
        value = self.raw.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.fail(name, "must be a whole number from 1")
        return value

    def flag(self, name: str) -> bool:
        value = self.raw.get(name, False)
        if not isinstance(value, bool):
            self.fail(name, "must be true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.raw.get(name) or ()
        if isinstance(value, str) or not isinstance(value, Sequence):
            self.fail(name, "must be a list")
        for number, item in enumerate(value):
            if not isinstance(item, str) or not item.strip():
                self.fail(f"{name}[{number}]", "must be a text")
        return tuple(item.strip() for item in value)

    def items(self, name: str, *, required: bool = True) -> Iterator[_Place]:
        value = self.raw.get(name)
        if value is None and not required:
            return
        if isinstance(value, str) or not isinstance(value, Sequence) or (required and not value):
            self.fail(name, "must be a list" + (" that is not empty" if required else ""))
        prefix = f"{self.path}." if self.path else ""
        for number, item in enumerate(value):
            yield _Place(f"{prefix}{name}[{number}]", item)

    def no_more(self, allowed: Sequence[str]) -> None:
        for name in self.raw:
            if name not in allowed:
                self.fail(str(name), "is not known here")


def broken(path: str, problem: str) -> SettingsError:
    """The error for a mistake at `path`."""
    return SettingsError("broken_ontology", f"{path or 'top'}: {problem}")


def _class(item: _Place) -> OntologyClass:
    item.no_more(("name", "parent", "description", "properties"))
    properties = []
    for place in item.items("properties", required=False):
        place.no_more(("name", "description", "single_valued"))
        properties.append(
            PropertyDefinition(place.text("name"), place.text("description"), place.flag("single_valued"))
        )
    return OntologyClass(item.text("name"), item.optional("parent"), item.text("description"), tuple(properties))


def _relation_type(item: _Place) -> RelationType:
    item.no_more(("code", "label", "inverse_label", "symmetric", "transitive", "acyclic", "rules"))
    return RelationType(
        code=item.text("code"),
        label=item.text("label"),
        inverse_label=item.text("inverse_label"),
        symmetric=item.flag("symmetric"),
        transitive=item.flag("transitive"),
        acyclic=item.flag("acyclic"),
        rules=tuple((rule.text("domain"), rule.text("range")) for rule in item.items("rules")),
    )


def _synonym(item: _Place) -> SynonymEntry:
    item.no_more(("name", "class", "labels", "definition"))
    return SynonymEntry(item.text("name"), item.text("class"), item.texts("labels"), item.optional("definition"))
