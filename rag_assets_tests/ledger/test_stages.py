"""The spine: what is planned, who may work, and what a claim survives."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, select, update

from rag_assets.errors import DocumentError
from rag_assets.ledger import fingerprints, owners, stage_events, stages
from rag_assets.ledger.stages import STAGES, Claim, StageRow
from rag_assets.stores.database import Database
from rag_assets.stores.schema.sources import Document, DocumentStage, DocumentVersion

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PARAMETERS = {stage: f"{stage} v1" for stage in STAGES}
# What a run computes for the document of `add_document`: its vectors carry its collection and type.
OWN = PARAMETERS | {"embeddings": "embeddings v1, documents, skript"}


def add_document(database: Database, name: str, *, sha256: str = "a" * 64) -> int:
    """A document whose present content has one version; returns the version's id."""
    with database.write() as connection:
        document = connection.execute(
            insert(Document).values(
                uid=f"uid-{name}",
                source_path=f"campus/{name}",
                source="campus",
                collection="documents",
                type="skript",
                language="de",
                partition_key=name,
                authority=0.5,
                half_life_years=5.0,
                audience="all",
                personal=False,
                local_only=False,
                status="pending",
                seen_sha256=sha256,
                created_at=NOW,
            )
        ).inserted_primary_key[0]  # type: ignore[index]
        version = connection.execute(
            insert(DocumentVersion).values(
                uid=f"version-{name}", document_id=document, number=1, sha256=sha256, byte_size=1, created_at=NOW
            )
        ).inserted_primary_key[0]  # type: ignore[index]
        return int(version)


def finish(database: Database, version: int, stage: str, upstream: str, *, made: str | None = None) -> str:
    """Take a stage to its end; returns the data version it stored."""
    expected = fingerprints.fingerprint(stage, upstream, OWN[stage])
    claim = stages.claim(database, version, stage, expected, lease_s=60)
    assert isinstance(claim, Claim)
    with database.write() as connection:
        stages.complete(connection, claim, data_version=made or f"{stage} made", counts={"rows": 3})
    return made or f"{stage} made"


def finish_all(database: Database, version: int, sha256: str = "a" * 64) -> None:
    made = {"documents": finish(database, version, "documents", sha256)}
    for stage in STAGES[1:]:
        upstream = stages.UPSTREAM[stage]
        assert upstream is not None
        made[stage] = finish(database, version, stage, made[upstream])


def planned(database: Database, **options: object) -> list[tuple[str, ...]]:
    with database.read() as connection:
        return [entry.stages for entry in stages.plan(connection, PARAMETERS, **options)]  # type: ignore[arg-type]


def test_a_new_document_needs_every_stage(database: Database) -> None:
    add_document(database, "neu")
    assert planned(database) == [STAGES]
    # `process` builds knowledge without vectors.
    without = ("documents", "chunks", "entities", "statements")
    assert planned(database, stages=without) == [without]
    # Vectors alone cannot be made of what was not read.
    assert planned(database, stages=("embeddings",)) == []


def test_a_finished_document_needs_nothing(database: Database) -> None:
    finish_all(database, add_document(database, "fertig"))
    assert planned(database) == []


def test_changed_content_needs_every_stage_again(database: Database) -> None:
    finish_all(database, add_document(database, "geändert"))
    with database.write() as connection:
        connection.execute(update(Document).values(seen_sha256="b" * 64))
    assert planned(database) == [STAGES]


@pytest.mark.parametrize(
    ("changed", "needed"),
    [
        ("statements", ("statements",)),
        ("entities", ("entities", "statements")),
        ("embeddings", ("embeddings",)),
        ("chunks", STAGES[1:]),
    ],
)
def test_a_changed_parameter_touches_what_depends_on_it(
    database: Database, changed: str, needed: tuple[str, ...]
) -> None:
    finish_all(database, add_document(database, "stand"))
    parameters = PARAMETERS | {changed: "v2"}
    with database.read() as connection:
        assert [entry.stages for entry in stages.plan(connection, parameters)] == [needed]


def test_a_terminal_failure_waits_for_new_content_or_a_retry(database: Database) -> None:
    version = add_document(database, "kaputt")
    expected = fingerprints.fingerprint("documents", "a" * 64, PARAMETERS["documents"])
    claim = stages.claim(database, version, "documents", expected, lease_s=60)
    assert isinstance(claim, Claim)
    with database.write() as connection:
        stages.fail(connection, claim, "damaged")
    assert planned(database) == []
    assert planned(database, retry_failed=True) == [STAGES]
    with database.write() as connection:
        connection.execute(update(Document).values(seen_sha256="b" * 64))
    assert planned(database) == [STAGES]


def test_a_transient_failure_is_tried_again(database: Database) -> None:
    version = add_document(database, "später")
    made = finish(database, version, "documents", "a" * 64)
    made = finish(database, version, "chunks", made)
    claim = stages.claim(
        database, version, "embeddings", fingerprints.fingerprint("embeddings", made, OWN["embeddings"]), lease_s=60
    )
    assert isinstance(claim, Claim)
    with database.write() as connection:
        stages.fail(connection, claim, "model_unreachable")
    assert planned(database) == [("embeddings", "entities", "statements")]


