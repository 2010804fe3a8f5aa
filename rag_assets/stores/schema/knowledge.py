"""Assertions (entities, properties, relations, statements) and, in rows of their own, the places that say so.

An assertion is one row; each passage behind it is a mention or an evidence row, anchored to the immutable document
version by character span and quote. `chunk_id` beside a span is a convenience and may become NULL.
Relations and statements point to the entity of the key that the text used; a merge redirects that entity
(`merged_into_id`), so an un-merge loses nothing.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from rag_assets.stores.schema.base import (
    PERSONAL,
    TABLE_OPTIONS,
    Base,
    Code,
    Key,
    LongText,
    Name,
    Real,
    Uid,
    UtcDateTime,
    primary_key,
    reference,
)


class Entity(Base):
    """One thing that the documents speak of, identified by its key, without its class."""

    __tablename__ = "entities"
    __table_args__ = (
        CheckConstraint("(status = 'merged') = (merged_into_id IS NOT NULL)", name="merged_has_target"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    canonical_name: Mapped[str] = mapped_column(String(500), info=PERSONAL)
    canonical_key: Mapped[str] = mapped_column(Key, unique=True, info=PERSONAL)
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.EntityStatus
    merged_into_id: Mapped[int | None] = reference("entities.id", nullable=True)
    merge_origin: Mapped[str | None] = mapped_column(Code)  # variant (by rule, reversible) | decision
    deprecation_reason: Mapped[str | None] = mapped_column(Code)  # no_provenance | manual
    status_before: Mapped[str | None] = mapped_column(Code)  # what a revival or an un-merge goes back to
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class EntityKey(Base):
    """Every key that leads to an entity; a key never changes its entity."""

    __tablename__ = "entity_keys"
    __table_args__ = (TABLE_OPTIONS,)
    key: Mapped[str] = mapped_column(Key, primary_key=True, info=PERSONAL)
    entity_id: Mapped[int] = reference("entities.id")


class EntitySynonym(Base):
    """Another name of an entity: found in texts, kept by hand in ontology.yaml, or left by a merge."""

    __tablename__ = "entity_synonyms"
    __table_args__ = (UniqueConstraint("entity_id", "synonym_key", "language"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    entity_id: Mapped[int] = reference("entities.id", index=False)
    synonym: Mapped[str] = mapped_column(String(500), info=PERSONAL)
    synonym_key: Mapped[str] = mapped_column(String(500), index=True, info=PERSONAL)
    language: Mapped[str] = mapped_column(Code)
    origin: Mapped[str] = mapped_column(Code)  # extracted | merge | manual
    status: Mapped[str] = mapped_column(Code)  # active | deprecated


class EntityMention(Base):
    """One place where an entity is named; immutable but for `superseded` (a newer extraction no longer finds it)."""

    __tablename__ = "entity_mentions"
    __table_args__ = (
        UniqueConstraint("entity_id", "document_version_id", "char_start", "char_end"),
        Index("ix_entity_mentions_document_version_id", "document_version_id"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    entity_id: Mapped[int] = reference("entities.id", index=False)
    class_name: Mapped[str] = mapped_column(Name)
    surface: Mapped[str] = mapped_column(String(1000), info=PERSONAL)
    document_version_id: Mapped[int] = reference("document_versions.id", index=False)
    chunk_id: Mapped[int | None] = reference("chunks.id", ondelete="SET NULL", nullable=True)
    char_start: Mapped[int]
    char_end: Mapped[int]
    confidence: Mapped[float] = mapped_column(Real)
    activity_id: Mapped[int | None] = reference("activities.id", nullable=True)
    superseded: Mapped[bool] = mapped_column(default=False)


class EntityProperty(Base):
    """A value of a property that the entity's class has; every value with evidence of its own."""

    __tablename__ = "entity_properties"
    __table_args__ = (UniqueConstraint("entity_id", "property", "value_sha256"), TABLE_OPTIONS)
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    entity_id: Mapped[int] = reference("entities.id", index=False)
    property: Mapped[str] = mapped_column(Name)
    value: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    value_sha256: Mapped[str] = mapped_column(String(64), info=PERSONAL)
    status: Mapped[str] = mapped_column(Code)  # knowledge.lifecycle.FactStatus
    status_before: Mapped[str | None] = mapped_column(Code)
    confidence: Mapped[float] = mapped_column(Real)


