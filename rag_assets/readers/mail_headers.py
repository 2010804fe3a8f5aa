"""Headers of a mail: what they say, however they are encoded, and whether a file begins with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime

from rag_assets.readers.encoding import decode
from rag_assets.readers.files import parse_date

_FIELD = re.compile(r"[!-9;-~]{1,76}:")
_OF_MAIL = frozenset(
    "from to cc date subject sender reply-to message-id mime-version received return-path delivered-to in-reply-to "
    "references content-type content-transfer-encoding x-mailer user-agent dkim-signature".split()
)
_PROVES = frozenset("from sender message-id mime-version received return-path".split())
_REPLY = re.compile(r"(?:(?:re|aw|antw|wg|fw|fwd|antwort|weitergeleitet)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\s]+")
_LONGEST = 10_000
_MOST_ADDRESSEES = 5
_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


class TolerantPolicy(Compat32):
    """Reads headers as they stand; bytes beyond ASCII, which the standard forbids, are decoded like those of a text."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """The value as text."""
        return decode(value[:_LONGEST].encode("utf-8", "surrogateescape"))[0]


def looks_like_mail(head: str, *, certain: bool = True) -> bool:
    """Whether a text begins with headers: several of those that a mail has; one will do when it need not be certain."""
    fields: list[str] = []
    lines = head.lstrip("\ufeff\r\n").splitlines()
    if "" not in lines:
        lines = lines[:-1]  # the head ends within the headers, perhaps within a line
    for number, line in enumerate(lines):
        if not line.strip():
            break
        if found := _FIELD.match(line):
            fields.append(found[0][:-1].lower())
        elif not (line[0] in " \t" if fields else number == 0 and line.startswith("From ")):
            return False
    known = _OF_MAIL.intersection(fields)
    return bool(known & _PROVES) and len(known) >= 2 if certain else bool(known)


def words(value: str | None, *, subject: bool = False) -> str:
    """A header's text as one line, encoded words decoded; of a `subject` without "AW:" and the like."""
    value = value or ""
    try:
        pieces = decode_header(value)
    except HeaderParseError:
        pieces = [(value, None)]
    text = "".join(
        piece if isinstance(piece, str) else decode(piece, declared=charset)[0] if charset else _unencoded(piece)
        for piece, charset in pieces
    )
    text = _CONTROL.sub(" ", text).strip()
    return _REPLY.sub("", text, count=1) if subject and _REPLY.match(text) else text


def _unencoded(piece: bytes) -> str:
    return piece.decode("raw-unicode-escape", "replace")


def names(message: Message, header: str) -> tuple[str, ...]:
    """Names in an address header; who is known by an address only is left out."""
    found = []
    for name, _ in getaddresses([str(value) for value in message.get_all(header, [])][:20]):
        name = words(name).strip(" '\"")
        if name.count(",") == 1:
            family, given = name.split(",")
            name = f"{given.strip()} {family.strip()}".strip()
        if name and "@" not in name:
            found.append(name[:100])
    return tuple(dict.fromkeys(found))


def sent_on(message: Message) -> date | None:
    """The day on which it was sent, by the sender's clock."""
    value = str(message["date"] or "")
    try:
        return parse_date(parsedate_to_datetime(value))
    except (ValueError, TypeError, OverflowError):
        return parse_date(value)


def head_line(message: Message) -> str:
    """Who wrote to whom and when, as a sentence; empty when the headers name neither."""
    sender, day = names(message, "from"), sent_on(message)
    addressees = [name for name in names(message, "to") if name not in sender]
    parts = []
    if sender:
        parts.append(f"von {_listed(sender)}")
    if addressees:
        parts.append(f"an {_listed(addressees)}")
    if day:
        parts.append(f"vom {day.day}. {_MONTHS[day.month - 1]} {day.year}")
    return f"E-Mail {' '.join(parts)}." if parts else ""


def _listed(people: Sequence[str]) -> str:
    shown = list(people[:_MOST_ADDRESSEES])
    if len(people) > len(shown):
        shown.append(f"{len(people) - len(shown)} weitere")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} und {shown[-1]}"
