"""What a person sees of one document: its page, and what changed between its versions, also once it was removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag_assets.ledger import reading_quality
from rag_assets.stores.database import Database
from rag_assets_tests.cli.trouble import rag, refused

CHANGED = """# Notiz zur Hospitation

## Anmeldung

Die Anmeldung zur Hospitation läuft über das Sekretariat. Hospitantinnen tragen einen roten Ausweis.

Wer zum ersten Mal kommt, meldet sich am Empfang und wird von dort zu den Räumen begleitet. Die Beraterinnen erklären,
was in den Sitzungen geschieht, welche Regeln gelten und wie mit dem Gehörten umzugehen ist. Fragen sind nach jeder
Sitzung willkommen, währenddessen hören alle nur zu und schreiben nichts mit. Am Ende des Tages wird gemeinsam
besprochen, was aufgefallen ist, und jede Gruppe hält ihre Eindrücke für die nächsten Gäste fest.

## Die Quastenmethode

Die Quastenmethode ist eine Methode der Gesprächsführung. Frieda Quast entwickelte die Quastenmethode.

We meet in the garden. The house is open to all who want to learn how to listen to each other, and nobody has to
pay for the lessons that are given there. What we have learned about listening is written down in these short notes,
which you may take home with you and read when you have the time.

DieseWörterwurdenbeimEinlesenverklebt DieseWörterwurdenbeimEinlesenverklebt DieseWörterwurdenbeimEinlesenverklebt
"""


@pytest.mark.long
@pytest.mark.slow
def test_a_document_through_two_versions_and_its_removal(built: Path) -> None:
    file = built / "Notizen" / "hospitation.md"
    refused(rag(built, "diff", "hospitation.md"), 2, "no_such_version", "versions=1")
    refused(rag(built, "diff", "fremd.md"), 2, "unknown_document")
    refused(rag(built, "status", "fremd.md"), 2, "unknown_document")
    file.write_text(CHANGED)
    assert rag(built, "all", "--quiet").status == 0

    page = json.loads(rag(built, "status", "hospitation.md", "--json").out)
    assert [(v["number"], v["current"], v["read"]) for v in page["versions"]] == [(1, False, True), (2, True, True)]
    assert [s["heading"] for s in page["sections"][1:]] == ["Notiz zur Hospitation", "Anmeldung", "Die Quastenmethode"]
    assert [s["parent"] for s in page["sections"]] == [None, 0, 1, 1]
    assert (page["version"], page["languages"], page["needs_ocr_pages"]) == (2, ["de", "en"], 0)
    assert page["stages"]["documents"]["status"] == "done"
    assert page["stages"]["documents"]["counts"]["languages"] == 2
    shown = rag(built, "status", "hospitation.md").out
    for words in ("Fassungen:", "gilt", "Einlesen: fertig", "Sprachen: de, en", "    Die Quastenmethode (en)"):
        assert words in shown
    table = rag(built, "status").out
    assert "OCR offen" in table
    assert "Warnungen" in table

    difference = json.loads(rag(built, "diff", "hospitation.md", "--json").out)
    assert (difference["from"]["number"], difference["to"]["number"], difference["to"]["current"]) == (1, 2, True)
    assert difference["counts"] == {
        "sections_added": 0, "sections_removed": 0, "sections_renamed": 1,
        "added": 3, "removed": 0, "changed": 1, "unchanged": 1,
    }  # fmt: skip
    top = "Notiz zur Hospitation"
    assert difference["sections"]["renamed"] == [{"from": [top, "Quastenmethode"], "to": [top, "Die Quastenmethode"]}]
    said = rag(built, "diff", "hospitation.md").out
    assert "Absätze: 3 neu, 0 entfernt, 1 geändert" in said
    assert "\n- … Hospitation läuft über das Sekretariat. Hospitantinnen tragen einen grünen Ausweis.\n+ … Hosp" in said
    assert "… unveränderte Absätze: 1 …" in said
    assert "Gesprächsführung" not in said
    back = json.loads(rag(built, "diff", "hospitation.md", "--from", "2", "--to", "1", "--json").out)
    assert (back["counts"]["added"], back["counts"]["removed"]) == (0, 3)
    refused(rag(built, "diff", "hospitation.md", "--to", "7"), 2, "no_such_version", "version=7")

    database = Database(f"sqlite:///{built / 'home' / 'rag.sqlite'}")
    with database.read() as connection:
        quality = reading_quality.check_all(connection)
    database.close()
    (conspicuous,) = quality["words_stand_apart"].conspicuous
    assert (conspicuous.uid, conspicuous.count("glued_words")) == (page["uid"], 3)
    assert quality["pages_have_text"].conspicuous == quality["text_needs_few_repairs"].conspicuous == ()

    file.unlink()
    assert rag(built, "scan").status == 0
    assert json.loads(rag(built, "status", page["uid"], "--json").out)["removed"]
    assert json.loads(rag(built, "diff", page["uid"], "--json").out)["counts"] == difference["counts"]
    assert "entfernt" in rag(built, "diff", "hospitation.md").out.splitlines()[0]
