#!/usr/bin/env bash
# Dagster's pages and its daemon (sensors, schedules, backfills) together, until Ctrl-C: ui.sh [--port N]
# Both take what to load from workspace.yaml and share the instance of the command line.
set -euo pipefail

cd "$(dirname "$0")/.."
export DAGSTER_DISABLE_TELEMETRY=1
RAG_HOME=$(mkdir -p "${RAG_HOME:-.rag}" && cd "${RAG_HOME:-.rag}" && pwd)
export RAG_HOME
export DAGSTER_HOME=${DAGSTER_HOME:-$RAG_HOME/dagster}
mkdir -p "$DAGSTER_HOME"
test -e "$DAGSTER_HOME/dagster.yaml" || cp dagster.yaml "$DAGSTER_HOME/dagster.yaml"

bin=$PWD/.venv/bin
# Two processes that open a fresh SQLite instance at once break its migrations: one opens it first.
"$bin/dagster" instance migrate >/dev/null 2>&1 || "$bin/dagster" instance info >/dev/null

children=()
stop() {
  trap - EXIT INT TERM
  kill "${children[@]}" 2>/dev/null || true
  wait
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$bin/dagster-daemon" run -w workspace.yaml &
children+=($!)
"$bin/dagster-webserver" -h 127.0.0.1 -p 3000 -w workspace.yaml "$@" &
children+=($!)
echo "Dagster: http://127.0.0.1:3000 (Ctrl-C ends it)"
# If either ends, both do: pages without a daemon would look alive and start nothing.
wait -n
