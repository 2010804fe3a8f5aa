"""Fixtures that every test may use: a home of its own, databases, the corpora.

Here also lives what keeps tests honest: no setting of the developer's shell reaches them, and no connection leaves this
machine except to the servers that `services` knows.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from rag_assets.stores import migrate
from rag_assets.stores.database import Database
from rag_assets.stores.schema import Base
from rag_assets_tests import services

# Before dagster is imported anywhere: it decides on import.
os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a wrong RAG_REQUIRE, and close the way to the network."""
    services.required()
    allowed = services.server_hosts()

    def refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            _refuse(str(arguments[1][0]), allowed)
        elif event == "socket.getaddrinfo" and arguments[0]:
            _refuse(arguments[0], allowed)

    # An audit hook sees every library's connections, also those that keep their own reference to `socket`.
    sys.addaudithook(refuse_network)


# What takes longest: Dagster's processes, the real model over the whole campus, killed builds. The last fits everything.
_LONG_FIRST = (
    "system/test_dagster.py",
    "system/test_main_job.py",
    "orchestration/test_runs.py",
    "system/",
    "orchestration/",
    "cli/",
    "/",
)


def pytest_report_header() -> str:
    """Say what is there, so that a skipped test surprises nobody."""
    places = (
        services.mariadb(),
        services.qdrant(),
        services.corpora(),
        services.pandoc(),
        services.pdftotext(),
        services.tesseract(),
    )
    return "outside: " + ", ".join(str(place) for place in places)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a server, skip what is long where a quick answer is wanted; long files first, so that no core idles.

    `-m 'not service'` leaves out what is marked here.
    """
    quick = services.is_off()
    items.sort(key=lambda item: _LONG_FIRST.index(next(n for n in _LONG_FIRST if n in f"{item.path.as_posix()}/")))
    for item in items:
        for name in ("mariadb", "qdrant"):
            if f"{name}_url" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.service(name))
        if quick and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long, and RAG_SERVICES=none asks for a quick answer"))


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("RAG_", "DAGSTER_")) and name not in services.TEST_VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that RAG_HOME names."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("RAG_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def prepared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which Dagster's storage was made, to be copied: making it takes seconds."""
    from rag_assets.config import load_settings
    from rag_assets.orchestration.instance import prepare_home

    folder = tmp_path_factory.mktemp("prepared")
    prepare_home(load_settings(home=folder))
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with documents of third parties and gold sets."""
    return Path(services.need(services.corpora()))


@pytest.fixture(scope="session")
def tesseract() -> None:
    """The program tesseract, with German."""
    services.need(services.tesseract())


@pytest.fixture
def mariadb_url() -> Iterator[str]:
    """The URL of a fresh, empty MariaDB database, dropped after the test.

    Its default collation is the one that takes "Müller" for "Muller": a table that forgets its own is found out.
    Making all tables takes seconds there; a test that only needs them takes `database`.
    """
    with _new_mariadb() as url:
        yield url


@contextmanager
def _new_mariadb() -> Iterator[str]:
    server = make_url(services.need(services.mariadb())).update_query_dict({"charset": "utf8mb4"})
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    name = f"rag_test_{uuid.uuid4().hex}"
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"))
        try:
            yield server.set(database=name).render_as_string(hide_password=False)
        finally:
            with engine.connect() as connection:
                connection.execute(text(f"DROP DATABASE {name}"))
    finally:
        engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.service("mariadb"))])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh, empty database, once on SQLite and once on MariaDB."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.sqlite'}"
    url: str = request.getfixturevalue("mariadb_url")
    return url


@pytest.fixture(scope="session")
def _sqlite_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sqlite") / "with-tables.sqlite"
    made = Database(f"sqlite:///{file}")
    migrate.upgrade(made)
    made.close()
    return file


@pytest.fixture(scope="session")
def mariadb_with_tables() -> Iterator[str]:
    with _new_mariadb() as url:
        made = Database(url)
        migrate.upgrade(made)
        made.close()
        yield url


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.service("mariadb"))])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of the newest schema without rows, once on SQLite and once on MariaDB.

    The tables are made once in a session; on MariaDB their rows are deleted after each test.
    """
    if request.param == "sqlite":
        file = tmp_path / "test.sqlite"
        shutil.copyfile(request.getfixturevalue("_sqlite_with_tables"), file)
        opened = Database(f"sqlite:///{file}")
    else:
        opened = Database(request.getfixturevalue("mariadb_with_tables"))
    yield opened
    if not opened.is_sqlite:
        delete_rows(opened)
    opened.close()


def delete_rows(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("SET FOREIGN_KEY_CHECKS = 0"))
        for table in Base.metadata.sorted_tables:
            if table.name != "installation":
                connection.execute(table.delete())
        connection.execute(text("SET FOREIGN_KEY_CHECKS = 1"))


@pytest.fixture(scope="session")
def qdrant_url() -> str:
    """The URL of a Qdrant server that answers."""
    return services.need(services.qdrant())


def _refuse(host: str | bytes, allowed: frozenset[str]) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {"", "localhost"} or name in allowed:
        return
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        raise AssertionError(f"a test asks for the network: {name}") from None
    # Unspecified ("0.0.0.0") is what a server binds to, and reaches this machine only.
    if not (address.is_loopback or address.is_unspecified):
        raise AssertionError(f"a test asks for the network: {name}")
