"""Generated German documents: sentences of our own example campus, drawn anew for each document from a seed.

So the text is real German with real names and facts for every stage to work on, in any number of documents, and the
same on every machine.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from benchmarks.measuring import PROJECT
from rag_assets.text.sentences import sentence_spans

SECTIONS = 6
PARAGRAPHS = 4
SENTENCES = 5

_FAMILY_NAMES = (
    "Ahrendt Brockmeier Czerny Dornseif Engelhardt Fröhlich Großmann Hölzel Jäckel Köster Lüders Möbius".split()
)
_GIVEN_NAMES = "Anneliese Bernd Cornelia Detlef Elfriede Friedhelm Gudrun Hartmut Ingeborg Jürgen Käthe Lothar".split()


@cache
def sentences() -> tuple[str, ...]:
    """All whole sentences of the campus's Markdown and text documents, in order."""
    found: dict[str, None] = {}
    for file in sorted((PROJECT / "examples" / "documents").rglob("*")):
        if file.suffix in {".md", ".txt"}:
            for paragraph in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
                if re.match(r"[A-ZÄÖÜ„]", paragraph):
                    text = " ".join(re.sub(r"[*_`]|\[\^\w+\]", "", paragraph).split())
                    found.update(dict.fromkeys(text[start:end].strip() for start, end in sentence_spans(text)))
    return tuple(sentence for sentence in found if 40 <= len(sentence) <= 300 and sentence.endswith("."))


@cache
def headings() -> tuple[str, ...]:
    """Headings of the campus's Markdown documents."""
    found: dict[str, None] = {}
    for file in sorted((PROJECT / "examples" / "documents").rglob("*.md")):
        found.update(dict.fromkeys(re.findall(r"^## (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)))
    return tuple(found)


def document(number: int, *, seed: int = 1) -> tuple[str, list[tuple[str, list[str]]]]:
    """Title, and sections with their paragraphs; about 1,700 words. Equal arguments give equal documents."""
    chance = random.Random(f"{seed}:{number}")
    person = f"{chance.choice(_GIVEN_NAMES)} {chance.choice(_FAMILY_NAMES)}"
    title = f"Skript {number}: {chance.choice(headings())}"
    sections = []
    for heading in chance.sample(headings(), SECTIONS):
        paragraphs = [" ".join(chance.sample(sentences(), SENTENCES)) for _ in range(PARAGRAPHS)]
        paragraphs[0] = f"{person} entwickelte die Methode {number} im Jahr {1950 + number % 70}. {paragraphs[0]}"
        sections.append((heading, paragraphs))
    return title, sections


def markdown(number: int, *, seed: int = 1) -> str:
    """The document as Markdown."""
    title, sections = document(number, seed=seed)
    parts = [f"# {title}"]
    for heading, paragraphs in sections:
        parts += [f"## {heading}", *paragraphs]
    return "\n\n".join(parts) + "\n"


def write_markdown(folder: Path, numbers: Sequence[int], *, seed: int = 1) -> None:
    """Write these documents into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"skript-{number:04}.md").write_text(markdown(number, seed=seed), encoding="utf-8")


def write_sources(file: Path, folder: Path) -> Path:
    """A sources.yaml that watches the folder."""
    file.write_text(
        f"sources:\n  - {{name: bench, folder: '{folder}', collection: documents, type: skript}}\n", encoding="utf-8"
    )
    return file
