"""Many random histories of a real folder and of people's decisions, each another; and the faults that they find.

The machine, its moves and its checks are those of the suite (`rag_assets_tests.histories`). Here also: facts read from
German by rules and the project's ontology, everything brought up to date through Dagster now and then, and a history
that fails is made as short as it can be.

RAG_PROOF_HISTORIES (40) and RAG_PROOF_STEPS (30) make it longer or shorter.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import Phase

from proofs import planted
from proofs.faults import FAULTS
from proofs.record import parameter, record
from rag_assets_tests.histories.machine import Tally, play

HISTORIES = parameter("HISTORIES", 40)
STEPS = parameter("STEPS", 30)


@pytest.mark.timeout(7200)
def test_any_history_keeps_the_invariants() -> None:
    """Half in the tests' notation, where names collide as much as they can; half in German."""
    began = time.monotonic()
    tally = Tally()
    for notation in (True, False):
        play(
            HISTORIES // 2,
            STEPS,
            same_every_time=False,
            phases=(Phase.generate, Phase.shrink),
            tally=tally,
            notation=notation,
            dagster=True,
        )
    moves = ", ".join(f"{kind} {number:,}" for kind, number in tally.moves.most_common())
    looked = tally.looked
    record(
        "random histories",
        [
            f"{HISTORIES} histories of at most {STEPS} moves: {tally.moves.total():,} moves ({moves})",
            f"brought up to date {looked['library']:,} times by the library and {looked['dagster']:,} times through"
            " Dagster; every check held after each, and doing it again changed no row",
            f"{looked['identities']:,} times a document kept its uid through a change, a move or a return",
            f"{looked['rebuilt']} bases built in one go from the final files and decisions knew the same",
            f"{time.monotonic() - began:.0f} s",
        ],
    )


@pytest.mark.timeout(3600)
def test_planted_faults_are_found() -> None:
    """Every fault, and none where none is."""
    found = planted.search_all([planted.NOTHING, *FAULTS])
    record("planted faults", [f"{len(FAULTS)} faults, one at a time"], table=planted.table(found))
    assert [result for result in found if not result.is_right] == []
