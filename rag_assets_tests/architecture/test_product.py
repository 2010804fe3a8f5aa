"""The repository speaks of the product only, and holds nothing that is not its own."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

import pytest

from rag_assets_tests.architecture.repository import files, relative
from rag_assets_tests.services import REPOSITORY

# Of the licence's terms without white space; the same in the copies that Dagster, gRPC and others ship.
TERMS_SHA256: Final = "c3716932c5840f8354d59b26fad06bc508567480da225392ab9b982ab4bde9b3"

LARGEST_FILE_BYTES: Final = 2_000_000

# A path that is right although it looks like somebody's home: inside an image of others.
FOREIGN_HOME: Final = {"docker-compose.yml": "/" + "root/.ollama"}

_HOME = re.compile(r"(?<![\w.:/-])/(?:root|home/\w+|Users/\w+)/[\w.-]+")
_SECRET = re.compile(
    r"sk-[A-Za-z0-9-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def _texts() -> list[tuple[str, str]]:
    found = []
    for path in files():
        raw = path.read_bytes()
        if b"\0" not in raw[:8192]:
            found.append((relative(path), raw.decode("utf-8", errors="replace")))
    return found


def test_no_path_of_the_machine_it_was_written_on() -> None:
    """Neither somebody's home nor the folder where this clone lies."""
    here = str(REPOSITORY.parent) + "/"
    offenders = []
    for name, text in _texts():
        hits = set(_HOME.findall(text)) - {FOREIGN_HOME.get(name)}
        if len(here) > 3 and here in text:
            hits.add(here)
        offenders += [f"{name}: {hit}" for hit in sorted(hits)]
    assert not offenders


def test_no_secret() -> None:
    assert [name for name, text in _texts() if _SECRET.search(text)] == []


def test_files_are_small() -> None:
    """Models, dumps and recordings belong elsewhere."""
    assert [relative(path) for path in files() if path.stat().st_size > LARGEST_FILE_BYTES] == []


def test_no_document_of_third_parties(corpora: Path) -> None:
    """They may be read here, not handed on."""

    def digests(paths: list[Path]) -> set[str]:
        return {hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.stat().st_size}

    foreign = digests([path for path in corpora.rglob("*") if path.is_file()])
    assert foreign
    assert not foreign & digests(list(files()))


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "README.md", "pyproject.toml", "Makefile", ".ci/run"])
def test_what_every_stranger_looks_for_is_there(name: str) -> None:
    assert (REPOSITORY / name).stat().st_size > 0


def test_licence_is_the_whole_of_apache_2() -> None:
    """Its text has one form; only white space differs between copies."""
    text = "".join((REPOSITORY / "LICENSE").read_text(encoding="utf-8").split())
    digest = hashlib.sha256(text.partition("APPENDIX:")[0].encode()).hexdigest()
    assert digest == TERMS_SHA256
