"""Bad input of every kind: each ends in one line with a code, one with the way out, and the documented exit status."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import stat
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

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
NOBODY = 65534


def rag(folder: Path, *arguments: str, **settings: str) -> Result:
    """Run `rag` in this process, with `folder` as working directory, home in it and these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "DAGSTER_"))}
    environment = kept | {
        "RAG_HOME": str(folder / "home"),
        "RAG_SOURCES": str(folder / "sources.yaml"),
        "RAG_ONTOLOGY": str(PROJECT / "ontology.yaml"),
        "RAG_EMBEDDING": "hashing",
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    out, err = io.StringIO(), io.StringIO()
    with only_environment(environment | settings), chdir(folder), redirect_stdout(out), redirect_stderr(err):
        status = run(arguments)
    return Result(status, out.getvalue(), err.getvalue())


def refused(result: Result, status: int, code: str, *said: str) -> None:
    """The command ended with this status, its code, a way out, and no traceback."""
    assert result.status == status, result
    first, *rest = result.err.splitlines()
    assert first.startswith(f"rag: {code}"), result.err
    assert rest, "no way out is told"
    assert rest[-1].startswith("     ")
    assert len(rest[-1].strip()) > 10
    assert "Traceback" not in result.err
    for words in said:
        assert words in result.err


def lay(folder: Path) -> Path:
    """A folder with one document and a sources.yaml."""
    (folder / "Notizen").mkdir(parents=True)
    (folder / "Notizen" / "hospitation.md").write_text(NOTE)
    (folder / "sources.yaml").write_text(f"sources:\n{SOURCE}")
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """One document; nothing is built."""
    return lay(tmp_path / "place")


@pytest.fixture
def prepared(place: Path, prepared_home: Path) -> Path:
    """The same with a home in which Dagster's storage was made."""
    shutil.copytree(prepared_home, place / "home")
    return place


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, prepared_home: Path) -> Path:
    """A built home with its documents, for tests that only read."""
    folder = lay(tmp_path_factory.mktemp("built") / "place")
    shutil.copytree(prepared_home, folder / "home")
    (folder / "Notizen" / "eins").mkdir()
    shutil.copy(folder / "Notizen" / "hospitation.md", folder / "Notizen" / "eins" / "notiz.md")
    with (folder / "Notizen" / "eins" / "notiz.md").open("a") as file:
        file.write("\nNoch ein Satz.\n")
    (folder / "Notizen" / "zwei").mkdir()
    (folder / "Notizen" / "zwei" / "notiz.md").write_text("# Haus\n\nDas Haus schließt um acht Uhr abends.\n")
    result = rag(folder, "all", "--quiet")
    assert result.status == 0, result
    return folder


@pytest.fixture
def built(shared: Path, tmp_path: Path) -> Path:
    """A copy of a built home with its documents."""
    return Path(shutil.copytree(shared, tmp_path / "place"))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["ask", ""], "empty_question", id="no question"),
        pytest.param(["ask", " \t\n\u00a0"], "empty_question", id="white space"),
        pytest.param(["ask", "x" * 20_000], "question_too_long", id="20,000 characters"),
        pytest.param(["ask", "🙂🙃👩‍👩‍👧"], "empty_question", id="emoji only"),
        pytest.param(["ask", "???!"], "empty_question", id="marks only"),
        pytest.param(["ask", "\u200b\u200e"], "empty_question", id="invisible signs"),
        pytest.param(["ask", "\0\0"], "empty_question", id="NUL only"),
        pytest.param(["ask", "\udcff"], "empty_question", id="bytes that are no text"),
        pytest.param(["ask"], "usage", id="question left out"),
        pytest.param(["ask", "Was?", "--session", "nein"], "unknown_session", id="unknown session"),
        pytest.param(["ask", "Was?", "--session", "\udcff"], "unknown_session", id="session of bytes"),
        pytest.param(["ask", "Was?", "--collection", "x"], "usage", id="unknown collection"),
        pytest.param(["text", "nein.md"], "unknown_document", id="unknown document"),
        pytest.param(["text", ""], "unknown_document", id="document without a name"),
        pytest.param(["text", "\udcff"], "unknown_document", id="document of bytes"),
        pytest.param(["text", "notiz.md"], "ambiguous_document", id="ambiguous document"),
        pytest.param(["why", "Niemand"], "unknown_fact", id="unknown fact"),
        pytest.param(["why", "\udcff"], "unknown_fact", id="fact of bytes"),
        pytest.param(["graph"], "usage", id="graph without a file"),
        pytest.param(["graph", "--out", "sources.yaml/g.json"], "no_permission", id="graph below a file"),
        pytest.param(["graph", "--out", "x" * 300], "no_permission", id="graph with an endless name"),
        pytest.param(["graph", "--out", ""], "usage", id="graph without a name"),
        pytest.param(["graph", "--out", "Notizen"], "usage", id="graph into a folder's name"),
        pytest.param(["all", "--source", "nirgends"], "no_such_folder", id="no such folder"),
        pytest.param(["all", "--source", "sources.yaml"], "no_such_folder", id="a file for a folder"),
        pytest.param(["all", "--source", "x" * 5000], "no_such_folder", id="folder with an endless name"),
        pytest.param(["scan", "--source", ""], "usage", id="folder without a name"),
        pytest.param(["file", "nirgends.md"], "unknown_document", id="no such file"),
        pytest.param(["file", "Notizen"], "unknown_document", id="a folder for a file"),
        pytest.param(["file", "x" * 5000], "unknown_document", id="file with an endless name"),
        pytest.param(["nein"], "usage", id="unknown verb"),
        pytest.param(["all", "--nein"], "usage", id="unknown option"),
    ],
)
def test_arguments_that_cannot_be_taken(shared, arguments, code):
    before = {path for path in shared.rglob("*") if "home" not in path.parts}
    refused(rag(shared, *arguments), 2, code)
    assert {path for path in shared.rglob("*") if "home" not in path.parts} == before
    assert "Traceback" in rag(shared, *arguments, "--debug").err


