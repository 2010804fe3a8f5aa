# Everything a person needs, one word each; `make` alone lists them.
# Each target sets up what it needs. A stamp named after the lock's hash makes the second time quick.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
GRAPH = $(if $(RAG_HOME),$(RAG_HOME),.rag)/graph.json
QUESTION ?= Wie viele Sitzungen umfasst ein Coaching höchstens?

# No part of this project reports on its users.
export DAGSTER_DISABLE_TELEMETRY := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without compiled modules on disk every start takes several times as long.
unexport PYTHONDONTWRITEBYTECODE

digest = $(shell cat $(1) 2>/dev/null | cksum | cut -d' ' -f1)
USER_STAMP := $(VENV)/.installed-$(call digest,requirements.lock)
SERVER_STAMP := $(VENV)/.installed-server-$(call digest,requirements-server.lock)
DEV_STAMP := $(VENV)/.installed-dev-$(call digest,requirements-dev.lock)

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z-]*:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---------------------------------------------------------------- using it

.PHONY: run
run: install ## Build knowledge from examples/ and answer a question with sources
	@$(BIN)/rag all
	@echo; echo "Frage: $(QUESTION)"
	@$(BIN)/rag ask "$(QUESTION)"
	@$(BIN)/rag graph --out "$(GRAPH)"
	@echo
	@echo "Graph:              $(GRAPH)"
	@echo "Own question:       $(BIN)/rag ask \"...\""
	@echo "Dagster's pages:    make ui"

.PHONY: ui
ui: install ## Open Dagster's pages (asset graph, runs) on http://127.0.0.1:3000
	@./scripts/ui.sh

# ---------------------------------------------------------------- working on it

.PHONY: test
test: install-dev ## Run the whole test suite (RAG_SERVICES=none: without any server)
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: lint
lint: install-dev ## Style, types, import contracts, Dagster definitions
	@./scripts/lint.sh

.PHONY: bench
bench: install-dev ## Measure speed and quality (benchmarks/)
	@$(BIN)/python -m benchmarks

.PHONY: prove
prove: install-dev ## Run the long proofs (proofs/)
	@$(BIN)/python -m pytest proofs

.PHONY: prove-sample
prove-sample: install-dev ## Run a sample of the killed builds, as CI does
	@RAG_PROOF_POINTS=25 $(BIN)/python -m pytest -s proofs/test_crash.py

.PHONY: lock
lock: install-dev ## Remake the locks after a change of dependencies
	@./scripts/lock.sh

# ---------------------------------------------------------------- setting up

.PHONY: install
install: ## Make .venv with what users need
	@test -e "$(DEV_STAMP)" -o -e "$(SERVER_STAMP)" -o -e "$(USER_STAMP)" || ./scripts/install.sh requirements.lock "$(USER_STAMP)"

.PHONY: install-server
install-server: ## The same with the drivers for MariaDB, Qdrant and Ollama
	@test -e "$(DEV_STAMP)" -o -e "$(SERVER_STAMP)" || ./scripts/install.sh requirements-server.lock "$(SERVER_STAMP)"

.PHONY: install-dev
install-dev: ## Make .venv with the developers' tools too
	@test -e "$(DEV_STAMP)" || ./scripts/install.sh requirements-dev.lock "$(DEV_STAMP)"

.PHONY: clean
clean: ## Remove .venv and caches; the knowledge in .rag stays
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	@find rag_assets rag_assets_tests examples benchmarks proofs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
