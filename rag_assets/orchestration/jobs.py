"""Jobs: what can be started by name, from Dagster's pages, by sensors and schedules, and by the command line.

`scan` looks at the folders, `ingest` takes documents through their stages, `settle` brings the whole base in line when files only went away,
`graph` writes ontology and graph and checks the base, `query_job` answers a question as the command line does.
"""
# No postponed annotations: Dagster looks at the types of an op's arguments.

from typing import TYPE_CHECKING, Final

from dagster import AssetSelection, Config, JobDefinition, OpExecutionContext, ResourceParam, define_asset_job, job, op
from pydantic import Field

from rag_assets.app import App
from rag_assets.ledger.stages import STAGES
from rag_assets.offline import pipeline
from rag_assets.orchestration import reporting
from rag_assets.orchestration.keys import sync_keys
from rag_assets.orchestration.watching import Watcher

SCAN: Final = "scan"
SCAN_OP: Final = "scan_sources"
INGEST: Final = "ingest"
SETTLE: Final = "settle"
GRAPH: Final = "graph"
QUERY: Final = "query_job"

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition


class Scan(Config):
    """How closely the folders are looked at."""

    full: bool = Field(False, description="Hash every file, also those that look unchanged by size, time and inode.")


def scan_job() -> JobDefinition:
    """The folders looked at, newcomers given their partitions; the sensors ask for the work that this opens."""

    @op(name=SCAN_OP, description="Bring documents and partitions in line with the folders of sources.yaml.")
    def scan_sources(
        context: OpExecutionContext, config: Scan, rag: ResourceParam[App], watcher: ResourceParam[Watcher]
    ) -> None:
        with reporting.without_text(watcher):
            report = rag.scan(full=config.full)
            sync_keys(rag.database, context.instance)
            context.add_output_metadata(reporting.scan_metadata(report))

    @job(name=SCAN, description="Look at all folders, if wanted at the content of every file; make partitions.")
    def scan() -> None:
        scan_sources()

    return scan


def ingest_job() -> "UnresolvedAssetJobDefinition":
    """Documents through their stages; a run takes one document or a range of them."""
    return define_asset_job(
        INGEST,
        selection=AssetSelection.assets(*STAGES),
        description="Take documents through import, chunks, embeddings, entities and statements.",
    )


def graph_job() -> "UnresolvedAssetJobDefinition":
    """Ontology and graph, with the checks of the whole base."""
    return define_asset_job(
        GRAPH,
        selection=AssetSelection.assets("ontology", "ontology_graph"),
        description="Write the ontology's rows and the graph of the present knowledge version; check the base.",
    )


def settle_job() -> JobDefinition:
    """The whole base brought in line, without any document being worked on."""

    @op(description="Drop what no longer answers, reconcile the base, seal a knowledge version if it moved.")
    def settle_base(context: OpExecutionContext, rag: ResourceParam[App], watcher: ResourceParam[Watcher]) -> None:
        with reporting.without_text(watcher):
            done = pipeline.settle(rag.parts, run_id=context.run_id)
            context.add_output_metadata(
                {"knowledge_version": done.version, "changed": done.changed, **reporting.counts_metadata(done.swept)}
            )

    @job(name=SETTLE, description="Bring the whole base in line after documents went away.")
    def settle() -> None:
        settle_base()

    return settle
