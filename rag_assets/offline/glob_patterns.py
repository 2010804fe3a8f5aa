"""Glob patterns as sources.yaml uses them: `**` any number of folders, `*` and `?` within one name, `[abc]` a set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class GlobPatterns:
    """Several patterns, matched as one against a path below the source's folder (NFC, `/` between names).

    ```python
    GlobPatterns.of(["**/.*", "alt/**"]).match("alt/2019/skript.pdf")  # True
    ```
    """

    patterns: tuple[str, ...]
    _compiled: re.Pattern[str] | None = field(repr=False, compare=False, default=None)

    @classmethod
    def of(cls, patterns: Sequence[str]) -> Self:
        """Compile patterns.

        Raises:
            ValueError: a pattern has a set that is not closed or a range that is none.
        """
        normal = tuple(unicodedata.normalize("NFC", pattern) for pattern in patterns)
        try:
            compiled = re.compile("|".join(f"(?:{_translate(pattern)})" for pattern in normal)) if normal else None
        except re.error as error:
            raise ValueError(f"not a usable pattern: {error}") from error
        return cls(normal, compiled)

    def match(self, path: str) -> bool:
        """Whether one of the patterns fits the whole path."""
        return self._compiled is not None and self._compiled.fullmatch(path) is not None


def _translate(pattern: str) -> str:
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        rest = pattern[position:]
        at_start = position == 0 or pattern[position - 1] == "/"
        if at_start and rest.startswith("**/"):
            parts.append("(?:[^/]+/)*")
            position += 3
        elif rest.startswith("**"):
            parts.append("(?s:.*)")
            position += 2
        elif rest.startswith("["):
            end = pattern.find("]", position + 2)
            if end < 0:
                raise ValueError("a [ is not closed")
            inner = pattern[position + 1 : end].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            parts.append(f"[^/{inner[1:]}]" if inner.startswith("!") else f"(?!/)[{inner}]")
            position = end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(rest[0]) or re.escape(rest[0]))
            position += 1
    return "".join(parts)
