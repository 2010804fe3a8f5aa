"""What the tests of bad input share: a folder with one document, the command in this process, and how it refuses."""

from __future__ import annotations

import io
import os
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from rag_assets.cli.root import run
from rag_assets_tests.system.installation import PROJECT, Result, only_environment

NOTE = """# Notiz zur Hospitation

## Anmeldung

Die Anmeldung zur Hospitation läuft über das Sekretariat. Hospitantinnen tragen einen grünen Ausweis.

## Quastenmethode

Die Quastenmethode ist eine Methode der Gesprächsführung. Frieda Quast entwickelte die Quastenmethode.
"""
QUESTION = "Welchen Ausweis tragen Hospitantinnen?"
SOURCE = "  - name: notizen\n    folder: Notizen\n    collection: documents\n    type: skript\n"


def environment(folder: Path) -> dict[str, str]:
    """The settings of a folder that `lay` made, its home in it, and nothing else of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "DAGSTER_"))}
    return kept | {
        "RAG_HOME": str(folder / "home"),
        "RAG_SOURCES": str(folder / "sources.yaml"),
        "RAG_ONTOLOGY": str(PROJECT / "ontology.yaml"),
        "RAG_EMBEDDING": "hashing",
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }


def rag(folder: Path, *arguments: str, **settings: str) -> Result:
    """Run `rag` in this process, with `folder` as working directory, home in it and these settings."""
    out, err = io.StringIO(), io.StringIO()
    with only_environment(environment(folder) | settings), chdir(folder), redirect_stdout(out), redirect_stderr(err):
        status = run(arguments)
    return Result(status, out.getvalue(), err.getvalue())


def refused(result: Result, status: int, code: str, *said: str) -> None:
    """The command ended with this status, its code, a way out, and no traceback."""
    assert result.status == status, result
    *_, first, last = result.err.splitlines()
    assert first.startswith(f"rag: {code}"), result.err
    assert last.startswith("     "), "no way out is told"
    assert len(last.strip()) > 10
    assert "Traceback" not in result.err
    for words in said:
        assert words in result.err


def lay(folder: Path) -> Path:
    """A folder with one document and a sources.yaml."""
    (folder / "Notizen").mkdir(parents=True)
    (folder / "Notizen" / "hospitation.md").write_text(NOTE)
    (folder / "sources.yaml").write_text(f"sources:\n{SOURCE}")
    return folder
