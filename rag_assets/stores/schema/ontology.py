"""The conceptual world, loaded from ontology.yaml: classes, taxonomy, relation types, and who belongs to what."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ColumnClause, String, UniqueConstraint

from rag_assets.stores.schema.base import (
    TABLE_OPTIONS,
    Base,
    Code,
    LongText,
    Name,
    Real,
    Sha,
    UtcDateTime,
    column,
    primary_key,
    reference,
)


class OntologyVersion(Base):
    """One applied state of ontology.yaml; the file's own history is git."""

    __tablename__ = "ontology_versions"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    number: ColumnClause[int] = column(unique=True)
    revision: ColumnClause[str] = column(Sha)
    note: ColumnClause[str | None] = column(String(1000))
    author: ColumnClause[str | None] = column(Name)
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class OntologyClass(Base):
    """A class of entities; its place in the hierarchy is the taxonomy's is-a edge, seen from below."""

    __tablename__ = "ontology_classes"
    __table_args__ = (TABLE_OPTIONS,)
    id: ColumnClause[int] = primary_key()
    name: ColumnClause[str] = column(Name, unique=True)
    parent_class_id: ColumnClause[int | None] = reference("ontology_classes.id")
    description: ColumnClause[str] = column(LongText)
    properties: ColumnClause[str] = column(LongText)  # JSON list of {name, description, single_valued}
    status: ColumnClause[str] = column(Code)  # active | deprecated
    since_version_id: ColumnClause[int] = reference("ontology_versions.id")
    created_at: ColumnClause[datetime] = column(UtcDateTime)


class TaxonomyEdge(Base):
    """narrower → broader; acyclic per type. Ends are class names or canonical names of concepts."""

    __tablename__ = "taxonomy_edges"
    __table_args__ = (
        UniqueConstraint("narrower", "broader", "edge_type"),
        CheckConstraint("narrower <> broader", name="not_reflexive"),
        TABLE_OPTIONS,
    )
    id: ColumnClause[int] = primary_key()
    narrower: ColumnClause[str] = column(Name)
    broader: ColumnClause[str] = column(Name)
    edge_type: ColumnClause[str] = column(Code)  # is_a | part_of | belongs_to
    status: ColumnClause[str] = column(Code)


class RelationType(Base):
    """One of the closed list of relation types."""

    __tablename__ = "relation_types"
    __table_args__ = (TABLE_OPTIONS,)
    code: ColumnClause[str] = column(Code, primary_key=True)
    label_de: ColumnClause[str] = column(Name)
    inverse_label_de: ColumnClause[str] = column(Name)
    symmetric: ColumnClause[bool]
    transitive: ColumnClause[bool]
    acyclic: ColumnClause[bool]
    status: ColumnClause[str] = column(Code)


class RelationTypeRule(Base):
    """A permitted pair of classes for a relation type; a subclass satisfies its class."""

    __tablename__ = "relation_type_rules"
    __table_args__ = (UniqueConstraint("relation_type", "domain_class", "range_class"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    relation_type: ColumnClause[str] = reference("relation_types.code", index=False)
    domain_class: ColumnClause[str] = column(Name)
    range_class: ColumnClause[str] = column(Name)


class EntityClassification(Base):
    """An entity's class with the share of its mentions that say so; exactly one of an entity's rows is primary."""

    __tablename__ = "entity_classifications"
    __table_args__ = (UniqueConstraint("entity_id", "ontology_class_id"), TABLE_OPTIONS)
    id: ColumnClause[int] = primary_key()
    entity_id: ColumnClause[int] = reference("entities.id", index=False)
    ontology_class_id: ColumnClause[int] = reference("ontology_classes.id")
    confidence: ColumnClause[float] = column(Real, default=1.0, server_default="1")
    origin: ColumnClause[str] = column(Code)  # extracted | manual
    is_primary: ColumnClause[bool]