@pytest.mark.parametrize(
    "question",
    [
        "Wie hoch ist der Mount Everest?",
        "Was\0 wiegt\0 der Mond?",
        "'; DROP TABLE documents; -- \" NEAR( *",
        "\udcff Mond?",
    ],
)
def test_a_question_about_something_else_is_answered_by_abstaining(shared, question):
    result = rag(shared, "ask", question, "--json")
    assert (result.status, result.json["outcome"], result.err) == (0, "no_source", "")


@pytest.mark.parametrize(
    ("settings", "status", "code", "said"),
    [
        pytest.param({"RAG_EMBEDDING": "foo"}, 2, "settings", "RAG_EMBEDDING", id="unknown embedder"),
        pytest.param({"RAG_TOP_K": "abc"}, 2, "settings", "RAG_TOP_K", id="no number"),
        pytest.param({"RAG_CHUNK_OVERLAP_TOKENS": "900"}, 2, "settings", "RAG_CHUNK_MIN_TOKENS", id="overlap"),
        pytest.param({"RAG_GENERATION": "foo"}, 2, "settings", "RAG_GENERATION", id="unknown model"),
        pytest.param({"RAG_LANGUAGE": "fr"}, 2, "settings", "RAG_LANGUAGE", id="unknown language"),
        pytest.param({"RAG_DATABASE_URL": "unsinn"}, 2, "settings", "RAG_DATABASE_URL", id="database"),
        pytest.param({"RAG_DATABASE_URL": "mysql+pymysql://u:geheim@127.0.0.1:tor/x"}, 2, "settings",
                     "RAG_DATABASE_URL", id="port that is no number"),
        pytest.param({"RAG_DATABASE_URL": "oracle://x"}, 2, "missing_package", "mysql+pymysql", id="other database"),
        pytest.param({"RAG_DATABASE_URL": "mysql+pymysql://u:geheim@127.0.0.1:9/x"}, 3, "database_unreachable",
                     "RAG_DATABASE_URL", id="database out of reach"),
        pytest.param({"RAG_EMBEDDING": "ollama:m", "RAG_OLLAMA_URL": "http://127.0.0.1:9"}, 3, "model_unreachable",
                     "ollama serve", id="Ollama out of reach"),
        pytest.param({"RAG_HOME": "/dev/null"}, 2, "no_permission", "RAG_HOME", id="home is no folder"),
        pytest.param({"RAG_HOME": "/proc/rag"}, 2, "no_permission", "RAG_HOME", id="home cannot be made"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used(shared, settings, status, code, said):
    result = rag(shared, "ask", QUESTION, **settings)
    refused(result, status, code, said)
    assert "geheim" not in result.err
    assert "Traceback" in rag(shared, "--debug", "ask", QUESTION, **settings).err


def test_an_empty_variable_counts_as_none(place):
    result = rag(place, "status", "--json", RAG_TOP_K="", RAG_CHUNK_MAX_TOKENS="")
    assert (result.status, result.json["documents"]) == (0, [])


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        pytest.param("sources: [1\n", "broken_sources", "line 2", id="syntax"),
        pytest.param(f"sources:\n{SOURCE}    foo: 1\n", "broken_sources", "line 6: sources[1].foo", id="unknown key"),
        pytest.param(f"sources:\n{SOURCE}{SOURCE}", "broken_sources", "line 6: two sources", id="one name twice"),
        pytest.param(f"sources:\n{SOURCE}    authority: viel\n", "broken_sources", "line 6: ", id="wrong type"),
        pytest.param("- a\n", "broken_sources", "line 1: the file: must hold names and values", id="a list"),
        pytest.param("", "broken_sources", "line 1", id="empty"),
        pytest.param("sources: 2020-99-99\n", "broken_sources", "line 1", id="no such day"),
        pytest.param("sources: &a [*a]\n", "broken_sources", "line 1", id="endless"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", '"a\\0b"'), "broken_sources", "line 3", id="NUL"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", "~kein-mensch/x"), "broken_sources", "line 3", id="home"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", "nirgends"), "no_such_folder", "source=notizen",
                     id="missing folder"),
    ],
)  # fmt: skip
def test_a_broken_sources_file(place, text, code, said):
    (place / "sources.yaml").write_text(text)
    refused(rag(place, "scan"), 2, code, said)
    assert "Traceback" in rag(place, "scan", "--debug").err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("version: [1\n", "line 2", id="syntax"),
        pytest.param("version: eins\n", "line 1: version", id="wrong type"),
        pytest.param("version: 1\nclasses:\n- 5\n", "line 3: classes[0]", id="wrong entry"),
        pytest.param("- a\n", "o.yaml", id="a list"),
        pytest.param("version: 2020-99-99\n", "line 1", id="no such day"),
    ],
)
def test_a_broken_ontology_file(place, text, said):
    (place / "o.yaml").write_text(text)
    refused(rag(place, "all", "--quiet", RAG_ONTOLOGY=str(place / "o.yaml")), 2, "broken_ontology", said)


