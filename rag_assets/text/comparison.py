"""What changed between two canonical texts, for people: sections and paragraphs.

A pure comparison of values; which versions of a document are compared, and how it is shown, is decided above.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, Protocol

_PARAGRAPH: Final = re.compile(r"\S(?:.|\n(?!\n))*")
_WORD: Final = re.compile(r"\w+")

ALIKE: Final = 0.5
"""Two paragraphs, or the texts of two sections, that share this part of their words are one that changed."""

CONTAINED: Final = 0.8
"""A section that holds this part of another one's words is that one, however much was added."""

_NEIGHBOURS: Final = 8
"""How far ahead the counterpart of a paragraph or a section is looked for: bounds the work for long documents."""


class Heading(Protocol):
    """A section as `text.sections` makes it and as it is stored: pre-order, ordinal 0 the root."""

    @property
    def ordinal(self) -> int: ...  # noqa: D102
    @property
    def parent(self) -> int | None: ...  # noqa: D102
    @property
    def heading(self) -> str: ...  # noqa: D102
    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph that was added, removed or changed."""

    kind: Literal["added", "removed", "changed"]
    section: tuple[str, ...]
    """Headings above it, in the new text (in the old one for what was removed)."""
    old: str
    new: str
    unchanged_before: int
    """Paragraphs left out between the change before and this one."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed. Paths of sections are their headings from the top down, without the document's title."""

    sections_added: tuple[tuple[str, ...], ...]
    sections_removed: tuple[tuple[str, ...], ...]
    sections_renamed: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    changes: tuple[Change, ...]
    unchanged: int
    """Paragraphs that are the same."""

    def count(self, kind: str) -> int:
        """Number of paragraphs that were `added`, `removed` or `changed`."""
        return sum(change.kind == kind for change in self.changes)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    section: tuple[str, ...]


def compare(old: str, old_sections: Sequence[Heading], new: str, new_sections: Sequence[Heading]) -> Comparison:
    """Compare two canonical texts with their sections; headings count as sections, everything else as paragraphs."""
    old_paths, new_paths = _paths(old_sections), _paths(new_sections)
    counterpart = _match(old, old_sections, new, new_sections)
    taken = set(counterpart.values())
    changes, unchanged = _changes(_paragraphs(old, old_sections, old_paths), _paragraphs(new, new_sections, new_paths))
    return Comparison(
        sections_added=tuple(new_paths[s.ordinal] for s in new_sections[1:] if s.ordinal not in taken),
        sections_removed=tuple(old_paths[s.ordinal] for s in old_sections[1:] if s.ordinal not in counterpart),
        sections_renamed=tuple(
            (old_paths[before], new_paths[after])
            for before, after in sorted(counterpart.items())
            if before and old_sections[before].heading != new_sections[after].heading
        ),
        changes=tuple(changes),
        unchanged=unchanged,
    )


def shortened(old: str, new: str, *, around: int = 8) -> tuple[str, str]:
    """Both texts of a changed paragraph with the words that are the same left out, but for `around` at each change.

    >>> shortened("eins zwei drei vier fünf", "eins zwei drei vier sechs", around=1)
    ('… vier fünf', '… vier sechs')
    """
    before, after = old.split(), new.split()
    shown: tuple[list[str], list[str]] = ([], [])
    opcodes = SequenceMatcher(None, before, after).get_opcodes()
    for index, (tag, i, i_end, j, j_end) in enumerate(opcodes):
        if tag != "equal":
            shown[0].extend(before[i:i_end])
            shown[1].extend(after[j:j_end])
            continue
        head = around if index > 0 else 0
        tail = around if index < len(opcodes) - 1 else 0
        words = before[i:i_end]
        if len(words) > head + tail:
            words = [*words[:head], "…", *words[len(words) - tail :]]
        shown[0].extend(words)
        shown[1].extend(words)
    return " ".join(shown[0]), " ".join(shown[1])


def _paths(sections: Sequence[Heading]) -> dict[int, tuple[str, ...]]:
    paths: dict[int, tuple[str, ...]] = {}
    for section in sections:
        paths[section.ordinal] = () if section.parent is None else (*paths[section.parent], section.heading)
    return paths


