"""Who may import whom: the contracts in pyproject.toml hold, and they would notice if they did not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rag_assets_tests.services import REPOSITORY

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

# (module that sins, what it must not import). One of every kind that the architecture forbids.
SINS = [
    ("online/sin.py", "rag_assets.offline"),
    ("offline/sin.py", "rag_assets.online"),
    ("readers/sin.py", "rag_assets.stores"),
    ("models/sin.py", "rag_assets.readers"),
    ("stores/sin.py", "rag_assets.models"),
    ("knowledge/sin.py", "rag_assets.stores"),
    ("text/sin_settings.py", "rag_assets.config"),
    ("text/sin_files.py", "pathlib"),
    ("knowledge/sin_clock.py", "time"),
    ("knowledge/sin_chance.py", "random"),
    ("governance/sin.py", "dagster"),
    ("cli/sin.py", "sqlalchemy"),
    ("orchestration/sin.py", "starlette"),
    ("offline/sin_sdk.py", "ollama"),
    ("models/embedding/sin_sdk.py", "qdrant_client"),
    ("offline/sin_reader.py", "pypdfium2"),
    ("a_room_nobody_planned.py", "rag_assets.errors"),
]


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(LINT_IMPORTS), "--no-logo", "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_contracts_hold() -> None:
    done = _lint(REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def verdict_on_sins(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say about a copy of the package into which every sin was put."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(REPOSITORY / "rag_assets", folder / "rag_assets", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for module, imported in SINS:
        (folder / "rag_assets" / module).write_text(f'"""A module that imports too much."""\n\nimport {imported}\n')
    done = _lint(folder)
    assert done.returncode != 0
    return done.stdout


@pytest.mark.parametrize(("module", "imported"), SINS, ids=[f"{module}-{imported}" for module, imported in SINS])
def test_contracts_notice(module: str, imported: str, verdict_on_sins: str) -> None:
    """A contract that never complains may be one that looks at nothing."""
    name = "rag_assets." + module.removesuffix(".py").replace("/", ".")
    if "/" not in module:
        # Not a forbidden import, but a module without a place in the layers.
        assert name.removeprefix("rag_assets.") in verdict_on_sins
    else:
        assert f"{name} -> {imported}" in verdict_on_sins
