"""From bytes to text when nobody says in which encoding: byte order mark, strict UTF-8, then old code pages.

Used by the readers of plain text, Markdown and HTML. A wrong code page makes no error but other letters, so the old
code pages are judged by what German and other West European texts are made of.
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CODE_PAGES = ("cp1252", "mac_roman", "cp850", "cp1250")
_EXPECTED = re.compile("[äöüÄÖÜßéèêàáâçñëïôûîœæ„“”‚‘’«»–—€…§°·•²³½ ]")
_LETTER_BETWEEN = re.compile(r"(?<=[a-zäöü])[^\W\d_a-zA-ZäöüÄÖÜßéèêàáâçñëïôûîœæ](?=[a-zäöü])")
_SAMPLE = 200_000


def decode(data: bytes, *, declared: str | None = None) -> tuple[str, str, tuple[str, ...]]:
    """Decode `data`; returns text, the encoding used, and warning codes.

    Valid UTF-8 wins over what the document declares of itself ("saved as" pages often lie); the declared encoding wins
    over guessing. What a code page does not define becomes U+FFFD, with the warning `undecodable`.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text, warnings = _decode(data[len(mark) :], encoding)
            return text, encoding, warnings
    sixteen = _utf16_without_mark(data)
    if sixteen:
        text, warnings = _decode(data, sixteen)
        return text, sixteen, warnings
    try:
        return data.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError as error:
        # A file cut off inside its last character is UTF-8 all the same.
        if error.start >= len(data) - 3 and error.start > 0 and not data[: error.start].isascii():
            return data[: error.start].decode("utf-8"), "utf-8", ("undecodable",)
    if declared:
        try:
            encoding = codecs.lookup(declared).name
            # Browsers read both labels as cp1252, and so do people's files.
            encoding = "cp1252" if encoding in ("iso8859-1", "ascii", "utf-8") else encoding
            return data.decode(encoding), encoding, ("encoding_guessed",) if declared == "utf-8" else ()
        except (LookupError, ValueError):  # no such encoding, none of text, or not the one it is in
            pass
    encoding = _code_page(data[:_SAMPLE])
    text, warnings = _decode(data, encoding)
    return text, encoding, ("encoding_guessed", *warnings)


def looks_like_text(head: bytes) -> bool:
    """Whether `head` decodes to something that has hardly any control characters."""
    if not head:
        return False
    text, _, _ = decode(head)
    control = sum(character < " " and character not in "\t\n\r\f\v\x1b" for character in text) + text.count("\ufffd")
    return control <= 0.02 * len(text)


def _decode(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    text = data.decode(encoding, "replace")
    return text, ("undecodable",) if "\ufffd" in text else ()


def _utf16_without_mark(data: bytes) -> str | None:
    sample = data[:2000]
    if len(sample) < 4 or 0 not in sample:
        return None
    half = len(sample) // 2
    if sample[1::2].count(0) > 0.6 * half and sample[::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[::2].count(0) > 0.6 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


def _code_page(sample: bytes) -> str:
    """The code page under which the bytes above ASCII look most like West European text; cp1252 among equals."""
    if not _is_prose(sample):
        return "cp1252"
    scores = {encoding: _score(sample.decode(encoding, "replace")) for encoding in CODE_PAGES}
    best = max(scores.values())
    if scores["cp1252"] == best:
        return "cp1252"
    likely = [encoding for encoding in CODE_PAGES if scores[encoding] == best]
    if len(likely) == 1:
        return likely[0]
    guess = from_bytes(sample, cp_isolation=likely).best()
    return guess.encoding if guess else likely[0]


def _is_prose(sample: bytes) -> bool:
    return any(byte >= 0x80 for byte in sample)


def _score(text: str) -> int:
    return (
        len(_EXPECTED.findall(text))
        - 3 * text.count("\ufffd")
        - 3 * len(_LETTER_BETWEEN.findall(text))
        - sum("\x80" <= character <= "\x9f" for character in text)
    )
