"""Direction of relations: does a pair of classes fit a type's domain and range, as it stands or turned round?

Not here: finding relations in text, storing them. What fits neither way is kept by the callers as rejected, with the
reason given here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rag_assets.knowledge.ontology import Ontology


class Orientation(StrEnum):
    """What became of a candidate's direction."""

    KEPT = "kept"
    TURNED = "turned"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Oriented:
    """Outcome, and the reason as a code: `domain_range` when turned or refused, `unknown_type`, `unknown_class`."""

    orientation: Orientation
    reason: str | None = None


def orient(ontology: Ontology, relation_type: str, source_class: str, target_class: str) -> Oriented:
    """Whether source → target fits the type's rules (a subclass satisfies its class), else whether target → source does.

    A symmetric type has no direction, so it is never turned. Unknown types and classes are refused, not raised:
    they come from models.
    """
    kind = ontology.find_relation_type(relation_type)
    if kind is None:
        return Oriented(Orientation.REJECTED, "unknown_type")
    if not (ontology.has_class(source_class) and ontology.has_class(target_class)):
        return Oriented(Orientation.REJECTED, "unknown_class")
    if _fits(ontology, kind.rules, source_class, target_class):
        return Oriented(Orientation.KEPT)
    if _fits(ontology, kind.rules, target_class, source_class):
        return Oriented(Orientation.KEPT) if kind.symmetric else Oriented(Orientation.TURNED, "domain_range")
    return Oriented(Orientation.REJECTED, "domain_range")


def _fits(ontology: Ontology, rules: tuple[tuple[str, str], ...], source_class: str, target_class: str) -> bool:
    return any(
        ontology.is_subclass(source_class, domain) and ontology.is_subclass(target_class, range_)
        for domain, range_ in rules
    )
