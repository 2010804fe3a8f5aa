"""The example campus is what its scripts make and what the main job asks of it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # examples are no package of the product
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False
    )


def test_generated_documents_are_what_the_script_makes() -> None:
    """Somebody who edits a source without building, or a PDF by hand, finds out here."""
    result = run("examples/build.py", "--check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_campus_is_large_and_mixed_enough() -> None:
    lines = run("examples/build.py", "--list").stdout.splitlines()
    formats = Counter(line.split()[0] for line in lines[:-1])
    words = sum(int(line.split()[1]) for line in lines[:-1])
    assert formats.total() >= 16
    assert words >= 12_000
    for extension, least in {"pdf": 3, "docx": 3, "pptx": 2, "html": 2, "md": 4, "txt": 2}.items():
        assert formats[extension] >= least, extension


def test_questions_paraphrase_and_quotes_stand_in_their_documents() -> None:
    result = run("examples/evaluation/check.py")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("handbuecher/coaching-handbuch.pdf.md", "Ein Coaching-Prozess umfasst höchstens zehn Sitzungen."),
        ("faq/faq-coaching.html", "Ein Coaching-Prozess umfasst höchstens acht Sitzungen"),
    ],
    ids=["handbook", "faq"],
)
def test_the_intended_contradiction_is_there(document: str, sentence: str) -> None:
    """Conflict detection is measured on this pair; an editor who makes the documents agree would silence it."""
    folder = "sources/documents" if document.endswith(".pdf.md") else "documents"
    assert sentence in (ROOT / "examples" / folder / document).read_text(encoding="utf-8")
