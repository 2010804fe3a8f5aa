"""`rag all` on a disk that is really full, and again when there is space: a small tmpfs holds the home.

With 1800 KB the history of Dagster's runs meets it first, and then our database.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rag_assets_tests.cli.trouble import environment, lay, refused
from rag_assets_tests.system.installation import Result

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(300)]

# In a mount namespace of its own: whatever happens, the tmpfs goes with the last process.
SCRIPT = """
set -e
mkdir "$RAG_HOME"
mount -t tmpfs -o "size=${1}k" tmpfs "$RAG_HOME"
set +e
"$2" all --quiet > full.out 2> full.err
echo $? > full.status
set -e
mount -o remount,size=200m "$RAG_HOME"
"$2" all --quiet
cp -r "$RAG_HOME" kept
"""
SIZES = (1800,)
UNSHARE = ("unshare", "--mount", "--propagation", "private")


def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    try_it = [*UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(try_it, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", autouse=True)
def _mounts() -> None:
    if not _may_mount():
        pytest.skip("nobody may mount a tmpfs here (root may, outside of most containers)")


@pytest.mark.parametrize("kilobytes", SIZES)
def test_a_full_disk_is_told_and_the_next_run_goes_on(kilobytes: int, tmp_path: Path) -> None:
    place = lay(tmp_path / "place")
    rag = str(Path(sys.executable).parent / "rag")
    again = subprocess.run(
        [*UNSHARE, "sh", "-c", SCRIPT, "sh", str(kilobytes), rag],
        cwd=place,
        env=environment(place),
        capture_output=True,
        text=True,
        check=False,
    )
    status, out, err = ((place / f"full.{name}").read_text() for name in ("status", "out", "err"))
    full = Result(int(status), out, err)
    refused(full, 3, "disk_full", "Free space on the disk that holds RAG_HOME")
    assert (again.returncode, again.stderr) == (0, ""), again
    with closing(sqlite3.connect(place / "kept" / "rag.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        stages = connection.execute("SELECT stage, status, owner FROM document_stages").fetchall()
    assert len(stages) == 5
    assert {(status, owner) for _, status, owner in stages} == {("done", None)}
