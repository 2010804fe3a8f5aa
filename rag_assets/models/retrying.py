"""Calling a model's server again when it is out of reach or overloaded: how often, and how long apart."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeVar

from rag_assets.errors import RagError

_Result = TypeVar("_Result")

ATTEMPTS: Final = 4
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 8.0
LONGEST_ASKED_WAIT_S: Final = 60.0
"""A server that asks for a longer pause is busy for this run."""


def with_retries(
    request: Callable[[], _Result],
    *,
    translate: Callable[[Exception], RagError | None],
    sleep: Callable[[float], None],
) -> _Result:
    """Run a request; wait and repeat what may pass by itself, with growing, jittered pauses.

    `translate` gives our error for what a client raised, None for what is no fault of the server's and goes through.
    An error whose ids hold `retry_after_s` is waited for as long as that says.

    Raises:
        RagError: what does not pass, at once; what may pass, after the last attempt.
    """
    wait = FIRST_WAIT_S
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return request()
        except Exception as error:
            known = translate(error)
            if known is None:
                raise
            asked = known.ids.get("retry_after_s")
            pause = float(asked) if isinstance(asked, int | float) else random.uniform(wait / 2, wait)
            if not known.transient or attempt == ATTEMPTS or pause > LONGEST_ASKED_WAIT_S:
                raise known from error
        sleep(pause)
        wait = min(wait * 2, LONGEST_WAIT_S)
    raise AssertionError("unreachable")
