"""The `rag` command: arguments in, one call, text or JSON out.

A module per group of verbs, and the entry point `main`. Here live options, progress, tables, exit statuses and the
stable shape of `--json`; what a verb does lives in the packages below, so that the web and Dagster do the same.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `rag` command."""
    from rag_assets.cli.root import run

    sys.exit(run(sys.argv[1:]))
