"""How a sentence means what it says: asserted, supposed, demanded or quoted; affirmed or denied.

Works on the words of a clause. Whole sentences in quotation marks and reported speech are citing; a question asserts
nothing and is skipped by the callers.
"""

from __future__ import annotations

import re
from typing import Final

from rag_assets.models.extraction.rules.analysis import Sentence
from rag_assets.models.extraction.rules.lexicon import HEDGES, MODAL_VERBS, NEGATIONS, NORMS, REPORTED_SPEECH, REPORTING

_ACCORDING: Final = re.compile(
    r"^(?:[„»\"]|(?:Laut|Gemäß)\s|Nach\s(?:Ansicht|Auffassung|Meinung|Überzeugung|Darstellung|Angaben)\b"
    r"|(?:[A-ZÄÖÜ][\w.]*\s){1,4}zufolge\b|(?:So\s)?(?:heißt|steht)\ses\b)"
)
_OPEN_QUOTE: Final = frozenset('„»“"')
_ZU: Final = re.compile(
    r"\b(?:ist|sind|hat|haben)\b[^,.;]*\b(?:zu\s+[a-zäöüß]+(?:en|ern|eln)\b|[a-zäöüß]+zu[a-zäöüß]+en\b)"
)
_IF: Final = frozenset({"falls", "angenommen", "sofern", "gesetzt"})


def is_question(sentence: Sentence) -> bool:
    """Whether the sentence asks."""
    return "?" in sentence.words[-3:]


def modality(sentence: Sentence, first: int = 0, last: int | None = None) -> str:
    """`citing`, `hypothetical`, `normative` or `assertive`, for the clause of the words first..last.

    What weakens more comes first. Reported speech reaches over the sentence, a hedge to the next semicolon or colon,
    a norm to the next comma.
    """
    count = len(sentence.words)
    last = count - 1 if last is None else min(last, count - 1)
    shown = sentence.text[sentence.start : sentence.end]
    wide = _stretch(sentence, first, last, ";:")
    words = sentence.lows[wide[0] : wide[1]]
    if _ACCORDING.match(shown) or not REPORTED_SPEECH.isdisjoint(words) or _reports(sentence):
        return "citing"
    part = sentence.text[sentence.starts[wide[0]] : sentence.ends[wide[1] - 1]]
    if not HEDGES.isdisjoint(words) or words[0] in _IF or _concedes(words) or "unter Umständen" in part:
        return "hypothetical"
    narrow = _stretch(sentence, first, last, ",;:")
    words = sentence.lows[narrow[0] : narrow[1]]
    part = sentence.text[sentence.starts[narrow[0]] : sentence.ends[narrow[1] - 1]]
    if not NORMS.isdisjoint(words) or any(low in MODAL_VERBS for low in words) or _ZU.search(part):
        return "normative"
    return "assertive"


def _stretch(sentence: Sentence, first: int, last: int, signs: str) -> tuple[int, int]:
    """First word and the word after the last of the stretch between signs that holds first..last."""
    words = sentence.words
    while first > 0 and words[first - 1] not in signs:
        first -= 1
    while last + 1 < len(words) and words[last + 1] not in signs:
        last += 1
    return first, last + 1


def is_negated(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a negation stands among the words first..last, "nicht nur … sondern auch" apart."""
    for index in range(max(0, first), min(last + 1, len(sentence.words))):
        if sentence.lows[index] in NEGATIONS:
            following = sentence.lows[index + 1] if index + 1 < len(sentence.words) else ""
            if sentence.lows[index] == "nicht" and following in ("nur", "zuletzt", "allein", "selten", "bloß"):
                continue
            if sentence.lows[index] == "nicht" and "sondern" in sentence.lows[index + 1 : last + 1]:
                return True
            return True
    return False


def _reports(sentence: Sentence) -> bool:
    """A verb of saying with a dass-clause or a colon and quotation after it."""
    for index, low in enumerate(sentence.lows):
        if low in REPORTING:
            rest = sentence.words[index + 1 : index + 6]
            if "," in rest or (":" in rest and not _OPEN_QUOTE.isdisjoint(sentence.words[index:])):
                tail = sentence.lows[index + 1 :]
                if "dass" in tail or "daß" in tail or ":" in rest or "wie" in tail[:6]:
                    return True
    return False


def _concedes(lows: list[str]) -> bool:
    """Whether "kann" is followed by a hedge; plain "kann" is ability."""
    return any(
        low in ("kann", "können") and lows[i + 1 : i + 2] in (["vielleicht"], ["möglicherweise"])
        for i, low in enumerate(lows)
    )
