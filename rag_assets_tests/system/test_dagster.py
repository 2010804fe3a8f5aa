"""Dagster as a person runs it: webserver and daemon as processes of their own, everything through the pages' GraphQL.

Nothing is stood in for: real runs, launched by the daemon, each a process. The pair is started once for the module;
each test works on a source of its own, whose sensor is off until the test switches it on.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_assets.ledger.stages import STAGES
from rag_assets_tests.system.dagster_pages import Pages, metadata
from rag_assets_tests.system.dagster_processes import DagsterProcesses
from rag_assets_tests.system.installation import Installation

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(3600)]

# Stands in every sentence of every document, so that whatever is quoted from one holds it; no word has letters of its
# own kind, so that no encoding hides it.
CANARY = "Kanarienvogelgezwitscher"
SOURCES = ("vorrat", "wandel", "nacht", "absturz", "sturz")
GREEN = dict.fromkeys(STAGES, "green")
RED = dict.fromkeys(STAGES, "red")
QUESTION = "Wie viele Tage dauert das Bergfest?"
BROKEN_PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n"
FORMATS = (
    "Hospitation", "Supervision", "Fallarbeit", "Lerntandem", "Moderation", "Intervision", "Sprechstunde", "Exkursion",
    "Kolloquium",
)  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Webserver and daemon over a fresh home; no sensor is on."""
    installation = Installation(tmp_path_factory.mktemp("dagster"), "hashing")
    for name in SOURCES:
        (installation.folder / name).mkdir()
    (installation.folder / "sources.yaml").write_text("sources:\n" + "".join(map(_source, SOURCES)))
    installation.rag("status", "--json")  # makes the database, which the tests look into from the first moment on
    processes = DagsterProcesses(installation)
    try:
        processes.make_home()
        processes.start_webserver()
        found = Pages(processes)
        for sensor in found.sensors():
            found.switch(sensor, on=False)
        processes.start_daemon()
        yield found
    finally:
        processes.stop()


@pytest.fixture(autouse=True)
def _no_text_in_dagster(pages: Pages) -> Iterator[None]:
    """Whatever a test did: no word of a document is in Dagster's home or in what its processes printed."""
    yield
    files = [file for root in (pages.processes.dagster_home, pages.processes.logs) for file in root.rglob("*")]
    contents = {str(file): file.read_bytes() for file in files if file.is_file()}
    with closing(sqlite3.connect(pages.processes.dagster_home / "history" / "runs.db")) as database:
        for number, packed in database.execute("SELECT id, snapshot_body FROM snapshots"):
            contents[f"snapshot {number}"] = zlib.decompress(packed)
    assert any(b"rag_assets" in content for content in contents.values()), "the history is looked at where it lies"
    assert [name for name, content in contents.items() if CANARY.encode() in content] == []


@pytest.fixture(scope="module")
def stock(pages: Pages) -> dict[str, str]:
    """Nine good documents and a broken one, known to Dagster: partition key by file name. Nothing is built."""
    folder = pages.processes.installation.folder / "vorrat"
    for days, subject in enumerate(FORMATS, start=2):
        write(folder, subject, days)
    (folder / "zettel.md").write_bytes(BROKEN_PDF)
    run = pages.launch("scan")
    assert pages.ended(run) == "SUCCESS"
    (output,) = pages.events(run, "ExecutionStepOutputEvent")
    assert metadata(output)["added"] >= 10
    assert set(keys_of(pages, "vorrat").values()) <= set(pages.partition_keys())
    return keys_of(pages, "vorrat")


@pytest.fixture(scope="module")
def first(pages: Pages, stock: dict[str, str]) -> str:
    """One document materialised from the pages: the id of the run."""
    return pages.materialise(STAGES, stock["hospitation.md"])


def test_one_document_is_materialised(pages, stock, first):
    assert pages.ended(first) == "SUCCESS", pages.events(first)
    key = stock["hospitation.md"]
    assert pages.colours([key]) == {key: GREEN}
    made = pages.events(first, "MaterializationEvent")
    assert [event["assetKey"]["path"] for event in made] == [[stage] for stage in STAGES]
    assert {(event["partition"], metadata(event)["outcome"]) for event in made} == {(key, "done")}
    assert metadata(made[0])["characters"] > 0
    assert {pages.stale(stage, key) for stage in STAGES} == {"FRESH"}


