"""Checks of the whole base beside the graph: the invariants of `ledger.invariants`, one check each.

And, as warnings, how well its documents were read (`ledger.reading_quality`). They are not partitioned: what must hold, holds between documents. Single documents show in their own assets.
"""
# No postponed annotations: Dagster looks at the types of a check's arguments.

from collections.abc import Iterator, Sequence
from typing import Final

from dagster import (
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    AssetCheckSpec,
    MetadataValue,
    ResourceParam,
    multi_asset_check,
)

from rag_assets.app import App
from rag_assets.ledger import invariants, reading_quality
from rag_assets.ledger.invariants import Violation
from rag_assets.ledger.reading_quality import Quality
from rag_assets.orchestration import history, reporting
from rag_assets.orchestration.watching import Watcher

INVARIANTS: Final = {
    "quotes_stand_in_text": "Every quote stands in its document's text where its evidence says.",
    "merges_end": "Every merged entity leads straight to one that is not merged.",
    "living_have_evidence": "What lives has living evidence, and the other way round.",
    "decisions_stand": "What people decided holds.",
    "one_primary_class": "Every living entity has exactly one primary class.",
    "keys_lead_to_entities": "Every entity is found by its key.",
    "nothing_vanishes": "What was ever known is still there, under its uid.",
    "audit_holds": "The audit's chain verifies and agrees with the present states.",
    "relations_fit": "Living relations fit the classes of their ends.",
    "acyclic": "What must not run in circles does not.",
    "index_holds_living_chunks": "The index holds the windows of all chunks that may answer, and no other.",
}
QUALITY: Final = {
    "words_stand_apart": "Words are not glued together: words of over 30 letters are rare in every document.",
    "pages_have_text": "Every page that shows something gave text.",
    "text_needs_few_repairs": "Cleaning had to repair little of every document's text.",
}
# Enough to find what is wrong; ids and codes only.
_MOST_NAMED: Final = 20


def base_checks() -> AssetChecksDefinition:
    """All invariants, checked in one step."""

    @multi_asset_check(
        name="base_checks",
        specs=[
            AssetCheckSpec(name, asset="ontology_graph", description=description)
            for name, description in (INVARIANTS | QUALITY).items()
        ],
    )
    def check_base(
        context: AssetCheckExecutionContext, rag: ResourceParam[App], watcher: ResourceParam[Watcher]
    ) -> Iterator[AssetCheckResult]:
        with reporting.without_text(watcher):
            with rag.database.read() as connection:
                results = invariants.check_all(connection, rag.ontology, rag.index)
                qualities = reading_quality.check_all(connection)
            # Between a stage and the reconcile that follows, what lives may lag behind.
            busy = bool(history.keys_at_work(context.instance))
            for name in INVARIANTS:
                yield check_result(name, results[name], busy=busy)
            for name in QUALITY:
                yield quality_result(name, qualities[name])

    return check_base


def check_result(name: str, violations: Sequence[Violation], *, busy: bool) -> AssetCheckResult:
    """What Dagster is told of one invariant."""
    metadata: dict[str, MetadataValue] = {"violations": MetadataValue.int(len(violations))}
    if violations:
        named = [f"{item.subject}: {item.problem}" for item in sorted(violations)[:_MOST_NAMED]]
        metadata["which"] = MetadataValue.text("\n".join(named))
    if busy:
        metadata["at_work"] = MetadataValue.bool(True)
    return AssetCheckResult(
        asset_key="ontology_graph",
        check_name=name,
        passed=not violations,
        severity=AssetCheckSeverity.WARN if busy else AssetCheckSeverity.ERROR,
        metadata=metadata,
    )


def quality_result(name: str, quality: Quality) -> AssetCheckResult:
    """What Dagster is told of how well documents were read: a warning that leads to the documents to look at."""
    metadata: dict[str, MetadataValue] = {
        "rate": MetadataValue.float(quality.rate),
        "documents": MetadataValue.int(quality.documents),
        "conspicuous": MetadataValue.int(len(quality.conspicuous)),
    }
    if quality.conspicuous:
        metadata["which"] = MetadataValue.md(
            "\n".join(
                f"- [{reading.uid}](/assets/documents?view=partitions&partition={reading.partition_key})"
                for reading in quality.conspicuous[:_MOST_NAMED]
            )
        )
    return AssetCheckResult(
        asset_key="ontology_graph",
        check_name=name,
        passed=not quality.conspicuous,
        severity=AssetCheckSeverity.WARN,
        metadata=metadata,
    )
