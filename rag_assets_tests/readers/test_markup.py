"""HTML and Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets_tests.readers.helpers import blocks, read

PAGE = """<!DOCTYPE html><html><head><title>Seite – Campus</title><meta name="author" content="Anna Beispiel">
<meta name="date" content="2020-02-03"><style>p {color: red}</style></head><body>
<header><a href="/">Start</a></header><nav><ul><li>Kontakt</li></ul></nav>
<h1>Aktives Zuhören</h1><p>Zuhören ist eine <b>Haltung</b>,<br>keine Technik<a href="#fn1"><sup>1</sup></a>.</p>
<p hidden>unsichtbar</p><p style="display:none">auch unsichtbar</p><script>var geheim = 1;</script>
<ol start="3"><li>fragen</li><li>schweigen<ul><li>kurz</li></ul></li></ol>
<table><caption>Formen</caption><tr><th>Form</th><th>Dauer</th></tr><tr><td>Dyade</td><td>20 <i>Min.</i></td></tr></table>
<pre>a
  b</pre><blockquote>Ein Zitat.</blockquote>
<section class="footnotes"><ol><li id="fn1">Rogers 1961. <a href="#fnref1">↩</a></li></ol></section>
<footer>Impressum</footer></body></html>"""


def test_a_page_without_its_furniture(tmp_path: Path) -> None:
    result = read(tmp_path / "a.html", PAGE)
    assert blocks(result) == [
        ("heading1", "Aktives Zuhören"),
        ("paragraph", "Zuhören ist eine Haltung, keine Technik[1]."),
        ("footnote", "[1] Rogers 1961."),
        ("list_item", "3. fragen"),
        ("list_item", "4. schweigen"),
        ("list_item", "kurz"),
        ("caption", "Formen"),
        ("table", "Form | Dauer\nDyade | 20 Min."),
        ("code", "a\n  b"),
        ("paragraph", "Ein Zitat."),
    ]
    assert result.title == "Aktives Zuhören"
    assert result.authors == ("Anna Beispiel",)
    assert str(result.published_on) == "2020-02-03"
    assert result.repairs == {"hidden": 2, "navigation": 3}
    assert next(b for b in result.blocks if b.kind == "table").table_header == "Form | Dauer"


@pytest.mark.parametrize(
    ("raw", "declared"),
    [
        pytest.param("Größe".encode(), "iso-8859-1", id="UTF-8 whatever is declared"),
        pytest.param("Größe".encode("latin-1"), "iso-8859-1", id="as declared"),
        pytest.param("Größe".encode("cp1252"), "utf-8", id="declared wrongly, not UTF-8"),
        pytest.param("Größe".encode("cp1252"), "gibt-es-nicht", id="declared nonsense"),
    ],
)
def test_the_bytes_decide_the_encoding(tmp_path: Path, raw: bytes, declared: str) -> None:
    page = b'<html><head><meta charset="' + declared.encode() + b'"></head><body><p>' + raw + b"</p></body></html>"
    assert blocks(read(tmp_path / "a.html", page)) == [("paragraph", "Größe")]


def test_a_line_end_in_the_source_is_a_blank_not_a_hyphenation(tmp_path: Path) -> None:
    assert blocks(
        read(tmp_path / "a.html", "<html><body><p>Vor-\nund Nachteile, Ein-\nund Ausgang</p></body></html>")
    ) == [("paragraph", "Vor- und Nachteile, Ein- und Ausgang")]


def test_labels_of_tabs_are_text_and_a_picture_in_an_open_heading_is_none(tmp_path: Path) -> None:
    page = (
        "<html><body><h2>Lehrbuch</h1><figure><img src='a.png' alt='Eine Spirale'></figure><h2>Phasen</h2>"
        "<ul class='nav nav-tabs' role='tablist'><li>Auftakt</li><li>Abschluss</li></ul>"
        "<ul class='nav'><li>Kontakt</li></ul></body></html>"
    )
    assert blocks(read(tmp_path / "a.html", page)) == [
        ("heading2", "Lehrbuch"),
        ("paragraph", "Eine Spirale"),
        ("heading2", "Phasen"),
        ("list_item", "Auftakt"),
        ("list_item", "Abschluss"),
    ]


def test_a_layout_table_is_no_table(tmp_path: Path) -> None:
    page = "<html><body><table><tr><td><h2>Eins</h2><p>Text.</p></td><td>Rand</td></tr></table></body></html>"
    assert blocks(read(tmp_path / "a.html", page)) == [
        ("heading2", "Eins"),
        ("paragraph", "Text."),
        ("paragraph", "Rand"),
    ]


def test_nesting_that_the_parser_cuts_off_is_no_silent_loss(tmp_path: Path) -> None:
    assert blocks(read(tmp_path / "b.html", "<html><body>" + "<div>" * 1_500 + "tief")) == [("paragraph", "tief")]
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "a.html", "<html><body>" + "<div>" * 20_000 + "tief")
    assert refusal.value.code == "damaged"


def test_a_page_without_text_is_empty(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(tmp_path / "a.html", "<html><head><title>x</title></head><body><script>1</script></body></html>")
    assert refusal.value.code == "empty"


MARKDOWN = """---
title: "Leitfaden"
author: [Anna Beispiel, Bernd Muster]
date: 2021-05-04
---
# Haltung *und* Methode

Autopoiesis[^a] heißt
Selbsterzeugung; siehe [Luhmann](http://example.org).

Zweiter
------

- zuhören
- fragen

  weiter im Punkt
1. erstens
2. zweitens

| Phase | Ziel |
|-------|------|
| Auftakt | Anliegen `klären` |

```python
# keine Überschrift
[^a]: kein Fußnotentext
```

> Ein Zitat.

<div><p>Aus HTML.</p></div>

<!-- unsichtbar

auch unsichtbar -->

[^a]: Maturana
    und Varela 1987.
[^b]: Nie zitiert.
"""


def test_markdown(tmp_path: Path) -> None:
    result = read(tmp_path / "a.md", MARKDOWN)
    assert blocks(result) == [
        ("heading1", "Haltung und Methode"),
        ("paragraph", "Autopoiesis[a] heißt Selbsterzeugung; siehe Luhmann."),
        ("footnote", "[a] Maturana und Varela 1987."),
        ("heading2", "Zweiter"),
        ("list_item", "zuhören"),
        ("list_item", "fragen"),
        ("list_item", "weiter im Punkt"),
        ("list_item", "1. erstens"),
        ("list_item", "2. zweitens"),
        ("table", "Phase | Ziel\nAuftakt | Anliegen klären"),
        ("code", "# keine Überschrift\n[^a]: kein Fußnotentext"),
        ("paragraph", "Ein Zitat."),
        ("paragraph", "Aus HTML."),
        ("footnote", "[b] Nie zitiert."),
    ]
    assert result.title == "Leitfaden"
    assert result.authors == ("Anna Beispiel", "Bernd Muster")
    assert str(result.published_on) == "2021-05-04"


def test_a_rule_at_the_beginning_is_no_front_matter(tmp_path: Path) -> None:
    result = read(tmp_path / "a.md", "---\n\nText ohne Vorspann.\n\n---\n\n# Titel\n")
    assert blocks(result) == [("paragraph", "Text ohne Vorspann."), ("heading1", "Titel")]
    assert result.title == "Titel"


def test_markdown_that_nests_deeply_is_read_or_refused(tmp_path: Path) -> None:
    try:
        read(tmp_path / "a.md", ">" * 5_000 + " tief\n" + "[" * 5_000)
    except DocumentError as refusal:
        assert refusal.code in ("damaged", "empty")  # noqa: PT017
