"""The verbs that show what is there: `status`, `text`, `why`, `graph`. They read and change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from rag_assets.cli.one_document import page_json, show_page
from rag_assets.cli.output import console, debug_option, json_option, opened, plain, print_json

if TYPE_CHECKING:
    from rag_assets.cli.messages import Messages
    from rag_assets.ledger.overview import DocumentState, Overview
    from rag_assets.ledger.provenance import Passage, Provenance

_SIGNS: Final = {"done": "●", "running": "◐", "error": "✗", "pending": "·"}
# More documents than this make a table that nobody reads: finished ones are then only counted.
_MOST_ROWS: Final = 100


@click.command("status")
@click.argument("document", required=False, callback=plain)
@click.option("--all", "show_all", is_flag=True, help=f"List finished documents too when there are over {_MOST_ROWS}.")
@json_option
@debug_option
def status_command(*, document: str | None, show_all: bool, as_json: bool) -> int:
    """How far every document is, what failed and why.

    With DOCUMENT (a uid, a source path, or the unambiguous end of one) all there is to know of this one: its
    versions, sections, repairs, warnings, languages and stages.

    \b
    Examples:
      rag status
      rag status ethik.pdf
      rag status --json | jq '.documents[] | select(.status == "error")'
    """
    from rag_assets.ledger.document_page import document_page
    from rag_assets.ledger.overview import overview

    with opened() as scope:
        if document is not None:
            with scope.app.database.read() as connection:
                page = document_page(connection, document)
            if as_json:
                print_json(page_json(page))
            else:
                show_page(scope.say, page)
            return 0
        with scope.app.database.read() as connection:
            found = overview(connection)
        if as_json:
            print_json(status_json(found))
        else:
            _show_status(scope.say, found, show_all=show_all, limit=scope.app.settings.read_max_bytes)
    return 0


def status_json(found: Overview) -> dict[str, Any]:
    """The overview as `--json` shows it."""
    return {
        "version": found.version,
        "counts": dict(found.counts),
        "documents": [
            {
                "uid": document.uid,
                "source_path": document.source_path,
                "title": document.title,
                "collection": document.collection,
                "status": document.status,
                "error_code": document.error_code,
                "stages": dict(document.stages),
                "bytes": document.bytes,
                "pages": document.pages,
                "needs_ocr_pages": document.needs_ocr_pages,
                "chunks": document.chunks,
                "warnings": list(document.warnings),
                "stale": document.answers_from_older_version,
            }
            for document in found.documents
        ],
        "skipped": [{"path": path, "reason": reason} for path, reason in found.skipped],
    }


def _show_status(say: Messages, found: Overview, *, show_all: bool, limit: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from rag_assets.ledger.stages import STAGES

    if not found.documents:
        click.echo(say("status.empty"))
    rows = found.documents
    if len(rows) > _MOST_ROWS and not show_all:
        rows = tuple(document for document in rows if document.status != "done" or document.needs_ocr_pages)
    if rows:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(say("status.document"), overflow="fold", ratio=4)
        table.add_column(say("status.status"), no_wrap=True)
        table.add_column(say("status.stages"), no_wrap=True)
        table.add_column(say("status.pages"), justify="right", no_wrap=True)
        table.add_column(say("status.needs_ocr"), justify="right", no_wrap=True)
        table.add_column(say("status.chunks"), justify="right", no_wrap=True)
        table.add_column(say("status.warnings"), justify="right", no_wrap=True)
        table.add_column(say("status.note"), overflow="fold", ratio=3)
        for document in rows:
            signs = "".join(_SIGNS.get(document.stages.get(stage, "pending"), "·") for stage in STAGES)
            table.add_row(
                Text(document.source_path),
                Text(say(f"state.{document.status}"), style="red" if document.status == "error" else ""),
                signs,
                "" if document.pages is None else str(document.pages),
                str(document.needs_ocr_pages or ""),
                str(document.chunks or ""),
                str(len(document.warnings) or ""),
                Text(_note(say, document, limit)),
            )
        terminal = console()
        if not terminal.is_terminal:
            terminal.width = 160
        terminal.print(table)
        click.echo(say("status.legend", stages=", ".join(say(f"stage.{stage}") for stage in STAGES)))
    if len(rows) < len(found.documents):
        click.echo(say("status.hidden", count=len(found.documents) - len(rows)))
    if found.skipped:
        click.echo(f"{say('status.skipped')}:")
        for path, reason in found.skipped:
            click.echo(f"  {path}: {reason}")
    click.echo(say("status.counts", **found.counts))
    click.echo(say("status.version", version=found.version) if found.version else say("status.no_version"))


def _note(say: Messages, document: DocumentState, limit: int) -> str:
    from rag_assets.errors import CODES

    parts = []
    if document.error_code:
        hint = CODES[document.error_code].hint if document.error_code in CODES else ""
        parts.append(f"{document.error_code}: {hint}")
    if document.error_code == "too_large" and (document.bytes or 0) > limit:
        parts.append(say("status.bytes", bytes=document.bytes, limit=limit))
    if document.answers_from_older_version:
        parts.append(say("status.older"))
    if document.needs_ocr_pages:
        parts.append(say("status.ocr", pages=document.needs_ocr_pages))
    parts += document.warnings
    return "; ".join(parts)


@click.command("text")
@click.argument("document", callback=plain)
@json_option
@debug_option
def text_command(*, document: str, as_json: bool) -> int:
    """The canonical text of a document: what every quote and offset points into.

    DOCUMENT is a uid, a source path, or the unambiguous end of one.

    \b
    Examples:
      rag text ethik.pdf
      rag text campus/handbuecher/ethik.pdf --json
    """
    from rag_assets.errors import CODES, DocumentError
    from rag_assets.stores import documents

    with opened() as scope, scope.app.database.read() as connection:
        row = documents.resolve(connection, document)
        version_id = row.current_version_id
        if version_id is None or not documents.has_text(connection, version_id):
            code = row.error_code if row.error_code in CODES else "prerequisite"
            raise DocumentError(code, "the document has no text", source_path=row.source_path)
        version = documents.get_version(connection, version_id)
        text, _ = documents.reading_of(connection, version_id)
        if not as_json:
            click.echo(text)
            return 0
        sections = documents.sections_of(connection, version_id)
    print_json(
        {
            "uid": row.uid,
            "source_path": row.source_path,
            "title": row.title,
            "version": version.number,
            "language": version.language,
            "text": text,
            "sections": [
                {
                    "level": section.level,
                    "heading": section.heading,
                    "start": section.start,
                    "end": section.end,
                    "page": section.page_start,
                    "language": section.language or version.language,
                }
                for section in sections
            ],
        }
    )
    return 0


@click.command("why")
@click.argument("what", callback=plain)
@json_option
@debug_option
def why_command(*, what: str, as_json: bool) -> int:
    """Where a fact comes from: every passage behind it, with document, page, and who found it.

    WHAT is the uid of an entity, relation, statement or property value (`rag graph` lists them), or an entity's name.

    \b
    Examples:
      rag why "Virginia Satir"
      rag why 1b6a0c0e-5d3e-5f0e-9d0f-3f1f2f6f8a11 --json
    """
    from rag_assets.ledger.provenance import why

    with opened() as scope:
        with scope.app.database.read() as connection:
            found = why(connection, what)
        if as_json:
            print_json(why_json(found))
        else:
            _show_why(scope.say, found)
    return 0


def why_json(found: Provenance) -> dict[str, Any]:
    """Provenance as `--json` shows it."""
    return {
        "kind": found.kind,
        "uid": found.uid,
        "status": found.status,
        "fact": dict(found.fact),
        "merged": list(found.merged),
        "passages": [_passage_json(passage) for passage in found.passages],
    }


def _passage_json(passage: Passage) -> dict[str, Any]:
    return {
        "quote": passage.quote,
        "document_uid": passage.document_uid,
        "source_path": passage.source_path,
        "title": passage.title,
        "version": passage.version,
        "page": passage.page,
        "page_label": passage.page_label,
        "section": list(passage.section),
        "start": passage.start,
        "end": passage.end,
        "confidence": passage.confidence,
        "living": passage.living,
        "extractor": passage.extractor,
        "prompt": passage.prompt,
        "run_id": passage.run_id,
        "code_version": passage.code_version,
        "at": passage.at.isoformat() if passage.at is not None else None,
    }


def _show_why(say: Messages, found: Provenance) -> None:
    click.echo(" · ".join(f"{name}: {value}" for name, value in found.fact.items()))
    click.echo(say("why.about", kind=found.kind, status=found.status, uid=found.uid))
    click.echo()
    click.echo(f"{say('why.passages')}:" if found.passages else say("why.none"))
    for number, passage in enumerate(found.passages, start=1):
        page = passage.page_label or passage.page
        place = [passage.source_path, *passage.section[-1:]]
        if page is not None:
            place.append(say("ask.page", page=page))
        state = "" if passage.living else " (–)"
        click.echo(f"[{number}] {', '.join(place)}{state}")
        click.echo(f"    „{passage.quote}“")
        click.echo(
            "    "
            + say(
                "why.by",
                agent=passage.extractor or "–",
                run=passage.run_id or "–",
                code=passage.code_version or "–",
            )
        )


@click.command("graph")
@click.option(
    "--out", "file", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="F.json",
    help="The file to write; - writes to standard output.",
)  # fmt: skip
@debug_option
def graph_command(*, file: Path) -> int:
    """Write the graph of the present knowledge as one JSON file.

    \b
    Fields: version, nodes (uid, name, class, status, degree, mentions, synonyms, properties),
            edges (uid, source, target, type, label, confidence, status, evidence)

    Examples:
      rag graph --out graph.json
      rag graph --out - | jq '.nodes | length'
    """
    from rag_assets.errors import UsageError
    from rag_assets.ledger.graph import snapshot
    from rag_assets.orchestration.graph_files import write_atomically

    with opened() as scope:
        with scope.app.database.read() as connection:
            found = snapshot(connection, scope.app.ontology)
        if found["version"] is None:
            raise UsageError("nothing_to_answer_from")
        if str(file) == "-":
            print_json(found)
            return 0
        write_atomically(file, found)
        click.echo(
            scope.say(
                "graph.written",
                nodes=len(found["nodes"]),
                edges=len(found["edges"]),
                version=found["version"],
                file=file,
            )
        )
    return 0
