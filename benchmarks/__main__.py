"""`python -m benchmarks [NAME …]`: run benchmarks, print their table, keep figures as JSON or in the documentation."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Final

from benchmarks.measuring import PROJECT, this_machine, without_settings
from benchmarks.rows import Row, as_json, as_markdown

# Before NumPy is imported anywhere: on a busy machine the threads of a multiplication wait for each other, and two
# ways of searching could no longer be compared.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

NAMES: Final = ("ingest", "rerun", "startup", "search", "reading", "extraction")
DOCUMENT: Final = PROJECT / "docs" / "performance.md"
#: What tells of quality and not of speed: run when named only, and told on a page of its own, docs/NAME.md.
EVALUATIONS: Final = ("formats",)
_BLOCK = re.compile(r"(<!-- figures: begin -->\n).*(<!-- figures: end -->)", re.DOTALL)


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"which to run: {', '.join(NAMES)} (default: all these), {', '.join(EVALUATIONS)}",
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one repetition: shows that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument(
        "--docs", action="store_true", help=f"also put the tables into docs/{DOCUMENT.name}, or docs/NAME.md"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - {*NAMES, *EVALUATIONS})
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    if options.docs and (options.quick or set(options.names) - set(EVALUATIONS)):
        parser.error("--docs tells what all benchmarks give in full")
    machine = this_machine()
    print(f"{machine}\n", flush=True)
    rows: list[Row] = []
    with without_settings():
        for name in options.names or NAMES:
            print(f"{name} …", file=sys.stderr, flush=True)
            if name in EVALUATIONS:
                table: str = import_module(f"benchmarks.{name}").tell(quick=options.quick)
                print(table + "\n", flush=True)
                if options.docs:
                    _into_document(DOCUMENT.with_name(f"{name}.md"), f"{machine}.\n\n{table}\n\n")
                continue
            found: list[Row] = import_module(f"benchmarks.{name}").run(quick=options.quick)
            print(as_markdown(found) + "\n", flush=True)
            rows += found
    if options.json:
        content = {"machine": asdict(machine), "quick": options.quick, "rows": as_json(rows)}
        options.json.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if options.docs and rows:
        _into_document(DOCUMENT, f"{machine}.\n\n{as_markdown(rows)}\n\n")
    return 0


def _into_document(document: Path, text: str) -> None:
    before = document.read_text(encoding="utf-8")
    after, found = _BLOCK.subn(lambda match: match[1] + text + match[2], before)
    if found != 1:
        raise SystemExit(f"{document} has no place for the figures")
    document.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
