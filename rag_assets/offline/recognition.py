"""Pages that are only pictures: have their text recognised, and put it where the pages stand.

Recognised text is derived: the reader's name tells what made it, `recognised` among the warnings and repairs that there
is some. A page on which nothing is recognised for sure stays counted as one that needs it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rag_assets.errors import DocumentError, ModelError
from rag_assets.models.vision.base import Vision
from rag_assets.readers.base import PagePicture, ReadResult
from rag_assets.readers.plain import heading_level
from rag_assets.text.blocks import Block, BlockKind, PageBreak

LEAST_CONFIDENCE = 0.5
"""Below it the page is no text but a drawing, a photograph or handwriting; printed pages come out above 0.8."""

_MOST_ALIKE = 3
"""So many pages that begin or end with the same line have a running header or footer."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—|\s]*")
_OPEN_END = re.compile(r"[^.!?:…“”\"»)\]]$")

_NOTE = re.compile(r"[*†‡]\s?\w")

Recognised = tuple[str | None, list[str]]
"""Of one page: its printed number, its paragraphs."""


def recognise(
    result: ReadResult,
    vision: Vision,
    picture: Callable[[int], PagePicture],
    progress: Callable[[int, int], None],
) -> ReadResult:
    """The result with the text that `vision` finds on its pages without text; `picture` shows a page.

    Raises:
        ServiceError: the model is out of reach; a page that fails by itself is only left out.
    """
    found: dict[int, Recognised] = {}
    left: list[int] = []
    warnings: dict[str, None] = dict.fromkeys(code for code in result.warnings if code != "needs_ocr")
    for done, number in enumerate(result.needs_ocr_pages):
        progress(done, len(result.needs_ocr_pages))
        try:
            shown = picture(number)
            text = vision.read_page(shown.png)
        except (DocumentError, ModelError):
            warnings["recognition_failed"] = None
            left.append(number)
            continue
        if text.confidence < LEAST_CONFIDENCE or not text.paragraphs:
            left.append(number)
            continue
        found[number] = shown.label, list(text.paragraphs)
    if found:
        warnings["recognised"] = None
    if left:
        warnings["needs_ocr"] = None
    if not found:
        return replace(result, warnings=tuple(warnings))
    dropped = _drop_running_lines(found)
    return replace(
        result,
        reader=f"{result.reader} + {vision.release}",
        blocks=_merged(result.blocks, found),
        needs_ocr_pages=tuple(left),
        warnings=tuple(warnings),
        repairs=dict(Counter(result.repairs) + Counter({"recognised": len(found), "running_line": dropped})),
    )


def _drop_running_lines(pages: Mapping[int, Recognised]) -> int:
    """Take page numbers and repeated first and last lines away; returns how many."""
    dropped = 0
    for first in (True, False):
        edges = Counter(_alike(_edge(paragraphs, first=first)) for _, paragraphs in pages.values() if paragraphs)
        for _, paragraphs in pages.values():
            line = _edge(paragraphs, first=first) if paragraphs else ""
            if line and (_PAGE_NUMBER.fullmatch(line) or edges[_alike(line)] >= _MOST_ALIKE):
                _cut_edge(paragraphs, first=first)
                dropped += 1
    return dropped


def _edge(paragraphs: Sequence[str], *, first: bool) -> str:
    return paragraphs[0].split("\n")[0] if first else paragraphs[-1].split("\n")[-1]


def _alike(line: str) -> str:
    return _DIGITS.sub("", line).strip(" .-–—|").casefold()


def _cut_edge(paragraphs: list[str], *, first: bool) -> None:
    at = 0 if first else -1
    lines = paragraphs[at].split("\n")
    del lines[at]
    if lines:
        paragraphs[at] = "\n".join(lines)
    else:
        del paragraphs[at]


def _merged(blocks: Sequence[Block], pages: Mapping[int, Recognised]) -> tuple[Block, ...]:
    """The blocks read and the blocks recognised, by page."""
    merged: list[Block] = []
    waiting = sorted(pages)
    for block in (*blocks, None):
        while waiting and (block is None or (block.page is not None and waiting[0] < block.page)):
            _append_page(merged, waiting[0], pages)
            del waiting[0]
        if block is not None:
            merged.append(block)
    return tuple(merged)


def _append_page(merged: list[Block], number: int, pages: Mapping[int, Recognised]) -> None:
    """Append a page's blocks; a sentence that goes on overleaf stays in one paragraph."""
    label, paragraphs = pages[number]
    new = [_block(paragraph, number, label) for paragraph in paragraphs]
    # Text that somebody wrote and text that a model recognised are never one block.
    last = next((index for index in reversed(range(len(merged))) if merged[index].kind is not BlockKind.FOOTNOTE), None)
    if last is not None and new and number - 1 in pages and _goes_on(merged[last], new[0]):
        before, first = merged[last], new.pop(0)
        begins = PageBreak(len(before.text) + 1, number, label)
        text = f"{before.text}\n{first.text}"
        merged[last] = replace(before, text=text, page_breaks=(*before.page_breaks, begins))
    merged += new


def _block(text: str, page: int, label: str | None) -> Block:
    level = heading_level(text) if "\n" not in text else None
    if level is not None:
        return Block(BlockKind.HEADING, text, level=level, page=page, page_label=label)
    kind = BlockKind.FOOTNOTE if _NOTE.match(text) else BlockKind.PARAGRAPH
    return Block(kind, text, page=page, page_label=label)


def _goes_on(before: Block, first: Block) -> bool:
    last_page = before.page_breaks[-1].page if before.page_breaks else before.page
    both = (
        before.kind is BlockKind.PARAGRAPH and first.kind is BlockKind.PARAGRAPH and last_page == (first.page or 0) - 1
    )
    return both and bool(_OPEN_END.search(before.text)) and first.text[:1].islower()
