"""Mail: subject, body once, and what is attached, each attachment as a section of its own.

Here live the MIME tree and attachments, which the registry reads like files; what stands in a body is
`readers.mail_text`'s, headers are `readers.mail_headers`'. Names of sender and addressees are kept, addresses are not:
who wrote belongs to what is known, how to reach them does not.
"""

from __future__ import annotations

import mimetypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits, ReadResult
from rag_assets.readers.encoding import decode
from rag_assets.readers.files import clean_title, read_bytes, unnamed_file
from rag_assets.readers.mail_headers import TolerantPolicy, head_line, looks_like_mail, names, sent_on, words
from rag_assets.readers.mail_letter import Letter, Section
from rag_assets.readers.mail_text import Body, html_body, plain_body

_MOST_DEPTH = 5
"""So deep may mails lie in mails."""

_MOST_PARTS = 100
"""So many attachments are read of one mail, those of attached mails included."""

_MOST_NESTING = 50
_NO_TEXT = frozenset(
    "application/pgp-signature application/pkcs7-signature application/x-pkcs7-signature application/pgp-keys "
    "message/delivery-status message/disposition-notification message/partial message/external-body".split()
)
_UNREAD = frozenset("text/calendar text/vcard text/x-vcard text/directory".split())
_SEVEN_BIT = ("iso-2022", "iso2022", "hz-", "utf-7")


class MailReader:
    """A mail as programs save it (RFC 5322, MIME)."""

    name = "mail"
    mime_types = ("message/rfc822",)

    def sniff(self, head: bytes, name: str) -> bool:
        """Whether the file begins with the headers of a mail."""
        return looks_like_mail(decode(head)[0], certain=not name.lower().endswith(".eml"))

    def read(self, path: Path, limits: ReadLimits) -> ReadResult:
        """Read the file; see `Reader`."""
        try:
            return _read(read_bytes(path, limits), limits)
        except RecursionError:
            raise DocumentError("damaged", "nested too deeply") from None


def _read(data: bytes, limits: ReadLimits) -> ReadResult:
    message = _parse(data)
    collector = _Collector(limits)
    letter = collector.letter(message, depth=0)
    if not letter.has_text:
        code = "locked" if "encrypted" in collector.warnings else next(iter(collector.failures), "empty")
        raise DocumentError(code, "the mail holds no text that can be read")
    return ReadResult(
        mime_type="message/rfc822",
        reader="mail",
        title=clean_title(letter.subject),
        authors=names(message, "from"),
        published_on=sent_on(message),
        blocks=tuple(letter.blocks()),
        page_count=None,
        warnings=tuple(collector.warnings),
        repairs=dict(+collector.repairs),
        hidden_text="\n".join(collector.hidden),
    )


def _parse(data: bytes) -> Message:
    if b"\x00" in data[:100]:
        # A program saved the mail as UTF-16; its parts are what they say once that is undone.
        data = decode(data)[0].encode("utf-8", "replace")
    return BytesParser(policy=TolerantPolicy()).parsebytes(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))


@dataclass
class _Found:
    """What a branch of the MIME tree holds."""

    bodies: list[tuple[str, Body]] = field(default_factory=list)
    """With their media types."""
    attached: list[Message] = field(default_factory=list)


