"""Bad input of every kind: each ends in one line with a code, one with the way out, and the documented exit status."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from rag_assets_tests.cli.trouble import QUESTION, SOURCE, rag, refused
from rag_assets_tests.models.ollama_double import OllamaDouble
from rag_assets_tests.readers.helpers import draw_pdf, write

NOBODY = 65534
BOMB = "a: &a [x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + of] * 9)}]\n" for of, name in zip("abcdefgh", "bcdefghi", strict=True)
)
"""Nine lists, each of nine times the one before."""


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
        pytest.param({"RAG_EXTRACTION": "foo"}, 2, "settings", "RAG_EXTRACTION", id="unknown extractor"),
        pytest.param({"RAG_EMBEDDING": "ollama:"}, 2, "settings", "ollama:MODEL", id="model without a name"),
        pytest.param({"RAG_EMBEDING": "e5"}, 2, "settings", "RAG_EMBEDDING", id="misspelt"),
        pytest.param({"RAG_TOPK": "3", "rag_hom": "x"}, 2, "settings", "RAG_TOP_K", id="two misspelt"),
        pytest.param({"RAG_LANGUAGE": "fr"}, 2, "settings", "RAG_LANGUAGE", id="unknown language"),
        pytest.param({"RAG_DATABASE_URL": "unsinn"}, 2, "settings", "RAG_DATABASE_URL", id="database"),
        pytest.param({"RAG_DATABASE_URL": "mysql+pymysql://u:geheim@127.0.0.1:tor/x"}, 2, "settings",
                     "RAG_DATABASE_URL", id="port that is no number"),
        pytest.param({"RAG_DATABASE_URL": "oracle://x"}, 2, "missing_package", "mysql+pymysql", id="other database"),
        pytest.param({"RAG_DATABASE_URL": "mysql+pymysql://u:geheim@127.0.0.1:9/x"}, 3, "database_unreachable",
                     "RAG_DATABASE_URL", id="database out of reach"),
        pytest.param({"RAG_QDRANT_URL": "http://127.0.0.1:9"}, 3, "vector_store_unreachable", "RAG_QDRANT_URL",
                     id="Qdrant out of reach"),
        pytest.param({"RAG_QDRANT_URL": "kein url"}, 2, "settings", "RAG_QDRANT_URL", id="no URL"),
        pytest.param({"RAG_OLLAMA_URL": "http://x:tor"}, 2, "settings", "RAG_OLLAMA_URL", id="no port"),
        pytest.param({"RAG_HOME": "/dev/null"}, 2, "no_permission", "RAG_HOME", id="home is no folder"),
        pytest.param({"RAG_HOME": "/proc/rag"}, 2, "no_permission", "RAG_HOME", id="home cannot be made"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used(shared, settings, status, code, said):
    result = rag(shared, "ask", QUESTION, **settings)
    refused(result, status, code, said)
    assert "geheim" not in result.err
    assert "Traceback" in rag(shared, "--debug", "ask", QUESTION, **settings).err


@pytest.mark.parametrize("verb", [["status"], ["all", "--quiet"]])
def test_settings_are_looked_at_whatever_is_asked(place, verb):
    refused(rag(place, *verb, RAG_GENERATION="foo"), 2, "settings", "RAG_GENERATION", "extractive")
    assert not (place / "home").exists()


def test_variables_of_other_programs_are_left_alone(place):
    """A container's environment holds the addresses of its neighbours under such names."""
    result = rag(place, "status", "--json", RAG_SERVICE_HOST="10.0.0.7", RAG_PORT="tcp://10.0.0.7:80", RAG_CORPORA="x")
    assert (result.status, result.err) == (0, "")


