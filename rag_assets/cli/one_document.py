"""What is shown of one document: its page (`rag status DOCUMENT`) and `rag diff`. They read and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from rag_assets.cli.output import debug_option, json_option, opened, plain, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag_assets.cli.messages import Messages
    from rag_assets.ledger.document_page import DocumentPage, VersionDifference
    from rag_assets.stores.documents import VersionRow

_PATH: Final = " › "


def page_json(page: DocumentPage) -> dict[str, Any]:
    """A document's page as `--json` shows it."""
    row, version = page.document, page.version
    return {
        "uid": row.uid,
        "source_path": row.source_path,
        "title": row.title,
        "collection": row.collection,
        "status": row.status,
        "error_code": row.error_code,
        "removed": row.removed_at is not None,
        "version": version.number if version is not None else None,
        "pages": version.page_count if version is not None else None,
        "needs_ocr_pages": version.needs_ocr_pages if version is not None else 0,
        "languages": list(page.languages),
        "repairs": dict(version.repairs) if version is not None else {},
        "warnings": list(version.warnings) if version is not None else [],
        "reader": version.reader if version is not None else None,
        "versions": [_version_json(item, row.current_version_id) for item in page.versions],
        "sections": [
            {
                "ordinal": section.ordinal,
                "parent": section.parent,
                "level": section.level,
                "heading": section.heading,
                "start": section.start,
                "end": section.end,
                "page": section.page_start,
                "language": section.language or (version.language if version is not None else None),
            }
            for section in page.sections
        ],
        "stages": {
            stage: {"status": stored.status, "error_code": stored.error_code, "counts": dict(stored.counts)}
            for stage, stored in page.stages.items()
        },
    }


def _version_json(version: VersionRow, current: int | None) -> dict[str, Any]:
    return {
        "number": version.number,
        "sha256": version.sha256,
        "bytes": version.byte_size,
        "at": version.created_at.isoformat(),
        "read": version.text_sha256 is not None,
        "erased": version.erased_at is not None,
        "current": version.id == current,
    }


def show_page(say: Messages, page: DocumentPage) -> None:
    """A document's page as text."""
    from rag_assets.errors import CODES
    from rag_assets.ledger.stages import STAGES

    row, version = page.document, page.version
    removed = f" · {say('page.removed')}" if row.removed_at is not None else ""
    click.echo(f"{row.source_path} · {say(f'state.{row.status}')}{removed}")
    _field(say("page.title"), row.title or "–")
    _field("uid", row.uid)
    if version is not None:
        pages = str(version.page_count) if version.page_count is not None else "–"
        if version.needs_ocr_pages:
            pages += f" · {say('status.ocr', pages=version.needs_ocr_pages)}"
        _field(say("status.pages"), pages)
        _field(say("page.languages"), ", ".join(page.languages) or "–")
        repairs = ", ".join(f"{name} {count}" for name, count in sorted(version.repairs.items()))
        _field(say("page.repairs"), repairs or "–")
        _field(say("page.warnings"), ", ".join(version.warnings) or "–")
    _field(say("status.stages"), "")
    for stage in STAGES:
        stored = page.stages.get(stage)
        code = stored.error_code if stored is not None else None
        hint = f" · {code}: {CODES[code].hint if code in CODES else ''}" if code else ""
        state = _stage_state(say, stored.status if stored is not None else "pending")
        click.echo(f"  {say(f'stage.{stage}')}: {state}{hint}")
    _field(say("page.versions"), "")
    for item in page.versions:
        notes = [say("page.current")] if item.id == row.current_version_id else []
        notes += [say("page.unread")] if item.text_sha256 is None else []
        said = f" · {', '.join(notes)}" if notes else ""
        click.echo(f"  {item.number} · {item.created_at:%Y-%m-%d %H:%M} · {item.byte_size} B{said}")
    if len(page.sections) > 1:
        _field(say("page.sections"), "")
        own = version.language if version is not None else None
        depth = {0: 0}
        for section in page.sections[1:]:
            depth[section.ordinal] = depth[section.parent or 0] + 1
            place = say("ask.page", page=section.page_start) if section.page_start is not None else ""
            language = section.language if section.language != own else None
            told = ", ".join(part for part in (place, language) if part)
            click.echo("  " * depth[section.ordinal] + section.heading + (f" ({told})" if told else ""))


