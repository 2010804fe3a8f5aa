"""Shows that the state machine of `rag_assets_tests.histories` finds faults: plants one, plays, tells who noticed.

    python -m proofs.planted                      plant each fault in turn, and none; print the table
    python -m proofs.planted rejected-comes-back  only this one
    python -m proofs.planted --list               the faults, one a line

Each fault is planted in a process of its own, before anything of the product is imported there: its module's source is
taken with one place changed (`proofs.faults`). Nothing on disk changes. The histories are the same every time.

Exit status: 0 each fault was found and nothing was found where none was planted, 1 not so, 2 wrong use.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from proofs.faults import FAULTS, Fault

HISTORIES = 30
"""How many are played at most until a fault is found."""
SOUND_HISTORIES = 4
"""How many are played without a fault, all to their end."""
MOVES = 12
NOTHING = "nothing"
_PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Found:
    """How the machine fared: the check that noticed (None: nobody), after how many moves, and what it said.

    `seconds` are those of the processor that the search took, without what reading files took in its process.
    """

    fault: str
    check: str | None
    moves: int
    seconds: float
    said: str = ""

    @property
    def is_right(self) -> bool:
        """A fault is found; where there is none, none."""
        return (self.check is None) == (self.fault == NOTHING)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs.planted", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("faults", nargs="*", metavar="FAULT", help="name of a fault; none: all, and no fault at all")
    parser.add_argument("--list", action="store_true", help="list the faults and do nothing")
    parser.add_argument("--histories", type=int, default=HISTORIES, help=f"how many to play at most ({HISTORIES})")
    parser.add_argument("--verbose", action="store_true", help="also print what the check said")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.faults) - {*FAULTS, NOTHING}):
        parser.error(f"unknown: {', '.join(unknown)}; --list names all")
    if chosen.list:
        for name, fault in FAULTS.items():
            print(f"{name:28} {fault.what}")
        return 0
    if chosen.in_this_process:
        print(json.dumps(asdict(search(chosen.faults[0], histories=chosen.histories))))
        return 0
    found = search_all(chosen.faults or [NOTHING, *FAULTS], histories=chosen.histories)
    print("\n".join(table(found)))
    for result in found if chosen.verbose else ():
        print(f"\n{result.fault}: {result.said}")
    wrong = [result.fault for result in found if not result.is_right]
    if wrong:
        print(f"\nnot as it must be: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def table(found: Sequence[Found]) -> list[str]:
    """The results as a Markdown table."""
    rows = ["| planted | found | by | after moves | CPU seconds |", "|---|---|---|---:|---:|"]
    for result in found:
        what = FAULTS[result.fault].what if result.fault in FAULTS else "nothing"
        yes = "no" if result.check is None else "yes"
        rows.append(f"| {what} | {yes} | {result.check or '–'} | {result.moves:,} | {result.seconds:.0f} |")
    return rows


def search_all(names: Sequence[str], *, histories: int = HISTORIES) -> list[Found]:
    """The results in the order of the names, each from a process of its own, as many at once as there are cores."""

    def one(name: str) -> Found:
        found = _in_own_process(name, histories)
        print(f"{name}: {found.check or 'nothing found'}, {found.seconds:.0f} s of CPU", file=sys.stderr, flush=True)
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, names))


def search(name: str, *, histories: int) -> Found:
    """Plant a fault in this process and play until it is found."""
    if name in FAULTS:
        plant(FAULTS[name])
    # Not before: what is imported first would have the sound module.
    from rag_assets_tests.histories.checks import Broken
    from rag_assets_tests.histories.machine import Tally, play

    began = time.process_time()
    tally = Tally()
    check, said = None, ""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            play(histories, MOVES, same_every_time=True, tally=tally)
        except Broken as broken:
            check, said = broken.check, str(broken)
        except Exception as error:  # noqa: BLE001  a product that breaks down has been noticed, too
            check, said = f"raises {type(error).__name__}", str(error)
    moves = tally.moves.total() if tally.found_after is None else tally.found_after
    return Found(name, check, moves, time.process_time() - began, said[:2000])


def plant(fault: Fault) -> None:
    """Put the mutated module in the place of the sound one, which must not have been imported.

    Raises:
        ValueError: the text to be changed does not stand there exactly once.
    """
    if fault.module in sys.modules:
        raise ValueError(f"{fault.module} has been imported already")
    spec = importlib.util.find_spec(fault.module)
    assert spec is not None
    assert spec.origin is not None
    mutated = mutate(fault, Path(spec.origin).read_text(encoding="utf-8"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[fault.module] = module
    parent, _, name = fault.module.rpartition(".")
    setattr(sys.modules[parent], name, module)
    exec(compile(mutated, spec.origin, "exec"), module.__dict__)


def mutate(fault: Fault, source: str) -> str:
    """The module's source with the fault.

    Raises:
        ValueError: the text to be changed does not stand there exactly once.
    """
    if source.count(fault.right) != 1:
        raise ValueError(f"{fault.module}: {fault.right!r} stands there {source.count(fault.right)} times")
    return source.replace(fault.right, fault.wrong)


def _in_own_process(name: str, histories: int) -> Found:
    histories = min(histories, SOUND_HISTORIES) if name == NOTHING else histories
    command = [sys.executable, "-m", "proofs.planted", "--in-this-process", f"--histories={histories}", name]
    done = subprocess.run(command, cwd=_PROJECT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
    return Found(**json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
