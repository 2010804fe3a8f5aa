"""A model's reply taken apart: JSON with the few repairs that cannot change what it says.

Repaired are: a fence or prose around the object, trailing commas, raw line ends inside strings. Anything else that is
not JSON is no reply. What an item means is decided in `admission`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.DOTALL)
_LISTS: Final = ("entities", "relations", "statements")


class BrokenReplyError(ValueError):
    """The reply is no JSON object, or not of the form asked for."""


class TruncatedReplyError(BrokenReplyError):
    """The reply begins as it should and breaks off."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """Items of a reply as they came: mappings, nothing known about their fields."""

    entities: tuple[Mapping[str, Any], ...]
    relations: tuple[Mapping[str, Any], ...]
    statements: tuple[Mapping[str, Any], ...]
    malformed: int
    """Items that are no mappings."""


def parse_reply(text: str) -> RawReply:
    """The items of a reply.

    Raises:
        TruncatedReplyError: it breaks off within the object.
        BrokenReplyError: it holds no such object.
    """
    start = text.find("{")
    if start < 0:
        raise BrokenReplyError
    candidate = _TRAILING_COMMA.sub(lambda found: found[1] or found[2], text[start:])
    try:
        # strict=False takes raw line ends in strings; what follows the object is prose or a fence.
        value, _ = json.JSONDecoder(strict=False).raw_decode(candidate)
    except json.JSONDecodeError as error:
        if _is_open(candidate):
            raise TruncatedReplyError from error
        raise BrokenReplyError from error
    except RecursionError as error:
        raise BrokenReplyError from error
    if not isinstance(value, dict) or not any(name in value for name in _LISTS):
        raise BrokenReplyError
    lists = {name: value.get(name) or [] for name in _LISTS}
    if not all(isinstance(items, list) for items in lists.values()):
        raise BrokenReplyError
    kept = {name: tuple(item for item in items if isinstance(item, dict)) for name, items in lists.items()}
    malformed = sum(len(lists[name]) - len(kept[name]) for name in _LISTS)
    return RawReply(kept["entities"], kept["relations"], kept["statements"], malformed)


def _is_open(text: str) -> bool:
    """Whether the object at the beginning of `text` is never closed."""
    depth, quoted, escaped = 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return False
    return depth > 0 or quoted