def _stage_state(say: Messages, status: str) -> str:
    return say(f"state.{'processing' if status == 'running' else status}")


def _field(name: str, value: str) -> None:
    click.echo(f"{name}: {value}".rstrip())


@click.command("diff")
@click.argument("document", callback=plain)
@click.option(
    "--from", "old", type=click.IntRange(min=1), metavar="N", help="The older version; default: the one before."
)
@click.option(
    "--to", "new", type=click.IntRange(min=1), metavar="M", help="The newer version; default: the last one read."
)
@json_option
@debug_option
def diff_command(*, document: str, old: int | None, new: int | None, as_json: bool) -> int:
    """What changed between two versions of a document, by default the last two.

    DOCUMENT is a uid, a source path, or the unambiguous end of one, also of a document that was removed.
    `rag status DOCUMENT` lists its versions.

    \b
    Examples:
      rag diff ethik.pdf
      rag diff ethik.pdf --from 1 --to 3 --json
    """
    from rag_assets.ledger.document_page import difference

    with opened() as scope:
        with scope.app.database.read() as connection:
            found = difference(connection, document, old=old, new=new)
        if as_json:
            print_json(diff_json(found))
        else:
            _show_diff(scope.say, found)
    return 0


def diff_json(found: VersionDifference) -> dict[str, Any]:
    """The difference of two versions as `--json` shows it."""
    result, row = found.comparison, found.document
    return {
        "uid": row.uid,
        "source_path": row.source_path,
        "removed": row.removed_at is not None,
        "from": _version_json(found.old, row.current_version_id),
        "to": _version_json(found.new, row.current_version_id),
        "counts": {**_counts(found), "unchanged": result.unchanged},
        "sections": {
            "added": [list(path) for path in result.sections_added],
            "removed": [list(path) for path in result.sections_removed],
            "renamed": [{"from": list(old), "to": list(new)} for old, new in result.sections_renamed],
        },
        "paragraphs": [
            {"change": change.kind, "section": list(change.section), "old": change.old, "new": change.new}
            for change in result.changes
        ],
    }


def _counts(found: VersionDifference) -> dict[str, int]:
    result = found.comparison
    return {
        "sections_added": len(result.sections_added),
        "sections_removed": len(result.sections_removed),
        "sections_renamed": len(result.sections_renamed),
        "added": result.count("added"),
        "removed": result.count("removed"),
        "changed": result.count("changed"),
    }


def _show_diff(say: Messages, found: VersionDifference) -> None:
    from rag_assets.text.comparison import shortened

    result, row = found.comparison, found.document
    removed = f" · {say('page.removed')}" if row.removed_at is not None else ""
    old, new = (
        f"{item.number}{' (' + say('page.current') + ')' if item.id == row.current_version_id else ''}"
        for item in (found.old, found.new)
    )
    click.echo(f"{row.source_path} · {say('diff.versions', old=old, new=new)}{removed}")
    click.echo(say("diff.sections", **_counts(found)))
    for path in result.sections_removed:
        click.echo(f"- {_place(path)}")
    for path in result.sections_added:
        click.echo(f"+ {_place(path)}")
    for before, after in result.sections_renamed:
        click.echo(f"~ {_place(before)} → {after[-1]}")
    click.echo(say("diff.paragraphs", **_counts(found)))
    section: tuple[str, ...] | None = None
    shown = 0
    for change in result.changes:
        shown += change.unchanged_before
        if change.unchanged_before:
            click.echo(f"  {say('diff.unchanged', count=change.unchanged_before)}")
        if change.section != section:
            section = change.section
            if section:
                click.echo(f"@ {_place(section)}")
        before_text, after_text = (
            shortened(change.old, change.new) if change.kind == "changed" else (change.old, change.new)
        )
        if change.old:
            click.echo(f"- {before_text}")
        if change.new:
            click.echo(f"+ {after_text}")
    if result.unchanged > shown:
        click.echo(f"  {say('diff.unchanged', count=result.unchanged - shown)}")


def _place(path: Sequence[str]) -> str:
    return _PATH.join(path)
