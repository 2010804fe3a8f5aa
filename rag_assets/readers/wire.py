"""What passes between the reading process and its parent: frames of JSON with their length before them.

JSON and not pickle, because the reading process works on files that nobody vouches for: what comes out of it is data.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from dataclasses import asdict
from datetime import date
from typing import Any, Final

from rag_assets.readers.base import PagePicture, ReadResult
from rag_assets.text.blocks import Block, BlockKind, PageBreak

HEADER: Final = struct.Struct(">Q")


def frame(message: dict[str, Any]) -> bytes:
    """A message as bytes, its length first."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return HEADER.pack(len(body)) + body


def parse(body: bytes) -> dict[str, Any]:
    """The message in a frame's body."""
    message = json.loads(body)
    if not isinstance(message, dict):
        raise TypeError("a message is a JSON object")
    return message


def encode_result(result: ReadResult) -> dict[str, Any]:
    """A result as JSON values."""
    fields = asdict(result)
    fields["published_on"] = result.published_on.isoformat() if result.published_on else None
    fields["repairs"] = dict(result.repairs)
    fields["blocks"] = [
        (
            str(block.kind),
            block.text,
            block.level,
            block.page,
            block.page_label,
            block.table_header,
            [(mark.offset, mark.page, mark.label) for mark in block.page_breaks],
        )
        for block in result.blocks
    ]
    return fields


def decode_result(fields: dict[str, Any]) -> ReadResult:
    """The result that `encode_result` was given."""
    return ReadResult(
        mime_type=fields["mime_type"],
        reader=fields["reader"],
        title=fields["title"],
        authors=tuple(fields["authors"]),
        published_on=date.fromisoformat(fields["published_on"]) if fields["published_on"] else None,
        blocks=tuple(
            Block(
                BlockKind(kind),
                text,
                level=level,
                page=page,
                page_label=label,
                table_header=header,
                page_breaks=tuple(PageBreak(*mark) for mark in breaks),
            )
            for kind, text, level, page, label, header, breaks in fields["blocks"]
        ),
        page_count=fields["page_count"],
        language=fields["language"],
        needs_ocr_pages=tuple(fields["needs_ocr_pages"]),
        warnings=tuple(fields["warnings"]),
        repairs=fields["repairs"],
        hidden_text=fields["hidden_text"],
    )


def encode_picture(picture: PagePicture) -> dict[str, Any]:
    """A page's picture as JSON values."""
    return {"png": b64encode(picture.png).decode("ascii"), "label": picture.label}


def decode_picture(fields: dict[str, Any]) -> PagePicture:
    """The picture that `encode_picture` was given."""
    return PagePicture(b64decode(fields["png"]), fields["label"])
