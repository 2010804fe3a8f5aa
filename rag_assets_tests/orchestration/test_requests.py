"""Which runs are asked for: the least number over what is open, each once, and again when it was in vain."""

from __future__ import annotations

from rag_assets.ledger.stages import STAGES, DocumentPlan
from rag_assets.orchestration.requests import Asked, requests, run_key, to_ask


def plan(*entries: tuple[str, tuple[str, ...]]) -> list[DocumentPlan]:
    return [DocumentPlan(number, f"uid-{key}", key, stages) for number, (key, stages) in enumerate(entries)]


def test_documents_that_need_the_same_stages_share_runs():
    """A run works through all its stages for all its keys: others would be reported though nothing was done."""
    order = ["a", "b", "c", "d"]
    found = requests(
        plan(("a", STAGES), ("b", ("embeddings",)), ("c", STAGES), ("d", STAGES)),
        order,
    )
    assert [(request.keys.keys, request.stages) for request in found] == [
        (("a",), STAGES),
        (("c", "d"), STAGES),
        (("b",), ("embeddings",)),
    ]


def test_the_same_work_is_asked_for_once_and_again_when_it_was_in_vain():
    planned = {"a": "work-1", "b": "work-1"}
    first, remembered = to_ask(planned, {}, frozenset(), times=2)
    assert first == {"a", "b"}
    # The run over `a` is still at work; `b` was in vain.
    second, remembered = to_ask(planned, remembered, frozenset({"a"}), times=2)
    assert second == {"b"}
    assert remembered == {"a": Asked("work-1", 1), "b": Asked("work-1", 2)}
    third, remembered = to_ask(planned, remembered, frozenset({"a"}), times=2)
    assert third == frozenset()
    # New content counts anew; what is done is forgotten.
    fourth, remembered = to_ask({"b": "work-2"}, remembered, frozenset(), times=2)
    assert fourth == {"b"}
    assert remembered == {"b": Asked("work-2", 1)}


def test_a_run_key_names_content_and_attempt():
    (request,) = requests(plan(("a", STAGES)), ["a"])
    keys = {
        run_key(request, {"a": Asked("work-1", 1)}),
        run_key(request, {"a": Asked("work-1", 2)}),
        run_key(request, {"a": Asked("work-2", 1)}),
    }
    assert len(keys) == 3
    assert run_key(request, {"a": Asked("work-1", 1)}) in keys