def test_another_collection_makes_the_vectors_anew(database: Database) -> None:
    finish_all(database, add_document(database, "umgezogen"))
    with database.write() as connection:
        connection.execute(update(Document).values(collection="system_docs"))
    assert planned(database) == [("embeddings",)]


def test_removed_documents_are_left_out(database: Database) -> None:
    add_document(database, "weg")
    with database.write() as connection:
        connection.execute(update(Document).values(removed_at=NOW))
    assert planned(database) == []


def test_a_claim_of_a_living_process_is_kept(database: Database) -> None:
    version = add_document(database, "belegt")
    expected = fingerprints.fingerprint("documents", "a" * 64, PARAMETERS["documents"])
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        hand_over(database, version, expected, other.pid)
        with pytest.raises(DocumentError, match="claimed"):
            stages.claim(database, version, "documents", expected, lease_s=60, wait_s=0)
        other.communicate(b"\n")
    # Dead now: the lease has an hour to go, and still nobody waits for it.
    assert isinstance(stages.claim(database, version, "documents", expected, lease_s=60, wait_s=0), Claim)


def hand_over(database: Database, version: int, expected: str, pid: int) -> None:
    """Let another process of this host own the claim, for an hour."""
    assert isinstance(stages.claim(database, version, "documents", expected, lease_s=3600), Claim)
    with database.write() as connection:
        connection.execute(update(DocumentStage).values(owner=owners.of_process(pid)))


def test_a_claim_of_an_unknown_host_ends_with_its_lease(database: Database) -> None:
    version = add_document(database, "fern")
    expected = fingerprints.fingerprint("documents", "a" * 64, PARAMETERS["documents"])
    assert isinstance(stages.claim(database, version, "documents", expected, lease_s=3600), Claim)
    with database.write() as connection:
        connection.execute(update(DocumentStage).values(owner="anderswo:boot:1:1"))
    with pytest.raises(DocumentError, match="claimed"):
        stages.claim(database, version, "documents", expected, lease_s=60, wait_s=0)
    with database.write() as connection:
        connection.execute(update(DocumentStage).values(lease_until=datetime.now(UTC) - timedelta(seconds=1)))
    assert isinstance(stages.claim(database, version, "documents", expected, lease_s=60, wait_s=0), Claim)


def test_a_claim_is_kept_while_work_goes_on_and_no_longer(database: Database) -> None:
    version = add_document(database, "a")
    claim = stages.claim(database, version, "documents", "f", lease_s=60)
    assert isinstance(claim, Claim)
    ends = select(DocumentStage.lease_until).where(DocumentStage.document_version_id == version)

    def lease() -> datetime | None:
        with database.read() as connection:
            return connection.execute(ends).scalar_one()

    first = lease()
    assert first is not None
    stages.renew(database, claim, lease_s=3600)
    renewed = lease()
    assert renewed is not None
    assert renewed - first > timedelta(seconds=3500)
    with database.write() as connection:
        stages.complete(connection, claim, data_version="made", counts={})
    stages.renew(database, claim, lease_s=3600)
    assert lease() is None


def test_who_lost_the_claim_cannot_complete(database: Database) -> None:
    version = add_document(database, "verloren")
    expected = fingerprints.fingerprint("documents", "a" * 64, PARAMETERS["documents"])
    claim = stages.claim(database, version, "documents", expected, lease_s=60)
    assert isinstance(claim, Claim)
    with database.write() as connection:
        connection.execute(update(DocumentStage).values(owner="anderswo:boot:1:1"))
    with pytest.raises(DocumentError, match="claimed"), database.write() as connection:
        stages.complete(connection, claim, data_version="x", counts={})
    with database.read() as connection:
        assert stages.rows_of(connection, version)["documents"].status == "running"


def test_what_another_did_meanwhile_is_taken_over(database: Database) -> None:
    version = add_document(database, "doppelt")
    made = finish(database, version, "documents", "a" * 64)
    expected = fingerprints.fingerprint("documents", "a" * 64, PARAMETERS["documents"])
    row = stages.claim(database, version, "documents", expected, lease_s=60)
    assert isinstance(row, StageRow)
    assert row.data_version == made
    assert row.counts == {"rows": 3}


def test_finished_work_waits_for_its_dagster_event(database: Database) -> None:
    version = add_document(database, "ohne-ereignis")
    finish(database, version, "documents", "a" * 64)
    with database.write() as connection:
        assert [(key, row.stage) for key, _, row in stage_events.without_event(connection)] == [
            ("ohne-ereignis", "documents")
        ]
        stage_events.set_event(connection, version, "documents", 17)
        assert stage_events.without_event(connection) == []


def test_invalidated_work_is_planned_again(database: Database) -> None:
    version = add_document(database, "zurück")
    finish_all(database, version)
    with database.write() as connection:
        stages.invalidate(connection, [version], ("chunks", "embeddings"))
    # Chunks come back as they were; what follows is planned and found up to date when its turn comes.
    assert planned(database) == [STAGES[1:]]
    with database.read() as connection:
        assert connection.scalar(select(DocumentStage.status).where(DocumentStage.stage == "entities")) == "done"
