"""Plain text and encodings, and which reader takes what."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.encoding import decode
from rag_assets.readers.files import parse_authors, parse_date
from rag_assets.readers.plain import plain_blocks
from rag_assets_tests.readers.helpers import LIMITS, blocks, read

GERMAN = "Größe und Übung: für 20 € im Café – „schöne“ Straßen, naïve Fragen …"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_german_text_in_every_usual_encoding(encoding: str) -> None:
    assert decode((GERMAN * 3).encode(encoding))[0] == GERMAN * 3


@pytest.mark.parametrize("encoding", ["mac_roman", "cp850"])
def test_old_code_pages_are_told_from_the_letters_they_give(encoding: str) -> None:
    text = "Die Übung für Fußgänger war schön und größer als gedacht. Ärger gab es keinen, öfter Spaß."
    assert decode(text.encode(encoding)) == (text, encoding, ("encoding_guessed",))


def test_what_cannot_be_decoded_is_said() -> None:
    text, _, warnings = decode("Größe".encode("utf-16")[:-1])
    assert "undecodable" in warnings
    assert text.startswith("Größ")


@given(st.binary(max_size=300))
def test_any_bytes_decode_to_something(data: bytes) -> None:
    text, _, _ = decode(data)
    text.encode("utf-8")


def test_hard_wrapped_lines_are_joined_and_short_ones_are_not(tmp_path: Path) -> None:
    text = (
        "Die Haltung der Beraterin zeigt sich darin, wie sie zuhört und welche\n"
        "Fragen sie stellt; sie bleibt auch dann ruhig, wenn es schwierig wird,\n"
        "und nimmt sich Zeit.\nEin neuer Absatz beginnt, weil die Zeile davor kurz war und endete.\n\n"
        "- erster Punkt, der so lang ist, dass er in die nächste Zeile reicht und\n  dort endet\n- zweiter Punkt\n"
    )
    assert blocks(read(tmp_path / "a.txt", text)) == [
        (
            "paragraph",
            "Die Haltung der Beraterin zeigt sich darin, wie sie zuhört und welche Fragen sie stellt; "
            "sie bleibt auch dann ruhig, wenn es schwierig wird, und nimmt sich Zeit.",
        ),
        ("paragraph", "Ein neuer Absatz beginnt, weil die Zeile davor kurz war und endete."),
        ("list_item", "erster Punkt, der so lang ist, dass er in die nächste Zeile reicht und dort endet"),
        ("list_item", "zweiter Punkt"),
    ]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Titel\n=====", 1),
        ("Abschnitt\n---------", 2),
        ("1 Einleitung", 1),
        ("2.3 Methoden der Beratung", 2),
        ("Kapitel 3: Haltung", 1),
        ("§ 5 Ausbildungsordnung", 2),
        ("IV.", 1),
        ("GRUNDLAGEN DER BERATUNG", 1),
        ("Das ist ein kurzer Absatz", None),
        ("3 Personen kamen zum Gespräch.", None),
        ("Einleitung ........ 5", None),
        ("I. Einleitung      1", None),
        ("EU", None),
    ],
)
def test_headings_are_believed_only_without_doubt(text: str, level: int | None) -> None:
    found = list(plain_blocks(f"Vorher.\n\n{text}\n\nNachher."))
    assert found[1].level == level


@given(st.text(max_size=400))
def test_no_letter_of_a_plain_text_is_lost(text: str) -> None:
    made = "".join(block.text for block in plain_blocks(text))
    assert [c for c in made if c.isalnum() and len(c.encode()) > 1] == [
        c for c in text if c.isalnum() and len(c.encode()) > 1
    ]


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("a.docx", b"%PDF-1.4 ...", "pdf"),
        ("a.txt", b"<!DOCTYPE html><html><body>x</body></html>", "html"),
        ("a.md", b"# Titel", "markdown"),
        ("a.md", b"Ein <b>fettes</b> Wort", "markdown"),
        ("a", b"nur Text", "plain"),
        ("a.txt", "nur Text äöü".encode("utf-16"), "plain"),
    ],
)
def test_content_decides_and_the_name_breaks_ties(tmp_path: Path, name: str, content: bytes, reader: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert registry.detect(tmp_path / name).name == reader


def test_an_archived_file_is_known_by_the_name_it_had(tmp_path: Path) -> None:
    (tmp_path / "0a1b2c").write_text("# Titel", "utf-8")
    assert registry.detect(tmp_path / "0a1b2c", name="Notiz.md").name == "markdown"
    assert registry.read(tmp_path / "0a1b2c", LIMITS, name="Notiz.md").title == "Titel"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.pdf", b"text", "damaged"),
        ("a.docx", b"kein Container", "damaged"),
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n\t ", "empty"),
        ("a.md", b"\n\n", "empty"),
        ("a.bin", bytes(range(256)) * 8, "unsupported"),
        ("a.html", bytes(range(256)) * 8, "unsupported"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "unsupported"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "locked"),
    ],
)
def test_what_is_refused_says_why(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / name, content)
    assert refusal.value.code == code


def test_foreign_containers_missing_files_and_sizes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    for path, code in ((tmp_path / "a.zip", "unsupported"), (tmp_path / "nicht-da.txt", "vanished")):
        with pytest.raises(DocumentError) as refusal:
            registry.read(path, LIMITS)
        assert refusal.value.code == code


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["a.txt", "a.md", "a.html"]), st.binary(max_size=600))
def test_fuzzed_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / name
    try:
        result = read(path, data)
    except DocumentError as refusal:
        assert refusal.code in ("empty", "unsupported", "damaged")  # noqa: PT017
    else:
        assert result.blocks


def test_dates_and_names_of_metadata() -> None:
    assert str(parse_date("D:20180419120000Z")) == "2018-04-19"
    assert str(parse_date("4. 5. 2021")) == "2021-05-04"
    assert str(parse_date("Stand: 25. August 2024")) == "2024-08-25"
    assert parse_date("31.02.2020") is None
    assert parse_authors("Beispiel, Anna") == ("Beispiel, Anna",)
    assert parse_authors("Anna Beispiel, Bernd Muster und Carla Dritt") == (
        "Anna Beispiel, Bernd Muster",
        "Carla Dritt",
    )


def test_title_and_date_of_a_plain_text(tmp_path: Path) -> None:
    result = read(tmp_path / "a.txt", "LEITFADEN BERATUNG\n\nStand: 25. August 2024\n\nText.\n")
    assert (result.title, str(result.published_on)) == ("LEITFADEN BERATUNG", "2024-08-25")
