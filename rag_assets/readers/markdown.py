"""Markdown: CommonMark with tables and footnotes, front matter as metadata, embedded HTML as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode, looks_like_text
from rag_assets.readers.files import clean_title, parse_authors, parse_date, read_bytes
from rag_assets.readers.html import html_blocks, parse_html
from rag_assets.text.blocks import Block, BlockKind, table_block

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,65536}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_NOTE = re.compile(r"^\[\^([^\]\s]{1,40})\]:[ \t]*(.*(?:\n(?:[ \t]{2,}|\t).*)*)\n?", re.MULTILINE)
_CITED = re.compile(r"\[\^([^\]\s]{1,40})\]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<(?:br|BR)\s*/?>")


class MarkdownReader:
    """Text marked up in Markdown."""

    name = "markdown"
    mime_types = ("text/markdown",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether the file calls itself Markdown and is text: the content alone cannot tell."""
        return name.lower().endswith((".md", ".markdown", ".mdown")) and looks_like_text(head)

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        text, _, warnings = decode(read_bytes(path, limits))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        metadata, text = _front_matter(text)
        repairs: Counter[str] = Counter()
        blocks = tuple(markdown_blocks(text, repairs))
        if not blocks:
            raise DocumentError("empty", "the file holds no text")
        first = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
        heading = first.text if first is not None and first.level == 1 else None
        return ReadResult(
            mime_type="text/markdown",
            reader=self.name,
            title=clean_title(metadata.get("title") or metadata.get("titel") or heading),
            authors=parse_authors(metadata.get("authors") or metadata.get("author") or metadata.get("autor") or ""),
            published_on=_date(metadata),
            blocks=blocks,
            page_count=None,
            warnings=warnings,
            repairs=dict(repairs),
        )


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    found = _FRONT_MATTER.match(text)
    if not found:
        return {}, text
    try:
        metadata = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError):
        return {}, text
    if not isinstance(metadata, dict):
        return {}, text
    return {str(key).lower(): value for key, value in metadata.items()}, text[found.end() :]


def _date(metadata: dict[str, Any]) -> date | None:
    return parse_date(metadata.get("date") or metadata.get("datum") or metadata.get("published"))


def markdown_blocks(text: str, repairs: Counter[str]) -> Iterator[Block]:
    """Blocks of a Markdown text without front matter."""
    notes: dict[str, str] = {}
    fenced = _fences(text)

    def take(found: re.Match[str]) -> str:
        if any(start <= found.start() < end for start, end in fenced):
            return found[0]
        notes[found[1]] = found[2]
        return ""

    text = _NOTE.sub(take, text) if "[^" in text else text
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(text)
    except (RecursionError, ValueError) as error:
        raise DocumentError("damaged", "the markup cannot be read", kind=type(error).__name__) from None
    for block in _token_blocks(tokens, repairs):
        if not notes or block.kind is BlockKind.CODE:
            yield block
            continue
        cited = [name for name in dict.fromkeys(_CITED.findall(block.text)) if name in notes]
        text = _CITED.sub(r"[\1]", block.text) if cited else block.text
        yield Block(block.kind, text, level=block.level, table_header=block.table_header)
        for name in cited:
            yield Block(BlockKind.FOOTNOTE, f"[{name}] {_plain(parser, notes.pop(name))}")
    for name, note in notes.items():
        yield Block(BlockKind.FOOTNOTE, f"[{name}] {_plain(parser, note)}")


def _fences(text: str) -> list[tuple[int, int]]:
    """Stretches between code fences, where nothing is a footnote."""
    marks = [found.start() for found in re.finditer(r"^ {0,3}(?:```|~~~)", text, re.MULTILINE)]
    return list(zip(marks[::2], [*marks[1::2], len(text)], strict=False))


def _plain(parser: MarkdownIt, text: str) -> str:
    tokens = parser.parseInline(re.sub(r"\n[ \t]+", "\n", text))
    return _inline(tokens[0].children or ()) if tokens else text


def _token_blocks(tokens: Sequence[Token], repairs: Counter[str]) -> Iterator[Block]:
    walk = _Walk()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        match token.type:
            case "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                if block := table_block(_rows(tokens[at:end]), header=True):
                    yield block
                at = end
            case "fence" | "code_block":
                if token.content.strip():
                    yield Block(BlockKind.CODE, token.content.rstrip("\n"))
            case "html_block":
                yield from _html(token.content, repairs)
            case "inline":
                if block := walk.block(_inline(token.children or ())):
                    yield block
            case _:
                walk.step(token)
        at += 1


class _Walk:
    """Where in the nesting of lists and headings a walk over the tokens stands."""

    def __init__(self) -> None:
        self._lists: list[int | None] = []
        self._prefix = ""
        self._items = 0
        self._heading: int | None = None

    def step(self, token: Token) -> None:
        """Take notice of a token that opens or closes something."""
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = None
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_close" | "bullet_list_close":
                self._lists.pop()
            case "list_item_open":
                self._items += 1
                number = self._lists[-1]
                self._prefix = "" if number is None else f"{number}. "
                self._lists[-1] = None if number is None else number + 1
            case "list_item_close":
                self._items -= 1
                self._prefix = ""

    def block(self, text: str) -> Block | None:
        """The block for running text that stands here."""
        if not text.strip():
            return None
        if self._heading:
            return Block(BlockKind.HEADING, text, level=self._heading)
        prefix, self._prefix = self._prefix, ""
        return Block(BlockKind.LIST_ITEM if self._items else BlockKind.PARAGRAPH, prefix + text)


def _rows(tokens: Sequence[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token.children or ()))
    return rows


def _inline(children: Sequence[Token]) -> str:
    parts = []
    for token in children:
        match token.type:
            case "text" | "code_inline" | "image" | "text_special":
                parts.append(token.content)
            case "softbreak" | "hardbreak":
                parts.append("\n")
            case "html_inline" if _TAG.fullmatch(token.content):
                parts.append("\n")
    return "".join(parts)


def _html(content: str, repairs: Counter[str]) -> Iterator[Block]:
    content = _COMMENT.sub("", content)
    # A comment or a tag may be opened in one block and closed in another; what is left of it says nothing.
    if not content.strip() or "<!--" in content or not re.search(r">[^<]*\w", content):
        return
    yield from html_blocks(parse_html(content), repairs)