def test_a_backfill_of_ten_with_a_broken_one_which_is_mended(pages, stock, first):
    pages.ended(first)
    bad = stock["zettel.md"]
    good = {key for key in stock.values() if key != bad}
    ended = pages.backfill_ended(pages.backfill(STAGES, list(stock.values())))
    assert ended["status"] == "COMPLETED_FAILED"
    assert pages.colours(stock.values()) == dict.fromkeys(good, GREEN) | {bad: RED}
    (run,) = ended["runs"]
    (failure,) = pages.events(run["id"], "ExecutionStepFailureEvent")
    said = failure["failureMetadata"]["description"]
    assert f"{bad}: documents: damaged" in said
    assert "repair or export it again" in said, "what to do"
    assert said in failure["error"]["message"], "where the run's page shows it"

    # Mended and asked for again, by hand and at once: nobody has to know that a scan comes first.
    write(pages.processes.installation.folder / "vorrat", "Zettel", 3)
    again = pages.materialise(("documents", "chunks"), bad)
    assert pages.ended(again) == "SUCCESS", pages.events(again)
    mended = pages.colours([bad])[bad]
    assert (mended["documents"], mended["chunks"]) == ("green", "green")

    # `entities` alone: made where they are missing, looked at where they are there, and nothing else is touched.
    ended = pages.backfill_ended(pages.backfill(("entities",), list(stock.values())))
    assert ended["status"] == "COMPLETED_SUCCESS", ended
    made = [event for run in ended["runs"] for event in pages.events(run["id"], "MaterializationEvent")]
    assert {event["assetKey"]["path"][0] for event in made} == {"entities"}
    assert {event["partition"]: metadata(event)["outcome"] for event in made} == dict.fromkeys(good, "skipped") | {
        bad: "done"
    }
    stages = status(pages)["vorrat/zettel.md"]["stages"]
    assert stages["entities"] == "done"
    assert "done" not in {stages.get("embeddings"), stages.get("statements")}
    rest = pages.materialise(("embeddings", "statements"), bad)
    assert pages.ended(rest) == "SUCCESS", pages.events(rest)
    assert pages.colours(stock.values()) == dict.fromkeys(stock.values(), GREEN)


def test_a_question_is_answered_with_sources(pages, stock, first):
    pages.ended(first)
    config = {"ops": {"answer_question": {"config": {"question": "Wie viele Tage dauert die Hospitation?"}}}}
    run = pages.launch("query_job", config)
    assert pages.ended(run) == "SUCCESS", pages.events(run)
    (output,) = pages.events(run, "ExecutionStepOutputEvent")
    told = metadata(output)
    assert told["outcome"] == "answered"
    installation = pages.processes.installation
    ((answer, sources),) = installation.query(
        "SELECT m.content, (SELECT count(*) FROM chat_sources s WHERE s.message_id = m.id)"
        " FROM chat_messages m WHERE m.uid = :uid",
        uid=told["message"],
    )
    assert "dauert 2 Tage" in answer
    assert CANARY in answer, "the quoted sentence is the document's"
    assert sources == told["sources"] > 0
    assert told["knowledge_version"] == version_of(pages)


def test_the_sensor_follows_the_folder_and_answers_follow_the_sensor(pages):
    """Added, edited, moved, deleted, at once; a broken document beside them, which holds up nobody and no graph."""
    folder = pages.processes.installation.folder / "wandel"
    for subject in ("Bergfest", "Chorprobe", "Dorftanz"):
        write(folder, subject, 4)
    (folder / "schaden.md").write_bytes(BROKEN_PDF)
    with switched_on(pages, "source_wandel"):
        pages.processes.until("the first build", lambda: all_green(pages, "wandel", but="schaden.md"))
        before = keys_of(pages, "wandel")
        assert source_of(pages, "Wie viele Tage dauert die Chorprobe?") == "wandel/chorprobe.md"

        write(folder, "Abendessen", 5)
        write(folder, "Bergfest", 6)
        (folder / "unten").mkdir()
        (folder / "chorprobe.md").rename(folder / "unten" / "chor.md")
        (folder / "dorftanz.md").unlink()
        pages.processes.until(
            "the folder as it is now",
            lambda: (
                set(keys_of(pages, "wandel")) == {"abendessen.md", "bergfest.md", "chor.md", "schaden.md"}
                and runs_are_over(pages)
            ),
        )
        pages.processes.until("the second build", lambda: all_green(pages, "wandel", but="schaden.md"))
        pages.processes.until("the edited answer", lambda: "6 Tage" in ask(pages, QUESTION)["answer"])
        pages.processes.until("the end of all runs", lambda: runs_are_over(pages))
    after = keys_of(pages, "wandel")
    assert after["chor.md"] == before["chorprobe.md"], "a move keeps the partition"
    assert after["bergfest.md"] == before["bergfest.md"]
    assert before["dorftanz.md"] not in pages.partition_keys()
    assert pages.colours([after["schaden.md"]]) == {after["schaden.md"]: RED}

    assert source_of(pages, "Wie viele Tage dauert das Abendessen?") == "wandel/abendessen.md"
    assert source_of(pages, "Wie viele Tage dauert die Chorprobe?") == "wandel/unten/chor.md"
    gone = ask(pages, "Wie viele Tage dauert der Dorftanz?")
    assert "dorftanz" not in json.dumps(gone["sources"])

    # What the deleted document said is taken back, whether other documents bring a run or not.
    with switched_on(pages, "documents_gone"):
        pages.processes.until("what was deleted is gone from the base", lambda: chunks_of(pages, "dorftanz.md") == 0)

    # The graph is asked for by itself, with its checks, once for each knowledge version; the red document is no matter.
    with switched_on(pages, "facts_changed"):
        pages.processes.until(
            "the graph of the present version",
            lambda: version_of(pages) in graph_versions(pages) and runs_are_over(pages),
        )
    graphs = pages.runs("graph")
    assert {run["status"] for run in graphs} == {"SUCCESS"}
    assert not any("dagster/partition" in run["tags"] for run in graphs)
    made = [event for run in graphs for event in pages.events(run["id"], "MaterializationEvent")]
    assert {event["assetKey"]["path"][0] for event in made} == {"ontology", "ontology_graph"}
    written = graph_versions(pages)
    assert len(written) == len(set(written)), "once for each version"
    checks = pages.checks("ontology_graph")
    assert "quotes_stand_in_text" in checks
    assert {check["status"] for check in checks.values()} == {"SUCCEEDED"}, checks


