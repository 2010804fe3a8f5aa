"""A passage taken apart: sentences with their words, and the mentions as the other rule modules see them.

Offsets here count from the start of the passage; `extractor` moves them to the document's coordinates at the end.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from rag_assets.text.sentences import sentence_spans

_WORD: Final = re.compile(r"[^\W_]+(?:[-‐‑'’/&·][^\W_]+)*|[^\w\s]")


@dataclass(slots=True, eq=False)
class Mention:
    """A name found in the passage. `source` says by which rule; `first`/`last` are its words in the sentence."""

    start: int
    end: int
    class_name: str
    confidence: float
    source: str
    canonical: str | None = None
    curated: bool = False
    first: int = -1
    last: int = -1


@dataclass(slots=True)
class Sentence:
    """A sentence with its words and signs (`words`, `lows`, `starts`, `ends` run in parallel)."""

    start: int
    end: int
    text: str
    words: list[str]
    lows: list[str]
    starts: list[int]
    ends: list[int]
    is_heading: bool
    vocabulary: frozenset[str]
    mentions: list[Mention] = field(default_factory=list)

    def place(self, mention: Mention) -> None:
        """Add a mention that lies in this sentence and note which words it covers."""
        mention.first = bisect_left(self.ends, mention.start + 1)
        mention.last = bisect_left(self.ends, mention.end)
        self.mentions.append(mention)

    def is_capital(self, index: int) -> bool:
        """Whether a word begins with a capital letter."""
        return self.words[index][:1].isupper()

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Passage offsets of the words first..last."""
        return self.starts[first], self.ends[last]


class Spans:
    """Spans that never overlap, found by bisection."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._spans = sorted(spans)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._spans)

    def hits(self, start: int, end: int) -> bool:
        """Whether a span overlaps one of these."""
        at = bisect_left(self._spans, (start, start))
        return (at > 0 and self._spans[at - 1][1] > start) or (at < len(self._spans) and self._spans[at][0] < end)

    def add(self, start: int, end: int) -> bool:
        """Take a span in, unless it overlaps; whether it was taken."""
        if self.hits(start, end):
            return False
        insort(self._spans, (start, end))
        return True


def analyse(text: str) -> list[Sentence]:
    """Sentences of a passage in order."""
    sentences = []
    for start, end in sentence_spans(text):
        spans = [match.span() for match in _WORD.finditer(text, start, end)]
        words = [text[a:b] for a, b in spans]
        if not words:
            continue
        lows = [word.lower() for word in words]
        sentences.append(
            Sentence(
                start=start,
                end=end,
                text=text,
                words=words,
                lows=lows,
                starts=[a for a, _ in spans],
                ends=[b for _, b in spans],
                is_heading=_is_heading(text, start, end, words),
                vocabulary=frozenset(lows),
            )
        )
    return sentences


def _is_heading(text: str, start: int, end: int, words: list[str]) -> bool:
    """A short line of its own without an end mark, before more text."""
    if end - start > 90 or words[-1] in ".!?:;,…":
        return False
    before = text[max(0, start - 2) : start]
    after = text[end : end + 2]
    return (start == 0 or "\n" in before or text[:start].isspace() or text[start] == "#") and "\n" in after
