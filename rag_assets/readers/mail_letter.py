"""A mail as it stands in the text: subject, head, body, attachments as sections, earlier mails last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rag_assets.readers.mail_text import Body
from rag_assets.text.blocks import Block, BlockKind

_SAID_BEFORE = 40
"""A quoted paragraph of at least so many characters that stands in the mail already is left out."""


@dataclass
class Section:
    """An attachment: its heading and its blocks, whose headings count from 1."""

    heading: str
    blocks: Sequence[Block]


@dataclass
class Letter:
    """A mail as it will stand in the text."""

    subject: str
    head: str
    bodies: list[Body] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read besides the headers."""
        return any(body.size for body in self.bodies) or any(section.blocks for section in self.sections)

    def blocks(self, *, with_subject: bool = True) -> Iterator[Block]:
        """Its blocks, in the order in which they will stand in the text."""
        if with_subject and self.subject:
            yield Block(BlockKind.HEADING, self.subject, level=1)
        if self.head:
            yield Block(BlockKind.PARAGRAPH, self.head)
        for body in self.bodies:
            yield from _below(body.own, 1)
        for section in self.sections:
            yield Block(BlockKind.HEADING, section.heading, level=2)
            yield from _below(section.blocks, 2)
        quoted = [block for body in self.bodies for block in body.quoted]
        if quoted:
            yield Block(BlockKind.HEADING, "Zitierte Nachricht", level=2)
            yield from _below(quoted, 2)

    def drop_repeated(self) -> int:
        """Leave out quoted paragraphs that the mail holds already; returns how many."""
        seen = {_said(block) for body in self.bodies for block in body.own}
        seen |= {_said(block) for section in self.sections for block in section.blocks}
        dropped = 0
        for index, body in enumerate(self.bodies):
            kept = []
            for block in body.quoted:
                said = _said(block)
                if len(said) >= _SAID_BEFORE and said in seen:
                    dropped += 1
                    continue
                seen.add(said)
                kept.append(block)
            self.bodies[index] = Body(body.own, tuple(kept))
        return dropped


def _below(blocks: Sequence[Block], levels: int) -> Iterator[Block]:
    """Blocks so many heading levels further down; a mail has no pages, whatever its attachments have."""
    for block in blocks:
        level = min(6, (block.level or 1) + levels) if block.kind is BlockKind.HEADING else None
        yield replace(block, level=level, page=None, page_label=None, page_breaks=())


def _said(block: Block) -> str:
    return " ".join(block.text.split())
