"""The public fault cases that need an installation of their own: a folder that changes, settings that cannot be used."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from rag_assets.app import App, open_app
from rag_assets.cli.root import run
from rag_assets.config import load_settings
from rag_assets.errors import UsageError
from rag_assets.models.embedding.base import Vectors
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.stores import documents
from rag_assets_tests.corpora.library import Library, build, expected, unpack
from rag_assets_tests.services import REPOSITORY
from rag_assets_tests.system.installation import only_environment


@contextmanager
def installation(folder: Path, embedder: HashingEmbedder) -> Iterator[App]:
    """An installation over `folder/quelle`."""
    settings = load_settings(home=folder / "home", ontology=REPOSITORY / "ontology.yaml", embedding="hashing")
    source = ad_hoc_source(folder / "quelle", "documents")
    with open_app(settings, embedder=embedder, sources=(source,)) as app:
        yield app


class CountingEmbedder(HashingEmbedder):
    """The embedder that needs no model, and how many texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed_passages(texts)


def test_a_copy_is_embedded_once_and_a_rename_not_at_all(cases: Path, tmp_path: Path) -> None:
    case = cases / "files-duplicates-and-rename"
    embedder = CountingEmbedder()
    unpack(case / "stand1.tar.gz", tmp_path)
    with installation(tmp_path, embedder) as app:
        build(app)
        first = Library(app, cases).documents
        assert embedder.texts == 1, "two files of the same content"
        shutil.rmtree(tmp_path / "quelle")
        unpack(case / "stand2.tar.gz", tmp_path)
        build(app)
        library = Library(app, cases)
        assert embedder.texts - 1 == expected(cases, case.name)["embedding_calls_stand2"]
        assert set(library.documents) == {"a/Skript_neu.md", "b/Skript_Kopie.md"}
        assert {document.uid for document in first.values()} == {d.uid for d in library.documents.values()}
        moved = library.documents["a/Skript_neu.md"]
        paths = library.query(
            "SELECT p.path FROM document_paths p JOIN documents d ON d.id = p.document_id WHERE d.uid = :u"
            " ORDER BY p.first_seen, p.id",
            u=moved.uid,
        )
        assert [path.partition("/")[2] for (path,) in paths] == ["a/Skript.md", "a/Skript_neu.md"]
        with app.database.read() as connection, pytest.raises(UsageError, match="unknown_document"):
            documents.resolve(connection, "a/Skript.md")


def test_impossible_sizes_are_refused_before_anything_begins(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = json.loads((cases / "config-overlap-ge-size" / "config.json").read_text("utf-8"))
    assert expected(cases, "config-overlap-ge-size")["each_config"] == "rejected"
    for number, size in enumerate(sizes):
        home = tmp_path / str(number)
        variables = {
            "RAG_HOME": str(home),
            "RAG_CHUNK_MIN_TOKENS": str(size["chunk_size"]),
            "RAG_CHUNK_MAX_TOKENS": str(size["chunk_size"]),
            "RAG_CHUNK_OVERLAP_TOKENS": str(size["overlap"]),
        }
        with only_environment(os.environ | variables):
            assert run(["all"]) == 2
        message = capsys.readouterr().err
        assert "RAG_CHUNK_" in message
        assert str(size["overlap"]) in message
        assert size["overlap"] < 0 or str(size["chunk_size"]) in message
        assert not home.exists()