def test_a_model_that_is_not_there(shared):
    with OllamaDouble() as server:
        refused(
            rag(shared, "ask", QUESTION, RAG_EMBEDDING="ollama:nein", RAG_OLLAMA_URL=server.url),
            2, "model_missing", "ollama pull nein",
        )  # fmt: skip
    gone = {"RAG_EMBEDDING": "ollama:m", "RAG_OLLAMA_URL": "http://127.0.0.1:9"}
    refused(rag(shared, "ask", QUESTION, **gone), 3, "model_unreachable", "ollama serve")


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
        pytest.param(f"sources:\n{SOURCE}\ttype: x\n", "broken_sources", "line 6", id="tab"),
        pytest.param(f"sources:\n{SOURCE}    type: x\n", "broken_sources", "line 6: type stands twice", id="key twice"),
        pytest.param(f"{BOMB}sources: *i\n", "broken_sources", "line 1: no aliases", id="aliases of aliases"),
        pytest.param("sources: " + "[" * 5000, "broken_sources", "line 1", id="deep"),
        pytest.param(bytes(range(256)), "broken_sources", "UTF-8", id="binary"),
        pytest.param("sources: !!python/name:os.system\n", "broken_sources", "line 1", id="code"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", '"a\\0b"'), "broken_sources", "line 3", id="NUL"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", "~kein-mensch/x"), "broken_sources", "line 3", id="home"),
        pytest.param(f"sources:\n{SOURCE}".replace("Notizen", "nirgends"), "no_such_folder", "source=notizen",
                     id="missing folder"),
    ],
)  # fmt: skip
def test_a_broken_sources_file(place, text, code, said):
    (place / "sources.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
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
        pytest.param("version: 1\n\tclasses: []\n", "line 2", id="tab"),
        pytest.param("version: 1\nclasses: []\nversion: 2\n", "line 3: version stands twice", id="key twice"),
        pytest.param(f"{BOMB}version: *i\n", "line 1: no aliases", id="aliases of aliases"),
        pytest.param(bytes(range(256)), "UTF-8", id="binary"),
    ],
)
def test_a_broken_ontology_file(place, text, said):
    (place / "o.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(rag(place, "all", "--quiet", RAG_ONTOLOGY=str(place / "o.yaml")), 2, "broken_ontology", said)


def test_a_folder_in_the_place_of_a_file_of_settings(place):
    refused(rag(place, "scan", RAG_SOURCES="Notizen"), 2, "broken_sources", "Notizen")
    refused(rag(place, "all", "--quiet", RAG_ONTOLOGY="Notizen"), 2, "broken_ontology", "Notizen")


def test_the_graph_never_takes_the_place_of_a_device(shared, tmp_path):
    pipe = tmp_path / "rohr"
    os.mkfifo(pipe)
    refused(rag(shared, "graph", "--out", str(pipe)), 2, "usage", "not a file")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_that_is_not_there_is_named_with_where_it_was_looked_for(shared):
    refused(rag(shared, "file", "Notizn/hospitation.md"), 2, "unknown_document", "Notizn/hospitation.md", "path")


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


def _locked_pdf(file: Path) -> None:
    writer = PdfWriter(PdfReader(draw_pdf(file, [lambda canvas: write(canvas, ["Streng geheim."])])))
    writer.encrypt("kennwort", algorithm="RC4-128")
    writer.write(file)


def _scanned_pdf(file: Path) -> None:
    def page(canvas: Canvas) -> None:
        canvas.drawInlineImage(_picture(), 0, 0, 500, 700)

    draw_pdf(file, [page, page])


def _picture() -> Image.Image:
    return Image.effect_noise((100, 140), 50)


def test_bad_documents_fail_by_name_and_stop_nobody(prepared):
    folder = prepared / "Notizen"
    bad: dict[str, tuple[bytes | Callable[[Path], None], str]] = {
        "daten.xyz": (bytes(range(256)) * 9, "unsupported"),
        "bild.md": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unsupported"),
        "kaputt.pdf": (b"%PDF-1.7\nkein Dokument", "damaged"),
        "kaputt.docx": (b"PK\3\4kein Dokument", "damaged"),
        "kaputt.pptx": (b"kein Dokument", "damaged"),
        "leer.md": (b"", "empty"),
        "leer.pdf": (b"", "empty"),
        "nur-leer.txt": (b" \n\n", "empty"),
        "gesperrt.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "locked"),
        "gesperrt.pdf": (_locked_pdf, "locked"),
        "bilder.pdf": (_scanned_pdf, "needs_ocr"),
        "riesig.pdf": (lambda file: os.truncate(file, 4 * 1024**3), "too_large"),
    }
    for name, (content, _) in bad.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else b"")
        if not isinstance(content, bytes):
            content(folder / name)
    result = rag(prepared, "process", "--quiet", "--json")
    assert result.status == 1, result
    failed = {entry["source_path"]: entry["error_code"] for entry in result.json["failed"]}
    assert failed == {f"notizen/{name}": code for name, (_, code) in bad.items()}
    (good,) = [entry for entry in result.json["documents"] if entry["error_code"] is None]
    assert (good["source_path"], good["stages"]["statements"]) == ("notizen/hospitation.md", "done")
    assert result.json["scan"]["oversize"] == [{"path": "notizen/riesig.pdf", "bytes": 4_294_967_296}]
    assert "Traceback" not in result.err

    told = rag(prepared, "all")
    assert told.status == 1
    lines = {line.split(":")[0].strip(): line for line in told.out.splitlines() if line.startswith("  notizen/")}
    assert lines.keys() == failed.keys()
    for name, (way_out, *values) in {
        "gesperrt.pdf": ["password"],
        "bilder.pdf": ["install tesseract"],
        "riesig.pdf": ["RAG_READ_MAX_BYTES", "4,294,967,296", "500,000,000"],
        "daten.xyz": ["Save the document in a format that is read"],
    }.items():
        assert all(words in lines[f"notizen/{name}"] for words in (way_out, *values)), lines
    (scanned,) = [
        entry
        for entry in rag(prepared, "status", "--json").json["documents"]
        if entry["source_path"].endswith("bilder.pdf")
    ]
    assert (scanned["pages"], scanned["needs_ocr_pages"]) == (2, 2)
