"""Assets of the whole base, without partitions: the `ontology` and the `ontology_graph`.

They are asked for by themselves when facts changed, so that one bad document among many cannot hold them up. The
chain of a single document lives in `assets`.
"""
# No postponed annotations: Dagster looks at the types of an asset's arguments.

from typing import Final

from dagster import AssetsDefinition, DataVersion, MaterializeResult, ResourceParam, asset

from rag_assets.app import App
from rag_assets.errors import UsageError
from rag_assets.ledger import graph
from rag_assets.ledger.fingerprints import digest
from rag_assets.orchestration import graph_files, lineage, reporting
from rag_assets.orchestration.watching import Watcher
from rag_assets.stores import ontology as ontology_store

GROUP: Final = "knowledge"
GRAPH_CODE: Final = "graph-1"
ONTOLOGY_CODE: Final = "ontology-1"


def ontology_asset() -> AssetsDefinition:
    """What ontology.yaml says, as rows."""

    @asset(
        group_name=GROUP,
        kinds={"yaml", "sql"},
        code_version=ONTOLOGY_CODE,
        description="The conceptual world of ontology.yaml: classes, taxonomy, relation types, curated names.",
    )
    def ontology(rag: ResourceParam[App], watcher: ResourceParam[Watcher]) -> MaterializeResult[None]:
        with reporting.without_text(watcher):
            value = rag.ontology
            with rag.database.write() as connection:
                applied = ontology_store.apply(connection, value, at=rag.clock())
            return MaterializeResult(
                data_version=DataVersion(lineage.short(applied.revision)),
                metadata={
                    "number": applied.number,
                    "changed": applied.changed,
                    "classes": len(value.classes),
                    "relation_types": len(value.relation_types),
                    "taxonomy_edges": len(value.taxonomy),
                    "curated_names": len(value.synonyms),
                },
            )

    return ontology


def graph_asset() -> AssetsDefinition:
    """The snapshot of the living graph."""

    @asset(
        deps=["embeddings", "statements", "ontology"],
        group_name=GROUP,
        kinds={"json", "sql"},
        code_version=GRAPH_CODE,
        description="Entities and what connects them, of the present knowledge version, as one JSON file.",
    )
    def ontology_graph(rag: ResourceParam[App], watcher: ResourceParam[Watcher]) -> MaterializeResult[None]:
        with reporting.without_text(watcher):
            with rag.database.read() as connection:
                snapshot = graph.snapshot(connection, rag.ontology)
            version = snapshot["version"]
            if version is None:
                raise UsageError("nothing_to_answer_from")
            graph_files.write(rag.settings, version, snapshot)
            uids = [node["uid"] for node in snapshot["nodes"]] + [edge["uid"] for edge in snapshot["edges"]]
            return MaterializeResult(
                data_version=DataVersion(lineage.short(digest(version, *uids))),
                metadata={
                    "knowledge_version": version,
                    "nodes": len(snapshot["nodes"]),
                    "edges": len(snapshot["edges"]),
                    "file": f"graph/{version}.json",
                },
            )

    return ontology_graph
