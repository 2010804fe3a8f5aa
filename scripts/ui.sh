#!/usr/bin/env bash
# Dagster's pages and its daemon (sensors, schedules, backfills) together, until Ctrl-C.
# ui.sh [options of dagster-webserver, e.g. -p 3001]
# Both take what to load from workspace.yaml and share the instance of the command line.
set -euo pipefail

cd "$(dirname "$0")/.."
export DAGSTER_DISABLE_TELEMETRY=1
bin=$PWD/.venv/bin
# The home as the command line makes it: two processes that make it at once would break each other.
DAGSTER_HOME=$("$bin/python" -c '
from rag_assets.config import load_settings
from rag_assets.orchestration.instance import prepare_home
print(prepare_home(load_settings()).resolve())
')
export DAGSTER_HOME

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
echo "Dagster's pages come up in some ten seconds; Ctrl-C ends them."
# If either ends, both do: pages without a daemon would look alive and start nothing.
while kill -0 "${children[0]}" 2>/dev/null && kill -0 "${children[1]}" 2>/dev/null; do
  sleep 1
done
exit 1
