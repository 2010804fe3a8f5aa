"""The documentation is complete and true: what it says of commands, settings and errors is made from the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from rag_assets.errors import CODES
from rag_assets_tests.services import REPOSITORY

DOCS = REPOSITORY / "docs"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("rag_docs", REPOSITORY / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", ["README.md", "docs/assets.md", "docs/commands.md", "docs/errors.md", "docs/settings.md", "docs/tables.md"]
)
def test_generated_blocks_are_what_the_code_says(generator, name):
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    assert "<!-- generated: " in text
    assert generator.render(text) == text, "run .venv/bin/python scripts/docs.py"


def test_every_code_that_is_raised_is_in_the_catalogue():
    """`RagError` refuses an unknown code only when it is raised; a rare one would be found out by a user."""
    raised = set()
    for file in (REPOSITORY / "rag_assets").rglob("*.py"):
        raised |= set(
            re.findall(
                r"(?:Usage|Settings|Document|Model|Store|Service|Rag)Error\(\s*\"([a-z_]+)\"",
                file.read_text(encoding="utf-8"),
            )
        )
    assert len(raised) > 20, "the pattern finds nothing any more"
    assert raised <= CODES.keys()


def test_every_command_teaches_with_examples(generator):
    """Somebody who asks for help sees how it is used, not only which options there are."""
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    verbs = re.findall(r"^## `rag (\w+)`", text, re.MULTILINE)
    assert len(verbs) == 12
    for verb in verbs:
        section = text.split(f"## `rag {verb}`")[1].split("\n## ")[0]
        assert "Examples:" in section, verb
        assert f"rag {verb}" in section.split("Examples:")[1], verb


def test_relative_links_lead_somewhere():
    for file in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text(encoding="utf-8")):
            assert (Path(file).parent / target).exists(), f"{file.name}: {target}"
