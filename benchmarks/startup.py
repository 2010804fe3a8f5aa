"""Starting: the time of whole processes, against an interpreter that does nothing and one that imports SQLAlchemy."""

from __future__ import annotations

import sys
from statistics import median

from benchmarks.homes import build_with_library, new_base
from benchmarks.measuring import environment_for, process_spent, rag_command
from benchmarks.rows import Row

NAME = "startup"
NOTHING, SQLALCHEMY, DAGSTER = "python -c pass", 'python -c "import sqlalchemy"', 'python -c "import dagster"'


def run(*, quick: bool) -> list[Row]:
    """Each program several times in turn, so that a change in load meets all."""
    repeats, documents = (1, 1) if quick else (9, 16)
    programs = {
        NOTHING: [sys.executable, "-c", "pass"],
        SQLALCHEMY: [sys.executable, "-c", "import sqlalchemy"],
        "rag --help": rag_command("--help"),
        "rag status": rag_command("status"),
        DAGSTER: [sys.executable, "-c", "import dagster"],
        "import of rag_assets.definitions": [sys.executable, "-c", "import rag_assets.definitions"],
    }
    with new_base(documents) as base:
        with base.opened() as app:
            build_with_library(app)
        environment = environment_for(base.home, base.sources)
        rounds = [
            {name: process_spent(command, environment) for name, command in programs.items()}
            for _ in range(repeats + 1)
        ]
    rows = []
    for name in programs:
        against = {NOTHING: "", "rag --help": NOTHING, "import of rag_assets.definitions": DAGSTER, SQLALCHEMY: NOTHING}
        other = against.get(name, SQLALCHEMY)
        # The first round compiles what was not yet compiled.
        value = median(one[name].cpu_ms for one in rounds[1:])
        ratio = median(one[name].cpu_ms / one[other].cpu_ms for one in rounds[1:]) if other else None
        rows.append(Row(NAME, f"`{name}`", value, "ms CPU", ratio, f"`{other}`" if other else ""))
    return rows
