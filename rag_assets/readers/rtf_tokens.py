"""RTF as tokens: braces, control words, and text decoded by the code page of the document or of the font.

What the control words mean for the text lives in `readers.rtf`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\", re.DOTALL
)
_SYMBOL_FONT = "symbol"
_CHARSETS = {
    2: _SYMBOL_FONT, 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437", 255: "cp850",
}  # fmt: skip
_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_CHARACTERS = {
    "emdash": "—", "endash": "–", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "tab": "\t", "line": "\n", "lbr": "\n",
    "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "", "rtlmark": "",
}  # fmt: skip
_SYMBOLS = {"~": "\u00a0", "-": "\u00ad", "_": "\u2011", "{": "{", "}": "}", "\\": "\\"}


class Kind(Enum):
    """What a token is."""

    OPEN = "{"
    CLOSE = "}"
    STAR = "*"
    """What follows may be passed over by whoever does not know it."""
    WORD = "word"
    TEXT = "text"


class Token(NamedTuple):
    """One token: a control word with its number, or decoded text."""

    kind: Kind
    value: str = ""
    number: int | None = None


class _Group(NamedTuple):
    """What a group inherits and gives back when it closes."""

    font: int = 0
    skip: int = 1
    """How many characters stand behind a Unicode character for programs that do not know it."""


def tokens(source: str) -> Iterator[Token]:  # noqa: C901 - one case for each kind of token
    """Tokens of a file that was read as Latin-1. Text arrives in pieces, each decoded and without stand-ins."""
    group, outer = _Group(), list[_Group]()
    page, fonts = "cp1252", dict[int, str]()
    waiting = bytearray()  # bytes of the code page; several may be one character
    default = skip = at = 0

    def decoded() -> str:
        encoding = fonts.get(group.font, page)
        if encoding == _SYMBOL_FONT:
            # Pictures in the place of letters: bullets, arrows, ticks.
            text = "".join(chr(0xF000 + byte) for byte in waiting)
        else:
            text = bytes(waiting).decode(encoding, "replace")
        waiting.clear()
        return text

    while found := _TOKEN.match(source, at):
        at = found.end()
        word, number, byte, symbol, brace, plain = found.groups()
        if byte and skip:
            skip -= 1
            continue
        if byte:
            waiting.append(int(byte, 16))
            continue
        if plain:
            kept = plain[skip:]
            skip -= len(plain) - len(kept)
            waiting += kept.encode("latin-1", "replace")
            continue
        if waiting and (word or symbol or brace):
            yield Token(Kind.TEXT, decoded())
        if brace:
            skip = 0
            if brace == "{":
                outer.append(group)
                yield Token(Kind.OPEN)
            else:
                group = outer.pop() if outer else group
                yield Token(Kind.CLOSE)
        elif symbol and skip and symbol in _SYMBOLS:
            skip -= 1
        elif symbol:
            if symbol == "*":
                yield Token(Kind.STAR)
            elif symbol in "\r\n":
                yield Token(Kind.WORD, "par")
            elif symbol in _SYMBOLS:
                yield Token(Kind.TEXT, _SYMBOLS[symbol])
        elif word:
            value = int(number) if number else None
            skip = 0
            if word == "u" and value is not None:
                yield Token(Kind.TEXT, chr(value % 0x10000))
                skip = group.skip
            elif word == "bin":
                at += max(0, value or 0)
            elif word == "uc":
                group = group._replace(skip=max(0, min(9, value or 0)))
            elif word == "f":
                group = group._replace(font=value or 0)
            elif word == "deff":
                default = value or 0
            elif word in ("fcharset", "cpg"):
                encoding = _CHARSETS.get(value or 0) if word == "fcharset" else _known(value)
                if encoding:
                    fonts[group.font] = encoding
            elif word == "ansicpg":
                page = _known(value) or page
            elif word in _PAGES:
                page = _PAGES[word]
            elif word in _CHARACTERS:
                yield Token(Kind.TEXT, _CHARACTERS[word])
            else:
                if word == "plain":
                    group = group._replace(font=default)
                yield Token(Kind.WORD, word, value)
    if waiting:
        yield Token(Kind.TEXT, decoded())


def _known(number: int | None) -> str | None:
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return "utf-8" if number == 65001 else None
