"""Phase A5: the context, one text with a header per source, within a token limit; and the source list beside it.

    [Quelle 1: Coaching-Handbuch.pdf]
    …text…

    ---

    [Quelle 2: Teamentwicklung.pdf]
    …text…

The texts go in unchanged; where one goes on with a table, the table's header row stands above it. Headers and
separators count. What does not fit is skipped, smaller ones after it may still fit; only the first is cut, at a
sentence, so that a hit never gives an empty context. Numbers follow the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assets.online.ranking import Ranked
from rag_assets.text.sentences import sentence_spans
from rag_assets.text.tokens import TokenCounter

SEPARATOR: Final = "\n\n---\n\n"
UNKNOWN_TITLE: Final = "Unbekannt"
SMALLEST_LIMIT: Final = 64
_MOST_TITLE_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class ContextSource:
    """One source of the context: `text` as it stands there, from `offset` characters into the chunk on.

    `table_header` is the header row of a table that the text goes on with, repeated above it.
    """

    number: int
    title: str
    text: str
    offset: int
    ranked: Ranked
    table_header: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """The text for the prompt, its length in tokens, and its sources in the order of their numbers."""

    text: str
    tokens: int
    sources: tuple[ContextSource, ...]


def build_context(ranked: Sequence[Ranked], *, limit: int, tokens: TokenCounter) -> Context:
    """The context of these passages, best first, in at most `limit` tokens.

    Raises:
        ValueError: a limit below 64 tokens, in which no header fits.
    """
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"a context takes at least {SMALLEST_LIMIT} tokens")
    parts: list[str] = []
    sources: list[ContextSource] = []
    for passage in ranked:
        number = len(sources) + 1
        title = title_of(passage.passage.chunk.title, passage.passage.chunk.file_name)
        text, offset = passage.passage.chunk.content, 0
        header = passage.passage.chunk.table_header
        if tokens.count(_joined([*parts, _part(number, title, text, header)])) > limit:
            if sources:
                continue
            title, header = _title_that_fits(title, limit, tokens), ""
            text, offset = _cut(passage, number, title, limit, tokens)
        parts.append(_part(number, title, text, header))
        sources.append(ContextSource(number, title, text, offset, passage, header))
    whole = _joined(parts)
    return Context(whole, tokens.count(whole), tuple(sources))


def title_of(title: str | None, file_name: str) -> str:
    """The document's own title, else its file name, else "Unbekannt"; without what could end the header."""
    chosen = " ".join((title or "").split()) or file_name.strip() or UNKNOWN_TITLE
    chosen = chosen.replace("[", "(").replace("]", ")")
    return chosen if len(chosen) <= _MOST_TITLE_CHARS else chosen[: _MOST_TITLE_CHARS - 1].rstrip() + "…"


def _part(number: int, title: str, text: str, table_header: str = "") -> str:
    above = f"{table_header}\n" if table_header else ""
    return f"[Quelle {number}: {title}]\n{above}{text}"


def _joined(parts: Sequence[str]) -> str:
    return SEPARATOR.join(parts)


def _title_that_fits(title: str, limit: int, tokens: TokenCounter) -> str:
    """The title shortened until its header takes half of the limit at most."""
    while len(title) > 1 and tokens.count(_part(1, title, "")) > limit // 2:
        title = title[: max(1, len(title) * 3 // 4)].rstrip("… ") + "…" if len(title) > 4 else title[:1]
    return title


def _cut(ranked: Ranked, number: int, title: str, limit: int, tokens: TokenCounter) -> tuple[str, int]:
    """As many whole sentences as fit, from the start of the found passage on when the start of the text is too far.

    When not even one sentence fits, as many words; then as many characters.
    """
    content = ranked.passage.chunk.content
    spans = sentence_spans(content)

    def fits(start: int, end: int) -> bool:
        return tokens.count(_part(number, title, content[start:end])) <= limit

    focus_start, focus_end = ranked.passage.focus
    beginnings = [0] if fits(0, min(focus_end, len(content))) else []
    beginnings += [start for start, end in spans if end > focus_start][:1] or [0]
    for start in beginnings:
        ends = [end for _, end in spans if end > start and fits(start, end)]
        if ends:
            return content[start : ends[-1]], start
    start = beginnings[-1]
    low, high = start, len(content)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(start, middle) else (low, middle - 1)
    space = content.rfind(" ", start, low + 1)
    end = space if space > start else max(low, start + 1)
    return content[start:end], start
