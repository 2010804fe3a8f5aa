"""Version tags on materialisations, so that Dagster's staleness is exact for each document.

Dagster computes them itself only for outputs of a whole asset; the chain reports single documents, so that it has to
say them: the version of what was made, the version of the code, and of each upstream asset both the data version and
the storage id of the event that reported it. With a storage id of "NULL" a document would never become stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dagster import AssetKey, DagsterEventType

from rag_assets.ledger.stages import UPSTREAM

if TYPE_CHECKING:
    from dagster import DagsterInstance

# Dagster's names for these tags; a test compares them with its own.
DATA_VERSION_TAG: Final = "dagster/data_version"
CODE_VERSION_TAG: Final = "dagster/code_version"
INPUT_DATA_VERSION_TAG: Final = "dagster/input_data_version"
INPUT_EVENT_POINTER_TAG: Final = "dagster/input_event_pointer"

# Dagster shows versions in full; sixteen hexadecimal digits tell two apart as well.
VERSION_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class Made:
    """What an upstream stage of a document last reported: its data version and the event's storage id."""

    data_version: str
    event: int


def short(data_version: str) -> str:
    """A data version as Dagster sees it."""
    return data_version[:VERSION_LENGTH]


def tags(stage: str, data_version: str, code_version: str, upstream: Made | None) -> dict[str, str]:
    """The tags of one stage's materialisation for one document.

    `upstream` is what the stage was made from; None for the first stage, and when Dagster was never told of it (the
    document then counts as stale, which is true as far as Dagster can know).
    """
    found = {DATA_VERSION_TAG: short(data_version), CODE_VERSION_TAG: code_version}
    before = UPSTREAM[stage]
    if before is not None and upstream is not None:
        found[f"{INPUT_DATA_VERSION_TAG}/{before}"] = short(upstream.data_version)
        found[f"{INPUT_EVENT_POINTER_TAG}/{before}"] = str(upstream.event)
    return found


def latest_event(instance: DagsterInstance, stage: str, partition: str) -> int | None:
    """Storage id of the last materialisation of this stage for this document."""
    found: Mapping[str, int] = instance.event_log_storage.get_latest_storage_id_by_partition(
        AssetKey(stage), DagsterEventType.ASSET_MATERIALIZATION, {partition}
    )
    return found.get(partition)
