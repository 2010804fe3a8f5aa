"""The verbs that build knowledge: `all`, `scan`, `process`, `embed`, `file`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag_assets.cli.output import debug_option, json_option, opened, print_json, quiet_option, source_options
from rag_assets.knowledge.placement import COLLECTIONS

if TYPE_CHECKING:
    from rag_assets.cli.output import Scope
    from rag_assets.offline.scan import ScanReport
    from rag_assets.orchestration.work import Outcome

_retry_option = click.option(
    "--retry-failed", is_flag=True, help="Also try documents again that failed with the same content."
)


@click.command("all")
@source_options
@_retry_option
@json_option
@quiet_option
@debug_option
def all_command(*, folder: Path | None, collection: str, retry_failed: bool, as_json: bool, quiet: bool) -> int:
    """Scan the folders and bring every document up to date, through all stages.

    Only what is new or changed is worked on; a second run does nothing. One bad document never stops the others. The
    runs appear in Dagster's pages (`make ui`).

    \b
    Examples:
      rag all
      rag all --source ~/Skripte --collection documents
      rag all --json --quiet
    """
    from rag_assets.ledger.stages import STAGES

    with opened(folder, collection) as scope:
        return _build(scope, STAGES, retry_failed=retry_failed, as_json=as_json, quiet=quiet)


@click.command("process")
@source_options
@_retry_option
@json_option
@quiet_option
@debug_option
def process_command(*, folder: Path | None, collection: str, retry_failed: bool, as_json: bool, quiet: bool) -> int:
    """Everything but the vectors: import, chunks, entities, statements.

    Documents answer questions once `rag embed` (or `rag all`) has been run too.

    \b
    Examples:
      rag process
      rag process --source ~/Skripte
    """
    from rag_assets.orchestration.work import PROCESS

    with opened(folder, collection) as scope:
        return _build(scope, PROCESS, retry_failed=retry_failed, as_json=as_json, quiet=quiet)


@click.command("embed")
@source_options
@_retry_option
@click.option("--rebuild", is_flag=True, help="Drop the index first: needed after a change of RAG_EMBEDDING.")
@json_option
@quiet_option
@debug_option
def embed_command(
    *, folder: Path | None, collection: str, retry_failed: bool, rebuild: bool, as_json: bool, quiet: bool
) -> int:
    """Only the vectors, of what has been chunked.

    \b
    Examples:
      rag embed
      RAG_EMBEDDING=ollama:bge-m3 rag embed --rebuild
    """
    from rag_assets.offline.rebuilding import reset_index
    from rag_assets.orchestration.work import EMBED

    with opened(folder, collection) as scope:
        if rebuild:
            reset_index(scope.app.parts)
        return _build(scope, EMBED, retry_failed=retry_failed, as_json=as_json, quiet=quiet)


@click.command("file")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--collection",
    type=click.Choice(COLLECTIONS),
    default="documents",
    show_default=True,
    help="What the file is, when no source of sources.yaml holds it.",
)
@json_option
@quiet_option
@debug_option
def file_command(*, path: Path, collection: str, as_json: bool, quiet: bool) -> int:
    """Bring one file up to date, also when it failed before.

    A file below a folder of sources.yaml belongs to that source. Any other file becomes a document of its own folder;
    the other files there are left alone.

    \b
    Examples:
      rag file examples/documents/handbuecher/ethik.pdf
      rag file ~/Downloads/Skript.docx
    """
    from rag_assets.ledger.stages import STAGES
    from rag_assets.offline.lone_files import source_of

    with opened() as scope:
        source, source_path = source_of(path, collection, sources=scope.app.sources)
        scope.app.watch_also((source,))
        only = type(scope)(scope.app, scope.settings, scope.say, (source,))
        return _build(only, STAGES, retry_failed=True, as_json=as_json, quiet=quiet, file=source_path)


@click.command("scan")
@source_options
@click.option("--full", is_flag=True, help="Compare every file and every archived original with its hash.")
@json_option
@debug_option
def scan_command(*, folder: Path | None, collection: str, full: bool, as_json: bool) -> int:
    """Look at the folders and note what is new, changed, moved or gone. No document is read.

    Removed documents stop answering at once. An archived original that was damaged is copied again.

    \b
    Examples:
      rag scan
      rag scan --full
      rag scan --source ~/Skripte --json
    """
    with opened(folder, collection) as scope:
        report = scope.app.scan(scope.sources, full=full)
        if as_json:
            print_json(scan_json(report))
        else:
            click.echo(_scan_line(scope, report))
            if report.restored:
                click.echo(scope.say("built.restored", count=len(report.restored)))
            for path, reason in report.skipped:
                click.echo(f"  {path}: {reason}")
        return 1 if report.failed else 0


def _build(
    scope: Scope,
    wanted: Sequence[str],
    *,
    retry_failed: bool,
    as_json: bool,
    quiet: bool,
    file: str | None = None,
) -> int:
    from rag_assets.cli.progress import open_watcher
    from rag_assets.orchestration.work import bring_up_to_date

    begun = time.monotonic()
    outcome = bring_up_to_date(
        scope.app,
        wanted=wanted,
        sources=scope.sources,
        file=file,
        retry_failed=retry_failed,
        watcher=open_watcher(scope.say, quiet=quiet),
    )
    seconds = time.monotonic() - begun
    if as_json:
        print_json(_outcome_json(scope, outcome, seconds))
    elif not quiet:
        _tell(scope, outcome, seconds)
    return exit_status(outcome)


def exit_status(outcome: Outcome) -> int:
    """0 when no document is in error; 3 when one waits for a service; else 1."""
    from rag_assets.errors import CODES, DONE, OUT_OF_REACH, SOME_FAILED

    if not outcome.failed:
        return DONE
    waiting = any(CODES[code].exit_status == OUT_OF_REACH for _, code in outcome.failed if code in CODES)
    return OUT_OF_REACH if waiting else SOME_FAILED


def scan_json(report: ScanReport) -> dict[str, Any]:
    """A scan as `--json` shows it."""
    return {
        "added": list(report.added),
        "changed": list(report.changed),
        "moved": list(report.moved),
        "removed": list(report.removed),
        "returned": list(report.returned),
        "duplicated": list(report.duplicated),
        "unchanged": report.unchanged,
        "skipped": [{"path": path, "reason": reason} for path, reason in report.skipped],
        "failed": [{"uid": uid, "error_code": code} for uid, code in report.failed],
        "oversize": [{"path": path, "bytes": size} for path, size in report.oversize],
        "restored": list(report.restored),
    }


def _outcome_json(scope: Scope, outcome: Outcome, seconds: float) -> dict[str, Any]:
    from rag_assets.ledger.overview import overview

    with scope.app.database.read() as connection:
        states = {state.uid: state for state in overview(connection, sources=scope.names).documents}
    worked_on = [states[uid] for uid in outcome.worked_on if uid in states]
    return {
        "version": outcome.version,
        "documents": [
            {
                "uid": state.uid,
                "source_path": state.source_path,
                "status": state.status,
                "error_code": state.error_code,
                "stages": dict(state.stages),
            }
            for state in worked_on
        ],
        "failed": [{"source_path": path, "error_code": code} for path, code in outcome.failed],
        "runs": list(outcome.runs),
        "scan": scan_json(outcome.scan),
        "seconds": round(seconds, 3),
    }


def _scan_line(scope: Scope, report: ScanReport) -> str:
    return scope.say(
        "built.scan",
        added=len(report.added),
        changed=len(report.changed),
        moved=len(report.moved),
        removed=len(report.removed),
        returned=len(report.returned),
        unchanged=report.unchanged,
    )


def _tell(scope: Scope, outcome: Outcome, seconds: float) -> None:
    from rag_assets.errors import CODES

    say, report = scope.say, outcome.scan
    if report.added or report.changed or report.moved or report.removed or report.returned:
        click.echo(_scan_line(scope, report))
    if outcome.worked_on:
        click.echo(
            say(
                "built.done", documents=len(outcome.worked_on), seconds=f"{seconds:.0f}", version=outcome.version or "–"
            )
        )
    elif outcome.settled:
        click.echo(say("built.settled", version=outcome.version or "–"))
    else:
        click.echo(say("built.nothing"))
    if report.restored:
        click.echo(say("built.restored", count=len(report.restored)))
    if report.skipped:
        click.echo(say("built.skipped", count=len(report.skipped)))
    if outcome.failed:
        click.echo(say("built.failed", failed=len(outcome.failed)))
        sizes = dict(report.oversize)
        for path, code in outcome.failed:
            hint = CODES[code].hint if code in CODES else ""
            if path in sizes:
                hint = f"{say('built.oversize', bytes=sizes[path], limit=scope.settings.read_max_bytes)} {hint}"
            click.echo(f"  {path}: {code}. {hint}")
        click.echo(say("built.retry"))
