"""What a person does and sees in Dagster's pages, by the GraphQL that the pages themselves use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_assets.ledger.stages import STAGES
from rag_assets_tests.system.dagster_processes import DagsterProcesses

_REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "rag_assets"}
_METADATA = """
  metadataEntries {
    label
    ... on TextMetadataEntry { text }
    ... on IntMetadataEntry { intValue }
    ... on BoolMetadataEntry { boolValue }
  }
"""
_EVENTS = f"""
query ($id: ID!) {{
  logsForRun(runId: $id, limit: 1000) {{
    ... on EventConnection {{ events {{
      __typename
      ... on MessageEvent {{ message level stepKey }}
      ... on MaterializationEvent {{ partition assetKey {{ path }} {_METADATA} }}
      ... on ExecutionStepFailureEvent {{
        error {{ message className stack }} failureMetadata {{ description {_METADATA} }}
      }}
      ... on ExecutionStepOutputEvent {{ {_METADATA} }}
      ... on RunFailureEvent {{ error {{ message }} }}
    }} }}
  }}
}}
"""


@dataclass(frozen=True)
class Pages:
    """The pages of a running webserver."""

    processes: DagsterProcesses

    # ---------------------------------------------------------------- starting something

    def materialise(self, stages: Iterable[str], key: str) -> str:
        """Press "Materialize" for one document; the id of the run."""
        return self._launch(
            "__ASSET_JOB",
            assetSelection=[{"path": [stage]} for stage in stages],
            assetCheckSelection=[],
            tags={"dagster/partition": key},
        )

    def launch(self, job: str, config: Mapping[str, Any] | None = None) -> str:
        """Press "Launch run" on a job's launchpad; the id of the run."""
        return self._launch(job, config=config)

    def launch_requests(self, requests: Sequence[Mapping[str, Any]], job: str) -> list[str]:
        """Press "Launch all" under a tested schedule; the ids of the runs."""
        return [
            self._launch(
                job,
                assetSelection=[{"path": asset["path"]} for asset in request["assetSelection"] or ()],
                assetCheckSelection=[],
                tags={tag["key"]: tag["value"] for tag in request["tags"]},
            )
            for request in requests
        ]

    def _launch(
        self,
        job: str,
        *,
        tags: Mapping[str, str] | None = None,
        config: Mapping[str, Any] | None = None,
        **selector: Any,
    ) -> str:
        result = self.processes.ask(
            """mutation ($params: ExecutionParams!) { launchRun(executionParams: $params) {
                 __typename
                 ... on LaunchRunSuccess { run { id } }
                 ... on PythonError { message stack }
                 ... on RunConfigValidationInvalid { errors { message } }
               } }""",
            params={
                "selector": {**_REPOSITORY, "pipelineName": job, **selector},
                "runConfigData": config or {},
                "mode": "default",
                "executionMetadata": {"tags": _pairs(tags or {})},
            },
        )["launchRun"]
        assert result["__typename"] == "LaunchRunSuccess", result
        return str(result["run"]["id"])

    def backfill(self, stages: Iterable[str], keys: Sequence[str]) -> str:
        """Press "Launch backfill" for these stages of these documents; the backfill's id."""
        result = self.processes.ask(
            """mutation ($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
                 __typename
                 ... on LaunchBackfillSuccess { backfillId }
                 ... on PythonError { message stack }
               } }""",
            params={"assetSelection": [{"path": [stage]} for stage in stages], "partitionNames": list(keys)},
        )["launchPartitionBackfill"]
        assert result["__typename"] == "LaunchBackfillSuccess", result
        return str(result["backfillId"])

    def switch(self, sensor: str, *, on: bool) -> None:
        """Switch a sensor on or off."""
        selector = {**_REPOSITORY, "sensorName": sensor}
        if on:
            result = self.processes.ask(
                """mutation ($selector: SensorSelector!) {
                     done: startSensor(sensorSelector: $selector) { __typename ... on PythonError { message } } }""",
                selector=selector,
            )
        else:
            state = self.sensor(sensor)["sensorState"]["id"]
            result = self.processes.ask(
                "mutation ($id: String!) { done: stopSensor(id: $id) { __typename ... on PythonError { message } } }",
                id=state,
            )
        assert result["done"]["__typename"] in {"Sensor", "StopSensorMutationResult"}, result

    def test_schedule(self, schedule: str, timestamp: float) -> list[dict[str, Any]]:
        """Press "Test schedule": the runs that it asks for."""
        result = self.processes.ask(
            """mutation ($selector: ScheduleSelector!, $timestamp: Float) {
                 tick: scheduleDryRun(selectorData: $selector, timestamp: $timestamp) {
                   __typename
                   ... on PythonError { message stack }
                   ... on DryRunInstigationTick { evaluationResult {
                     skipReason
                     error { message stack }
                     runRequests { runKey jobName runConfigYaml tags { key value } assetSelection { path } }
                   } }
                 } }""",
            selector={**_REPOSITORY, "scheduleName": schedule},
            timestamp=timestamp,
        )["tick"]
        assert result["__typename"] == "DryRunInstigationTick", result
        evaluation = result["evaluationResult"]
        assert evaluation["error"] is None, evaluation["error"]
        return list(evaluation["runRequests"] or ())

    # ---------------------------------------------------------------- seeing something

    def ended(self, run_id: str) -> str:
        """Wait for the end of a run; its status."""
        return self.processes.until(f"the end of run {run_id}", lambda: self._final_status(run_id))

    def _final_status(self, run_id: str) -> str:
        status = str(self.run(run_id)["status"])
        return status if status in {"SUCCESS", "FAILURE", "CANCELED"} else ""

    def run(self, run_id: str) -> dict[str, Any]:
        """A run's status and tags."""
        found = self.processes.ask(
            "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status jobName tags { key value } } } }",
            id=run_id,
        )["runOrError"]
        return {**found, "tags": {tag["key"]: tag["value"] for tag in found["tags"]}}

    def runs(self, job: str | None = None) -> list[dict[str, Any]]:
        """All runs (of a job), the oldest first: id, job, status, creation time, partition tags."""
        found = self.processes.ask(
            """query ($filter: RunsFilter) { runsOrError(filter: $filter, limit: 500) {
                 ... on Runs { results { id jobName status creationTime tags { key value } } } } }""",
            filter={"pipelineName": job} if job else {},
        )["runsOrError"]["results"]
        return [{**run, "tags": {tag["key"]: tag["value"] for tag in run["tags"]}} for run in reversed(found)]

    def events(self, run_id: str, kind: str | None = None) -> list[dict[str, Any]]:
        """A run's events as its page lists them, all or of one type."""
        events = self.processes.ask(_EVENTS, id=run_id)["logsForRun"]["events"]
        return [event for event in events if kind is None or event["__typename"] == kind]

    def backfill_ended(self, backfill_id: str) -> dict[str, Any]:
        """Wait for the end of a backfill; its status and runs."""
        query = """query ($id: String!) { partitionBackfillOrError(backfillId: $id) {
                     ... on PartitionBackfill { status error { message } runs(limit: 50) { id status } } } }"""

        def look() -> dict[str, Any]:
            found: dict[str, Any] = self.processes.ask(query, id=backfill_id)["partitionBackfillOrError"]
            return {} if found["status"] in {"REQUESTED", "FAILING", "CANCELING"} else found

        return self.processes.until(f"the end of backfill {backfill_id}", look)

    def colours(self, keys: Iterable[str]) -> dict[str, dict[str, str]]:
        """For each document, stage by stage: green, red, or white where Dagster knows of nothing."""
        wanted = set(keys)
        found = {key: dict.fromkeys(STAGES, "white") for key in wanted}
        for stage in STAGES:
            statuses = self.processes.ask(
                """query ($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
                     assetPartitionStatuses { ... on DefaultPartitionStatuses {
                       materializedPartitions failedPartitions } } } } }""",
                key={"path": [stage]},
            )["assetNodeOrError"]["assetPartitionStatuses"]
            for colour, name in (("green", "materializedPartitions"), ("red", "failedPartitions")):
                for key in wanted.intersection(statuses[name]):
                    found[key][stage] = colour
        return found

    def partition_keys(self) -> list[str]:
        """Dagster's list of documents."""
        node = self.processes.ask(
            """{ assetNodeOrError(assetKey: {path: ["documents"]}) { ... on AssetNode { partitionKeys } } }"""
        )
        return list(node["assetNodeOrError"]["partitionKeys"])

    def sensor(self, name: str) -> dict[str, Any]:
        """A sensor's state and its last ticks, the newest first."""
        found: dict[str, Any] = self.processes.ask(
            """query ($selector: SensorSelector!) { sensorOrError(sensorSelector: $selector) { ... on Sensor {
                 minIntervalSeconds
                 sensorState { id status ticks(limit: 5) {
                   status skipReason timestamp runIds error { message stack } } } } } }""",
            selector={**_REPOSITORY, "sensorName": name},
        )["sensorOrError"]
        return found

    def sensors(self) -> list[str]:
        """All sensors."""
        found = self.processes.ask(
            "query ($selector: RepositorySelector!) { sensorsOrError(repositorySelector: $selector) {"
            " ... on Sensors { results { name } } } }",
            selector=_REPOSITORY,
        )
        return [sensor["name"] for sensor in found["sensorsOrError"]["results"]]

    def checks(self, asset: str) -> dict[str, dict[str, Any]]:
        """The last execution of each check of an asset."""
        found = self.processes.ask(
            """query ($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
                 assetChecksOrError { ... on AssetChecks { checks {
                   name executionForLatestMaterialization { runId status } } } } } } }""",
            key={"path": [asset]},
        )["assetNodeOrError"]["assetChecksOrError"]["checks"]
        return {check["name"]: check["executionForLatestMaterialization"] or {} for check in found}

    def stale(self, stage: str, key: str) -> str:
        """What the pages say of the freshness of one document's stage: FRESH, STALE or MISSING."""
        node = self.processes.ask(
            """query ($key: AssetKeyInput!, $partition: String) { assetNodeOrError(assetKey: $key) {
                 ... on AssetNode { staleStatus(partition: $partition) } } }""",
            key={"path": [stage]},
            partition=key,
        )
        return str(node["assetNodeOrError"]["staleStatus"])


def metadata(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event's metadata by label."""
    return {
        entry["label"]: entry.get("text", entry.get("intValue", entry.get("boolValue")))
        for entry in event["metadataEntries"]
    }


def _pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in tags.items()]
