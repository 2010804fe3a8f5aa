"""`rag all` killed for real at points spread over its whole run, and finished by the next one as if nothing had been.

Few points, chosen alike each time; `proofs/test_crash.py` goes through as many as one likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from rag_assets_tests.system.installation import Installation, install
from rag_assets_tests.system.killing import AtCall, AtCommit, Point, count_commits, kill
from rag_assets_tests.system.knowledge_rows import Rows, assert_in_order, differences, give_namespace, knowledge

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

NAMESPACE = UUID("7d0f4a51-53a2-4d0c-9a05-0c5d7f5b7a10")
EIGHT = (
    "documents/buecher/zwanzig-jahre-campus.md",
    "documents/faq/faq-ausbildung.txt",
    "documents/faq/faq-coaching.html",
    "documents/handbuecher/glossar.md",
    "documents/skripte/grow-und-talk.md",
    "system_docs/anleitungen/buchungsplattform.html",
    "system_docs/anleitungen/videoraum.txt",
    "system_docs/betrieb/rollen-und-rechte.md",
)

# Between two writes that belong together.
BETWEEN_MODEL_AND_COMMIT = "rag_assets.models.embedding.hashing:HashingEmbedder.embed_passages"
BETWEEN_VECTORS_AND_STATUS = "rag_assets.stores.vectors.embedded:EmbeddedIndex.upsert"
BETWEEN_COMMIT_AND_EVENT = "rag_assets.offline.pipeline:run_stage"
BETWEEN_EVENT_AND_ITS_MARK = "rag_assets.ledger.stage_events:set_event"


@dataclass(frozen=True)
class Unkilled:
    """What a run that nobody killed came to."""

    rows: Rows
    commits: int


def installed(folder: Path) -> Installation:
    """Eight small documents, nothing built, uids that can be compared."""
    installation = install(folder, embedding="hashing", only=EIGHT)
    give_namespace(installation, NAMESPACE)
    return installation


def build_unkilled(folder: Path) -> Unkilled:
    """What everything is compared with."""
    installation = installed(folder)
    commits = count_commits(installation, "all", "--quiet")
    assert_in_order(installation)
    rows = knowledge(installation.home)
    for table in ("documents", "chunks", "vector_points", "entities", "relations", "statements", "evidence"):
        assert rows[table], f"nothing to compare in {table}"
    assert rows["documents"].total() == len(EIGHT)
    return Unkilled(rows, commits)


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Unkilled:
    return build_unkilled(tmp_path_factory.mktemp("unkilled") / "here")


def survives(unkilled: Unkilled, folder: Path, *points: Point) -> None:
    """Killed at each point, one after the other; the next run ends where an unkilled one does."""
    installation = installed(folder)
    for point in points:
        kill(installation, point)
    installation.rag("all", "--quiet")
    assert_in_order(installation)
    assert differences(unkilled.rows, knowledge(installation.home)) == {}


def test_killed_at_commits(unkilled, tmp_path):
    """Three kills of one build, each in the next run: in the scan, amid the documents, and near the end."""
    near_its_end = round(0.45 * unkilled.commits)
    survives(
        unkilled, tmp_path / "killed", AtCommit(9, "before"), AtCommit(60, "after"), AtCommit(near_its_end, "before")
    )


def test_killed_between_writes_that_belong_together(unkilled, tmp_path):
    """Four kills of one build: what one leaves behind is there when the next one comes."""
    survives(
        unkilled,
        tmp_path / "killed",
        AtCall(BETWEEN_MODEL_AND_COMMIT, 1),
        AtCall(BETWEEN_VECTORS_AND_STATUS, 2),
        AtCall(BETWEEN_COMMIT_AND_EVENT, 8),
        AtCall(BETWEEN_EVENT_AND_ITS_MARK, 4, "before"),
    )
