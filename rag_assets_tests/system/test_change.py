"""What happens to answers, knowledge and costs when the folder changes, shown with the real command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rag_assets_tests.system.installation import Installation

Small = Callable[..., Installation]

GLOSSARY = "documents/handbuecher/glossar.md"
MINUTES = "documents/notiz.md"

NOTE = """# Notiz zur Hospitation

## Anmeldung

Die Anmeldung zur Hospitation läuft über das Sekretariat. Hospitantinnen tragen einen grünen Ausweis.

## Quastenmethode

Die Quastenmethode ist eine Methode der Gesprächsführung. Frieda Quast entwickelte die Quastenmethode.
"""


def write(installation: Installation, name: str, text: str) -> Path:
    file = installation.folder / "examples" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def answer(installation: Installation, question: str) -> str:
    reply = installation.rag("ask", "--json", question).json
    return str(reply["answer"])


def test_a_changed_sentence_touches_one_document_only(small: Small) -> None:
    installation = small(GLOSSARY)
    note = write(installation, MINUTES, NOTE)
    installation.rag("all", "--quiet")
    assert "grünen Ausweis" in answer(installation, "Welchen Ausweis tragen Hospitantinnen?")
    before = installation.dump()
    note.write_text(NOTE.replace("grünen", "gelben"))

    report = installation.rag("all", "--json").json

    assert [document["source_path"] for document in report["documents"]] == ["campus/notiz.md"]
    after = installation.dump()
    glossary = installation.query("SELECT id FROM documents WHERE source_path = 'campus/handbuecher/glossar.md'")
    for table in ("documents", "document_versions", "document_stages", "chunks", "chunk_windows"):
        assert set(before[table]) <= set(after[table]) | set(of_note(installation, table, before[table], glossary))
    # One of the note's two windows is as it was: its vector is taken from the table.
    fresh = set(after["embeddings"]) - set(before["embeddings"])
    assert len(fresh) == 1
    reply = answer(installation, "Welchen Ausweis tragen Hospitantinnen?")
    assert "gelben Ausweis" in reply
    assert "grünen" not in reply


def of_note(
    installation: Installation, table: str, rows: list[tuple[object, ...]], glossary: list[tuple[object, ...]]
) -> list[tuple[object, ...]]:
    """The rows of this table that do not belong to the glossary."""
    owner = {
        "documents": "SELECT id FROM documents WHERE id = :id",
        "document_versions": "SELECT id FROM document_versions WHERE document_id = :id",
        "document_stages": "SELECT s.id FROM document_stages s JOIN document_versions v"
        " ON v.id = s.document_version_id WHERE v.document_id = :id",
        "chunks": "SELECT c.id FROM chunks c JOIN document_versions v"
        " ON v.id = c.document_version_id WHERE v.document_id = :id",
        "chunk_windows": "SELECT w.id FROM chunk_windows w JOIN chunks c ON c.id = w.chunk_id"
        " JOIN document_versions v ON v.id = c.document_version_id WHERE v.document_id = :id",
    }[table]
    kept = {row[0] for row in installation.query(owner, id=glossary[0][0])}
    return [row for row in rows if row[0] not in kept]


def test_a_removed_document_stops_answering_and_its_lonely_entities_are_deprecated(small: Small) -> None:
    installation = small(GLOSSARY)
    note = write(installation, MINUTES, NOTE)
    installation.rag("all", "--quiet")
    counted = {table: len(rows) for table, rows in installation.dump().items()}
    name = "SELECT status, deprecation_reason FROM entities WHERE canonical_key = :key"
    assert installation.query(name, key="frieda quast") == [("normalized", None)]
    note.unlink()

    # At once: the scan alone takes it out of the answers.
    installation.rag("scan")
    assert "Ausweis" not in answer(installation, "Welchen Ausweis tragen Hospitantinnen?")
    installation.rag("all", "--quiet")

    assert installation.query(name, key="frieda quast") == [("deprecated", "no_provenance")]
    for table in (
        "documents",
        "document_versions",
        "entities",
        "entity_mentions",
        "relations",
        "statements",
        "evidence",
    ):
        assert len(installation.dump()[table]) == counted[table]

    write(installation, MINUTES, NOTE)
    installation.rag("all", "--quiet")
    assert installation.query(name, key="frieda quast") == [("normalized", None)]
    assert "grünen Ausweis" in answer(installation, "Welchen Ausweis tragen Hospitantinnen?")


def test_a_moved_document_keeps_its_uid_and_evidence(small: Small) -> None:
    installation = small(GLOSSARY)
    note = write(installation, MINUTES, NOTE)
    installation.rag("all", "--quiet")
    uid = "SELECT uid, partition_key FROM documents WHERE source_path = :path"
    (identity,) = installation.query(uid, path="campus/notiz.md")
    evidence = installation.dump()["evidence"]
    mentions = installation.dump()["entity_mentions"]
    embeddings = installation.dump()["embeddings"]
    moved = installation.documents / "archiv" / "hospitation.md"
    moved.parent.mkdir()
    note.rename(moved)
    installation.rag("all", "--quiet")

    assert installation.query(uid, path="campus/archiv/hospitation.md") == [identity]
    assert installation.dump()["evidence"] == evidence
    assert installation.dump()["entity_mentions"] == mentions
    assert installation.dump()["embeddings"] == embeddings
    assert "grünen Ausweis" in answer(installation, "Welchen Ausweis tragen Hospitantinnen?")

    # A newcomer at the old path is another document.
    write(installation, MINUTES, "# Speiseplan\n\nAm Dienstag gibt es in der Mensa Linsensuppe mit Spätzle.\n")
    installation.rag("all", "--quiet")
    (newcomer,) = installation.query(uid, path="campus/notiz.md")
    assert newcomer[0] != identity[0]
    assert newcomer[1] != identity[1]
    assert "Linsensuppe" in answer(installation, "Was gibt es am Dienstag in der Mensa?")


def test_one_bad_document_stops_nobody(small: Small) -> None:
    installation = small(GLOSSARY)
    write(installation, MINUTES, NOTE)
    (installation.documents / "kaputt.pdf").write_bytes(b"%PDF-1.7\nkein Dokument")
    (installation.documents / "leer.txt").write_bytes(b"")
    installation.rag("all", "--quiet", expect=1)
    states = {
        document["source_path"]: (document["status"], document["error_code"])
        for document in installation.rag("status", "--json").json["documents"]
    }
    assert states == {
        "campus/handbuecher/glossar.md": ("done", None),
        "campus/notiz.md": ("done", None),
        "campus/kaputt.pdf": ("error", "damaged"),
        "campus/leer.txt": ("error", "empty"),
    }
    assert "grünen Ausweis" in answer(installation, "Welchen Ausweis tragen Hospitantinnen?")