def test_the_night_asks_for_what_is_open_and_the_week_looks_at_every_byte(pages):
    folder = pages.processes.installation.folder / "nacht"
    file = write(folder, "Nachtwache", 3)
    (before,) = asked_at_night(pages, "nacht")
    # Written in place with the old length, and its time put back: nothing that a quick look goes by tells it.
    seen = file.stat()
    with file.open("r+b") as handle:
        handle.write(file.read_bytes().replace(b"dauert 3 Tage", b"dauert 9 Tage"))
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (unchanged,) = asked_at_night(pages, "nacht")
    assert unchanged == before
    assert seen_hash(pages, "nacht") != hashlib.sha256(file.read_bytes()).hexdigest()
    (weekly,) = pages.test_schedule("weekly_full_scan", time.time())
    run = pages.launch(weekly["jobName"] or "scan", yaml.safe_load(weekly["runConfigYaml"]))
    assert pages.ended(run) == "SUCCESS", pages.events(run)
    (output,) = pages.events(run, "ExecutionStepOutputEvent")
    assert metadata(output)["changed"] >= 1
    assert seen_hash(pages, "nacht") == hashlib.sha256(file.read_bytes()).hexdigest()
    (request,) = asked_at_night(pages, "nacht")
    (run,) = pages.launch_requests([request], "ingest")
    assert pages.ended(run) == "SUCCESS", pages.events(run)
    assert all_green(pages, "nacht")
    assert "9 Tage" in ask(pages, "Wie viele Tage dauert die Nachtwache?")["answer"]


@pytest.mark.parametrize(
    ("source", "victim"),
    [
        pytest.param("absturz", "daemon", id="daemon and all it started"),
        pytest.param("sturz", "worker", id="run worker"),
    ],
)
def test_what_is_killed_is_noticed_and_finished_without_help(pages, source, victim):
    """SIGKILL amid a run: between two documents, while it waits for the database."""
    folder = pages.processes.installation.folder / source
    for subject in FORMATS:
        write(folder, subject, 7, name=f"{source}-{subject.lower()}.md")
    with switched_on(pages, f"source_{source}"):
        with held_up(pages, source):
            (run,) = [run for run in pages.runs("ingest") if run["status"] == "STARTED"]
            if victim == "daemon":
                pages.processes.kill_daemon()
            else:
                os.kill(int(pages.run(run["id"])["tags"]["rag/owner"].split(":")[2]), signal.SIGKILL)
        assert pages.run(run["id"])["status"] == "STARTED", "nobody could tell Dagster"
        assert not all_green(pages, source)
        if victim == "daemon":
            pages.processes.start_daemon()
        pages.processes.until("all documents green", lambda: all_green(pages, source) and runs_are_over(pages))
    assert pages.run(run["id"])["status"] == "FAILURE"
    told = [event["message"] for event in pages.events(run["id"], "RunFailureEvent")]
    # A code server that lives may notice its dead child before our sensors look, and says it in its own words.
    by_dagster = victim == "worker" and any("marked as failed from outside" in message for message in told)
    assert by_dagster or any("killed" in message for message in told), told
    done = status(pages)
    assert {done[path]["status"] for path in done if path.startswith(f"{source}/")} == {"done"}
    twice = pages.processes.installation.query(
        "SELECT document_version_id, kind FROM activities WHERE document_version_id IS NOT NULL"
        " GROUP BY document_version_id, kind HAVING count(*) > 1"
    )
    assert twice == [], "no work is done twice"


