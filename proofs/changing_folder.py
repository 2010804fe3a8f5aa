"""A real folder that changes at random, and what is known of it without asking the system under proof.

Every document holds a word that stands nowhere else, so that one can ask of each content whether it answers. What is
drawn depends on the seed alone.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from benchmarks.campus import headings, sentences

FOLDERS = ("", "skripte/", "bücher/", "skripte/alt/")
NAMES = ("auftrag", "bindung", "coaching", "dialog", "empathie", "führung", "genogramm", "haltung", "intervision")
SUFFIXES = (".md", ".txt", ".html")
MOST_FILES = 12


@dataclass(frozen=True, slots=True)
class Change:
    """What was done. `follows` maps old paths to new ones of documents that must be the same as before."""

    kind: str
    paths: tuple[str, ...] = ()
    follows: dict[str, str] = field(default_factory=dict)


@dataclass
class ChangingFolder:
    """The folder; `files` holds what lies in it, `removed` what lay at paths where nothing is now."""

    folder: Path
    chance: random.Random
    files: dict[str, bytes] = field(default_factory=dict)
    removed: dict[str, bytes] = field(default_factory=dict)
    broken: set[bytes] = field(default_factory=set)
    copied: set[bytes] = field(default_factory=set)
    marks: dict[bytes, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    _marks_given: int = 0

    def change(self) -> Change:
        """Do one thing that can be done now."""
        while True:
            operation = self.chance.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()))[0]
            made = operation(self)
            if made is not None:
                self.done[made.kind] += 1
                return made

    def mend_all(self) -> None:
        """Put something readable in the place of everything broken."""
        for path in [path for path, content in self.files.items() if content in self.broken]:
            self._write(path, self._new_content(path))

    def add(self) -> Change | None:
        """A new document."""
        path = self._free_path(self.chance.choice(SUFFIXES))
        if path is None or len(self.files) >= MOST_FILES:
            return None
        self._write(path, self._new_content(path))
        return Change("add", (path,))

    def edit(self) -> Change | None:
        """Another word and another sentence in a document."""
        path = self._some_path(lambda content: content not in self.broken)
        if path is None:
            return None
        before = self.files[path]
        word = self._new_mark()
        text = before.decode().replace(self.marks[before], word)
        old = [sentence for sentence in sentences() if sentence in text]
        if old:
            text = text.replace(self.chance.choice(old), self.chance.choice(sentences()), 1)
        content = text.encode()
        self.marks[content] = word
        self._write(path, content)
        return Change("edit", (path,), {path: path})

    def rewrite(self) -> Change | None:
        """A wholly different document at the same path."""
        path = self._some_path()
        if path is None:
            return None
        self._write(path, self._new_content(path))
        return Change("rewrite", (path,), {path: path})

    def remove(self) -> Change | None:
        """A document goes."""
        path = self._some_path()
        if path is None:
            return None
        (self.folder / path).unlink()
        self.removed[path] = self.files.pop(path)
        return Change("remove", (path,))

    def return_(self) -> Change | None:
        """A removed document comes back as it was, or changed."""
        if not self.removed or len(self.files) >= MOST_FILES:
            return None
        path = self.chance.choice(sorted(self.removed))
        content = self.removed[path]
        if self.chance.random() < 0.7:
            self._write(path, content)
            return Change("return", (path,))
        self._write(path, self._new_content(path))
        return Change("return changed", (path,))

    def move(self) -> Change | None:
        """A document goes to another path, in one case of three with a new one in its old place."""
        path = self._some_path(self._is_unique)
        target = self._free_path(Path(path).suffix, even_if_removed=True) if path else None
        if path is None or target is None:
            return None
        self._rename(path, target)
        if self.chance.random() < 0.33:
            self._write(path, self._new_content(path))
            return Change("move and replace", (path, target), {path: target})
        return Change("move", (path, target), {path: target})

    def swap(self) -> Change | None:
        """Two documents exchange their paths."""
        if len(self.files) < 2:
            return None
        one = self.chance.choice(sorted(self.files))
        others = [path for path in sorted(self.files) if path != one and Path(path).suffix == Path(one).suffix]
        if not others:
            return None
        two = self.chance.choice(others)
        if not self._is_unique(self.files[one]) or not self._is_unique(self.files[two]):
            return None
        between = self.folder / ".between"
        (self.folder / one).rename(between)
        (self.folder / two).rename(self.folder / one)
        between.rename(self.folder / two)
        self.files[one], self.files[two] = self.files[two], self.files[one]
        return Change("swap", (one, two), {one: two, two: one})

    def copy(self) -> Change | None:
        """The same content a second time."""
        path = self._some_path()
        target = self._free_path(Path(path).suffix) if path else None
        if path is None or target is None or len(self.files) >= MOST_FILES:
            return None
        self.copied.add(self.files[path])
        self._write(target, self.files[path])
        return Change("copy", (path, target), {path: path})

    def touch(self) -> Change | None:
        """Another time, the same content."""
        path = self._some_path()
        if path is None:
            return None
        seconds = self.chance.randrange(1_000_000_000, 1_700_000_000)
        os.utime(self.folder / path, (seconds, seconds))
        return Change("touch", (path,), {path: path})

    def spoil(self) -> Change | None:
        """A document becomes something that no reader takes."""
        path = self._some_path()
        if path is None or len([content for content in self.files.values() if content in self.broken]) > 2:
            return None
        content = (
            b"" if self.chance.random() < 0.3 else b"\x00\x01\x02" + self.chance.randbytes(300).replace(b"<", b"_")
        )
        self.broken.add(content)
        self._write(path, content)
        return Change("spoil", (path,), {path: path})

    def nothing(self) -> Change | None:
        """Nothing at all."""
        return Change("nothing", (), {path: path for path in self.files})

    def _some_path(self, fits: Callable[[bytes], bool] = lambda content: True) -> str | None:
        paths = sorted(path for path, content in self.files.items() if fits(content))
        return self.chance.choice(paths) if paths else None

    def _is_unique(self, content: bytes) -> bool:
        # An empty file has no content that it could be recognised by.
        return bool(content) and list(self.files.values()).count(content) == 1

    def _free_path(self, suffix: str, *, even_if_removed: bool = False) -> str | None:
        taken = self.files.keys() if even_if_removed else self.files.keys() | self.removed.keys()
        free = sorted({f"{folder}{name}{suffix}" for folder in FOLDERS for name in NAMES} - set(taken))
        return self.chance.choice(free) if free else None

    def _write(self, path: str, content: bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        self.files[path] = content
        self.removed.pop(path, None)

    def _rename(self, path: str, target: str) -> None:
        (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).rename(self.folder / target)
        self.files[target] = self.files.pop(path)
        self.removed.pop(target, None)

    def _new_mark(self) -> str:
        """A word that nobody else has; letters only, so that it is one term of the index."""
        self._marks_given += 1
        digest = sha256(f"{self._marks_given}".encode()).hexdigest()[:10]
        return "Q" + digest.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")) + "wx"

    def _new_content(self, path: str) -> bytes:
        word = self._new_mark()
        title = self.chance.choice(headings())
        parts = [(self.chance.choice(headings()), self._paragraphs()) for _ in range(self.chance.randint(1, 3))]
        parts[0][1].append(f"Das Kennwort dieses Textes lautet {word}.")
        if path.endswith(".html"):
            body = "".join(f"<h2>{heading}</h2>" + "".join(f"<p>{p}</p>" for p in ps) for heading, ps in parts)
            text = f"<html><head><meta charset='utf-8'></head><body><h1>{title}</h1>{body}</body></html>"
        else:
            mark = "## " if path.endswith(".md") else ""
            text = "\n\n".join([title, *(block for heading, ps in parts for block in (mark + heading, *ps))])
        content = text.encode()
        self.marks[content] = word
        return content

    def _paragraphs(self) -> list[str]:
        return [" ".join(self.chance.sample(sentences(), 4)) for _ in range(self.chance.randint(1, 3))]


_WEIGHTS: dict[Callable[[ChangingFolder], Change | None], int] = {
    ChangingFolder.add: 5,
    ChangingFolder.edit: 6,
    ChangingFolder.rewrite: 2,
    ChangingFolder.remove: 4,
    ChangingFolder.return_: 4,
    ChangingFolder.move: 5,
    ChangingFolder.swap: 3,
    ChangingFolder.copy: 2,
    ChangingFolder.touch: 1,
    ChangingFolder.spoil: 2,
    ChangingFolder.nothing: 1,
}
