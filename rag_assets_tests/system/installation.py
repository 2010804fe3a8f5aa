"""A real installation for system tests: a folder of documents, a home of its own, and the real `rag` command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, inspect, text

from rag_assets.cli.root import run

PROJECT = Path(__file__).resolve().parents[2]
CAMPUS = PROJECT / "examples"


@dataclass(frozen=True)
class Result:
    """What a command gave back."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Installation:
    """One home with one sources.yaml, worked on by `rag` in processes of their own."""

    folder: Path
    embedding: str
    database_url: str = ""
    """Empty: SQLite in the home."""
    vision: str = "auto"

    @property
    def home(self) -> Path:
        """Where everything is built."""
        return self.folder / "home"

    @property
    def url(self) -> str:
        """Where its knowledge lies."""
        return self.database_url or f"sqlite:///{self.home / 'rag.sqlite'}"

    @property
    def documents(self) -> Path:
        """The folder of the source `campus`."""
        return self.folder / "examples" / "documents"

    def rag(self, *arguments: str, expect: int = 0) -> Result:
        """Run `rag` as its script does, but in this process: a start of Python and Dagster takes seconds."""
        out, err = io.StringIO(), io.StringIO()
        with (
            only_environment(self.environment()),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = run(arguments)
        return self._checked(arguments, Result(status, out.getvalue(), err.getvalue()), expect)

    def process(self, *arguments: str, expect: int = 0) -> Result:
        """Run the installed `rag` in a process of its own."""
        done = subprocess.run(
            [str(Path(sys.executable).parent / "rag"), *arguments],
            env=self.environment(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        return self._checked(arguments, Result(done.returncode, done.stdout, done.stderr), expect)

    def _checked(self, arguments: tuple[str, ...], result: Result, expect: int) -> Result:
        assert result.status == expect, f"rag {' '.join(arguments)}: {result.status}\n{result.out}\n{result.err}"
        return result

    def dump(self, *, without: tuple[str, ...] = ("chat_",)) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table but those whose name begins with one of `without`, read past the code under test."""
        engine = create_engine(self.url)
        with engine.connect() as connection:
            tables = [name for name in inspect(connection).get_table_names() if not name.startswith(without)]
            rows = {
                name: sorted((tuple(row) for row in connection.execute(text(f"SELECT * FROM {name}"))), key=repr)
                for name in tables
            }
        engine.dispose()
        return rows

    def query(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """Rows of a SELECT."""
        engine = create_engine(self.url)
        with engine.connect() as connection:
            rows = [tuple(row) for row in connection.execute(text(sql), values)]
        engine.dispose()
        return rows

    def logs(self) -> str:
        """What processes that were started here have printed."""
        return "\n".join(log.read_text() for log in sorted(self.folder.glob("*.log")))

    def copied(self, folder: Path) -> Installation:
        """The same in another folder: documents with their times, and everything that was built."""
        shutil.copytree(self.folder, folder)
        return replace(self, folder=folder)

    def environment(self) -> dict[str, str]:
        """The settings under which `rag` runs here, and nothing else of ours."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "DAGSTER_"))}
        return kept | {
            "RAG_VISION": self.vision,
            "RAG_HOME": str(self.home),
            "RAG_DATABASE_URL": self.database_url,
            "RAG_SOURCES": str(self.folder / "sources.yaml"),
            "RAG_ONTOLOGY": str(PROJECT / "ontology.yaml"),
            "RAG_EMBEDDING": self.embedding,
            "DAGSTER_DISABLE_TELEMETRY": "1",
        }


@contextlib.contextmanager
def only_environment(variables: dict[str, str]) -> Iterator[None]:
    """These environment variables and no others, for the length of the block."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def install(folder: Path, *, embedding: str, only: tuple[str, ...] = ()) -> Installation:
    """A copy of the example campus, or of these files of it, with an empty home."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(PROJECT / "sources.yaml", folder / "sources.yaml")
    for kind in ("documents", "system_docs"):
        (folder / "examples" / kind).mkdir(parents=True)
        for file in sorted((CAMPUS / kind).rglob("*")):
            name = file.relative_to(CAMPUS).as_posix()
            if file.is_file() and (not only or name in only):
                target = folder / "examples" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
    return Installation(folder, embedding)
