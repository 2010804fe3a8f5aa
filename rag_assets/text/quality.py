"""How well a text was read, told from the text alone."""

from __future__ import annotations

import re
from typing import Final

LONGEST_WORD: Final = 30
"""Letters; German compounds end about here, so longer ones are mostly words glued together."""

_TOKEN: Final = re.compile(r"\S+")
_ADDRESS: Final = re.compile(r"https?:|www\.|@|/")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def glued_words(text: str) -> tuple[int, int]:
    """(words, words of more than `LONGEST_WORD` letters); numbers and addresses (URLs, mail, paths) are no words.

    Letters joined by a hyphen count as separate runs: "Kinder- und Jugendhilfe-Weiterentwicklungsgesetz" is written so.

    >>> glued_words("Die Haltung 2024 https://example.org/sehrlangerpfadohneendeundohnesinnundziel")
    (2, 0)
    """
    words = glued = 0
    # One after the other: a list of them would take several times the text.
    for match in _TOKEN.finditer(text):
        word = match[0]
        if not word.isalpha():
            if _ADDRESS.search(word) or not any(map(str.isalpha, word)):
                continue
            word = max(_LETTERS.findall(word), key=len, default="") if len(word) > LONGEST_WORD else word
        words += 1
        glued += len(word) > LONGEST_WORD
    return words, glued
