"""A real folder that changes, and what is known of it without asking the product.

Every content holds a word that stands in no other one, so that one can ask of each whether it answers. Paths differ
also in case only, and in the Unicode form only; of such twins a source shows the one in NFC.
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

PATHS = (
    "auftrag.md",
    "Auftrag.md",
    "bindung.md",
    "coaching.txt",
    "dialog.txt",
    "skripte/auftrag.md",
    "skripte/bücher.md",
    unicodedata.normalize("NFD", "skripte/bücher.md"),
    "skripte/Zeile\num.md",
)
BROKEN = (b"", b"\x00\x01\x02\xff\xfe kein Text \x00")
SENTENCE = "Das Kennwort dieses Textes lautet {}."


def shown(path: str) -> str:
    """The path as a source has it."""
    return unicodedata.normalize("NFC", path)


@dataclass(frozen=True, slots=True)
class Change:
    """What was done at which paths (as shown).

    `follows` maps old paths to new ones of documents that must be the ones that they were; at `newcomer` there must be
    another than all that were there, at `returns` the one that was last removed there.
    """

    kind: str
    paths: frozenset[str]
    follows: dict[str, str] = field(default_factory=dict)
    newcomer: str | None = None
    returns: str | None = None


@dataclass
class ChangingFolder:
    """The folder; `files` holds what lies in it by real path, `past` what lay where nothing is now."""

    place: Path
    files: dict[str, bytes] = field(default_factory=dict)
    past: dict[str, bytes] = field(default_factory=dict)
    history: dict[str, list[bytes]] = field(default_factory=dict)
    marks: dict[bytes, str] = field(default_factory=dict)

    def documents(self) -> dict[str, bytes]:
        """Content by path as a source shows it."""
        # Of twins the one in NFC comes last and stays.
        ordered = sorted(self.files, key=lambda path: unicodedata.is_normalized("NFC", path))
        return {shown(path): self.files[path] for path in ordered}

    def free(self, suffix: str | None = None) -> list[str]:
        """Paths without a file, with this suffix."""
        return [path for path in PATHS if path not in self.files and (suffix is None or path.endswith(suffix))]

    def content(self, paragraphs: list[str]) -> bytes:
        """A text of these paragraphs, with its word."""
        body = "\n\n".join(paragraphs)
        digest = sha256(body.encode()).hexdigest()[:10]
        # Letters only, so that it is one term of the index, and none that ends like an inflected word.
        mark = "Q" + digest.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")) + "wx"
        content = "\n\n".join([*paragraphs, SENTENCE.format(mark)]).encode()
        self.marks[content] = mark
        return content

    def paragraphs(self, path: str) -> list[str]:
        """What `content` made the file of."""
        return self.files[path].decode().split("\n\n")[:-1]

    def is_broken(self, content: bytes) -> bool:
        """Whether no reader takes it."""
        return content not in self.marks

    def write(self, path: str, content: bytes, kind: str) -> Change:
        """A newcomer, or another content at a path: then the document is the same."""
        known = shown(path) in self.documents()
        self._put(path, content)
        return Change(kind, frozenset({shown(path)}), {shown(path): shown(path)} if known else {})

    def return_(self, path: str) -> Change:
        """What lay here comes back as it was."""
        back = None if shown(path) in self.documents() else shown(path)
        content = self.past[path]
        self._put(path, content)
        return Change("return", frozenset({shown(path)}), returns=back if content else None)

    def remove(self, path: str) -> Change:
        """A file goes."""
        (self.place / path).unlink()
        self.past[path] = self.files.pop(path)
        return Change("remove", frozenset({shown(path)}))

    def move(self, path: str, target: str, newcomer: bytes | None) -> Change:
        """A file goes to a free path, perhaps with another one in its old place."""
        paths = frozenset({shown(path), shown(target)})
        alone = not self._twins(paths) or shown(path) == shown(target)
        moved = self.files[path]
        self._rename(path, target)
        if newcomer is not None:
            self._put(path, newcomer)
        if not alone or not moved or (newcomer is not None and (newcomer == moved or self._twins(paths))):
            return Change("move", paths)
        follows = {shown(path): shown(target)}
        if newcomer is None:
            return Change("move", paths, follows)
        return Change("move and replace", paths, follows, newcomer=shown(path))

    def swap(self, one: str, two: str) -> Change:
        """Two files exchange their names."""
        paths = frozenset({shown(one), shown(two)})
        first, second = self.files[one], self.files[two]
        between = ".between"
        self._rename(one, between)
        self._rename(two, one)
        self._rename(between, two)
        if self._twins(paths) or len(paths) < 2 or first == second or not first or not second:
            return Change("swap", paths)
        return Change("swap", paths, {shown(one): shown(two), shown(two): shown(one)})

    def copy(self, path: str, target: str) -> Change:
        """The same content a second time."""
        self._put(target, self.files[path])
        return Change("copy", frozenset({shown(target)}))

    def touch(self) -> Change:
        """Another time for every file, the same contents."""
        for path in self.files:
            os.utime(self.place / path, (1_000_000_000, 1_000_000_000))
        return Change("touch", frozenset(), {path: path for path in self.documents()})

    def _twins(self, paths: frozenset[str]) -> bool:
        """Whether one of these paths has two files."""
        return any(sum(shown(real) == path for real in self.files) > 1 for path in paths)

    def _put(self, path: str, content: bytes) -> None:
        file = self.place / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        self.files[path] = content
        self.past.pop(path, None)
        self.history.setdefault(path, []).append(content)

    def _rename(self, path: str, target: str) -> None:
        (self.place / target).parent.mkdir(exist_ok=True)
        (self.place / path).rename(self.place / target)
        self.files[target] = self.files.pop(path)
        self.past.pop(target, None)
