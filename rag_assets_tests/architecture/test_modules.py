"""Each module: says what it is for, stays readable in one go, and keeps pure rooms pure where imports do not show it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rag_assets_tests.architecture.repository import modules, parsed, relative
from rag_assets_tests.services import REPOSITORY

# "Under about 300": a tenth of tolerance, so that nobody splits a module for three lines.
LONGEST_MODULE = 330
LONGEST_TEST = 500

TEST_PACKAGE = "rag_assets_tests"
SPLIT = {
    "rag_assets/models/extraction/rules",
    "rag_assets/stores/schema",
    "rag_assets/web/static",
    "rag_assets/web/templates",
}

PACKAGE = list(modules())
TESTS = list(modules(TEST_PACKAGE))
PURE = [path for path in PACKAGE if relative(path).split("/")[1] in {"knowledge", "text"}]

# What is impure without an import that gives it away: files, the screen, the clock, chance.
IMPURE_CALLS = {
    "open", "print", "input", "now", "utcnow", "today", "uuid1", "uuid4", "getenv", "read_text", "write_text",
    "read_bytes", "write_bytes", "import_module", "__import__",
}  # fmt: skip


@pytest.mark.parametrize("path", PACKAGE + TESTS, ids=relative)
def test_says_what_it_is_for(path: Path) -> None:
    assert (ast.get_docstring(parsed(path)) or "").strip(), f"{relative(path)} has no docstring"


@pytest.mark.parametrize("path", PACKAGE + TESTS, ids=relative)
def test_can_be_read_in_one_go(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    longest = LONGEST_MODULE if path in PACKAGE else LONGEST_TEST
    assert lines <= longest, f"{relative(path)} has {lines} lines: split it by what it is about"


@pytest.mark.parametrize("path", PURE, ids=relative)
def test_pure_module_does_no_io_and_takes_no_clock_or_chance(path: Path) -> None:
    called = {
        (node.lineno, name)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and (name := getattr(node.func, "id", None) or getattr(node.func, "attr", None)) in IMPURE_CALLS
    }
    assert not called, f"{relative(path)} calls {sorted(called)}"


def test_rooms_have_their_tests_beside_them() -> None:
    """The tests mirror the packages, so that a newcomer finds them without searching."""
    rooms = {relative(path.parent) for path in PACKAGE}
    assert "rag_assets/offline" in rooms
    missing = sorted(room for room in rooms if not (REPOSITORY / room.replace("rag_assets", TEST_PACKAGE, 1)).is_dir())
    # What is split into a folder only for length is tested with the folder above.
    assert [room for room in missing if room not in SPLIT] == []
