"""First schema."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

from rag_assets.stores.schema.base import UtcDateTime

revision = "8ba97eb77d9e"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_seals",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("row_count", sa.Integer(), nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_seals")),
        sa.UniqueConstraint("number", name=op.f("uq_audit_seals_number")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "chat_sessions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("user_ref", sa.String(length=255), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("uid", name=op.f("uq_chat_sessions_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_chat_sessions_expires_at"), "chat_sessions", ["expires_at"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_chat_sessions_user_ref"), "chat_sessions", ["user_ref"], unique=False, if_not_exists=True)
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("source_path", sa.String(length=700), nullable=False),
        sa.Column("source", sa.String(length=255), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=True),
        sa.Column("collection", sa.String(length=255), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=False),
        sa.Column("partition_key", sa.String(length=200), nullable=False),
        sa.Column(
            "authority",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "half_life_years",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("audience", sa.String(length=255), nullable=False),
        sa.Column("published_on", sa.Date(), nullable=True),
        sa.Column("personal", sa.Boolean(), nullable=False),
        sa.Column("local_only", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("current_version_id", sa.Integer(), nullable=True),
        sa.Column("seen_size", sa.BigInteger(), nullable=True),
        sa.Column("seen_mtime_ns", sa.BigInteger(), nullable=True),
        sa.Column("seen_inode", sa.BigInteger(), nullable=True),
        sa.Column("seen_sha256", sa.String(length=64), nullable=True),
        sa.Column("removed_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint("authority >= 0 AND authority <= 1", name=op.f("ck_documents_authority_range")),
        sa.ForeignKeyConstraint(
            ["current_version_id"],
            ["document_versions.id"],
            name=op.f("fk_documents_current_version_id"),
            use_alter=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("partition_key", name=op.f("uq_documents_partition_key")),
        sa.UniqueConstraint("source_path", name=op.f("uq_documents_source_path")),
        sa.UniqueConstraint("uid", name=op.f("uq_documents_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_documents_current_version_id"), "documents", ["current_version_id"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_documents_seen_sha256"), "documents", ["seen_sha256"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_documents_source"), "documents", ["source"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_documents_status"), "documents", ["status"], unique=False, if_not_exists=True)
    op.create_table(
        "entities",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("canonical_name", sa.String(length=500), nullable=False),
        sa.Column("canonical_key", sa.String(length=700), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("merged_into_id", sa.Integer(), nullable=True),
        sa.Column("merge_origin", sa.String(length=40), nullable=True),
        sa.Column("deprecation_reason", sa.String(length=40), nullable=True),
        sa.Column("status_before", sa.String(length=40), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint(
            "(status = 'merged') = (merged_into_id IS NOT NULL)", name=op.f("ck_entities_merged_has_target")
        ),
        sa.ForeignKeyConstraint(["merged_into_id"], ["entities.id"], name=op.f("fk_entities_merged_into_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
        sa.UniqueConstraint("canonical_key", name=op.f("uq_entities_canonical_key")),
        sa.UniqueConstraint("uid", name=op.f("uq_entities_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_entities_merged_into_id"), "entities", ["merged_into_id"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_entities_status"), "entities", ["status"], unique=False, if_not_exists=True)
    op.create_table(
        "erasure_tombstones",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("request", sa.String(length=36), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_erasure_tombstones")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "evaluation_results",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("set", sa.String(length=255), nullable=False),
        sa.Column("version", sa.String(length=255), nullable=True),
        sa.Column(
            "metrics",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation_results")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("namespace", sa.String(length=36), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "models",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("provider", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_models")),
        sa.UniqueConstraint("provider", "name", "digest", "kind", name=op.f("uq_models_provider_name_digest_kind")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "ontology_versions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("revision", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=1000), nullable=True),
        sa.Column("author", sa.String(length=255), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ontology_versions")),
        sa.UniqueConstraint("number", name=op.f("uq_ontology_versions_number")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "prompts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column(
            "template",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("template_sha256", sa.String(length=64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prompts")),
        sa.UniqueConstraint("name", "template_sha256", name=op.f("uq_prompts_name_template_sha256")),
        sa.UniqueConstraint("name", "version", name=op.f("uq_prompts_name_version")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "relation_types",
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("label_de", sa.String(length=255), nullable=False),
        sa.Column("inverse_label_de", sa.String(length=255), nullable=False),
        sa.Column("symmetric", sa.Boolean(), nullable=False),
        sa.Column("transitive", sa.Boolean(), nullable=False),
        sa.Column("acyclic", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_relation_types")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "review_decisions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("subject_type", sa.String(length=40), nullable=False),
        sa.Column("subject_key", sa.String(length=700), nullable=False),
        sa.Column("decision", sa.String(length=40), nullable=False),
        sa.Column(
            "payload",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("reviewer", sa.String(length=255), nullable=False),
        sa.Column(
            "reason",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("superseded_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["superseded_by_id"], ["review_decisions.id"], name=op.f("fk_review_decisions_superseded_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_decisions")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_review_decisions_subject_key"), "review_decisions", ["subject_key"], unique=False, if_not_exists=True
    )
    op.create_index(
        op.f("ix_review_decisions_superseded_by_id"),
        "review_decisions",
        ["superseded_by_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "skipped_files",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source", sa.String(length=255), nullable=False),
        sa.Column("source_path", sa.String(length=700), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_skipped_files")),
        sa.UniqueConstraint("source_path", name=op.f("uq_skipped_files_source_path")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_skipped_files_source"), "skipped_files", ["source"], unique=False, if_not_exists=True)
    op.create_table(
        "taxonomy_edges",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("narrower", sa.String(length=255), nullable=False),
        sa.Column("broader", sa.String(length=255), nullable=False),
        sa.Column("edge_type", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.CheckConstraint("narrower <> broader", name=op.f("ck_taxonomy_edges_not_reflexive")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxonomy_edges")),
        sa.UniqueConstraint(
            "narrower", "broader", "edge_type", name=op.f("uq_taxonomy_edges_narrower_broader_edge_type")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("actor", sa.String(length=255), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject_type", sa.String(length=40), nullable=False),
        sa.Column("subject_uid", sa.String(length=255), nullable=False),
        sa.Column("from_state", sa.String(length=40), nullable=True),
        sa.Column("to_state", sa.String(length=40), nullable=True),
        sa.Column("activity_id", sa.Integer(), nullable=True),
        sa.Column("seal_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["seal_id"], ["audit_seals.id"], name=op.f("fk_audit_log_seal_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_audit_log_activity_id"), "audit_log", ["activity_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_audit_log_seal_id"), "audit_log", ["seal_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_audit_log_subject_uid"), "audit_log", ["subject_uid"], unique=False, if_not_exists=True)
    op.create_table(
        "document_paths",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=700), nullable=False),
        sa.Column("first_seen", UtcDateTime(), nullable=False),
        sa.Column("last_seen", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_document_paths_document_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_paths")),
        sa.UniqueConstraint("document_id", "path", name=op.f("uq_document_paths_document_id_path")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_document_paths_path"), "document_paths", ["path"], unique=False, if_not_exists=True)
    op.create_table(
        "document_versions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("archive_path", sa.String(length=255), nullable=True),
        sa.Column("mime_type", sa.String(length=255), nullable=True),
        sa.Column("byte_size", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=True),
        sa.Column("authors", sa.String(length=1000), nullable=True),
        sa.Column("language", sa.String(length=40), nullable=True),
        sa.Column("published_on", sa.Date(), nullable=True),
        sa.Column("page_count", sa.Integer(), nullable=True),
        sa.Column("needs_ocr_pages", sa.Integer(), nullable=False),
        sa.Column(
            "text",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("text_sha256", sa.String(length=64), nullable=True),
        sa.Column(
            "layout",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column(
            "repairs",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column(
            "warnings",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("reader", sa.String(length=255), nullable=True),
        sa.Column("erased_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_document_versions_document_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_versions")),
        sa.UniqueConstraint("document_id", "number", name=op.f("uq_document_versions_document_id_number")),
        sa.UniqueConstraint("document_id", "sha256", name=op.f("uq_document_versions_document_id_sha256")),
        sa.UniqueConstraint("uid", name=op.f("uq_document_versions_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_document_versions_sha256"), "document_versions", ["sha256"], unique=False, if_not_exists=True
    )
    op.create_table(
        "embeddings",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.Column(
            "vector",
            sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mariadb").with_variant(mysql.LONGBLOB(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "terms",
            sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mariadb").with_variant(mysql.LONGBLOB(), "mysql"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_embeddings_model_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embeddings")),
        sa.UniqueConstraint("model_id", "text_sha256", name=op.f("uq_embeddings_model_id_text_sha256")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_embeddings_text_sha256"), "embeddings", ["text_sha256"], unique=False, if_not_exists=True)
    op.create_table(
        "entity_keys",
        sa.Column("key", sa.String(length=700), nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_entity_keys_entity_id")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_entity_keys")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_entity_keys_entity_id"), "entity_keys", ["entity_id"], unique=False, if_not_exists=True)
    op.create_table(
        "entity_properties",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("property", sa.String(length=255), nullable=False),
        sa.Column(
            "value",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("value_sha256", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("status_before", sa.String(length=40), nullable=True),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_entity_properties_entity_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_properties")),
        sa.UniqueConstraint(
            "entity_id", "property", "value_sha256", name=op.f("uq_entity_properties_entity_id_property_value_sha256")
        ),
        sa.UniqueConstraint("uid", name=op.f("uq_entity_properties_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "entity_synonyms",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("synonym", sa.String(length=500), nullable=False),
        sa.Column("synonym_key", sa.String(length=500), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=False),
        sa.Column("origin", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_entity_synonyms_entity_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_synonyms")),
        sa.UniqueConstraint(
            "entity_id", "synonym_key", "language", name=op.f("uq_entity_synonyms_entity_id_synonym_key_language")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_entity_synonyms_synonym_key"), "entity_synonyms", ["synonym_key"], unique=False, if_not_exists=True
    )
    op.create_table(
        "index_generations",
        sa.Column("collection", sa.String(length=40), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_index_generations_model_id")),
        sa.PrimaryKeyConstraint("collection", name=op.f("pk_index_generations")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_index_generations_model_id"), "index_generations", ["model_id"], unique=False, if_not_exists=True
    )
    op.create_table(
        "knowledge_versions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("content", sa.Integer(), nullable=False),
        sa.Column("structure", sa.Integer(), nullable=False),
        sa.Column("pipeline", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("structure_hash", sa.String(length=64), nullable=False),
        sa.Column("pipeline_hash", sa.String(length=64), nullable=False),
        sa.Column("seal_id", sa.Integer(), nullable=True),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("note", sa.String(length=1000), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["seal_id"], ["audit_seals.id"], name=op.f("fk_knowledge_versions_seal_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_versions")),
        sa.UniqueConstraint(
            "content", "structure", "pipeline", name=op.f("uq_knowledge_versions_content_structure_pipeline")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_knowledge_versions_seal_id"), "knowledge_versions", ["seal_id"], unique=False, if_not_exists=True
    )
    op.create_table(
        "ontology_classes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("parent_class_id", sa.Integer(), nullable=True),
        sa.Column(
            "description",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "properties",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("since_version_id", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_class_id"], ["ontology_classes.id"], name=op.f("fk_ontology_classes_parent_class_id")
        ),
        sa.ForeignKeyConstraint(
            ["since_version_id"], ["ontology_versions.id"], name=op.f("fk_ontology_classes_since_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ontology_classes")),
        sa.UniqueConstraint("name", name=op.f("uq_ontology_classes_name")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_ontology_classes_parent_class_id"),
        "ontology_classes",
        ["parent_class_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_ontology_classes_since_version_id"),
        "ontology_classes",
        ["since_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "relation_type_rules",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("relation_type", sa.String(length=40), nullable=False),
        sa.Column("domain_class", sa.String(length=255), nullable=False),
        sa.Column("range_class", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["relation_type"], ["relation_types.code"], name=op.f("fk_relation_type_rules_relation_type")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relation_type_rules")),
        sa.UniqueConstraint(
            "relation_type",
            "domain_class",
            "range_class",
            name=op.f("uq_relation_type_rules_relation_type_domain_class_range_class"),
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_table(
        "vector_points",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("collection", sa.String(length=40), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("chunk_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_vector_points_model_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vector_points")),
        sa.UniqueConstraint("uid", name=op.f("uq_vector_points_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        sqlite_autoincrement=True,
        if_not_exists=True,
    )
    op.create_index(op.f("ix_vector_points_chunk_id"), "vector_points", ["chunk_id"], unique=False, if_not_exists=True)
    op.create_index(
        op.f("ix_vector_points_collection"), "vector_points", ["collection"], unique=False, if_not_exists=True
    )
    op.create_index(
        op.f("ix_vector_points_document_id"), "vector_points", ["document_id"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_vector_points_model_id"), "vector_points", ["model_id"], unique=False, if_not_exists=True)
    op.create_table(
        "activities",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.String(length=255), nullable=True),
        sa.Column("code_version", sa.String(length=255), nullable=False),
        sa.Column("prompt_id", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(length=255), nullable=True),
        sa.Column("agent", sa.String(length=255), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_activities_document_version_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["prompt_id"], ["prompts.id"], name=op.f("fk_activities_prompt_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activities")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_activities_document_version_id"),
        "activities",
        ["document_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(op.f("ix_activities_prompt_id"), "activities", ["prompt_id"], unique=False, if_not_exists=True)
    op.create_table(
        "chat_messages",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=40), nullable=False),
        sa.Column(
            "content",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("outcome", sa.String(length=40), nullable=True),
        sa.Column("knowledge_version_id", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(length=255), nullable=True),
        sa.Column("prompt_id", sa.Integer(), nullable=True),
        sa.Column(
            "parameters",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column(
            "verification",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_version_id"], ["knowledge_versions.id"], name=op.f("fk_chat_messages_knowledge_version_id")
        ),
        sa.ForeignKeyConstraint(["prompt_id"], ["prompts.id"], name=op.f("fk_chat_messages_prompt_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_chat_messages_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_messages")),
        sa.UniqueConstraint("session_id", "ordinal", name=op.f("uq_chat_messages_session_id_ordinal")),
        sa.UniqueConstraint("uid", name=op.f("uq_chat_messages_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_chat_messages_knowledge_version_id"),
        "chat_messages",
        ["knowledge_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_chat_messages_prompt_id"), "chat_messages", ["prompt_id"], unique=False, if_not_exists=True
    )
    op.create_table(
        "document_sections",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("parent_section_id", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("heading", sa.String(length=1000), nullable=False),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column("page_start", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.Column("language", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_document_sections_document_id")),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_document_sections_document_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_section_id"],
            ["document_sections.id"],
            name=op.f("fk_document_sections_parent_section_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_sections")),
        sa.UniqueConstraint(
            "document_version_id", "ordinal", name=op.f("uq_document_sections_document_version_id_ordinal")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_document_sections_document_id"), "document_sections", ["document_id"], unique=False, if_not_exists=True
    )
    op.create_index(
        op.f("ix_document_sections_parent_section_id"),
        "document_sections",
        ["parent_section_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "document_stages",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(length=40), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=True),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column(
            "counts",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("data_version", sa.String(length=64), nullable=True),
        sa.Column("owner", sa.String(length=255), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_document_stages_document_version_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_stages")),
        sa.UniqueConstraint("document_version_id", "stage", name=op.f("uq_document_stages_document_version_id_stage")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_document_stages_status"), "document_stages", ["status"], unique=False, if_not_exists=True)
    op.create_table(
        "entity_classifications",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("ontology_class_id", sa.Integer(), nullable=False),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            server_default="1",
            nullable=False,
        ),
        sa.Column("origin", sa.String(length=40), nullable=False),
        sa.Column("is_primary", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_entity_classifications_entity_id")),
        sa.ForeignKeyConstraint(
            ["ontology_class_id"], ["ontology_classes.id"], name=op.f("fk_entity_classifications_ontology_class_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_classifications")),
        sa.UniqueConstraint(
            "entity_id", "ontology_class_id", name=op.f("uq_entity_classifications_entity_id_ontology_class_id")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_entity_classifications_ontology_class_id"),
        "entity_classifications",
        ["ontology_class_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "response_cache",
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("extractor", sa.String(length=255), nullable=False),
        sa.Column(
            "response",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_response_cache_document_version_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("request_sha256", name=op.f("pk_response_cache")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_response_cache_document_version_id"),
        "response_cache",
        ["document_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "chunks",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("section_id", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column(
            "content",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("content_sha256", sa.String(length=64), nullable=False),
        sa.Column(
            "title_path",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "table_header",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("chunker", sa.String(length=64), nullable=False),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("page_start", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.Column("token_count", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("indexed", sa.Boolean(), nullable=False),
        sa.CheckConstraint("char_start < char_end", name=op.f("ck_chunks_span")),
        sa.CheckConstraint("token_count > 0", name=op.f("ck_chunks_tokens")),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_chunks_document_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["section_id"], ["document_sections.id"], name=op.f("fk_chunks_section_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
        sa.UniqueConstraint(
            "document_version_id", "chunker", "ordinal", name=op.f("uq_chunks_document_version_id_chunker_ordinal")
        ),
        sa.UniqueConstraint("uid", name=op.f("uq_chunks_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_chunks_content_sha256"), "chunks", ["content_sha256"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_chunks_indexed"), "chunks", ["indexed"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_chunks_section_id"), "chunks", ["section_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_chunks_status"), "chunks", ["status"], unique=False, if_not_exists=True)
    op.create_table(
        "model_calls",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("purpose", sa.String(length=40), nullable=False),
        sa.Column("model", sa.String(length=255), nullable=False),
        sa.Column("activity_id", sa.Integer(), nullable=True),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("prompt_id", sa.Integer(), nullable=True),
        sa.Column("document_version_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.String(length=255), nullable=True),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cost_micro_eur", sa.BigInteger(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=40), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["activity_id"], ["activities.id"], name=op.f("fk_model_calls_activity_id")),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_model_calls_document_version_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["chat_messages.id"], name=op.f("fk_model_calls_message_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["prompt_id"], ["prompts.id"], name=op.f("fk_model_calls_prompt_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_calls")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_model_calls_activity_id"), "model_calls", ["activity_id"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_model_calls_created_at"), "model_calls", ["created_at"], unique=False, if_not_exists=True)
    op.create_index(
        op.f("ix_model_calls_document_version_id"),
        "model_calls",
        ["document_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(op.f("ix_model_calls_message_id"), "model_calls", ["message_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_model_calls_prompt_id"), "model_calls", ["prompt_id"], unique=False, if_not_exists=True)
    op.create_index(
        op.f("ix_model_calls_request_sha256"), "model_calls", ["request_sha256"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_model_calls_run_id"), "model_calls", ["run_id"], unique=False, if_not_exists=True)
    op.create_table(
        "chat_sources",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("chunk_id", sa.Integer(), nullable=True),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column(
            "section",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column(
            "similarity",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "cosine",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "recency",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "authority",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "score",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name=op.f("fk_chat_sources_chunk_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_version_id"], ["document_versions.id"], name=op.f("fk_chat_sources_document_version_id")
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["chat_messages.id"], name=op.f("fk_chat_sources_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sources")),
        sa.UniqueConstraint("message_id", "number", name=op.f("uq_chat_sources_message_id_number")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_chat_sources_chunk_id"), "chat_sources", ["chunk_id"], unique=False, if_not_exists=True)
    op.create_index(
        op.f("ix_chat_sources_document_version_id"),
        "chat_sources",
        ["document_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "chunk_windows",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("chunk_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column(
            "context",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name=op.f("fk_chunk_windows_chunk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunk_windows")),
        sa.UniqueConstraint("chunk_id", "ordinal", name=op.f("uq_chunk_windows_chunk_id_ordinal")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_chunk_windows_text_sha256"), "chunk_windows", ["text_sha256"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_chunk_windows_uid"), "chunk_windows", ["uid"], unique=False, if_not_exists=True)
    op.create_table(
        "entity_mentions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("class_name", sa.String(length=255), nullable=False),
        sa.Column("surface", sa.String(length=1000), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("chunk_id", sa.Integer(), nullable=True),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("activity_id", sa.Integer(), nullable=True),
        sa.Column("superseded", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["activity_id"], ["activities.id"], name=op.f("fk_entity_mentions_activity_id")),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name=op.f("fk_entity_mentions_chunk_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_version_id"], ["document_versions.id"], name=op.f("fk_entity_mentions_document_version_id")
        ),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_entity_mentions_entity_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_mentions")),
        sa.UniqueConstraint(
            "entity_id",
            "document_version_id",
            "char_start",
            "char_end",
            name=op.f("uq_entity_mentions_entity_id_document_version_id_char_start_char_end"),
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_entity_mentions_activity_id"), "entity_mentions", ["activity_id"], unique=False, if_not_exists=True
    )
    op.create_index(
        op.f("ix_entity_mentions_chunk_id"), "entity_mentions", ["chunk_id"], unique=False, if_not_exists=True
    )
    op.create_index(
        "ix_entity_mentions_document_version_id",
        "entity_mentions",
        ["document_version_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "relations",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("source_entity_id", sa.Integer(), nullable=False),
        sa.Column("relation_type", sa.String(length=40), nullable=False),
        sa.Column("target_entity_id", sa.Integer(), nullable=False),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("status_before", sa.String(length=40), nullable=True),
        sa.Column("rejection_reason", sa.String(length=40), nullable=True),
        sa.Column("chunk_id", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint("source_entity_id <> target_entity_id", name=op.f("ck_relations_not_reflexive")),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunks.id"], name=op.f("fk_relations_chunk_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["source_entity_id"], ["entities.id"], name=op.f("fk_relations_source_entity_id")),
        sa.ForeignKeyConstraint(["target_entity_id"], ["entities.id"], name=op.f("fk_relations_target_entity_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relations")),
        sa.UniqueConstraint(
            "source_entity_id",
            "relation_type",
            "target_entity_id",
            name=op.f("uq_relations_source_entity_id_relation_type_target_entity_id"),
        ),
        sa.UniqueConstraint("uid", name=op.f("uq_relations_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_relations_chunk_id"), "relations", ["chunk_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_relations_status"), "relations", ["status"], unique=False, if_not_exists=True)
    op.create_index(
        "ix_relations_target_type", "relations", ["target_entity_id", "relation_type"], unique=False, if_not_exists=True
    )
    op.create_table(
        "statements",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("uid", sa.String(length=36), nullable=False),
        sa.Column("subject_entity_id", sa.Integer(), nullable=False),
        sa.Column("predicate", sa.String(length=255), nullable=False),
        sa.Column("object_entity_id", sa.Integer(), nullable=True),
        sa.Column(
            "object_literal",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=True,
        ),
        sa.Column("statement_type", sa.String(length=40), nullable=False),
        sa.Column("modality", sa.String(length=40), nullable=False),
        sa.Column("polarity", sa.String(length=40), nullable=False),
        sa.Column("rank", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("status_before", sa.String(length=40), nullable=True),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("chunk_id", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint(
            "(object_entity_id IS NULL) <> (object_literal IS NULL)", name=op.f("ck_statements_one_object")
        ),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunks.id"], name=op.f("fk_statements_chunk_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["object_entity_id"], ["entities.id"], name=op.f("fk_statements_object_entity_id")),
        sa.ForeignKeyConstraint(["subject_entity_id"], ["entities.id"], name=op.f("fk_statements_subject_entity_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statements")),
        sa.UniqueConstraint("uid", name=op.f("uq_statements_uid")),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_statements_chunk_id"), "statements", ["chunk_id"], unique=False, if_not_exists=True)
    op.create_index(
        op.f("ix_statements_object_entity_id"), "statements", ["object_entity_id"], unique=False, if_not_exists=True
    )
    op.create_index(op.f("ix_statements_status"), "statements", ["status"], unique=False, if_not_exists=True)
    op.create_index(
        "ix_statements_subject_predicate",
        "statements",
        ["subject_entity_id", "predicate"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "evidence",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("relation_id", sa.Integer(), nullable=True),
        sa.Column("statement_id", sa.Integer(), nullable=True),
        sa.Column("property_id", sa.Integer(), nullable=True),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("chunk_id", sa.Integer(), nullable=True),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column(
            "quote",
            sa.Text().with_variant(mysql.LONGTEXT(), "mariadb").with_variant(mysql.LONGTEXT(), "mysql"),
            nullable=False,
        ),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.Column("activity_id", sa.Integer(), nullable=True),
        sa.Column("superseded", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "(relation_id IS NOT NULL) + (statement_id IS NOT NULL) + (property_id IS NOT NULL) = 1",
            name=op.f("ck_evidence_one_owner"),
        ),
        sa.ForeignKeyConstraint(["activity_id"], ["activities.id"], name=op.f("fk_evidence_activity_id")),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunks.id"], name=op.f("fk_evidence_chunk_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["document_version_id"], ["document_versions.id"], name=op.f("fk_evidence_document_version_id")
        ),
        sa.ForeignKeyConstraint(["property_id"], ["entity_properties.id"], name=op.f("fk_evidence_property_id")),
        sa.ForeignKeyConstraint(["relation_id"], ["relations.id"], name=op.f("fk_evidence_relation_id")),
        sa.ForeignKeyConstraint(["statement_id"], ["statements.id"], name=op.f("fk_evidence_statement_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
        sa.UniqueConstraint(
            "property_id",
            "document_version_id",
            "char_start",
            "char_end",
            name=op.f("uq_evidence_property_id_document_version_id_char_start_char_end"),
        ),
        sa.UniqueConstraint(
            "relation_id",
            "document_version_id",
            "char_start",
            "char_end",
            name=op.f("uq_evidence_relation_id_document_version_id_char_start_char_end"),
        ),
        sa.UniqueConstraint(
            "statement_id",
            "document_version_id",
            "char_start",
            "char_end",
            name=op.f("uq_evidence_statement_id_document_version_id_char_start_char_end"),
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(op.f("ix_evidence_activity_id"), "evidence", ["activity_id"], unique=False, if_not_exists=True)
    op.create_index(op.f("ix_evidence_chunk_id"), "evidence", ["chunk_id"], unique=False, if_not_exists=True)
    op.create_index(
        "ix_evidence_document_version_id", "evidence", ["document_version_id"], unique=False, if_not_exists=True
    )
    op.create_table(
        "statement_conflicts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("statement_a_id", sa.Integer(), nullable=False),
        sa.Column("statement_b_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column(
            "confidence",
            sa.Float(precision=53).with_variant(mysql.DOUBLE(), "mariadb").with_variant(mysql.DOUBLE(), "mysql"),
            nullable=False,
        ),
        sa.CheckConstraint("statement_a_id < statement_b_id", name=op.f("ck_statement_conflicts_ordered")),
        sa.ForeignKeyConstraint(
            ["statement_a_id"], ["statements.id"], name=op.f("fk_statement_conflicts_statement_a_id")
        ),
        sa.ForeignKeyConstraint(
            ["statement_b_id"], ["statements.id"], name=op.f("fk_statement_conflicts_statement_b_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statement_conflicts")),
        sa.UniqueConstraint(
            "statement_a_id", "statement_b_id", name=op.f("uq_statement_conflicts_statement_a_id_statement_b_id")
        ),
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_nopad_bin",
        mysql_engine="InnoDB",
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_statement_conflicts_statement_b_id"),
        "statement_conflicts",
        ["statement_b_id"],
        unique=False,
        if_not_exists=True,
    )

    # SQLite has this key in the table; elsewhere it can only be added when both tables are there.
    if op.get_bind().dialect.name != "sqlite":
        present = {key["name"] for key in sa.inspect(op.get_bind()).get_foreign_keys("documents")}
        if "fk_documents_current_version_id" not in present:
            op.create_foreign_key(
                "fk_documents_current_version_id", "documents", "document_versions", ["current_version_id"], ["id"]
            )


def downgrade() -> None:
    raise NotImplementedError("there is no way back: restore the backup made before the upgrade")
