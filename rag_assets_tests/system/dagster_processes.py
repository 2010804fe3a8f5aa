"""Dagster's webserver and daemon as a person runs them: two processes over one home, spoken to by GraphQL over HTTP.

The same commands as in `scripts/ui.sh`. What the GraphQL means lives in `dagster_pages`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from rag_assets.config import load_settings
from rag_assets.orchestration.instance import prepare_home
from rag_assets_tests.system.installation import PROJECT, Installation, only_environment

Seen = TypeVar("Seen")

BINARIES = Path(sys.executable).parent
# As often as the product lets sensors look; a person's default is a minute.
SENSOR_INTERVAL_S = 5
# How long anything may take on a machine that is busy with other tests. Waiting ends as soon as it is seen.
PATIENCE_S = 600.0


@dataclass
class DagsterProcesses:
    """Webserver and daemon of one installation."""

    installation: Installation
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _port: int = 0

    @property
    def dagster_home(self) -> Path:
        """Where Dagster keeps its history."""
        return self.installation.home / "dagster"

    @property
    def logs(self) -> Path:
        """Where the processes' output lies; pytest keeps it for a while."""
        return self.installation.folder / "logs"

    def environment(self) -> dict[str, str]:
        """The settings of both processes."""
        return self.installation.environment() | {
            "DAGSTER_HOME": str(self.dagster_home),
            "RAG_SENSOR_INTERVAL_S": str(SENSOR_INTERVAL_S),
            "DAGSTER_GRPC_TIMEOUT_SECONDS": "600",
        }

    def make_home(self) -> None:
        """Make Dagster's home, as `scripts/ui.sh` does before it starts anything."""
        with only_environment(self.environment()):
            prepare_home(load_settings())

    def start_webserver(self) -> None:
        """Start the pages and wait until they have loaded what workspace.yaml names."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._start("webserver", "dagster-webserver", "-h", "127.0.0.1", "-p", str(self._port), "-w", "workspace.yaml")
        self.until("the pages have loaded the definitions", self._has_loaded)

    def start_daemon(self) -> None:
        """Start the daemon; what it does shows in the pages."""
        self._start("daemon", "dagster-daemon", "run", "-w", "workspace.yaml")

    def kill_daemon(self) -> None:
        """End the daemon and all that it started, at once: as a loss of power would, for that side."""
        self._kill("daemon")

    def stop(self) -> None:
        """End what runs, and all that it started, at once: the home is thrown away."""
        for name in list(self._running):
            self._kill(name)

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that a GraphQL query or mutation gives back."""
        request = Request(
            f"http://127.0.0.1:{self._port}/graphql",
            data=json.dumps({"query": query, "variables": variables}).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urlopen(request, timeout=60) as response:
                answer = json.load(response)
        except HTTPError as error:
            raise AssertionError(f"{query}\n{error.read().decode()}") from error
        assert "errors" not in answer, f"{query}\n{answer['errors']}"
        return answer["data"]

    def until(self, what: str, look: Callable[[], Seen]) -> Seen:
        """Look again and again until something is seen; what `look` gives then. Ends early when a process has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while not (seen := look()):
            for name, process in self._running.items():
                assert process.poll() is None, f"{name} has ended: {self.tail(name)}"
            assert time.monotonic() < deadline, f"not seen: {what}\n" + "\n".join(map(self.tail, self._running))
            time.sleep(0.25)
        return seen

    def tail(self, name: str) -> str:
        """The end of a process's log."""
        log = self.logs / f"{name}.log"
        return f"--- {log}\n{log.read_text()[-4000:]}"

    def _start(self, name: str, *command: str) -> None:
        self.logs.mkdir(exist_ok=True)
        with (self.logs / f"{name}.log").open("ab") as log:
            # A process group of its own: both start children in turn.
            self._running[name] = subprocess.Popen(
                [str(BINARIES / command[0]), *command[1:]],
                cwd=PROJECT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _kill(self, name: str) -> None:
        process = self._running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _has_loaded(self) -> bool:
        try:
            found = self.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }")
        except (URLError, ConnectionError):
            return False
        return bool(found["repositoriesOrError"].get("nodes"))
