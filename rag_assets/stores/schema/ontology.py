"""The conceptual world, loaded from ontology.yaml: classes, taxonomy, relation types, and who belongs to what."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from rag_assets.stores.schema.base import (
    TABLE_OPTIONS,
    Base,
    Code,
    LongText,
    Name,
    Real,
    Sha,
    UtcDateTime,
    primary_key,
    reference,
)


class OntologyVersion(Base):
    """One applied state of ontology.yaml; the file's own history is git."""

    __tablename__ = "ontology_versions"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    number: Mapped[int] = mapped_column(unique=True)
    revision: Mapped[str] = mapped_column(Sha)
    note: Mapped[str | None] = mapped_column(String(1000))
    author: Mapped[str | None] = mapped_column(Name)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class OntologyClass(Base):
    """A class of entities; its place in the hierarchy is the taxonomy's is-a edge, seen from below."""

    __tablename__ = "ontology_classes"
    __table_args__ = (TABLE_OPTIONS,)
    id: Mapped[int] = primary_key()
    name: Mapped[str] = mapped_column(Name, unique=True)
    parent_class_id: Mapped[int | None] = reference("ontology_classes.id", nullable=True)
    description: Mapped[str] = mapped_column(LongText)
    properties: Mapped[str] = mapped_column(LongText)  # JSON list of {name, description, single_valued}
    status: Mapped[str] = mapped_column(Code)  # active | deprecated
    since_version_id: Mapped[int] = reference("ontology_versions.id")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class TaxonomyEdge(Base):
    """narrower → broader; acyclic per type. Ends are class names or canonical names of concepts."""

    __tablename__ = "taxonomy_edges"
    __table_args__ = (
        UniqueConstraint("narrower", "broader", "edge_type"),
        CheckConstraint("narrower <> broader", name="not_reflexive"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    narrower: Mapped[str] = mapped_column(Name)
    broader: Mapped[str] = mapped_column(Name)
    edge_type: Mapped[str] = mapped_column(Code)  # is_a | part_of | belongs_to
    status: Mapped[str] = mapped_column(Code)


class RelationType(Base):
    """One of the closed list of relation types."""

    __tablename__ = "relation_types"
    __table_args__ = (TABLE_OPTIONS,)
    code: Mapped[str] = mapped_column(Code, primary_key=True)
    label_de: Mapped[str] = mapped_column(Name)
    inverse_label_de: Mapped[str] = mapped_column(Name)
    symmetric: Mapped[bool]
    transitive: Mapped[bool]
    acyclic: Mapped[bool]
    status: Mapped[str] = mapped_column(Code)


class RelationTypeRule(Base):
    """A permitted pair of classes for a relation type; a subclass satisfies its class."""

    __tablename__ = "relation_type_rules"
    __table_args__ = (UniqueConstraint("relation_type", "domain_class", "range_class"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    relation_type: Mapped[str] = reference("relation_types.code", index=False)
    domain_class: Mapped[str] = mapped_column(Name)
    range_class: Mapped[str] = mapped_column(Name)


class EntityClassification(Base):
    """An entity's class with the share of its mentions that say so; exactly one of an entity's rows is primary."""

    __tablename__ = "entity_classifications"
    __table_args__ = (UniqueConstraint("entity_id", "ontology_class_id"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    entity_id: Mapped[int] = reference("entities.id", index=False)
    ontology_class_id: Mapped[int] = reference("ontology_classes.id")
    confidence: Mapped[float] = mapped_column(Real, default=1.0, server_default="1")
    origin: Mapped[str] = mapped_column(Code)  # extracted | manual
    is_primary: Mapped[bool]
