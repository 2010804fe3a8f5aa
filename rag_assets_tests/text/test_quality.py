"""How glued words are told from long ones, from numbers and from addresses."""

from __future__ import annotations

import pytest

from rag_assets.text.quality import glued_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Haltung der Beraterin.", (4, 0)),
        ("DieHaltungderBeraterinzeigtsichimGespräch ist geklebt", (3, 1)),
        ("„DieHaltungderBeraterinzeigtsichimGespräch“, sagte sie", (3, 1)),
        ("a" * 30 + " " + "b" * 31, (2, 1)),
        ("Donaudampfschifffahrtsgesellschafts-Kapitänsmützenfabrikation", (1, 1)),
        ("Kinder-und-Jugendhilfe-Weiterentwicklungs-Gesetz", (1, 0)),
        ("1234567890123456789012345678901234567890 2024 – 17,5", (0, 0)),
        ("https://beispiel.de/einsehrlangerpfadohneendeundohnesinnundziel", (0, 0)),
        ("www.einesehrlangeadresseohneendeundohnesinnundziel.de", (0, 0)),
        ("einesehrlangeadresseohneendeundohnesinnundziel@campus.de", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_words_and_glued_words(text: str, expected: tuple[int, int]) -> None:
    assert glued_words(text) == expected
