"""Which content the import works on: what the scan saw, unless that could not be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.app import open_app
from rag_assets.config import load_settings
from rag_assets.errors import DocumentError
from rag_assets.offline import pipeline
from rag_assets.offline.sources import ad_hoc_source
from rag_assets.stores import documents as store
from rag_assets_tests.readers.packages import odf


def test_what_could_not_be_read_is_fetched_from_its_folder_again(home: Path, tmp_path: Path) -> None:
    """Mended and asked for at once, without a scan in between; before that, asked for in vain as often as one likes."""
    folder = tmp_path / "Skripte"
    folder.mkdir()
    file = folder / "zettel.md"
    file.write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n")
    sources = (ad_hoc_source(folder, "documents"),)
    with open_app(load_settings(home=home, embedding="hashing"), sources=sources) as app:
        (uid,) = app.scan().added
        for _ in range(2):
            with pytest.raises(DocumentError) as raised:
                pipeline.run_stage(app.parts, uid, "documents")
            assert raised.value.code == "damaged"
        file.write_text("# Zettel\n\nDie Supervision dauert drei Tage.\n")
        assert pipeline.run_stage(app.parts, uid, "documents").outcome == "done"

        # A file that was read is what the scan saw, whatever lies there now: the next scan finds the change.
        file.write_text("# Zettel\n\nDie Supervision dauert vier Tage.\n")
        assert pipeline.run_stage(app.parts, uid, "documents").outcome == "skipped"
        with app.database.read() as connection:
            document = store.get(connection, uid)
            assert document.current_version_id is not None
            text, _ = store.reading_of(connection, document.current_version_id)
        assert "drei Tage" in text
        assert [event.kind for event in app.archive.events()] == ["seen", "seen"], "once for each content"
        assert app.scan().changed == (uid,)


def test_a_language_that_the_text_does_not_tell_is_the_one_that_the_document_names(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "Skripte"
    folder.mkdir()
    english = "This handbook explains how a coach listens, asks and sums up what has been said. " * 3
    for name, body in (("kurz.odt", "Ablauf"), ("lang.odt", english)):
        odf(folder / name, f"<text:p>{body}</text:p>", meta="<dc:language>de-DE</dc:language>")
    sources = (ad_hoc_source(folder, "documents"),)
    with open_app(load_settings(home=home, embedding="hashing"), sources=sources) as app:
        for uid in app.scan().added:
            assert pipeline.run_stage(app.parts, uid, "documents").outcome == "done"
        with app.database.read() as connection:
            languages = {document.file_name: document.language for document in store.list_all(connection)}
    assert languages == {"kurz.odt": "de", "lang.odt": "en"}
