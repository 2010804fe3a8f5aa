"""The tests' own safeguards work: databases are fresh and go away, requirements hold, the network is closed."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from rag_assets_tests import services


def test_requirement_with_a_typing_mistake_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="mariabd"):
        services.required({"RAG_REQUIRE": "corpora, mariabd"})


def test_missing_requirement_fails_and_anything_else_missing_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = services.Place("mariadb", "", "it is asleep")
    monkeypatch.setenv("RAG_REQUIRE", "corpora")
    with pytest.raises(pytest.skip.Exception, match="mariadb: it is asleep"):
        services.need(absent)
    monkeypatch.setenv("RAG_REQUIRE", "corpora,mariadb")
    with pytest.raises(pytest.fail.Exception, match="RAG_REQUIRE names mariadb, but it is asleep"):
        services.need(absent)


def test_reason_for_a_missing_server_keeps_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SERVICES", "auto")
    reason = services._server_absent("mysql+pymysql://root:geheim@127.0.0.1:1", default_port=3306)
    assert reason == "no server answers at 127.0.0.1:1"


def test_services_none_uses_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SERVICES", "none")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert services._server_absent(f"http://127.0.0.1:{port}", default_port=1) == "RAG_SERVICES=none"


def test_database_is_empty_and_writable(database_url: str) -> None:
    """Run twice in a row by its two parameters, it also shows that nothing is left over."""
    engine = create_engine(database_url)
    try:
        assert inspect(engine).get_table_names() == []
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE t (name VARCHAR(20))"))
            connection.execute(text("INSERT INTO t VALUES ('Straße')"))
            assert connection.execute(text("SELECT name FROM t")).scalar_one() == "Straße"
    finally:
        engine.dispose()


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.org"])
def test_no_connection_leaves_this_machine(host: str) -> None:
    with pytest.raises(AssertionError, match="asks for the network"):
        socket.create_connection((host, 80), timeout=0.01)


def test_settings_of_the_shell_do_not_reach_tests(home: Path) -> None:
    seen = {name for name in os.environ if name.startswith(("RAG_", "DAGSTER_"))} - services.TEST_VARIABLES
    assert seen == {"RAG_HOME", "DAGSTER_DISABLE_TELEMETRY"}
    assert list(home.iterdir()) == []
