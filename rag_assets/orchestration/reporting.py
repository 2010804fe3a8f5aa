"""From what the library reports to what Dagster is told: counts, hashes and codes, never text.

Dagster keeps every message and traceback that reaches it. So nothing of ours raises through it as it is: an error is
told by its code and its ids, and whatever else went wrong by the name of its type.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Final

from dagster import DagsterExecutionInterruptedError, Failure, MetadataValue

from rag_assets.errors import RagError
from rag_assets.offline.parts import StageReport
from rag_assets.offline.scan import ScanReport
from rag_assets.orchestration.watching import Watcher
from rag_assets.stores import failures

# Enough to see what is wrong; all of them are in `rag status`.
_MOST_NAMED: Final = 50


def stage_metadata(report: StageReport) -> dict[str, MetadataValue]:
    """What a materialisation says of a stage's work: counts, whether it was done now, and the document's uid."""
    counts: dict[str, MetadataValue] = {name: MetadataValue.int(count) for name, count in report.counts.items()}
    return {
        "document": MetadataValue.text(report.document_uid),
        "outcome": MetadataValue.text(report.outcome),
        **counts,
    }


def scan_metadata(report: ScanReport) -> dict[str, MetadataValue]:
    """What a scan found, as counts; the paths stay in the database, some are about people."""
    found = {field.name: getattr(report, field.name) for field in fields(report)}
    return counts_metadata({name: value if isinstance(value, int) else len(value) for name, value in found.items()})


def failed_documents(failures: Sequence[tuple[str, str, RagError]]) -> Failure:
    """The end of a run in which documents failed: (partition key, stage, error) each, and what to do about each code.

    Not retried by Dagster: what a retry can help is asked for again by the sensor.
    """
    named = [f"{key}: {stage}: {error.code}" for key, stage, error in failures[:_MOST_NAMED]]
    more = len(failures) - len(named)
    hints = {error.code: error.hint for _, _, error in reversed(failures)}
    documents = len({key for key, _, _ in failures})
    return Failure(
        description="\n".join(
            [
                f"{documents} of the run's documents failed, the others are done:",
                *named,
                *([f"and {more} more, see `rag status`"] if more else []),
                "",
                *(f"{code}: {hint}" for code, hint in sorted(hints.items())),
            ]
        ),
        metadata={
            "failed": MetadataValue.int(len(failures)),
            "codes": MetadataValue.text(", ".join(sorted(hints))),
        },
        allow_retries=False,
    )


@contextmanager
def without_text(watcher: Watcher | None = None) -> Iterator[None]:
    """Let only failures through that hold no text: a message from a library may quote what it worked on.

    The watcher, who sits in this process, is given the error as it was.
    """
    try:
        yield
    except Failure:
        raise
    except (KeyboardInterrupt, DagsterExecutionInterruptedError):
        # Dagster ends the run and says nothing to its caller.
        if watcher is not None:
            watcher.broke_off(KeyboardInterrupt())
        raise
    except Exception as error:  # noqa: BLE001 - what went wrong is told by its type, its words may be a document's
        if watcher is not None:
            watcher.broke_off(error)
        meaning = failures.known(error)
        if meaning is not None:
            raise Failure(description=told(meaning), allow_retries=False) from None
        raise Failure(
            description=f"internal: {type(error).__name__}",
            metadata={"where": MetadataValue.text(where(error))},
            allow_retries=False,
        ) from None


def told(error: RagError) -> str:
    """An error by its code, its identifying values and the way out."""
    named = [f"{name}={value}" for name, value in error.ids.items() if _is_id(value)]
    return " ".join([f"{error.code}:", *named, error.hint])


def where(error: BaseException) -> str:
    """Files, lines and functions that an error came through; no source text, no values."""
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{_module(frame.filename)}:{frame.lineno} {frame.name}" for frame in reversed(frames[-12:]))


def counts_metadata(counts: Mapping[str, int]) -> dict[str, MetadataValue]:
    """Counts by name."""
    return {name: MetadataValue.int(count) for name, count in counts.items()}


def _is_id(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and re.fullmatch(r"[\w.:-]{1,80}", value) is not None)


def _module(filename: str) -> str:
    for root in ("site-packages/", "rag_assets/"):
        if root in filename:
            return filename[filename.rindex(root) + (0 if root == "rag_assets/" else len(root)) :]
    return filename.rsplit("/", 1)[-1]
