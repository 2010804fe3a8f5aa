#!/usr/bin/env bash
# Remakes the locks from pyproject.toml: lock.sh [options of `uv pip compile`, e.g. --upgrade-package numpy]
# The locks hold names, exact versions and hashes, and no address: each machine takes its own index.
# What is locked stays as it is unless pyproject.toml asks for something else or --upgrade is given.
set -euo pipefail

# Local wheel folders and indexes of this machine must not decide what is locked.
unset UV_FIND_LINKS UV_INDEX UV_EXTRA_INDEX_URL PIP_FIND_LINKS
export UV_CUSTOM_COMPILE_COMMAND="make lock"

uv=${UV:-.venv/bin/uv}
compile() {
  "$uv" pip compile pyproject.toml --group build --quiet --no-config \
    --universal --python-version 3.11 --generate-hashes --no-strip-extras \
    --no-emit-index-url --no-emit-find-links --no-header "$@"
}

# Each lock may only add to the one before it: users, servers and developers run the same versions.
compile "$@" --output-file requirements.lock
compile "$@" --constraint requirements.lock \
  --extra mariadb --extra qdrant --extra ollama --extra claude --extra openai --output-file requirements-server.lock
compile "$@" --constraint requirements-server.lock --extra dev --output-file requirements-dev.lock
