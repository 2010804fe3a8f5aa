"""What other programs read in a file: its words and its headings, to hold ours against.

pandoc reads office and web formats and Markdown, pdftotext PDF files. Slides, mails and plain text, which neither reads,
are taken from their parts with Python's own library. What a file repeats on its pages and web pages hold around their
text (running headers, page numbers, contents lists, navigation) is set aside, because we leave it out on purpose: its
words are counted.
"""

from __future__ import annotations

import email
import email.policy
import json
import re
import shutil
import subprocess
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

#: pandoc's name for a format, by suffix.
PANDOC: Final = {
    ".md": "gfm+yaml_metadata_block",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
    ".odt": "odt",
    ".epub": "epub",
    ".rtf": "rtf",
}

#: Classes of elements that are no part of the text: what Sphinx, DocBook and Quarto put around it, and printed pages.
_FURNITURE: Final = frozenset("related footer pagenum navheader navfooter screen-reader-only".split())
#: pandoc reads the bytes of a page as UTF-8, whatever the page says of itself.
_ENCODINGS: Final = ("utf-8", "cp1252")
_PLAIN_ENCODINGS: Final = {b"\xff\xfe": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:seite\s+)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:von|of|/)\s*\d{1,4})?\W*", re.IGNORECASE)
_LEADER = re.compile(r"(?:\.\s?){4,}")
_LINE_END = re.compile(r"(?<=\w)[-\u2010\u00ad]\n(?=[a-zäöüß])")
_SLIDE = re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml")
_EDGE = 4
"""So many lines at the top and at the bottom of a page may be furniture."""
_LEADERS = 3
"""So many dotted lines make a contents list."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A file as another program reads it."""

    program: str
    words: Counter[str]
    set_aside: int
    """Words of what is repeated on every page or stands around the text; not among `words`."""
    headings: tuple[tuple[int, str], ...] | None
    """Level and text of each, in order; None where the program does not tell headings."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Shares of words: of the reference's those that we have (recall), and of ours those that it has (precision)."""

    recall: float
    precision: float


def needed(path: Path) -> str | None:
    """The program that reads this file for comparison; None where Python's library does."""
    if path.suffix == ".pdf":
        return "pdftotext"
    return "pandoc" if path.suffix in PANDOC else None


def available(path: Path) -> bool:
    """Whether what reads the file for comparison is installed."""
    program = needed(path)
    return program is None or shutil.which(program) is not None


def words(text: str) -> Counter[str]:
    """Words without case, ligatures and soft hyphens, and how often each stands there."""
    folded = unicodedata.normalize("NFKC", text).replace("\u00ad", "").casefold()
    return Counter(re.findall(r"\w+", folded))


def agreement(ours: Counter[str], reference: Counter[str]) -> Agreement:
    """How far two readings have the same words, each as often; 1 for two empty ones."""
    shared = (ours & reference).total()
    return Agreement(
        shared / reference.total() if reference else 1.0,
        shared / ours.total() if ours else 1.0,
    )


def reference(path: Path) -> Reference:
    """Read the file with another program.

    Raises:
        subprocess.CalledProcessError: that program refuses the file.
    """
    if path.suffix == ".pdf":
        return _by_pdftotext(path)
    if path.suffix in PANDOC:
        return _by_pandoc(path)
    if path.suffix == ".pptx":
        return Reference("its parts", words(_slides(path)), 0, None)
    if path.suffix == ".eml":
        return Reference("its parts", words(_mail(path.read_bytes())), 0, None)
    return Reference("its characters", words(_characters(path.read_bytes())), 0, None)


def _output(*command: str, given: str | None = None) -> str:
    return subprocess.run(command, input=given, capture_output=True, encoding="utf-8", check=True).stdout


def _by_pandoc(path: Path) -> Reference:
    command = ["pandoc", "-f", PANDOC[path.suffix], "-t", "json"]
    if path.suffix in (".md", ".html", ".htm"):
        blocks = json.loads(_output(*command, given=_decoded(path.read_bytes())))["blocks"]
    else:
        blocks = json.loads(_output(*command, str(path)))["blocks"]
    kept = _filtered(_main_part(blocks), _is_furniture)
    found, everything = words(_text(kept)), words(_text(blocks))
    headings = None if path.suffix == ".rtf" else tuple(_headings(kept))  # pandoc tells none in RTF
    return Reference("pandoc", found, everything.total() - found.total(), headings)


def _decoded(data: bytes) -> str:
    try:
        return data.decode(_ENCODINGS[0])
    except UnicodeDecodeError:
        return data.decode(_ENCODINGS[1])


def _main_part(blocks: Any) -> Any:
    """What a page calls its main part, else all."""
    mains = [block for block in _elements(blocks) if ["role", "main"] in block["c"][0][2]]
    return mains[0]["c"][1] if len(mains) == 1 else blocks


