"""`make` as a stranger meets it: it explains itself, says what is missing, and does nothing twice."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rag_assets_tests.services import REPOSITORY

TARGETS = re.findall(r"^([a-z][a-z-]*):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)


def _make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_make_alone_lists_every_target() -> None:
    done = _make()
    assert done.returncode == 0
    assert {"run", "test", "lint", "bench", "prove", "ui", "lock"} <= set(TARGETS)
    for target in TARGETS:
        assert re.search(rf"^  make {target} +\S.{{10,}}", done.stdout, flags=re.MULTILINE), target


@pytest.mark.parametrize("script", sorted((REPOSITORY / "scripts").glob("*.sh")), ids=lambda path: path.name)
def test_script_is_sound_bash(script: Path) -> None:
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert script.stat().st_mode & 0o111


@pytest.fixture
def old_machine(tmp_path: Path) -> Path:
    """A folder of programs with everything that setting up needs but a Python that is new enough."""
    for program in ("bash", "env", "grep", "printf", "rm", "touch", "cat"):
        if found := shutil.which(program):
            (tmp_path / program).symlink_to(found)
    python = tmp_path / "python3"
    python.write_text("#!/usr/bin/env bash\nexit 1\n")
    python.chmod(0o755)
    return tmp_path


def test_old_python_is_named_as_the_reason(old_machine: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("project")
    done = subprocess.run(
        [str(REPOSITORY / "scripts/install.sh"), "requirements.lock", "stamp"],
        cwd=folder,
        env={"PATH": str(old_machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "No Python 3.11 or newer was found" in done.stderr
    assert "apt install python3" in done.stderr
    assert list(folder.iterdir()) == []