class Relation(Base):
    """A typed, directed edge between two entities."""

    __tablename__ = "relations"
    __table_args__ = (
        UniqueConstraint("source_entity_id", "relation_type", "target_entity_id"),
        CheckConstraint("source_entity_id <> target_entity_id", name="not_reflexive"),
        Index("ix_relations_target_type", "target_entity_id", "relation_type"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    source_entity_id: Mapped[int] = reference("entities.id", index=False)
    relation_type: Mapped[str] = mapped_column(Code)
    target_entity_id: Mapped[int] = reference("entities.id", index=False)
    confidence: Mapped[float] = mapped_column(Real)
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.FactStatus
    status_before: Mapped[str | None] = mapped_column(Code)
    rejection_reason: Mapped[str | None] = mapped_column(Code)
    chunk_id: Mapped[int | None] = reference("chunks.id", ondelete="SET NULL", nullable=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Statement(Base):
    """A subject–predicate–object triple with its type, modality and polarity."""

    __tablename__ = "statements"
    __table_args__ = (
        CheckConstraint("(object_entity_id IS NULL) <> (object_literal IS NULL)", name="one_object"),
        Index("ix_statements_subject_predicate", "subject_entity_id", "predicate"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    uid: Mapped[str] = mapped_column(Uid, unique=True)
    subject_entity_id: Mapped[int] = reference("entities.id", index=False)
    predicate: Mapped[str] = mapped_column(Name)
    object_entity_id: Mapped[int | None] = reference("entities.id", nullable=True)
    object_literal: Mapped[str | None] = mapped_column(LongText, info=PERSONAL)
    statement_type: Mapped[str] = mapped_column(Code)  # definition | factual_claim | rule | description | example
    modality: Mapped[str] = mapped_column(Code)  # assertive | hypothetical | normative | citing
    polarity: Mapped[str] = mapped_column(Code)  # affirmed | negated
    rank: Mapped[str] = mapped_column(Code)  # preferred | normal | deprecated
    status: Mapped[str] = mapped_column(Code, index=True)  # knowledge.lifecycle.FactStatus
    status_before: Mapped[str | None] = mapped_column(Code)
    confidence: Mapped[float] = mapped_column(Real)
    chunk_id: Mapped[int | None] = reference("chunks.id", ondelete="SET NULL", nullable=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Evidence(Base):
    """A passage behind exactly one relation, statement or property value."""

    __tablename__ = "evidence"
    __table_args__ = (
        CheckConstraint(
            "(relation_id IS NOT NULL) + (statement_id IS NOT NULL) + (property_id IS NOT NULL) = 1", name="one_owner"
        ),
        UniqueConstraint("relation_id", "document_version_id", "char_start", "char_end"),
        UniqueConstraint("statement_id", "document_version_id", "char_start", "char_end"),
        UniqueConstraint("property_id", "document_version_id", "char_start", "char_end"),
        Index("ix_evidence_document_version_id", "document_version_id"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    relation_id: Mapped[int | None] = reference("relations.id", index=False, nullable=True)
    statement_id: Mapped[int | None] = reference("statements.id", index=False, nullable=True)
    property_id: Mapped[int | None] = reference("entity_properties.id", index=False, nullable=True)
    document_version_id: Mapped[int] = reference("document_versions.id", index=False)
    chunk_id: Mapped[int | None] = reference("chunks.id", ondelete="SET NULL", nullable=True)
    char_start: Mapped[int]
    char_end: Mapped[int]
    quote: Mapped[str] = mapped_column(LongText, info=PERSONAL)
    confidence: Mapped[float] = mapped_column(Real)
    activity_id: Mapped[int | None] = reference("activities.id", nullable=True)
    superseded: Mapped[bool] = mapped_column(default=False)


class StatementConflict(Base):
    """Two living statements that cannot both hold, or an opinion against another."""

    __tablename__ = "statement_conflicts"
    __table_args__ = (
        UniqueConstraint("statement_a_id", "statement_b_id"),
        CheckConstraint("statement_a_id < statement_b_id", name="ordered"),
        TABLE_OPTIONS,
    )
    id: Mapped[int] = primary_key()
    statement_a_id: Mapped[int] = reference("statements.id", index=False)
    statement_b_id: Mapped[int] = reference("statements.id")
    kind: Mapped[str] = mapped_column(Code)  # contradiction | opinion | outdated | scope
    status: Mapped[str] = mapped_column(Code)  # suspected | confirmed | dismissed | resolved
    confidence: Mapped[float] = mapped_column(Real)