def _elements(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("t") in ("Div", "Span"):
            yield value
        yield from _elements(value.get("c"))
    elif isinstance(value, list):
        for inner in value:
            yield from _elements(inner)


def _filtered(value: Any, unwanted: Callable[[Any], bool]) -> Any:
    """The tree without some of its elements."""
    if isinstance(value, dict):
        return {key: _filtered(inner, unwanted) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filtered(inner, unwanted) for inner in value if not unwanted(inner)]
    return value


def _is_note(value: Any) -> bool:
    return isinstance(value, dict) and value.get("t") == "Note"


def _is_furniture(value: Any) -> bool:
    is_element = isinstance(value, dict) and value.get("t") in ("Div", "Span")
    return is_element and not _FURNITURE.isdisjoint(value["c"][0][1])


_INLINE: Final = frozenset("Emph Underline Strong Strikeout Superscript Subscript SmallCaps Quoted Cite".split())


def _text(value: Any) -> str:
    """The text of pandoc's tree, a blank around each block, the numbers of lists and notes too."""
    return "".join(_strings(value, count(1)))


def _strings(value: Any, notes: Iterator[int]) -> Iterator[str]:
    if isinstance(value, list):
        for inner in value:
            yield from _strings(inner, notes)
    elif isinstance(value, dict):
        yield from _element(value["t"], value.get("c", []), notes)


def _element(kind: str, content: Any, notes: Iterator[int]) -> Iterator[str]:
    if kind == "Str":
        yield content
    elif kind in ("Code", "Math"):
        yield content[1]
    elif kind == "CodeBlock":
        yield f" {content[1]} "
    elif kind in ("Link", "Image", "Span"):
        yield from _strings(content[1], notes)
    elif kind in _INLINE:
        yield from _strings(content, notes)
    elif kind == "OrderedList":
        for number, item in enumerate(content[1], content[0][0]):
            yield f" {_listed(number, content[0][1]['t'])} "
            yield from _strings(item, notes)
    elif kind not in ("RawInline", "RawBlock"):
        mark = f" {next(notes)}" if kind == "Note" else ""
        yield mark * 2 + " "  # where it is cited, and before the note
        yield from _strings(content, notes)
        yield " "


def _listed(number: int, style: str) -> str:
    """An item's number as pandoc would print it; Roman ones, which no file here has, stay Arabic."""
    letter = chr(ord("a") + (number - 1) % 26)
    return letter if style.endswith("Alpha") else str(number)


def _headings(value: Any) -> Iterator[tuple[int, str]]:
    if isinstance(value, dict):
        if value.get("t") == "Header":
            text = " ".join(_text(_filtered(value["c"][2], _is_note)).split())
            if text:
                yield value["c"][0], text
        else:
            yield from _headings(value.get("c"))
    elif isinstance(value, list):
        for inner in value:
            yield from _headings(inner)


def _by_pdftotext(path: Path) -> Reference:
    pages = [page.split("\n") for page in _output("pdftotext", "-enc", "UTF-8", str(path), "-").split("\f")]
    kept = "\n".join("\n".join(page) for page in _without_page_furniture(pages))
    found = words(_LINE_END.sub("", kept))
    everything = words(_LINE_END.sub("", "\n".join("\n".join(page) for page in pages)))
    return Reference("pdftotext", found, everything.total() - found.total(), None)


def _without_page_furniture(pages: list[list[str]]) -> Iterator[list[str]]:
    """The pages without contents lists and, at their edges, page numbers and what a third of the pages repeat."""
    filled = [[line for line in page if line.strip()] for page in pages]
    keys = Counter(key for lines in filled for key in {_key(line) for line in lines[:_EDGE] + lines[-_EDGE:]})
    least = max(3, len(filled) / 3)

    def is_furniture(line: str) -> bool:
        return len(filled) > 2 and (keys[_key(line)] >= least or _PAGE_NUMBER.fullmatch(line) is not None)

    for lines in filled:
        begin = next((at for at, line in enumerate(lines[:_EDGE]) if not is_furniture(line)), _EDGE)
        rest = lines[begin:]
        after = next((at for at, line in enumerate(rest[: -_EDGE - 1 : -1]) if not is_furniture(line)), _EDGE)
        kept = rest[: len(rest) - after] or lines
        if sum(_LEADER.search(line) is not None for line in kept) >= _LEADERS:
            kept = [line for line in kept if not _LEADER.search(line) and not _PAGE_NUMBER.fullmatch(line)]
        yield kept


def _key(line: str) -> str:
    return _DIGITS.sub("#", line).strip()


def _slides(path: Path) -> str:
    """The text runs of the slides and of their notes, paragraph by paragraph."""
    drawing = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if _SLIDE.fullmatch(name)]
        roots = [ET.fromstring(archive.read(name)) for name in names]
    paragraphs = (paragraph for root in roots for paragraph in root.iter(f"{drawing}p"))
    return "\n".join("".join(run.text or "" for run in paragraph.iter(f"{drawing}t")) for paragraph in paragraphs)


def _mail(data: bytes) -> str:
    """A mail's subject, the names of sender and receivers, its text and its attached texts."""
    # One of the mails is stored as UTF-16.
    message = email.message_from_bytes(data.replace(b"\0", b""), policy=email.policy.default)
    people = [person for name in ("From", "To") for person in message[name].addresses]
    parts = [str(message["Subject"]), *(person.display_name for person in people)]
    body = message.get_body(("plain", "html"))
    texts = [body, *message.iter_attachments()] if body is not None else []
    return "\n".join([*parts, *(str(text.get_content()) for text in texts if text.get_content_maintype() == "text")])


def _characters(data: bytes) -> str:
    encoding = next((name for mark, name in _PLAIN_ENCODINGS.items() if data.startswith(mark)), None)
    return data.decode(encoding) if encoding else _decoded(data)