@contextmanager
def held_up(pages: Pages, source: str) -> Iterator[None]:
    """Hold the database's write lock from the moment when a run has done some of a source's work, but not all."""
    database = sqlite3.connect(pages.processes.installation.home / "rag.sqlite", isolation_level=None, timeout=30)
    try:
        pages.processes.until("a run at work", lambda: done_stages(pages, source) >= 3)
        database.execute("BEGIN IMMEDIATE")
        assert done_stages(pages, source) < len(FORMATS) * len(STAGES), "there is still something to do"
        yield
        database.execute("ROLLBACK")
    finally:
        database.close()


@contextmanager
def switched_on(pages: Pages, sensor: str) -> Iterator[None]:
    """A sensor that is on for the length of the block."""
    pages.switch(sensor, on=True)
    try:
        yield
    finally:
        pages.switch(sensor, on=False)


def write(folder: Path, subject: str, days: int, *, name: str | None = None) -> Path:
    """A document with one fact."""
    file = folder / (name or f"{subject.lower()}.md")
    file.write_text(
        f"# {subject}\n\nDie {subject} am Campus dauert {days} Tage und schließt mit {CANARY}.\n\n"
        f"Wer die {subject} leitet, führt ein Protokoll über das {CANARY}.\n"
    )
    return file


def status(pages: Pages) -> dict[str, dict[str, Any]]:
    """What `rag status` says of each document, by source path."""
    documents = pages.processes.installation.rag("status", "--json").json["documents"]
    return {document["source_path"]: document for document in documents}


def keys_of(pages: Pages, source: str) -> dict[str, str]:
    """Partition key by file name of the documents that are there."""
    rows = pages.processes.installation.query(
        "SELECT source_path, partition_key FROM documents WHERE source = :source AND removed_at IS NULL", source=source
    )
    return {path.rsplit("/", 1)[-1]: key for path, key in rows}


def _source(name: str) -> str:
    return (
        f"  - {{name: {name}, folder: {name}, collection: documents, type: skript, authority: 0.5,"
        " half_life_years: 5, personal: false, local_only: false, audience: [all], include: ['**/*'], exclude: []}\n"
    )


def all_green(pages: Pages, source: str, *, but: str = "") -> bool:
    """Whether every document of a source is green in every stage."""
    keys = {key for name, key in keys_of(pages, source).items() if name != but}
    return bool(keys) and pages.colours(keys) == dict.fromkeys(keys, GREEN)


def runs_are_over(pages: Pages) -> bool:
    """Whether no run waits or works."""
    return {run["status"] for run in pages.runs()} <= {"SUCCESS", "FAILURE", "CANCELED"}


def asked_at_night(pages: Pages, source: str) -> list[dict[str, Any]]:
    """The runs that the nightly schedule asks for over documents of a source."""
    requests = pages.test_schedule("nightly_scan", time.time())
    keys = set(keys_of(pages, source).values())
    return [request for request in requests if keys & {tag["value"] for tag in request["tags"]}]


def ask(pages: Pages, question: str) -> Any:
    """What `rag ask` answers."""
    return pages.processes.installation.rag("ask", "--json", question).json


def source_of(pages: Pages, question: str) -> str:
    """Path of the first source of an answer."""
    sources = ask(pages, question)["sources"]
    return str(sources[0]["source_path"]) if sources else ""


def seen_hash(pages: Pages, source: str) -> str:
    """The content of a source's one document as the last scan saw it."""
    ((sha256,),) = pages.processes.installation.query("SELECT seen_sha256 FROM documents WHERE source = :s", s=source)
    return str(sha256)


def done_stages(pages: Pages, source: str) -> int:
    """How many stages of a source's documents are done."""
    ((done,),) = pages.processes.installation.query(
        "SELECT count(*) FROM document_stages s JOIN document_versions v ON v.id = s.document_version_id"
        " JOIN documents d ON d.id = v.document_id WHERE d.source = :source AND s.status = 'done'",
        source=source,
    )
    return int(done)


def chunks_of(pages: Pages, name: str) -> int:
    """How many chunks of a document, there or removed, are still in use."""
    ((chunks,),) = pages.processes.installation.query(
        "SELECT count(*) FROM chunks c JOIN document_versions v ON v.id = c.document_version_id"
        " JOIN documents d ON d.id = v.document_id WHERE d.source_path LIKE :name AND c.status <> 'deprecated'",
        name=f"%/{name}",
    )
    return int(chunks)


def version_of(pages: Pages) -> str:
    """The present knowledge version."""
    return str(pages.processes.installation.rag("status", "--json").json["version"])


def graph_versions(pages: Pages) -> list[str]:
    """The knowledge versions whose graph Dagster was told of."""
    events = [event for run in pages.runs("graph") for event in pages.events(run["id"], "MaterializationEvent")]
    return [metadata(event)["knowledge_version"] for event in events if event["assetKey"]["path"] == ["ontology_graph"]]
