"""The locks: complete, exact, the same for everybody, without an address, and as new as pyproject.toml."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rag_assets_tests.architecture.repository import project
from rag_assets_tests.services import REPOSITORY

# Lock -> the extras that are in it. Each contains the one before it.
LOCKS: Final = {
    "requirements.lock": (),
    "requirements-server.lock": ("mariadb", "qdrant", "ollama", "claude", "openai"),
    "requirements-dev.lock": ("mariadb", "qdrant", "ollama", "claude", "openai", "dev"),
}

_ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?==(?P<version>\S+)(?P<marker> ;.*?)? \\$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


@cache
def _locked(lock: str) -> dict[str, set[str]]:
    """Package -> its locked versions; more than one where they differ by Python version or platform."""
    found: dict[str, set[str]] = {}
    for line in (REPOSITORY / lock).read_text(encoding="utf-8").splitlines():
        if entry := _ENTRY.match(line):
            found.setdefault(canonicalize_name(entry["name"]), set()).add(entry["version"])
    return found


def _declared(extras: tuple[str, ...]) -> list[Requirement]:
    description = project()
    lines = [*description["project"]["dependencies"], *description["dependency-groups"]["build"]]
    for extra in extras:
        lines += description["project"]["optional-dependencies"][extra]
    requirements = [Requirement(line) for line in lines]
    return [requirement for requirement in requirements if requirement.name != description["project"]["name"]]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_is_an_exact_version_a_hash_or_a_comment(lock: str) -> None:
    """No option, no address, no path: each machine takes its own index, and pip refuses what does not match."""
    for line in (REPOSITORY / lock).read_text(encoding="utf-8").splitlines():
        assert _ENTRY.match(line) or _HASH.match(line) or re.fullmatch(r" +# (via( \S+)?|  .+)?( .*)?", line), line
        assert "://" not in line


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_answers_what_the_project_asks_for(lock: str) -> None:
    """After a change of dependencies comes `make lock`."""
    locked = _locked(lock)
    for requirement in _declared(LOCKS[lock]):
        versions = locked.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement.name} is not in {lock}: run `make lock`"
        assert all(requirement.specifier.contains(version) for version in versions), f"{requirement} and {versions}"


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_nothing_that_the_project_no_longer_asks_for(lock: str) -> None:
    asked = {canonicalize_name(requirement.name) for requirement in _declared(LOCKS[lock])}
    name = ""
    direct = set()
    for line in (REPOSITORY / lock).read_text(encoding="utf-8").splitlines():
        if entry := _ENTRY.match(line):
            name = canonicalize_name(entry["name"])
        elif line.strip(" #").removeprefix("via ") in {
            "rag-assets (pyproject.toml)",
            "rag-assets (pyproject.toml:build)",
        }:
            direct.add(name)
    assert len(direct) > 10, "the comments of the lock are not understood"
    assert direct <= asked, f"run `make lock`: {sorted(direct - asked)}"


def test_everybody_runs_the_same_versions() -> None:
    users, server, developers = (_locked(lock) for lock in LOCKS)
    for small, large in ((users, server), (server, developers)):
        assert small.keys() < large.keys()
        assert {name: large[name] for name in small} == small


def test_users_get_no_tools_of_developers() -> None:
    assert (
        not {"pytest", "mypy", "ruff", "hypothesis", "reportlab", "uv", "dagster-dg-cli"}
        & _locked("requirements.lock").keys()
    )


def test_build_backend_is_the_locked_one() -> None:
    """Installing the project fetches nothing that the lock does not name."""
    [backend] = [Requirement(line) for line in project()["build-system"]["requires"]]
    assert {f"{backend.name}=={version}" for version in _locked("requirements.lock")[backend.name]} == {str(backend)}


def test_lock_is_complete() -> None:
    """It is installed without resolving (--no-deps), so a missing package would only be found when it is imported."""
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
