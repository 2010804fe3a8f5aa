"""Works in text: quoted titles beside words like Buch or erschien, and entries of lists of literature.

A quotation alone is no title. Gives mentions of class Werk and the properties titel, jahr, typ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rag_assets.models.extraction.rules.analysis import Mention
from rag_assets.models.extraction.rules.lexicon import WORK_CUES, WORK_TYPES, WORK_VERBS

_QUOTED: Final = re.compile(
    r"„(?P<low>[^„“”\n]{3,120}?)[“”]|»(?P<in>[^«»\n]{3,120}?)«|«(?P<out>[^«»\n]{3,120}?)»|[\"“](?P<plain>[^\"“”\n]{3,120}?)[\"”]"
)
_YEAR: Final = re.compile(r"(?<![\d.,])(1[5-9]\d\d|20[0-4]\d)(?![\d.,]\d)")
_LITERATURE: Final = re.compile(
    r"(?m)^[ \t]*(?:[-–•*]\s*|\[\d+\]\s*)?"
    r"(?P<authors>[A-ZÄÖÜ][^\n(:\"„»]{2,120}?)\s*\((?:Hrsg\.\)\s*\()?(?P<year>1[5-9]\d\d|20[0-4]\d)[a-z]?\)\s*[:.]\s*"
    r"(?P<title>[^\n.?!]{4,160}[?!]?)(?=[.?!]|\s*$)"
)
_AUTHOR: Final = re.compile(
    r"(?P<surname>(?:von |van |de )?[A-ZÄÖÜ][\w'’-]+(?: von [A-ZÄÖÜ]\w+)?), (?P<given>(?:[A-ZÄÖÜ][\w-]*\.?[ -]?){1,4})"
)


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """A work's mention with what the text says of it: (property, value, start, end)."""

    mention: Mention
    properties: tuple[tuple[str, str, int, int], ...]
    authors: tuple[tuple[int, int], ...] = ()
    span: tuple[int, int] = (0, 0)


def find_works(text: str, curated: list[Mention]) -> list[WorkFacts]:
    """Works in a passage, in order. A curated title in quotes keeps its canonical name."""
    found = _literature(text)
    held = [(item.mention.start, item.mention.end) for item in found]
    for match in _QUOTED.finditer(text):
        group = match.lastgroup or ""
        start, end = match.span(group)
        if any(start < b and a < end for a, b in held):
            continue
        known = next((m for m in curated if m.class_name == "Werk" and start <= m.start and m.end <= end), None)
        cue = _cue(text, match.start(), match.end())
        if known is None and (cue is None or not _title_shaped(text[start:end])):
            continue
        if known is not None and known.end - known.start < (end - start) * 0.6:
            known = None
            if cue is None or not _title_shaped(text[start:end]):
                continue
        mention = Mention(
            start, end, "Werk", 0.95 if known else 0.8, "gazetteer" if known else "work",
            known.canonical if known else None, known is not None,
        )  # fmt: skip
        found.append(WorkFacts(mention, _properties(text, match.start(), match.end(), start, end), (), match.span()))
    return sorted(found, key=lambda item: item.mention.start)


def _literature(text: str) -> list[WorkFacts]:
    found = []
    for match in _LITERATURE.finditer(text):
        authors = [item.span() for item in _AUTHOR.finditer(text, *match.span("authors"))]
        authors = [(a, a + len(text[a:b].rstrip(" ,;&"))) for a, b in authors]
        if not authors or not authors[0][0] - match.start("authors") < 3:
            continue
        start, end = match.span("title")
        quote = text[start:end].strip("„“”\"»«' ")
        start += text[start:end].index(quote)
        end = start + len(quote)
        if len(quote) < 4 or not quote[0].isupper():
            continue
        found.append(
            WorkFacts(
                Mention(start, end, "Werk", 0.85, "literature"),
                (("titel", quote, start, end), ("jahr", match["year"], *match.span("year"))),
                tuple(authors),
                match.span(),
            )
        )
    return found


def _cue(text: str, start: int, end: int) -> str | None:
    """The word that makes a quotation a title: a noun for works right before it, or a verb of publishing nearby."""
    before = re.findall(r"[\w]+|[.!?;:,]", text[max(0, start - 60) : start])
    if before and before[-1].lower() in WORK_CUES:
        return str(before[-1]).lower()
    if len(before) > 1 and before[-1] in ",:" and before[-2].lower() in WORK_CUES:
        return str(before[-2]).lower()
    clause = []
    for word in reversed(before):
        if word in ".!?;:":
            break
        clause.append(word.lower())
    after = re.split(r"[.!?;]", text[end : end + 60])[0]
    after_words = re.findall(r"\w+", after.lower())[:6]
    if any(word in WORK_VERBS for word in after_words) or any(word in _PUBLISHING for word in clause[:8]):
        return "verb"
    if re.match(r"\s*\((?:[^()]{0,40}\s)?(?:1[5-9]|20)\d\d\)", text[end : end + 60]):
        return "year"
    return None


_PUBLISHING: Final = WORK_VERBS - {"schrieb", "trägt", "heißt", "geschrieben"}


def _title_shaped(title: str) -> bool:
    """No sentence of speech: begins with a capital, few words, no end mark but ? or !, holds a noun."""
    words = title.split()
    if not title[0].isupper() or len(words) > 14 or title.rstrip()[-1:] in ".,;:":
        return False
    return any(word[:1].isupper() and len(word) > 3 for word in words)


def _properties(text: str, outer: int, after: int, start: int, end: int) -> tuple[tuple[str, str, int, int], ...]:
    found = [("titel", text[start:end], start, end)]
    left = text[max(0, outer - 60) : outer]
    word = re.search(r"(\w+)[,:]?\s*$", left)
    if word and word[1].lower() in WORK_TYPES:
        at = max(0, outer - 60) + word.start(1)
        found.append(("typ", WORK_TYPES[word[1].lower()], at, at + len(word[1])))
    year = re.match(r"\s*\((?:[^()\d]{0,40})?(1[5-9]\d\d|20[0-4]\d)\)", text[after : after + 60])
    if year is not None:
        found.append(("jahr", year[1], after + year.start(1), after + year.end(1)))
    else:
        tail = re.match(r"[^.!?;„»\"]{0,30}\b(?:erschien|erscheint)\b[^.!?;„»\"]{0,30}", text[after : after + 80])
        near = _YEAR.search(tail[0]) if tail else None
        if near:
            found.append(("jahr", near[1], after + near.start(1), after + near.end(1)))
        else:
            clause = re.split(r"[.!?;„»\"]", left)[-1]
            head = re.search(
                r"\b(1[5-9]\d\d|20[0-4]\d)\s+(?:erschien|veröffentlichte|publizierte|verfasste|schrieb)\b", clause
            )
            if head:
                at = outer - len(clause) + head.start(1)
                found.append(("jahr", head[1], at, at + 4))
    return tuple(found)
