"""What can be quoted from a text, judged as a reader would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.text.passages import quotable


def _quoted(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in quotable(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ein Team braucht ein Ziel. Es hat Rollen und Regeln.",
                     ["Ein Team braucht ein Ziel.", "Es hat Rollen und Regeln."], id="sentences"),
        pytest.param("2.1 Die fünf Phasen\n\nDer Prozess hat fünf Phasen am Stück.",
                     ["Der Prozess hat fünf Phasen am Stück."], id="no-heading"),
        pytest.param("Merkmal | Gruppe | Team\nZiel | verschieden | gemeinsam\n\nDas ist ein ganzer Satz.",
                     ["Ziel | verschieden | gemeinsam", "Das ist ein ganzer Satz."], id="rows-without-the-header"),
        pytest.param("Jahr | 1 | 2\n2024 | 7 | 9", [], id="no-rows-of-figures-only"),
        pytest.param("Brauche ich dafür ein Studium?\n\nNein. Eine Berufsausbildung genügt dafür völlig.",
                     ["Nein. Eine Berufsausbildung genügt dafür völlig."], id="short-word-joined"),
        pytest.param("Eine Runde dauert insgesamt 45 Minuten.[1]\n\n[1] Ohne die Pausen, die dazukommen.",
                     ["Eine Runde dauert insgesamt 45 Minuten.", "[1] Ohne die Pausen, die dazukommen."],
                     id="footnote-mark-left-out"),
        pytest.param("Das Modell kennt vier Stufen:\n\nForming\n\nStorming\n\nNorming",
                     ["Das Modell kennt vier Stufen:\n\nForming\n\nStorming\n\nNorming"], id="list-with-its-opening"),
        pytest.param("– Wer anklagt, spürt die eigene Angst nicht.",
                     ["Wer anklagt, spürt die eigene Angst nicht."], id="bullet-left-out"),
        pytest.param("1 Einleitung ........ 3\n\n2 Methoden ........ 7", [], id="table-of-contents"),
        pytest.param("EIN TITEL IN GROSSEN BUCHSTABEN.", [], id="shouted-title"),
        pytest.param("", [], id="nothing"),
    ],
)  # fmt: skip
def test_quotable_pieces(text: str, expected: list[str]) -> None:
    """Sentences, rows and lists are; headings, header rows, questions and leaders are not."""
    assert _quoted(text) == expected


def test_a_piece_knows_what_stands_above_it() -> None:
    """A question in a FAQ, a heading in a handbook: what the sentence is about stands there."""
    text = "Darf mein Hund mit?\n\nLeider nein, mit Ausnahme von Assistenzhunden."
    (piece,) = quotable(text)
    assert piece.above is not None
    assert text[slice(*piece.above)] == "Darf mein Hund mit?"


def test_a_row_knows_its_header_unless_the_text_begins_below_it() -> None:
    text = "Coaching | 120 €\nSupervision | 95 €"
    (row,) = quotable(text)
    assert row.is_row
    assert row.above is not None
    assert text[slice(*row.above)] == "Coaching | 120 €"
    assert [(text[row.start : row.end], row.above) for row in quotable(text, in_table=True)] == [
        ("Coaching | 120 €", None),
        ("Supervision | 95 €", None),
    ]


@given(st.lists(st.sampled_from(["Wort", " ", ". ", "\n\n", "ein", ":", "?", " | ", "[1]", "– ", "3. "]), max_size=40))
def test_pieces_never_overlap_and_never_begin_or_end_in_white_space(parts: list[str]) -> None:
    """For any text; each is a piece of it as it stands."""
    text = "".join(parts)
    end = 0
    for piece in quotable(text):
        assert end <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end] == text[piece.start : piece.end].strip()
        end = piece.end
