#!/usr/bin/env bash
# Dagster's pages and its daemon (sensors, schedules, backfills) together, until Ctrl-C.
# ui.sh [options of dagster-webserver, e.g. -p 3001]
# Both take what to load from workspace.yaml and share the instance of the command line.
set -euo pipefail

cd "$(dirname "$0")/.."
export DAGSTER_DISABLE_TELEMETRY=1
# How long the code may take to answer a tick or to start a run. Dagster's own minute is too short for a busy machine and
# for the first look at a large folder; what is given up on then goes on beside its second attempt.
export DAGSTER_GRPC_TIMEOUT_SECONDS=${DAGSTER_GRPC_TIMEOUT_SECONDS:-600}
bin=$PWD/.venv/bin
# The home as the command line makes it: two processes that make it at once would break each other.
DAGSTER_HOME=$("$bin/python" -c '
from rag_assets.config import load_settings
from rag_assets.orchestration.instance import prepare_home
print(prepare_home(load_settings()).resolve())
')
export DAGSTER_HOME

# Each child leads a process group of its own (-m), because it starts children in turn. Without -m bash would start it with
# SIGINT ignored, and Dagster, which gives SIGTERM the handler of SIGINT, could then be ended by neither.
set -m
children=()
stop() {
  trap - EXIT INT TERM
  local child
  for child in "${children[@]}"; do kill -TERM -- "-$child" 2>/dev/null || true; done
  for _ in $(seq 20); do
    alive || return 0
    sleep 0.5
  done
  for child in "${children[@]}"; do kill -KILL -- "-$child" 2>/dev/null || true; done
}
# Whether any process of the children's groups is left.
alive() {
  local child
  for child in "${children[@]}"; do
    if kill -0 -- "-$child" 2>/dev/null; then return 0; fi
  done
  return 1
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$bin/dagster-daemon" run -w workspace.yaml &
children+=($!)
"$bin/dagster-webserver" -h 127.0.0.1 -p 3000 -w workspace.yaml "$@" &
children+=($!)
echo "Dagster's pages come up in some ten seconds; Ctrl-C ends them."
# If either ends, both do: pages without a daemon would look alive and start nothing.
while kill -0 "${children[0]}" 2>/dev/null && kill -0 "${children[1]}" 2>/dev/null; do
  sleep 1
done
exit 1
