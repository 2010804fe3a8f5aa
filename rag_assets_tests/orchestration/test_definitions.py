"""All that Dagster sees of this project, in one list: who changes a name here breaks somebody's history or alarm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dagster import AssetKey, DynamicPartitionsDefinition

from rag_assets.ledger import invariants, reading_quality
from rag_assets.ledger.stages import STAGES, UPSTREAM
from rag_assets.orchestration import checks
from rag_assets.orchestration.build import build_defs
from rag_assets.orchestration.sensors import sensor_name
from rag_assets_tests.services import REPOSITORY


@pytest.fixture(scope="module")
def repository():
    return build_defs(source_names=("campus", "system")).get_repository_def()


def test_assets_and_what_they_are_made_from(repository):
    graph = repository.asset_graph
    assert {
        key.to_user_string(): sorted(parent.to_user_string() for parent in graph.get(key).parent_keys)
        for key in graph.get_all_asset_keys()
    } == {
        "documents": [],
        "chunks": ["documents"],
        "embeddings": ["chunks"],
        "entities": ["chunks"],
        "statements": ["entities"],
        "ontology": [],
        "ontology_graph": ["embeddings", "ontology", "statements"],
    }


def test_documents_are_partitions_and_the_rest_is_not(repository):
    graph = repository.asset_graph
    partitioned = {key.to_user_string(): graph.get(key).partitions_def for key in graph.get_all_asset_keys()}
    for stage in STAGES:
        definition = partitioned.pop(stage)
        assert isinstance(definition, DynamicPartitionsDefinition)
        assert definition.name == "documents"
    assert set(partitioned.values()) == {None}


def test_dagster_and_the_ledger_agree_on_what_comes_first(repository):
    """The ledger decides whether a stage can be done; a lineage drawn otherwise would be a lie."""
    for stage, before in UPSTREAM.items():
        parents = {key.to_user_string() for key in repository.asset_graph.get(_key(stage)).parent_keys}
        assert parents == ({before} if before else set())


def test_one_backfill_run_takes_at_most_fifty_documents(repository):
    for stage in STAGES:
        assert repository.asset_graph.get(_key(stage)).backfill_policy.max_partitions_per_run == 50


def test_every_asset_says_its_code_version_kinds_and_group(repository):
    for key in repository.asset_graph.get_all_asset_keys():
        node = repository.asset_graph.get(key)
        assert node.code_version, key
        assert node.kinds, key
        assert node.group_name in {"offline", "knowledge"}, key
        assert node.description, key


def test_checks_are_the_invariants_and_how_well_documents_were_read(repository):
    found = {key.name for key in repository.asset_graph.asset_check_keys}
    assert found == set(checks.INVARIANTS) | set(checks.QUALITY)
    assert {key.asset_key.to_user_string() for key in repository.asset_graph.asset_check_keys} == {"ontology_graph"}
    assert {name for name in vars(invariants) if name in found} == set(checks.INVARIANTS)
    assert {name for name in vars(reading_quality) if name in found} == set(checks.QUALITY)


def test_jobs_sensors_and_schedules(repository):
    jobs = {job.name for job in repository.get_all_jobs() if not job.name.startswith("__")}
    assert jobs == {"scan", "ingest", "settle", "graph", "query_job"}
    assert {sensor.name: sorted(target.job_name for target in sensor.targets) for sensor in repository.sensor_defs} == {
        "source_campus": ["ingest"],
        "source_system": ["ingest"],
        "documents_gone": ["settle"],
        "facts_changed": ["graph"],
    }
    assert {schedule.name: (schedule.cron_schedule, schedule.job_name) for schedule in repository.schedule_defs} == {
        "nightly_scan": ("0 2 * * *", "ingest"),
        "nightly_checks": ("0 5 * * *", "graph"),
        "weekly_full_scan": ("0 3 * * 0", "scan"),
    }
    assert {schedule.execution_timezone for schedule in repository.schedule_defs} == {"Europe/Berlin"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("campus", "source_campus", id="plain"),
        pytest.param("über-uns", "source__ber_uns_", id="signs that Dagster does not take"),
    ],
)
def test_sensor_names_are_taken_by_dagster_and_stay_apart(source, expected):
    assert sensor_name(source).startswith(expected)
    assert sensor_name("über-uns") != sensor_name("über_uns") != sensor_name("_ber_uns")


def _key(stage: str) -> AssetKey:
    return AssetKey(stage)


def _environment(home: Path) -> dict[str, str]:
    binaries = Path(sys.executable).parent
    return {
        **os.environ,
        "RAG_HOME": str(home),
        "DAGSTER_HOME": str(home / "dagster"),
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "VIRTUAL_ENV": str(binaries.parent),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }


@pytest.mark.slow
def test_dg_finds_the_definitions_in_order(settings):
    done = subprocess.run(
        ["dg", "check", "defs"],
        cwd=REPOSITORY,
        env=_environment(settings.home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_workspace_file_loads(settings):
    """`dg` does not read workspace.yaml; webserver and daemon do."""
    workspace = yaml.safe_load((REPOSITORY / "workspace.yaml").read_text())
    (entry,) = [item["python_module"] for item in workspace["load_from"]]
    code = (
        f"import {entry['module_name']} as module;"
        "print(sorted(job.name for job in module.defs.get_repository_def().get_all_jobs()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        env=_environment(settings.home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "'query_job'" in done.stdout