def _paragraphs(text: str, sections: Sequence[Heading], paths: dict[int, tuple[str, ...]]) -> list[_Paragraph]:
    # Between two headings lies the own text of the first: sections are in pre-order.
    found: list[_Paragraph] = []
    ends = [section.start for section in sections[1:]] + [len(text)]
    for section, end in zip(sections, ends, strict=True):
        start = section.start
        if section.parent is not None:
            after = text.find("\n\n", start, end)
            start = end if after < 0 else after
        found += [
            _Paragraph(match[0].rstrip(), paths[section.ordinal]) for match in _PARAGRAPH.finditer(text, start, end)
        ]
    return found


def _match(old: str, old_sections: Sequence[Heading], new: str, new_sections: Sequence[Heading]) -> dict[int, int]:
    """Old section → its counterpart: the same heading below the same parent, else one that says much the same there."""
    old_children, new_children = _children(old_sections), _children(new_sections)
    matched = {0: 0} if old_sections and new_sections else {}
    for parent in range(len(old_sections)):
        if parent not in matched:
            continue
        left = list(new_children.get(matched[parent], ()))
        unmatched: list[int] = []
        by_heading: dict[str, list[int]] = {}
        for ordinal in left:
            by_heading.setdefault(new_sections[ordinal].heading, []).append(ordinal)
        for ordinal in old_children.get(parent, ()):
            same = by_heading.get(old_sections[ordinal].heading)
            if same:
                matched[ordinal] = same.pop(0)
            else:
                unmatched.append(ordinal)
        taken = set(matched.values())
        words = {ordinal: _words(_body(new, new_sections[ordinal])) for ordinal in left if ordinal not in taken}
        for ordinal in unmatched:
            own = _words(_body(old, old_sections[ordinal]))
            near = sorted(words, key=lambda candidate: abs(candidate - ordinal))[:_NEIGHBOURS]
            best = max(near, key=lambda candidate: _kinship(own, words[candidate]), default=None)
            if best is not None and _kinship(own, words[best]) >= ALIKE:
                matched[ordinal] = best
                del words[best]
    return matched


def _children(sections: Sequence[Heading]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for section in sections:
        if section.parent is not None:
            children.setdefault(section.parent, []).append(section.ordinal)
    return children


def _body(text: str, section: Heading) -> str:
    return text[section.start + len(section.heading) : section.end]


def _changes(old: Sequence[_Paragraph], new: Sequence[_Paragraph]) -> tuple[list[Change], int]:
    matcher = SequenceMatcher(None, [item.text for item in old], [item.text for item in new])
    changes: list[Change] = []
    unchanged = skipped = 0
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            unchanged += i_end - i
            skipped += i_end - i
            continue
        for before, after in _pairs(old[i:i_end], new[j:j_end]):
            if before is None and after is not None:
                changes.append(Change("added", after.section, "", after.text, skipped))
            elif before is not None and after is None:
                changes.append(Change("removed", before.section, before.text, "", skipped))
            elif before is not None and after is not None:
                changes.append(Change("changed", after.section, before.text, after.text, skipped))
            skipped = 0
    return changes, unchanged


def _pairs(old: Sequence[_Paragraph], new: Sequence[_Paragraph]) -> list[tuple[_Paragraph | None, _Paragraph | None]]:
    """What was replaced by what, in reading order: each paragraph with the one alike among the next few, or alone."""
    words = [_words(paragraph.text) for paragraph in new]
    pairs: list[tuple[_Paragraph | None, _Paragraph | None]] = []
    at = 0
    for before in old:
        own = _words(before.text)
        reach = range(at, min(len(new), at + _NEIGHBOURS))
        best = max(reach, key=lambda index: _likeness(own, words[index]), default=None)
        if best is None or _likeness(own, words[best]) < ALIKE:
            pairs.append((before, None))
            continue
        pairs += [(None, after) for after in new[at:best]]
        pairs.append((before, new[best]))
        at = best + 1
    return [*pairs, *((None, after) for after in new[at:])]


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Part of the words that both have, 0 to 1 (Dice); 0 where there are none."""
    together = one.total() + other.total()
    return 2 * (one & other).total() / together if together else 0.0


def _kinship(one: Counter[str], other: Counter[str]) -> float:
    """Likeness of two sections; one that holds nearly all the other says is the same one, grown or shortened."""
    smaller = min(one.total(), other.total())
    held = (one & other).total() / smaller if smaller else 0.0
    return held if held >= CONTAINED else _likeness(one, other)
