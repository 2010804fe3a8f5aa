#!/usr/bin/env bash
# Every check that does not run the program; all of them run, the first failure decides the exit status.
set -uo pipefail

bin=.venv/bin
export DAGSTER_DISABLE_TELEMETRY=1
status=0
check() {
  printf '%s\n' "== $*"
  "$@" || status=1
}

check "$bin/ruff" check .
check "$bin/ruff" format --check .
check "$bin/mypy" .
check "$bin/lint-imports" --no-logo
# `dg` runs in the project's environment as if it were activated.
VIRTUAL_ENV="$PWD/.venv" PATH="$PWD/$bin:$PATH" check "$bin/dg" check defs
exit "$status"
