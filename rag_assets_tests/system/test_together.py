"""Two `rag all` on one fresh home at the same time, and questions meanwhile: as if one had done it alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.app import open_app
from rag_assets.config import Settings, load_settings
from rag_assets.errors import RagError
from rag_assets.stores import installation as installation_store
from rag_assets.stores.database import Database
from rag_assets_tests.system.installation import PROJECT, Installation, install
from rag_assets_tests.system.killing import start
from rag_assets_tests.system.knowledge_rows import assert_in_order, differences, give_namespace, knowledge
from rag_assets_tests.system.test_crash import EIGHT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

QUESTION = "Wie lange dauert eine Sitzung im Coaching?"


def settings_of(installation: Installation) -> Settings:
    return load_settings(
        home=installation.home,
        sources=installation.folder / "sources.yaml",
        ontology=PROJECT / "ontology.yaml",
        embedding=installation.embedding,
    )


def ask(installation: Installation) -> str:
    """What a question comes to: its outcome, or the code of the error."""
    try:
        with open_app(settings_of(installation)) as app:
            return str(app.ask(QUESTION).outcome)
    except RagError as error:
        return error.code


def logs(installation: Installation) -> str:
    return "\n".join(log.read_text() for log in installation.folder.glob("*.log"))


def built_by(number: int, folder: Path, only: tuple[str, ...] = EIGHT) -> list[str]:
    """Have this many processes build one fresh home at once, compare, and return what questions came to meanwhile."""
    installation = install(folder / "together", embedding="hashing", only=only)
    processes = [start(installation, "all", "--quiet") for _ in range(number)]
    outcomes = [ask(installation)]
    while any(process.is_alive() for process in processes):
        outcomes.append(ask(installation))
        processes[0].join(0.3)  # the questions do not take the machine from those that build
    assert [process.exitcode for process in processes] == [0] * number, logs(installation)
    assert "locked" not in logs(installation)
    outcomes.append(ask(installation))

    assert_in_order(installation)
    twice = installation.query(
        "SELECT document_version_id, kind, count(*) FROM activities WHERE document_version_id IS NOT NULL"
        " GROUP BY document_version_id, kind HAVING count(*) > 1"
    )
    assert twice == []
    database = Database(f"sqlite:///{installation.home / 'rag.sqlite'}")
    with database.read() as connection:
        namespace = installation_store.namespace(connection)
    database.close()
    alone = install(folder / "alone", embedding="hashing", only=only)
    give_namespace(alone, namespace)
    alone.rag("all", "--quiet")
    assert differences(knowledge(alone.home), knowledge(installation.home)) == {}
    return outcomes


def test_two_at_once_do_what_one_does_alone(tmp_path):
    outcomes = built_by(2, tmp_path, EIGHT[1:5])
    answered = {"answered", "conflicting"}
    assert set(outcomes) <= {"nothing_to_answer_from", "no_source", *answered}
    assert outcomes[-1] in answered