class _Collector:
    """Goes through the tree of a mail and of the mails in it; counts what it meets and keeps within the limits."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._parts_left = _MOST_PARTS
        self._bytes_left = limits.max_expanded_bytes
        self.repairs: Counter[str] = Counter()
        self.warnings: dict[str, None] = {}
        self.failures: list[str] = []
        self.hidden: list[str] = []

    def letter(self, message: Message, *, depth: int) -> Letter:
        """The mail with all that belongs to it."""
        found = self._branch(message, 0)
        letter = Letter(words(message["subject"], subject=True), head_line(message))
        letter.bodies = [body for _, body in found.bodies]
        for part in found.attached:
            section = self._attachment(part, depth)
            if section is not None:
                letter.sections.append(section)
        self.repairs["quoted_twice"] += letter.drop_repeated()
        return letter

    def _branch(self, part: Message, nesting: int) -> _Found:
        found = _Found()
        kind = part.get_content_type()
        if nesting > _MOST_NESTING:
            self.warnings["parts_left_out"] = None
        elif kind == "multipart/encrypted":
            self.warnings["encrypted"] = None
        elif part.is_multipart() and part.get_content_maintype() == "multipart":
            branches = [self._branch(child, nesting + 1) for child in _children(part)]
            if kind == "multipart/alternative":
                found.bodies = _best([branch.bodies for branch in branches])
                # A leaf that is not chosen is the same once more; what hangs below a branch is an attachment.
                found.attached = [
                    leaf
                    for branch, child in zip(branches, _children(part), strict=True)
                    if child.is_multipart()
                    for leaf in branch.attached
                ]
            else:
                found.bodies = [body for branch in branches for body in branch.bodies]
                found.attached = [leaf for branch in branches for leaf in branch.attached]
        elif kind in _NO_TEXT:
            return found
        elif _is_body(part, kind):
            body = self._body(part, kind)
            if body is not None and body.size:
                found.bodies.append((kind, body))
        elif part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment":
            self.repairs["picture"] += 1
        else:
            found.attached.append(part)
        return found

    def _body(self, part: Message, kind: str) -> Body | None:
        text = self._text(part)
        if kind == "text/html":
            try:
                return html_body(text, self.repairs)
            except DocumentError as error:
                if error.code != "empty":
                    self.warnings[f"body_{error.code}"] = None
                return None
        flowed = str(part.get_param("format") or "").lower() == "flowed"
        delete_space = str(part.get_param("delsp") or "").lower() == "yes"
        return plain_body(text, self.repairs, flowed=flowed, delete_space=delete_space)

    def _text(self, part: Message) -> str:
        data = _payload(part)
        charset = str(part.get_param("charset") or "")
        if charset.lower().startswith(_SEVEN_BIT):
            # Valid ASCII, hence valid UTF-8, and yet neither.
            try:
                return data.decode(charset)
            except (LookupError, ValueError):
                pass
        text, _, warnings = decode(data, declared=charset)
        self.warnings.update(dict.fromkeys(warnings))
        return text

    def _attachment(self, part: Message, depth: int) -> Section | None:
        name = _name(part)
        self._parts_left -= 1
        if self._parts_left < 0 or depth >= _MOST_DEPTH:
            self.warnings["attachments_left_out"] = None
            return None
        try:
            if part.get_content_type() == "message/rfc822" and part.is_multipart():
                return self._mail(_children(part)[0], name, depth)
            return self._file(part, name, depth)
        except DocumentError as error:
            code = error.code
        except RecursionError:
            code = "damaged"
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever a library stumbles over concerns this attachment only
            code = "internal"
        self.failures.append(code)
        self.warnings[f"attachment_{code}"] = None
        return None

    def _file(self, part: Message, name: str, depth: int) -> Section | None:
        if part.get_content_type() in _UNREAD:
            raise DocumentError("unsupported")
        data = _payload(part)
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise DocumentError("too_large")
        with unnamed_file(data) as path:
            reader = registry.detect(path, name=name)
            if reader.name == "mail":
                return self._mail(_parse(data), name, depth)
            result = reader.read(path, self._limits)
        if not result.blocks:
            raise DocumentError("needs_ocr" if result.needs_ocr_pages else "empty")
        self.warnings.update(dict.fromkeys(result.warnings))
        self.repairs.update(result.repairs)
        if result.hidden_text:
            self.hidden.append(result.hidden_text)
        return Section(f"Anhang: {name}", result.blocks)

    def _mail(self, message: Message, name: str, depth: int) -> Section | None:
        letter = self.letter(message, depth=depth + 1)
        if not letter.has_text:
            return None
        return Section(f"Anhang: {letter.subject or name}", tuple(letter.blocks(with_subject=False)))


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _payload(part: Message) -> bytes:
    try:
        data = part.get_payload(decode=True)
    except (ValueError, AssertionError):
        data = None  # an encoding that means nothing: the text as it stands
    if isinstance(data, bytes):
        return data
    raw = part.get_payload()
    return raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else b""


def _is_body(part: Message, kind: str) -> bool:
    """Whether a leaf is text to read in the mail itself; a part that only claims to have parts is."""
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return False
    return kind in ("text/plain", "text/html") or (part.get_content_maintype() == "multipart")


def _best(bodies: Sequence[list[tuple[str, Body]]]) -> list[tuple[str, Body]]:
    """Of the same text in several forms the plain one, unless it only says that there is another."""
    written = [branch for branch in bodies if branch]
    if not written:
        return []
    fullest = max(written, key=_size)
    plain = next((branch for branch in written if all(kind == "text/plain" for kind, _ in branch)), None)
    return plain if plain is not None and 3 * _size(plain) >= _size(fullest) else fullest


def _size(branch: list[tuple[str, Body]]) -> int:
    return sum(body.size for _, body in branch)


def _name(part: Message) -> str:
    """What the attachment is called, as one line and without folders; the registry needs its suffix."""
    name = words(part.get_filename() or "").replace("\\", "/").rpartition("/")[2][-150:].strip()
    if name:
        return name
    suffix = mimetypes.guess_extension(part.get_content_type()) or ""
    return f"ohne Namen{suffix if suffix != '.bin' else ''}"
