"""Where sentences end: a small splitter that knows German abbreviations, ordinals, dates, initials and quotes.

Every library tried broke after "z. B.", "Dr.", "3. Sitzung" or "am 3. Mai". When in doubt a sentence goes on: a false
end costs a quotation its meaning, a missed one only makes a passage longer. The word lists live in
`text.abbreviations`.
"""

from __future__ import annotations

import re

from rag_assets.text.abbreviations import (
    BEFORE_ORDINAL,
    MAY_END,
    MONTHS_AND_UNITS,
    NEVER_END,
    ONLY_BEFORE_NUMBER,
    STARTERS,
    USUALLY_END,
)
from rag_assets.text.blocks import CELL_SEPARATOR

# End marks, what may close after them (quotes, brackets, a footnote's mark), then white space.
_CANDIDATE = re.compile(r"(?P<mark>[.!?…]+)(?P<close>[\"'»«”“’‘›‹)\]]*(?:\[\d{1,3}\])*[¹²³⁴-⁹⁰]*)(?=\s)")
_OPENING = "\"'»«„“”‚‘’›‹([{–—-•* \t\u00a0"
_WORD = re.compile(r"\w+")
_LOOK_BACK = 60
_SPLIT_BLOCK = re.compile(r"\n\n+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ROMAN = re.compile(r"[IVXLC]+")
_VOWEL = re.compile(r"[aeiouyäöü]", re.IGNORECASE)
_ENUMERATOR = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[IVXivx]{1,5})")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of `text`, in order, without surrounding white space.

    An empty line ends a sentence, and so does the end of a table row. Every character that is not white space is in
    exactly one span.

    >>> text = "Am 3. Mai sprach Dr. Satir z. B. über Nähe. Alle hörten zu."
    >>> [text[a:b] for a, b in sentence_spans(text)]
    ['Am 3. Mai sprach Dr. Satir z. B. über Nähe.', 'Alle hörten zu.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for gap in _SPLIT_BLOCK.finditer(text):
        _split_block(text, start, gap.start(), spans)
        start = gap.end()
    _split_block(text, start, len(text), spans)
    return spans


def _split_block(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    if CELL_SEPARATOR in text[start:end] and "\n" in text[start:end]:
        at = start
        for line in text[start:end].split("\n"):
            _add(text, at, at + len(line), spans)
            at += len(line) + 1
        return
    at = start
    for match in _CANDIDATE.finditer(text, start, end):
        if _ends(text, at, end, match):
            _add(text, at, match.end(), spans)
            at = match.end()
    _add(text, at, end, spans)


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _ends(text: str, start: int, block_end: int, match: re.Match[str]) -> bool:
    """Whether the sentence that began at `start` ends with `match`."""
    following = _next_word(text, match.end(), block_end)
    if following is None:
        return True
    if following[0].islower():
        return False
    mark = match["mark"]
    if mark != ".":
        # "Wirklich?" and "Halt!" end; "..." and "…" end where a word with a capital follows that begins sentences.
        return "!" in mark or "?" in mark or _starts(following) or match["close"] != ""
    if match["close"]:
        return not (match["close"][0] in ")]" and _goes_on(text, start, match.start(), following))
    return not _goes_on(text, start, match.start(), following)


def _next_word(text: str, at: int, block_end: int) -> str | None:
    """The next word's first letters, opening quotes, brackets and dashes skipped; None when nothing follows."""
    while at < block_end and (text[at].isspace() or text[at] in _OPENING):
        at += 1
    if at >= block_end:
        return None
    word = _WORD.match(text, at, min(block_end, at + _LOOK_BACK))
    return word[0] if word else text[at]


def _starts(word: str) -> bool:
    return word.lower() in STARTERS


def _goes_on(text: str, start: int, period: int, following: str) -> bool:
    """Whether the period at `period` belongs to an abbreviation, a number or an initial, so that the sentence goes on.

    `following` begins with a capital, a digit or a sign.
    """
    before = text[max(start, period - _LOOK_BACK) : period].lstrip()
    tokens = before.split()
    if not tokens:
        return False
    token = tokens[-1].lstrip("\"'»«„“”‚‘’›‹([{§–—-")
    whole_sentence_so_far = text[start:period].strip() if period - start < _LOOK_BACK else ""
    if _ENUMERATOR.fullmatch(whole_sentence_so_far):
        return True  # "1. Zielklärung", "2.3. Methoden", "A. Grundlagen"
    if _NUMBER.fullmatch(token):
        return _number_goes_on(token, tokens, following)
    if len(token) > 1 and _ROMAN.fullmatch(token):
        return not _starts(following)  # "Friedrich II. Preußens König"
    return _abbreviation_goes_on(token, tokens, following)


def _number_goes_on(token: str, tokens: list[str], following: str) -> bool:
    if following.lower() in MONTHS_AND_UNITS:
        return True
    if not token.isdigit() or len(token) > 3:
        return following[0].isdigit() and "." in token  # a year or a number with decimals: "2.3." ends before a capital
    previous = tokens[-2].strip("\"'»«„“”‚‘’()[]").rstrip(".").lower() if len(tokens) > 1 else ""
    if following[0].isdigit():
        return True  # "am 3. 5. 1984"
    if previous in BEFORE_ORDINAL:
        return True
    return not _starts(following)


def _abbreviation_goes_on(token: str, tokens: list[str], following: str) -> bool:
    number_follows = following[0].isdigit() or following[0] == "§"
    for known, parts in _readings(token, tokens):
        if known in NEVER_END:
            return True
        if known in MAY_END and not (parts == 1 and known in ONLY_BEFORE_NUMBER and not number_follows):
            if known in USUALLY_END:
                return not following[0].isupper()
            return not _starts(following)
    last = token.rsplit("-", 1)[-1].rsplit(".", 1)[-1]
    if len(last) == 1 and last.isalpha():
        # An initial ("V. Satir") or a part of an abbreviation ("a. M."); "Plan B. Das" ends.
        return last.islower() or not _starts(following)
    if len(last) > 1 and last.isalpha() and not last.isupper() and not _VOWEL.search(last):
        return not _starts(following)  # "Hrn. Schulz", "Dtschl."
    return False


def _readings(token: str, tokens: list[str]) -> list[tuple[str, int]]:
    """The token as an abbreviation, with up to three tokens before it ("i.", "V.", "m" → "i.v.m"), longest first."""
    readings = []
    for parts in range(min(4, len(tokens)), 1, -1):
        joined = [part.lstrip("(„\"'[") for part in tokens[-parts:]]
        if all(part.endswith(".") and len(part) <= 4 for part in joined[:-1]):
            readings.append(("".join(joined).lower(), parts))
    readings.append((token.lower(), 1))
    tail = token.rsplit("-", 1)[-1].lower()  # "Dipl.-Psych."
    if tail != token.lower():
        readings.append((tail, 1))
    return readings
