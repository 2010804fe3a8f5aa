"""What tests may find outside themselves (servers, programs, corpora of third parties), and what is done without.

RAG_SERVICES=none   no server is used, and no test marked `long` is run (default `auto`: each that answers, and all tests)
RAG_REQUIRE=a,b     a missing one of these fails its tests instead of skipping them (`mariadb`, `qdrant`, `corpora`,
                    `pandoc`, `pdftotext`, `tesseract`)
RAG_TEST_MARIADB    a server where databases may be made and dropped, as SQLAlchemy URL without a database
QDRANT_URL          a Qdrant server
RAG_CORPORA         the folder with the corpora

Here lives finding out; the fixtures that hand these things to tests live in conftest.py.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import urlsplit

import pytest

REPOSITORY: Final = Path(__file__).resolve().parent.parent
KNOWN: Final = ("mariadb", "qdrant", "corpora", "pandoc", "pdftotext", "tesseract")

# These configure the tests; every other RAG_* and DAGSTER_* is taken away from them.
TEST_VARIABLES: Final = frozenset({"RAG_SERVICES", "RAG_REQUIRE", "RAG_TEST_MARIADB", "RAG_CORPORA"})

_CONNECT_TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where something outside is, or why it cannot be used."""

    name: str
    address: str
    absent: str | None

    def __str__(self) -> str:
        return f"{self.name}: {self.absent or 'yes'}"


def required(environment: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The names in RAG_REQUIRE.

    Raises:
        pytest.UsageError: a name that no test knows; a typing mistake must not switch a requirement off.
    """
    names = frozenset(name.strip() for name in environment.get("RAG_REQUIRE", "").split(",") if name.strip())
    if unknown := sorted(names - set(KNOWN)):
        raise pytest.UsageError(f"RAG_REQUIRE: unknown {', '.join(unknown)}; known are {', '.join(KNOWN)}")
    return names


def is_off() -> bool:
    """Whether RAG_SERVICES asks for the quick suite: no servers, and nothing long."""
    return os.environ.get("RAG_SERVICES", "auto") == "none"


@lru_cache(maxsize=1)
def mariadb() -> Place:
    """The MariaDB server, asked once a session."""
    url = os.environ.get("RAG_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1:3306")
    return Place("mariadb", url, _server_absent(url, default_port=3306))


@lru_cache(maxsize=1)
def qdrant() -> Place:
    """The Qdrant server, asked once a session."""
    url = os.environ.get("QDRANT_URL", "")
    if not url:
        return Place("qdrant", "", "QDRANT_URL is not set")
    return Place("qdrant", url, _server_absent(url, default_port=6333))


@lru_cache(maxsize=1)
def corpora() -> Place:
    """The folder with documents and gold sets of third parties."""
    folder = Path(os.environ.get("RAG_CORPORA", REPOSITORY / "../shared/corpora")).resolve()
    absent = None if (folder / "docs").is_dir() else "no corpora here (RAG_CORPORA names their folder)"
    return Place("corpora", str(folder), absent)


@lru_cache(maxsize=1)
def pandoc() -> Place:
    """The program whose reading of office and web formats ours is compared with."""
    program = shutil.which("pandoc")
    return Place("pandoc", program or "", None if program else "the program pandoc is not installed")


@lru_cache(maxsize=1)
def pdftotext() -> Place:
    """The program whose reading of PDF files ours is compared with."""
    program = shutil.which("pdftotext")
    return Place("pdftotext", program or "", None if program else "not installed (apt install poppler-utils)")


@lru_cache(maxsize=1)
def tesseract() -> Place:
    """The program that recognises text, with its German model."""
    program = shutil.which("tesseract") or ""
    if not program:
        return Place("tesseract", "", "not installed (apt install tesseract-ocr tesseract-ocr-deu)")
    known = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=False)
    return Place("tesseract", program, None if "deu" in known.stdout.split() else "it knows no German")


def need(place: Place) -> str:
    """The address of what a test needs; else the test is skipped with the reason, or fails when it is required."""
    if place.absent is not None:
        leave(place)
    return place.address


def leave(place: Place) -> NoReturn:
    """Skip the test, or fail it when what is missing is required."""
    if place.name in required():
        pytest.fail(f"RAG_REQUIRE names {place.name}, but {place.absent}", pytrace=False)
    pytest.skip(f"{place.name}: {place.absent}")


def server_hosts() -> frozenset[str]:
    """Names and addresses of the servers that tests may talk to besides this machine."""
    hosts: set[str] = set()
    for place in (mariadb(), qdrant()):
        host = urlsplit(place.address).hostname
        if host and place.absent is None:
            hosts.add(host)
            hosts.update(str(info[4][0]) for info in socket.getaddrinfo(host, None))
    return frozenset(hosts)


def _server_absent(url: str, *, default_port: int) -> str | None:
    if is_off():
        return "RAG_SERVICES=none"
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or default_port
    try:
        socket.create_connection((host, port), timeout=_CONNECT_TIMEOUT_S).close()
    except OSError:
        # Host and port only: the URL may carry a password.
        return f"no server answers at {host}:{port}"
    return None
