"""Tesseract: its table of words, the real program on a drawn page, and what happens when it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_assets.config import load_settings
from rag_assets.errors import ModelError, SettingsError
from rag_assets.models.vision import tesseract as adapter
from rag_assets.models.vision.registry import open_vision
from rag_assets.models.vision.tesseract import Tesseract, parse_table
from rag_assets.readers.pdf_picture import page_picture
from rag_assets_tests.readers.helpers import draw_pdf, write

TABLE = """\
level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t900\t900\t-1\t
2\t1\t1\t0\t0\t0\t9\t9\t9\t9\t-1\t
5\t1\t1\t1\t1\t1\t9\t9\t9\t9\t96.0\tDas
5\t1\t1\t1\t1\t2\t9\t9\t9\t9\t94.0\t"Selbst-
5\t1\t1\t1\t2\t1\t9\t9\t9\t9\t90.0\tbild"
5\t1\t1\t1\t2\t2\t9\t9\t9\t9\t31.0\t|
5\t1\t1\t1\t2\t3\t9\t9\t9\t9\t95.0\t\N{EM DASH}
5\t1\t1\t2\t1\t1\t9\t9\t9\t9\t60.0\tEnde
5\t1\t2\t1\t1\t1\t9\t9\t9\t9\t95.0\t \n"""


def test_the_table_of_words_becomes_paragraphs_without_specks() -> None:
    text = parse_table(TABLE)
    assert text.paragraphs == ('Das "Selbst-\nbild" \N{EM DASH}', "Ende")
    assert text.confidence == pytest.approx((96 + 94 + 90 + 95 + 60) / 5 / 100)


def test_a_blank_page_has_no_paragraphs() -> None:
    assert parse_table(TABLE.split("\n")[0]).paragraphs == ()


@pytest.mark.usefixtures("tesseract")
def test_a_drawn_page_is_recognised(tmp_path: Path) -> None:
    lines = ["Die Übung größerer Gruppen", "verändert das Verhältnis", "zwischen den Beteiligten."]
    path = draw_pdf(tmp_path / "a.pdf", [lambda canvas: write(canvas, lines, size=16, leading=22)])
    vision = Tesseract()
    text = vision.read_page(page_picture(path, 1).png)
    assert " ".join(" ".join(text.paragraphs).split()) == " ".join(lines)
    assert text.confidence > 0.8
    assert vision.name == "tesseract deu"
    assert vision.release.startswith("tesseract ")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Put a script in the place of tesseract; an empty one means that none is installed."""

    def install(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        if script:
            (folder / "tesseract").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
            (folder / "tesseract").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin" if script else str(folder))
        adapter._languages.cache_clear()

    yield install
    adapter._languages.cache_clear()


@pytest.mark.parametrize("script", ["exit 1", "sleep 20", ""])
def test_a_program_that_fails_hangs_or_is_gone_is_an_error_of_the_page(
    program: Callable[[str], None], script: str
) -> None:
    program(script)
    with pytest.raises(ModelError) as failure:
        Tesseract(timeout_s=0.3).read_page(b"")
    assert failure.value.code == "model_reply"


@pytest.mark.parametrize(
    ("script", "setting", "expected"),
    [
        ("echo deu", "auto", "tesseract deu"),
        ("echo deu", "tesseract", "tesseract deu"),
        ("echo deu", "none", None),
        ("echo eng", "auto", None),
        ("", "auto", None),
    ],
)
def test_the_setting_and_what_is_installed_decide(
    program: Callable[[str], None], script: str, setting: str, expected: str | None
) -> None:
    program(script)
    vision = open_vision(load_settings(vision=setting))
    assert (vision.name if vision else None) == expected


@pytest.mark.parametrize(("script", "setting"), [("echo eng", "tesseract"), ("", "tesseract"), ("echo deu", "brille")])
def test_what_is_set_and_cannot_be_had_is_refused(program: Callable[[str], None], script: str, setting: str) -> None:
    program(script)
    with pytest.raises(SettingsError):
        open_vision(load_settings(vision=setting))


@pytest.mark.usefixtures("tesseract")
def test_no_secret_of_the_environment_reaches_the_program(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "streng-geheim")
    program(f"cat >/dev/null; env > {tmp_path / 'seen'}; exit 1")
    with pytest.raises(ModelError):
        Tesseract().read_page(b"")
    assert "streng-geheim" not in (tmp_path / "seen").read_text("utf-8")
