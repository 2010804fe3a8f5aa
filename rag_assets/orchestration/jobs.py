"""Jobs: what can be started by name, from Dagster's pages, by sensors and schedules, and by the command line.

`ingest` takes documents through their stages, `settle` brings the whole base in line when files only went away,
`graph` writes the ontology's rows and the snapshot of the graph and checks the base, `query_job` answers a question.
"""
# No postponed annotations: Dagster looks at the types of an op's arguments.

from typing import Final

from dagster import (
    AssetSelection,
    Config,
    Failure,
    In,
    JobDefinition,
    Nothing,
    OpExecutionContext,
    Out,
    ResourceParam,
    define_asset_job,
    job,
    op,
)
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from pydantic import Field

from rag_assets.app import App
from rag_assets.ledger.stages import STAGES
from rag_assets.offline import pipeline
from rag_assets.orchestration import reporting

INGEST: Final = "ingest"
SETTLE: Final = "settle"
GRAPH: Final = "graph"
QUERY: Final = "query_job"


def ingest_job() -> UnresolvedAssetJobDefinition:
    """Documents through their stages; a run takes one document or a range of them."""
    return define_asset_job(
        INGEST,
        selection=AssetSelection.assets(*STAGES),
        description="Take documents through import, chunks, embeddings, entities and statements.",
    )
