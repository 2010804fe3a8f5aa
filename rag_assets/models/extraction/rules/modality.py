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


def modality(sentence: Sentence) -> str:
    """`citing`, `hypothetical`, `normative` or `assertive`; what weakens more comes first."""
    seen = sentence.vocabulary
    shown = sentence.text[sentence.start : sentence.end]
    if _ACCORDING.match(shown) or not seen.isdisjoint(REPORTED_SPEECH) or _reports(sentence):
        return "citing"
    if (
        not seen.isdisjoint(HEDGES)
        or sentence.lows[0] in _IF
        or _concedes(sentence)
        or "unter umständen" in shown.lower()
    ):
        return "hypothetical"
    if (
        not seen.isdisjoint(NORMS)
        or (not seen.isdisjoint(("zu", "einzuhalten")) and _ZU.search(shown))
        or _contracted(sentence)
    ):
        return "normative"
    return "assertive"


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


def _concedes(sentence: Sentence) -> bool:
    """The verb "kann" with a judgement that only allows: "kann helfen, muss aber nicht"; plain "kann" is ability."""
    lows = sentence.lows
    return any(
        low in ("kann", "können") and lows[i + 1 : i + 2] in (["vielleicht"], ["möglicherweise"])
        for i, low in enumerate(lows)
    )


def _contracted(sentence: Sentence) -> bool:
    return any(low in MODAL_VERBS for low in sentence.lows)
