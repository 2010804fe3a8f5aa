"""RTF: styles and outline levels as headings, lists with their numbers, tables, notes, text boxes, metadata.

Own code on top of `readers.rtf_tokens`, because the libraries give plain text only and lose all of that; see
docs/decisions. Tracked insertions are text; deletions, hidden text, comments, headers and footers are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.conventions import LONGEST_BOLD_HEADING, MAYBE_HEADING, promote_bold, raised_number
from rag_assets.readers.files import clean_title, parse_authors, read_bytes
from rag_assets.readers.grid import grid_blocks
from rag_assets.readers.rtf_styles import RtfStyles
from rag_assets.readers.rtf_tokens import Kind, Token, tokens
from rag_assets.readers.rtf_words import COLLECTED, ENTERED, PROPERTIES, SKIPPED, TRANSPARENT, State
from rag_assets.text.blocks import Block, BlockKind

_LETTER = re.compile(r"\w")


@dataclass(slots=True)
class _Flow:
    """Text that is collected apart: the body, a note, a header, a text box."""

    destination: str
    depth: int = 0
    """How many groups stand around the one that opened it."""
    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    label: str = ""
    listed: bool = False
    plain: bool = False
    """Whether something in the paragraph is not bold."""
    is_note: bool = False
    following: list[Block] = field(default_factory=list)
    """Notes and text boxes, which stand after the paragraph that holds their anchor."""
    cell: list[Block] = field(default_factory=list)
    row: list[list[Block]] = field(default_factory=list)
    rows: list[list[list[Block]]] = field(default_factory=list)
    header: bool = False
    endnote: bool = False

    @property
    def text(self) -> str:
        """Of the paragraph that is being collected."""
        return "".join(self.parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class RtfReader:
    """A Rich Text document."""

    name = "rtf"
    mime_types = ("application/rtf", "text/rtf")

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether the file begins as Rich Text does."""
        return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf")

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        document = _Document()
        document.run(tokens(read_bytes(path, limits).decode("latin-1")))
        blocks = tuple(promote_bold(document.blocks))
        if not blocks:
            raise DocumentError("empty", "the document holds no text")
        del document.counts[""]
        return ReadResult(
            mime_type=self.mime_types[0],
            reader=self.name,
            title=clean_title(document.said["title"]) or clean_title(document.title),
            authors=parse_authors(document.said["author"]),
            published_on=document.created,
            blocks=blocks,
            page_count=None,
            warnings=("hidden_text",) if document.hidden else (),
            repairs={kind: count for kind, count in document.counts.items() if count},
            hidden_text="".join(document.hidden),
        )


