"""The language of a text: German, English, or undetermined.

The classifier's model comes with the package py3langid. It is asked about whole documents and longer sections, never
about headings: short texts are undetermined.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SHORTEST_CHARS = 60
"""Below this many letters the answer is "und"."""

SAMPLE_CHARS = 20_000
"""So much of the beginning, and of the middle, of a long text is looked at."""

LEAST_PROBABILITY = 0.6


def detect_language(text: str) -> str:
    """Return "de" or "en", or "und" when the text is too short, mixed, or in another language."""
    if len(text) > 2 * SAMPLE_CHARS:
        middle = len(text) // 2
        text = f"{text[:SAMPLE_CHARS]} {text[middle : middle + SAMPLE_CHARS]}"
    if sum(character.isalpha() for character in text) < SHORTEST_CHARS:
        return "und"
    language, probability = _identifier().classify(text)
    return str(language) if language in ("de", "en") and probability >= LEAST_PROBABILITY else "und"


@cache
def _identifier() -> LanguageIdentifier:
    # Imported here: loading its model takes a third of a second, which only the import stage should pay.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
