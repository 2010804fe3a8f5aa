"""`rag all` killed for real between writes that belong together, and finished by the next one as if nothing had been.

Few points, chosen alike each time; `proofs/test_crash.py` goes over the whole run, with as many as one likes.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from rag_assets.orchestration.instance import open_instance
from rag_assets_tests.system.installation import CAMPUS, Installation, install
from rag_assets_tests.system.killing import AtCall, Of, Point, count_commits, finish, interrupt, kill
from rag_assets_tests.system.knowledge_rows import Rows, assert_in_order, differences, knowledge, set_up, settings_of

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
_LENGTH = 1800
"""So much of each, in characters: enough for several chunks, entities in common, and relations."""

# Between two writes that belong together.
BETWEEN_MODEL_AND_COMMIT = "rag_assets.models.embedding.hashing:HashingEmbedder.embed_passages"
BETWEEN_VECTORS_AND_STATUS = "rag_assets.stores.vectors.embedded:EmbeddedIndex.upsert"
BETWEEN_COMMIT_AND_EVENT = "rag_assets.offline.pipeline:run_stage"
BETWEEN_EVENT_AND_ITS_MARK = "rag_assets.ledger.stage_events:set_event"


@dataclass(frozen=True)
class Work:
    """Something for `rag all` to do, and what it comes to when nobody kills it."""

    before: Installation
    rows: Rows
    commits: dict[Of, int]


def fresh(folder: Path, only: tuple[str, ...] = EIGHT) -> Installation:
    """The beginnings of some documents; no database yet."""
    installation = install(folder, embedding="hashing", only=only)
    for name in only:
        file = folder / "examples" / name
        file.write_text(file.read_text(encoding="utf-8")[:_LENGTH].rpartition("\n")[0], encoding="utf-8")
    return installation


def eight_documents(folder: Path) -> Installation:
    """Eight of them with empty databases; uids can be compared with those of another one."""
    installation = fresh(folder)
    set_up(installation, namespace=NAMESPACE)
    return installation


def build(folder: Path) -> Work:
    """The first `rag all` over eight documents."""
    return work(eight_documents(folder / "before"), folder / "unkilled")


def update(built: Work, folder: Path) -> Work:
    """The next `rag all`, after two of them were edited, one moved, one removed, and one added."""
    before = built.before.copied(folder / "before")
    finish(before)
    places = before.folder / "examples"
    for name, old, new in (
        ("documents/handbuecher/glossar.md", "Coaching", "Coaching und Beratung"),
        ("documents/faq/faq-ausbildung.txt", "Ausbildung", "Weiterbildung"),
    ):
        text = (places / name).read_text(encoding="utf-8")
        assert old in text
        (places / name).write_text(text.replace(old, new), encoding="utf-8")
    (places / "system_docs/anleitungen/videoraum.txt").unlink()
    (places / "documents/skripte/grow-und-talk.md").rename(places / "documents/buecher/grow-und-talk.md")
    shutil.copyfile(CAMPUS / "documents/skripte/fragetechniken.md", places / "documents/skripte/fragetechniken.md")
    return work(before, folder / "unkilled")


def work(before: Installation, folder: Path) -> Work:
    """Do it in a copy."""
    installation = before.copied(folder)
    commits = count_commits(installation)
    assert_in_order(installation)
    rows = knowledge(installation)
    for table in ("documents", "chunks", "vector_points", "entities", "relations", "statements", "evidence"):
        assert rows[table], f"nothing to compare in {table}"
    return Work(before, rows, commits)


def survives(work: Work, folder: Path, *points: Point) -> None:
    """Killed at each point, one after the other; the next run ends where an unkilled one does."""
    installation = work.before.copied(folder)
    for point in points:
        kill(installation, point)
    finish(installation)
    assert_as_unkilled(work, installation)


def assert_as_unkilled(work: Work, installation: Installation) -> None:
    """In order, and the same rows."""
    assert_in_order(installation)
    found = differences(work.rows, knowledge(installation))
    assert found == {}, found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Work:
    return build(tmp_path_factory.mktemp("build"))


@pytest.mark.long
def test_killed_between_writes_that_belong_together(built, tmp_path):
    """Four kills of one build: what one leaves behind is there when the next one comes."""
    survives(
        built,
        tmp_path / "killed",
        AtCall(BETWEEN_MODEL_AND_COMMIT, 1),
        AtCall(BETWEEN_VECTORS_AND_STATUS, 2),
        AtCall(BETWEEN_COMMIT_AND_EVENT, 8),
        AtCall(BETWEEN_EVENT_AND_ITS_MARK, 4, "before"),
    )


@pytest.mark.long
def test_interrupted_it_says_so_once_and_goes_on(built, tmp_path):
    installation = built.before.copied(tmp_path / "interrupted")
    for name, number in (
        ("rag_assets.orchestration.instance:prepare_home", 1),
        ("rag_assets.readers.worker:_receive", 2),
        (BETWEEN_MODEL_AND_COMMIT, 1),
        (BETWEEN_VECTORS_AND_STATUS, 2),
        (BETWEEN_COMMIT_AND_EVENT, 8),
        (BETWEEN_EVENT_AND_ITS_MARK, 4),
    ):
        told = interrupt(installation, name, number)
        assert told.strip() == "rag: interrupted; what was done is kept, run again to go on", name
        with open_instance(settings_of(installation)) as dagster:
            assert [run.run_id for run in dagster.get_runs() if not run.is_finished] == []
        assert installation.query("SELECT stage FROM document_stages WHERE owner IS NOT NULL") == [], name
    finish(installation)
    assert_as_unkilled(built, installation)