def _newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'zukunft'")


def _foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE fremd (x)")


@pytest.mark.parametrize(
    ("spoil", "status", "code"),
    [
        pytest.param(_newer, 2, "database_newer", id="newer version"),
        pytest.param(_foreign, 2, "database_foreign", id="tables of something else"),
        pytest.param(lambda file: file.write_bytes(b"kein datenbank" * 999), 1, "database_damaged", id="no database"),
        pytest.param(lambda file: os.truncate(file, file.stat().st_size // 2), 1, "database_damaged", id="half"),
    ],
)
def test_a_home_that_cannot_be_used(built, spoil, status, code):
    spoil(built / "home" / "rag.sqlite")
    for arguments in (["status"], ["all", "--quiet"], ["ask", QUESTION]):
        refused(rag(built, *arguments), status, code)
    assert "Traceback" in rag(built, "status", "--debug").err


def test_the_graph_never_takes_the_place_of_a_device(shared, tmp_path):
    pipe = tmp_path / "rohr"
    os.mkfifo(pipe)
    refused(rag(shared, "graph", "--out", str(pipe)), 2, "usage", "not a file")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_nothing_to_answer_from(place):
    refused(rag(place, "ask", "Was ist Coaching?"), 2, "nothing_to_answer_from", "rag all")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_and_a_home_without_permission(place, tmp_path):
    for folder in tmp_path.parents[:-1]:
        if folder.stat().st_uid == 0 and folder.stat().st_mode & 0o011 != 0o011:
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o711)
    rag(place, "status")
    (place / "Notizen").chmod(0o700)
    os.seteuid(NOBODY)
    try:
        home = rag(place, "status")
    finally:
        os.seteuid(0)
    for path in (place / "home", *(place / "home").rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        folder = rag(place, "scan")
    finally:
        os.seteuid(0)
    refused(home, 2, "no_permission", "RAG_HOME")
    refused(folder, 2, "no_permission", "source=notizen")


def test_bad_documents_fail_by_name_and_stop_nobody(prepared):
    folder = prepared / "Notizen"
    bad = {
        "daten.xyz": (bytes(range(256)) * 9, "unsupported"),
        "bild.md": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unsupported"),
        "kaputt.pdf": (b"%PDF-1.7\nkein Dokument", "damaged"),
        "kaputt.docx": (b"PK\3\4kein Dokument", "damaged"),
        "kaputt.pptx": (b"kein Dokument", "damaged"),
        "leer.md": (b"", "empty"),
        "leer.pdf": (b"", "empty"),
        "nur-leer.txt": (b" \n\n", "empty"),
    }
    for name, (content, _) in bad.items():
        (folder / name).write_bytes(content)
    result = rag(prepared, "process", "--quiet", "--json")
    assert result.status == 1, result
    failed = {entry["source_path"]: entry["error_code"] for entry in result.json["failed"]}
    assert failed == {f"notizen/{name}": code for name, (_, code) in bad.items()}
    (good,) = [entry for entry in result.json["documents"] if entry["error_code"] is None]
    assert (good["source_path"], good["stages"]["statements"]) == ("notizen/hospitation.md", "done")
    assert "Traceback" not in result.err
