"""Views with the names and columns that the campus knows; they read the base tables and hold nothing themselves."""

from __future__ import annotations

from typing import Final

# name → SELECT. Plain SQL that both databases understand; migrations drop and create them anew.
VIEWS: Final[dict[str, str]] = {
    "entity_relations": """
        SELECT r.source_entity_id AS source_entity_id, r.target_entity_id AS target_entity_id,
               r.relation_type AS relation_type, r.confidence AS confidence, r.chunk_id AS chunk_id
        FROM relations r
        WHERE r.status IN ('proposed', 'validated') AND r.relation_type <> 'SYNONYM_OF'
    """,
    "provenance": """
        SELECT 'entity' AS subject_type, m.entity_id AS subject_id, v.document_id AS document_id,
               m.chunk_id AS chunk_id, a.prompt_id AS prompt_id, a.model AS model, a.run_id AS run_id,
               a.started_at AS created_at
        FROM entity_mentions m
        JOIN document_versions v ON v.id = m.document_version_id
        LEFT JOIN activities a ON a.id = m.activity_id
        UNION ALL
        SELECT CASE WHEN e.relation_id IS NOT NULL THEN 'relation'
                    WHEN e.statement_id IS NOT NULL THEN 'statement' ELSE 'property' END,
               COALESCE(e.relation_id, e.statement_id, e.property_id), v.document_id,
               e.chunk_id, a.prompt_id, a.model, a.run_id, a.started_at
        FROM evidence e
        JOIN document_versions v ON v.id = e.document_version_id
        LEFT JOIN activities a ON a.id = e.activity_id
    """,
}