class _Document:
    """One pass over the tokens."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.hidden: list[str] = []
        self.said = {"title": "", "author": ""}
        self.title: str | None = None
        self._made: dict[str, int] = {}
        self._styles = RtfStyles()
        self._state = State()
        self._outer: list[State] = []
        self._flows = [_Flow("text")]
        self._notes: Counter[bool] = Counter()
        self._in_contents = False
        self._last_gone = ""

    @property
    def blocks(self) -> list[Block]:
        """What was read."""
        return self._flows[0].blocks

    @property
    def created(self) -> date | None:
        """When the document was made, by its metadata."""
        try:
            return date(self._made["yr"], self._made["mo"], self._made["dy"])
        except (KeyError, ValueError):
            return None

    def run(self, source: Iterator[Token]) -> None:
        """Read to the end of the outermost group.

        Raises:
            DocumentError: `damaged` when the file ends before it.
        """
        begins = star = False  # whether a group has just been opened, and whether its name is one to pass over
        for token in source:
            if token.kind is Kind.OPEN:
                self._outer.append(self._state)
                begins, star = True, False
                continue
            if token.kind is Kind.STAR:
                star = True
                continue
            if token.kind is Kind.CLOSE:
                self._close()
                if not self._outer:
                    self._end_paragraph()
                    self._end_table()
                    return
            elif token.kind is Kind.TEXT:
                self._text(token.value)
            elif begins and self._enters(token.value, star=star):
                self._open(token.value)
            else:
                self._word(token)
            begins = star = False
        raise DocumentError("damaged", "the document ends in the middle")

    # ------------------------------------------------------------ groups

    def _enters(self, word: str, *, star: bool) -> bool:
        return star or word in COLLECTED or word in ENTERED or word in SKIPPED

    def _open(self, word: str) -> None:
        """A group turns out to be a destination."""
        state = self._state
        if word == "ud":
            # The same in Unicode as what stands before it, which is passed over.
            self._state = state._replace(destination=self._flows[-1].destination)
        elif state.destination == "skip" or word in TRANSPARENT:
            return
        elif word == "fldrslt":
            if self._in_contents:
                self.counts["contents_list"] += 1
                self._state = state._replace(destination="skip")
            self._in_contents = False
        elif word in COLLECTED:
            self._flows.append(_Flow(word, depth=len(self._outer)))
            self._state = State(destination=word)
        else:
            self._state = state._replace(destination=word if word in ENTERED else "skip")

    def _close(self) -> None:
        if len(self._flows) > 1 and self._flows[-1].depth == len(self._outer):
            self._finish(self._flows.pop())
        if self._state.destination == "stylesheet":
            self._styles.end_one()
        self._state = self._outer.pop() if self._outer else self._state

    def _finish(self, flow: _Flow) -> None:
        """What was collected apart finds its place."""
        parent = self._flows[-1]
        if flow.destination in ("listtext", "pntext"):
            label = flow.text.strip()
            is_bullet = label == "o" or not _LETTER.search(label)
            parent.label, parent.listed = "" if is_bullet else label, True
            return
        if flow.destination == "fldinst":
            self._in_contents = flow.text.split()[:1] == ["TOC"]
            return
        if flow.destination in self.said:
            self.said[flow.destination] = flow.text
            return
        self._flows.append(flow)
        self._end_paragraph()
        self._end_table()
        self._flows.pop()
        if flow.destination == "footnote":
            self._notes[flow.endnote] += 1
            mark = f"{'E' if flow.endnote else ''}{self._notes[flow.endnote]}"
            parent.parts.append(f"[{mark}]")
            text = " ".join(" ".join(block.text.split()) for block in flow.blocks)
            if text:
                parent.following.append(Block(BlockKind.FOOTNOTE, f"[{mark}] {text}"))
        elif flow.destination in ("shptxt", "dptxbxtext"):
            parent.following += flow.blocks
        elif flow.blocks:
            self.counts["comment" if flow.destination == "annotation" else "page_header"] += 1

    # ------------------------------------------------------------ words

    def _word(self, token: Token) -> None:
        word, number, state = token.value, token.number, self._state
        if state.destination == "skip":
            return
        if state.destination == "stylesheet":
            self._styles.word(word, number)
        elif state.destination == "creatim":
            self._made[word] = number or 0
        elif word in PROPERTIES:
            self._state = PROPERTIES[word](state, number)
        elif word in ("par", "sect"):
            self._end_paragraph()
        elif word in ("page", "column", "softline"):
            self._flows[-1].parts.append("\n")
        elif word in ("cell", "nestcell"):
            self._end_paragraph(in_cell=True)
            if word == "cell":
                flow = self._flows[-1]
                flow.row.append(flow.cell)
                flow.cell = []
        elif word == "row":
            flow = self._flows[-1]
            flow.rows.append(flow.row)
            flow.row = []
        elif word == "trhdr":
            self._flows[-1].header |= not self._flows[-1].rows
        elif word == "ftnalt":
            self._flows[-1].endnote = True

    def _text(self, text: str) -> None:
        state, flow = self._state, self._flows[-1]
        if state.destination == "skip" or state.destination in ("info", "creatim"):
            return
        if state.destination == "stylesheet":
            self._styles.text(text)
            return
        if text.strip():
            self.counts[state.gone] += self._last_gone != state.gone  # once for each stretch
            self._last_gone = state.gone
        if state.gone:
            self.hidden += [text] if state.gone == "hidden" else []
            return
        if state.raised and (mark := raised_number(text, "".join(flow.parts[-3:]))):
            flow.is_note |= not any(part.strip() for part in flow.parts)
            text = mark + (" " if flow.is_note and not flow.parts else "")
        flow.plain |= bool(text.strip()) and not state.bold
        flow.parts.append(text)

    # ------------------------------------------------------------ paragraphs

    def _end_paragraph(self, *, in_cell: bool = False) -> None:
        flow = self._flows[-1]
        text = flow.text
        made = list(self._block(text, flow)) if text.strip() else []
        made += flow.following
        if in_cell or self._state.in_table:
            flow.cell += made
        else:
            self._end_table()
            flow.blocks += made
        flow.parts, flow.following = [], []
        flow.label, flow.listed, flow.plain, flow.is_note = "", False, False, False

    def _end_table(self) -> None:
        flow = self._flows[-1]
        if flow.cell:
            flow.row.append(flow.cell)
        if flow.row:
            flow.rows.append(flow.row)
        if flow.rows:
            flow.blocks += grid_blocks(flow.rows, header=flow.header)
        flow.cell, flow.row, flow.rows, flow.header = [], [], [], False

    def _block(self, text: str, flow: _Flow) -> Iterator[Block]:
        style = self._styles.of(self._state.style, outline=self._state.outline)
        label = f"{flow.label} " if flow.label else ""
        if style.is_contents:
            self.counts["contents_list"] += 1
            return
        if style.heading:
            yield Block(BlockKind.HEADING, label + text, level=style.heading)
            return
        kind = style.kind
        if flow.is_note:
            kind = BlockKind.FOOTNOTE
        elif kind is BlockKind.PARAGRAPH and (flow.listed or self._state.listed):
            kind = BlockKind.LIST_ITEM
        if style.is_title and self.title is None:
            self.title = text
        bold = kind is BlockKind.PARAGRAPH and not flow.plain and len(text) <= LONGEST_BOLD_HEADING
        yield Block(kind, label + text, level=MAYBE_HEADING if bold and not style.is_title else None)
