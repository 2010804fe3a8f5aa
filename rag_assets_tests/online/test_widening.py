"""A person whom a question only describes is looked for by name; everything else is searched for as it was asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag_assets.online.widening import names_meant

MAKERS = {
    "Wunderfrage": ("Steve de Shazer", "Insoo Kim Berg"),
    "Gewaltfreien Kommunikation": ("Marshall B. Rosenberg",),
    "Methode": ("A", "B", "C", "D"),
}


def makers(things: Sequence[str]) -> tuple[str, ...]:
    return next((MAKERS[thing] for thing in things if thing in MAKERS), ())


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Welches Instrument spielte der Erfinder der Wunderfrage?", ("Steve de Shazer", "Insoo Kim Berg")),
        ("Was lernte der Begründer der „Gewaltfreien Kommunikation“ als Kind?", ("Marshall B. Rosenberg",)),
        ("Wo lebten die Entwicklerinnen der Wunderfrage zuletzt?", ("Steve de Shazer", "Insoo Kim Berg")),
        ("Was ist die Wunderfrage?", ()),
        ("Wer ist der Erfinder?", ()),
        ("Was dachte der Autor des unbekannten Buches?", ()),
        # Four makers mean nobody in particular.
        ("Wo lebte der Erfinder der Methode?", ()),
    ],
    ids=["inventor", "quoted name", "plural", "no person", "of nothing", "of something unknown", "too many"],
)
def test_names_that_a_question_means(question: str, names: tuple[str, ...]) -> None:
    assert names_meant(question, makers) == names
