#!/usr/bin/env bash
# Makes .venv and installs a lock into it: install.sh LOCK STAMP
# Only what the lock names, with its hashes; then the project itself, editable, built by the locked backend.
set -euo pipefail

lock=$1
stamp=$2
venv=.venv
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }

# The first Python that is new enough. PYTHON=... overrides the search.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.11 python3.12 python3.13 python3.14 python; do
    if "$candidate" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  say "No Python 3.11 or newer was found. Install one (Debian, Ubuntu: apt install python3 python3-venv;"
  say "Fedora: dnf install python3; macOS: brew install python), or name it: make run PYTHON=/path/to/python3"
  exit 2
}

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  python=$(find_python)
  say "Making $venv with $("$python" --version) ..."
  rm -rf "$venv"
  if ! "$python" -m venv "$venv"; then
    rm -rf "$venv"
    say "Python cannot make a virtual environment here. On Debian and Ubuntu: apt install python3-venv"
    exit 2
  fi
fi

say "Installing $(grep -c '^[A-Za-z0-9].*==' "$lock") packages from $lock (about a minute the first time) ..."
started=$SECONDS
pip() { "$venv/bin/python" -m pip install -qq --no-deps "$@"; }
# -qq: only errors; warnings about this machine's index settings say nothing about the project.
# --no-deps: the lock is complete, so there is nothing to resolve (a test runs `pip check`).
# --no-compile: Python compiles what it imports, a third of what pip would compile here.

# First pip itself, its entry taken out of the lock.
entry=$(mktemp)
trap 'rm -f "$entry"' EXIT
awk '/^pip==/ {found = 1} found {print} found && !/\\$/ {exit}' "$lock" >"$entry"
pip --require-hashes -r "$entry"
pip --no-compile --require-hashes -r "$lock"
pip --no-build-isolation -e .
rm -f "$venv"/.installed*
touch "$stamp"
say "Installed in $((SECONDS - started)) s."
