"""docker-compose.yml and its files agree with each other and with the settings, as far as that shows without Docker."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from rag_assets.config import Settings
from rag_assets_tests.services import REPOSITORY

COMPOSE_TEXT = (REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
EXAMPLE = dict(
    line.split("=", 1)
    for line in (REPOSITORY / ".env.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SERVICES)
def test_image_is_pinned(name: str) -> None:
    assert re.search(r":v?\d+\.\d+\.\d+(-\w+)?$", SERVICES[name]["image"])


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "setup"])
def test_service_says_whether_it_is_well(name: str) -> None:
    """`setup` ends; the others wait for that end instead."""
    assert SERVICES[name]["healthcheck"]["test"]


def test_base_images_are_pinned_and_the_program_is_not_root() -> None:
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE)
    assert len(images) == 2
    assert all(re.search(r":\d+\.\d+\.\d+-", image) for image in images)
    assert re.findall(r"^USER (\S+)", DOCKERFILE, flags=re.MULTILINE)[-1] == "10001:10001"


def test_what_the_image_copies_reaches_it() -> None:
    """.dockerignore lets nothing in but what it names."""
    allowed = {
        line.removeprefix("!")
        for line in (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    for words in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, flags=re.MULTILINE):
        for source in [word for word in words.split() if not word.startswith("--")][:-1]:
            assert source.split("/")[0] in allowed
            assert (REPOSITORY / source).exists(), source


def test_settings_exist() -> None:
    names = {name for name in SERVICES["daemon"]["environment"] if name.startswith("RAG_")}
    assert names >= {"RAG_DATABASE_URL", "RAG_QDRANT_URL", "RAG_OLLAMA_URL"}
    assert {name.removeprefix("RAG_").lower() for name in names} <= set(Settings.model_fields)


def test_example_of_the_environment_is_complete_and_holds_no_secret() -> None:
    asked = set(re.findall(r"\$\{(\w+)", COMPOSE_TEXT))
    assert asked == set(EXAMPLE)
    needed = set(re.findall(r"\$\{(\w+):\?", COMPOSE_TEXT))
    assert needed
    assert {EXAMPLE[name] for name in needed} == {""}


def test_only_pages_are_published_and_on_loopback() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(published) == ["webserver"]
    assert EXAMPLE["UI_BIND"] == "127.0.0.1"
    assert all(port.startswith("${UI_BIND:-127.0.0.1}:") for port in published["webserver"])


def test_dagster_beside_servers_differs_in_storage_only() -> None:
    embedded, served = (
        yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))
        for name in ("dagster.yaml", "deploy/dagster.yaml")
    )
    assert served.pop("storage")["mysql"]["mysql_url"] == {"env": "DAGSTER_MYSQL_URL"}
    assert served == embedded
    assert embedded["telemetry"] == {"enabled": False}
    assert embedded["compute_logs"]["class"] == "NoOpComputeLogManager"
