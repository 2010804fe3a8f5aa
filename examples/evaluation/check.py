"""Checks the evaluation sets: every gold quote stands in its document, within one sentence, and the questions paraphrase.

Paraphrase means: of a question's content words (no stop words, German Snowball stems) at most a third stand in the gold
passage, that is, in the paragraph around the quote (a stricter yardstick than the quote alone). Documents are read from
the text that people keep by hand: the file itself, or for generated formats its source. Nothing of the product is used.

    python examples/evaluation/check.py             # one line a set; exit 1 if a rule is broken
    python examples/evaluation/check.py --verbose   # and one line a question
"""

import html
import re
import sys
from pathlib import Path
from typing import Any

import snowballstemmer
import yaml

HERE = Path(__file__).resolve().parent
FOLDERS = {"campus": "documents", "system": "system_docs"}  # the names that sources.yaml gives these folders
LIMIT = 1 / 3
SETS = ("questions.yaml", "questions_heldout.yaml")
STOP_WORDS = frozenset(
    """aber alle allem allen aller alles als also am an andere anderen anderer anderes ander auch auf aus bei beim bin bis
    bist da dabei damit dann das dass daß dein deine dem den denen denn der deren des dessen dich die dies diese diesem
    diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einmal er es etwas euch euer eure eurem
    eurer euren für gegen haben habe hat hatte hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist
    ja jede jedem jeden jeder jedes jemand jemandem kann kein keine keinem keinen können könnte man manche mehr mein meine
    meinem meinen meiner mich mir mit muss muß müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine
    seinem seinen seiner seit selbst sich sie sind so sollte sollten sollen soll sondern sonst über um und uns unser unsere
    unter viel viele vom von vor wann war waren warum was weg weil weiter welche welchem welchen welcher welches wenn wer
    werde werden weshalb wie wieder will wir wird wo woher womit woran woraus wodurch wurde während zu zum zur zwar
    zwischen darf dürfen diejenige gerade überhaupt eigentlich trotzdem""".split()
)
STEM = snowballstemmer.stemmer("german").stemWord


def content_words(text: str) -> set[str]:
    """Stems of the words that carry meaning, in lower case."""
    return {STEM(word) for word in re.findall(r"[^\W_]+", text.lower()) if word not in STOP_WORDS}


def squeeze(text: str) -> str:
    """The text with every run of white space made one space."""
    return " ".join(text.split())


def paragraphs(source_path: str) -> list[str]:
    """A document's paragraphs, list items and table rows, white space squeezed, markup and footnote marks removed."""
    name, _, below = source_path.partition("/")
    path = HERE.parent / FOLDERS[name] / below
    kept = HERE.parent / "sources" / FOLDERS[name] / f"{below}.md"
    text = (kept if kept.exists() else path).read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = re.sub(r"</(p|li|h\d|tr|dd|dt|caption|blockquote)>", "\n\n", re.sub(r"\s+", " ", text))
        text = html.unescape(re.sub(r"<[^>]+>", "", text))
    elif path.suffix != ".txt":  # one paragraph is one line there
        text = re.sub(r"\[\^\w+\]|\?\?\? |\*", "", text).replace("\n", "\n\n")
    return [squeeze(part) for part in re.split(r"\n\s*\n", text) if part.strip()]


def faults(entry: dict[str, Any]) -> tuple[list[str], float]:
    """What is wrong with a question, and its overlap with the gold passage (0..1)."""
    if not entry["answerable"]:
        return ["has a gold passage though nothing answers it"] if "quote" in entry else [], 0.0
    found = [part for part in paragraphs(entry["document"]) if squeeze(entry["quote"]) in part]
    if len(found) != 1:
        return [f"quote stands in {len(found)} paragraphs"], 1.0
    wrong = []
    # An end of sentence before another one begins; abbreviations and numbers ("z. B. x", "ab 3. Mai") stay as they are.
    if re.search(r"[a-zäöüß]{3}[.!?] +[A-ZÄÖÜ]", entry["quote"]):
        wrong.append("quote passes the end of a sentence")
    asked = content_words(entry["question"])
    overlap = len(asked & content_words(found[0])) / len(asked)
    if overlap > LIMIT:
        wrong.append(f"shares {sorted(asked & content_words(found[0]))} of {sorted(asked)}")
    return wrong, overlap


def main() -> int:
    """Check all sets; returns the exit status."""
    broken, seen = 0, set[str]()
    for name in SETS:
        entries = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))["questions"]
        overlaps, documents = [], set()
        for entry in entries:
            wrong, overlap = faults(entry)
            if entry["id"] in seen:
                wrong.append("id is taken")
            seen.add(entry["id"])
            if entry["answerable"]:
                overlaps.append(overlap)
                documents.add(entry["document"])
            if "--verbose" in sys.argv:
                print(f"{entry['id']} {overlap:4.0%} {entry['question']}")
            for fault in wrong:
                print(f"{name} {entry['id']}: {fault}")
            broken += len(wrong)
        print(
            f"{name}: {len(overlaps)} answerable over {len(documents)} documents, {len(entries) - len(overlaps)} not; "
            f"overlap with the passage mean {sum(overlaps) / len(overlaps):.0%}, max {max(overlaps):.0%}"
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
