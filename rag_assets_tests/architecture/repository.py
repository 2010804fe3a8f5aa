"""The repository as the architecture tests see it: its files, its modules, its description."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from rag_assets_tests.services import REPOSITORY


@cache
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


@cache
def files() -> tuple[Path, ...]:
    """Every file that belongs to the repository: under version control, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return tuple(path for name in sorted(set(listed.split("\0"))) if name and (path := REPOSITORY / name).is_file())


def modules(package: str = "rag_assets") -> Iterator[Path]:
    """The Python files of a package, without migrations: those are history, one file each."""
    for path in sorted((REPOSITORY / package).rglob("*.py")):
        if "migrations" not in path.parts:
            yield path


def parsed(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def relative(path: Path) -> str:
    """A path as people read it."""
    return path.relative_to(REPOSITORY).as_posix()
