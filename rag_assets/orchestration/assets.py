"""The chain of a document as Dagster assets: `documents`, `chunks`, `embeddings`, `entities`, `statements`.

One generator reports each stage of each document by itself. That is the one shape in which good documents become
green, bad ones red from the failing stage on, and lineage is exact for each document. What must come first is decided
by `ledger.stages`, not by Dagster, which would run `entities` over failed `chunks`. The assets of the whole base live
in `graph_assets`.
"""
# No postponed annotations: Dagster looks at the types of an asset's arguments.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from dagster import (
    AssetExecutionContext,
    AssetMaterialization,
    AssetsDefinition,
    AssetSpec,
    BackfillPolicy,
    DagsterInstance,
    ResourceParam,
    multi_asset,
)

from rag_assets.app import App
from rag_assets.errors import BREAKS_OFF, DocumentError, RagError
from rag_assets.ledger import stage_events, stages
from rag_assets.ledger.stages import STAGES, UPSTREAM, StageRow
from rag_assets.offline import pipeline
from rag_assets.offline.parts import Parts, StageReport
from rag_assets.orchestration import history, lineage, reporting
from rag_assets.orchestration.lineage import Made
from rag_assets.orchestration.partitions import MAX_KEYS_A_RUN, documents_partitions
from rag_assets.orchestration.versions import code_versions
from rag_assets.orchestration.watching import Watcher
from rag_assets.stores import documents as document_store

GROUP: Final = "offline"

_DESCRIPTIONS: Final = {
    "documents": "The original, archived and read: one canonical text with its sections.",
    "chunks": "The text cut along its structure, each chunk with the windows that are embedded.",
    "embeddings": "A vector and the terms of every window, in the index; from here on the document answers.",
    "entities": "What the document names: mentions, entities, values of their properties.",
    "statements": "What the document says: relations and statements, each with the passage that says so.",
}
_KINDS: Final = {
    "documents": {"python", "sql"},
    "chunks": {"python", "sql"},
    "embeddings": {"numpy", "sql"},
    "entities": {"python", "sql"},
    "statements": {"python", "sql"},
}


def stage_specs() -> list[AssetSpec]:
    """The five assets of a document, with what each is made from."""
    versions = code_versions()
    return [
        AssetSpec(
            stage,
            deps=[] if UPSTREAM[stage] is None else [str(UPSTREAM[stage])],
            description=_DESCRIPTIONS[stage],
            group_name=GROUP,
            code_version=versions[stage],
            kinds=_KINDS[stage],
            skippable=True,
        )
        for stage in STAGES
    ]


def document_assets() -> AssetsDefinition:
    """The chain, a partition per document."""

    @multi_asset(
        name="document_stages",
        specs=stage_specs(),
        partitions_def=documents_partitions,
        can_subset=True,
        backfill_policy=BackfillPolicy.multi_run(MAX_KEYS_A_RUN),
    )
    def document_stages(
        context: AssetExecutionContext, rag: ResourceParam[App], watcher: ResourceParam[Watcher]
    ) -> Iterator[AssetMaterialization]:
        selected = [stage for stage in STAGES if any(key.path == [stage] for key in context.selected_asset_keys)]
        with reporting.without_text(watcher):
            run = _Run(context.instance, rag.parts, watcher, context.run.run_id, selected)
            for key in context.partition_keys:
                yield from run.work_on(key)
            watcher.settling()
            pipeline.settle(rag.parts, run_id=context.run.run_id)
            if run.failures:
                raise reporting.failed_documents(run.failures)

    return document_stages


@dataclass
class _Run:
    instance: DagsterInstance
    parts: Parts
    watcher: Watcher
    run_id: str
    selected: Sequence[str]
    failures: list[tuple[str, str, RagError]] = field(default_factory=list)

    def work_on(self, key: str) -> Iterator[AssetMaterialization]:
        """One document through the selected stages; its error ends those that need what failed, and no other."""
        with self.parts.database.read() as connection:
            document = document_store.by_partition_key(connection, key)
        if document is None:
            self.failures.append((key, self.selected[0], DocumentError("unknown_document", key=key)))
            return
        out_of_reach: set[str] = set()
        told: list[tuple[int, str, int]] = []
        made: dict[str, Made] = {}
        try:
            for stage in self.selected:
                if UPSTREAM[stage] in out_of_reach:
                    out_of_reach.add(stage)
                    self.watcher.out_of_reach(document.uid, stage)
                    continue
                self.watcher.started(document.uid, stage)
                try:
                    report = pipeline.run_stage(
                        self.parts, document.uid, stage, run_id=self.run_id, progress=self.watcher.pieces
                    )
                except RagError as error:
                    if error.code in BREAKS_OFF:
                        raise
                    out_of_reach.add(stage)
                    self.failures.append((key, stage, error))
                    self.watcher.failed(document.uid, stage, error)
                    continue
                yield self._materialization(key, report, made)
                event = lineage.latest_event(self.instance, stage, key)
                if event is not None:
                    made[stage] = Made(report.data_version, event)
                    told.append((report.version_id, stage, event))
                self.watcher.finished(report)
        except GeneratorExit:
            # Dagster gave up (its own disk may be full) and hears nothing more; the next run finds what it was told.
            told.clear()
            raise
        finally:
            self._remember(told)
            self.watcher.document_ended(document.uid)

    def _materialization(self, key: str, report: StageReport, made: dict[str, Made]) -> AssetMaterialization:
        before = UPSTREAM[report.stage]
        upstream = made.get(before) if before is not None else None
        if before is not None and upstream is None:
            with self.parts.database.read() as connection:
                rows: dict[str, StageRow] = stages.rows_of(connection, report.version_id)
            upstream = history.made_before(report.stage, rows)
        return AssetMaterialization(
            report.stage,
            partition=key,
            metadata=reporting.stage_metadata(report),
            tags=lineage.tags(report.stage, report.data_version, code_versions()[report.stage], upstream),
        )

    def _remember(self, told: Sequence[tuple[int, str, int]]) -> None:
        # One transaction for a document; killed before it, the next run tells Dagster once more.
        if told:
            with self.parts.database.write() as connection:
                for version_id, stage, event in told:
                    stage_events.set_event(connection, version_id, stage, event)
