"""The sources of the generated example documents: their small Markdown, and the values it is read into.

What lives here: `parse` and its dataclasses. What does not: any output format (pdf.py, office.py).
"""

import datetime as dt
import re
from dataclasses import dataclass

MARK = re.compile(r"\[\^(\w+)\]")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a source: kind is heading, paragraph, bullets, numbers, table or notes (speaker notes)."""

    kind: str
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()  # table: cells; lists: one cell a row
    footnotes: tuple[str, ...] = ()  # keys of the footnotes that the text refers to


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: front matter, blocks in reading order, footnotes by key."""

    meta: dict[str, str]
    blocks: tuple[Block, ...]
    footnotes: dict[str, str]

    @property
    def date(self) -> dt.datetime:
        """Noon of the day that the front matter names; without a zone, as the office formats want it."""
        return dt.datetime.fromisoformat(self.meta["date"]).replace(hour=12)


def parse(text: str) -> Source:
    """Read a source: front matter (`key: value`) between two `---`, then one block a line.

    `#` headings, `-` and `1.` lists, `|` tables, `[^1]: …` footnotes, `???` speaker notes; any other line is a
    paragraph, in which `[^1]` refers to a footnote. Other inline markup does not exist.
    """
    _, head, body = text.split("---\n", 2)
    meta = dict(line.split(": ", 1) for line in head.splitlines())
    blocks: list[Block] = []
    footnotes: dict[str, str] = {}
    for line in filter(None, (line.strip() for line in body.splitlines())):
        if match := re.match(r"\[\^(\w+)\]: (.+)", line):
            footnotes[match[1]] = match[2]
        elif match := re.match(r"(#+) (.+)", line):
            blocks.append(Block("heading", match[2], level=len(match[1])))
        elif match := re.match(r"(-|\d+\.|\|) ?(.+)", line):
            kind = {"-": "bullets", "|": "table"}.get(match[1], "numbers")
            cells = tuple(cell.strip() for cell in line.strip("|").split("|")) if kind == "table" else (match[2],)
            if kind == "table" and set(cells[0]) == {"-"}:
                continue
            if blocks and blocks[-1].kind == kind:
                blocks[-1] = Block(kind, rows=(*blocks[-1].rows, cells))
            else:
                blocks.append(Block(kind, rows=(cells,)))
        elif line.startswith("??? "):
            blocks.append(Block("notes", line[4:]))
        else:
            blocks.append(Block("paragraph", line, footnotes=tuple(MARK.findall(line))))
    return Source(meta, tuple(blocks), footnotes)
