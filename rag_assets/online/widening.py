"""Part of phase A2: a person whom a question only describes ("der Erfinder der Wunderfrage") is looked for by name too.

The knowledge says who made a thing; the names widen what is searched for, never what is answered. Nothing of this in
strict mode. The question itself stays as it was asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

#: More names than these describe nobody in particular.
MOST_NAMES: Final = 3
_MOST_WORDS: Final = 5
_MAKER: Final = re.compile(
    r"\b(?:Erfinder|Begründer|Entwickler|Gründer|Urheber|Schöpfer|Autor|Verfasser)(?:innen|in|en|n|s)?"
    r"\s+(?:der|des|von|vom)\s+(?P<thing>[^,;:.?!()]+)"
)


def names_meant(question: str, authors_of: Callable[[Sequence[str]], tuple[str, ...]]) -> tuple[str, ...]:
    """Names of the persons that the question describes by what they made; () when it describes none.

    `authors_of` takes what the thing may be called, longest first, and gives the names of its makers.
    """
    names: dict[str, None] = {}
    for found in _MAKER.finditer(question):
        words = found["thing"].split()[:_MOST_WORDS]
        things = [" ".join(words[:length]).strip("„“”\"'»«") for length in range(len(words), 0, -1)]
        names.update(dict.fromkeys(authors_of(things)))
    return tuple(names) if len(names) <= MOST_NAMES else ()
