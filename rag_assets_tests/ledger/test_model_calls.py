"""Calls to models: replies kept, budgets held by several at once, every call recorded, nothing paid for lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rag_assets.config import Settings
from rag_assets.errors import ModelError, ServiceError, SettingsError
from rag_assets.ledger.model_calls import CallPolicy, Calls, Prices, policy_of
from rag_assets.models.language.base import LanguageReply, LanguageRequest, Message, StopReason, Usage
from rag_assets_tests.campus import Campus
from rag_assets_tests.models.extraction.llm.scripted import Script, ScriptedModel, always

PRICES = Prices(input=3.0, output=15.0, cached=0.3)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def _request(text: str = "Was ist Feedback?") -> LanguageRequest:
    return LanguageRequest(system="Knapp.", messages=(Message(role="user", text=text),), max_output_tokens=100)


def _said(text: str = "Ja.", **given: Any) -> LanguageReply:
    usage = Usage(input_tokens=1000, output_tokens=10, cached_tokens=400)
    return LanguageReply(**{"text": text, "model_version": "m-1", "usage": usage, **given})


class Desk:
    """Calls of one version against a scripted model."""

    def __init__(self, campus: Campus, script: Script, policy: CallPolicy | None = None, *, run_id: str = "r1") -> None:
        self.campus = campus
        self.model = ScriptedModel(script)
        self.version = campus.store("a.md", "Feedback hilft.")
        self.now: Callable[[], datetime] = lambda: NOON
        self.calls = self.of_run(run_id, policy or CallPolicy(prices=PRICES))

    def of_run(self, run_id: str, policy: CallPolicy) -> Calls:
        return Calls(
            self.campus.database,
            self.model,
            policy,
            version_id=self.version,
            purpose="extraction",
            run_id=run_id,
            clock=lambda: self.now(),
        )

    def rows(self) -> list[tuple[Any, ...]]:
        return self.campus.rows("model_calls", "outcome", "cost_micro_eur")


def test_the_price_is_that_of_the_providers_list() -> None:
    """600 fresh tokens at 3, 400 kept ones at 0.3, 10 of reply at 15 micro-euro."""
    usage = Usage(input_tokens=1000, output_tokens=10, cached_tokens=400)
    assert PRICES.cost(usage) == 600 * 3 + 120 + 150


def test_the_same_request_is_paid_once(any_campus: Campus) -> None:
    desk = Desk(any_campus, always(_said()))
    first, second = desk.calls.ask(_request()), desk.calls.ask(_request())
    assert first == second
    assert len(desk.model.asked) == 1
    assert desk.rows() == [("ok", 2070)]
    assert desk.calls.counts == {
        "calls": 1, "replies_kept": 1, "input_tokens": 1000, "output_tokens": 10, "cost_micro_eur": 2070,
    }  # fmt: skip


def test_no_text_stands_in_the_records(campus: Campus) -> None:
    desk = Desk(campus, always(_said("Eine Rückmeldung.")))
    desk.calls.ask(_request())
    ((row),) = campus.rows("model_calls")
    assert "Rückmeldung" not in repr(row)
    assert "Feedback" not in repr(row)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        pytest.param(_said(stop=StopReason.LENGTH), "incomplete", id="broken off"),
        pytest.param(_said(stop=StopReason.REFUSED), "refused", id="refused"),
        pytest.param(_said("kein JSON"), "invalid_output", id="not usable"),
    ],
)
def test_a_reply_that_is_no_use_is_paid_and_not_kept(campus: Campus, reply: LanguageReply, outcome: str) -> None:
    desk = Desk(campus, always(reply))
    for _ in range(2):
        desk.calls.ask(_request(), usable=lambda said: said.stop is StopReason.END and said.text == "Ja.")
    assert desk.rows() == [(outcome, 2070)] * 2


def test_a_failed_call_is_recorded_and_costs_nothing(campus: Campus) -> None:
    desk = Desk(campus, always(ServiceError("model_busy")))
    with pytest.raises(ServiceError):
        desk.calls.ask(_request())
    assert desk.rows() == [("error", 0)]


def test_a_call_whose_end_is_unknown_keeps_its_booking(campus: Campus) -> None:
    """Interrupted in the middle: the provider may well charge for it."""
    desk = Desk(campus, always(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        desk.calls.ask(_request())
    ((outcome, cost),) = desk.rows()
    assert outcome == "pending"
    assert cost >= 100 * 15


def test_the_budget_of_a_run_stops_before_the_call(campus: Campus) -> None:
    policy = CallPolicy(prices=PRICES, run_micro_eur=5000)
    desk = Desk(campus, always(_said()), policy)
    for number in range(3):
        if number == 2:
            with pytest.raises(ModelError) as caught:
                desk.calls.ask(_request(f"Frage {number}"))
            assert caught.value.code == "budget"
            assert caught.value.transient
            assert "RAG_BUDGET_RUN_EUR" in str(caught.value)
        else:
            desk.calls.ask(_request(f"Frage {number}"))
    assert len(desk.model.asked) == 2
    assert desk.of_run("r2", policy).ask(_request("Frage 2")).text == "Ja."


def test_the_budget_of_a_day_holds_over_runs_and_ends_with_the_day(campus: Campus) -> None:
    policy = CallPolicy(prices=PRICES, day_micro_eur=3500)
    desk = Desk(campus, always(_said()), policy)
    desk.calls.ask(_request("eins"))
    with pytest.raises(ModelError, match="RAG_BUDGET_DAY_EUR"):
        desk.of_run("r2", policy).ask(_request("zwei"))
    desk.now = lambda: NOON + timedelta(hours=12)
    assert desk.of_run("r3", policy).ask(_request("zwei")).text == "Ja."


def test_several_at_once_keep_to_the_budget(any_campus: Campus) -> None:
    """Twelve threads, money for three: without booking beforehand all would see an empty bill and go on."""
    together = threading.Barrier(12, timeout=20)
    most = CallPolicy(prices=PRICES).most(_request("Frage 10"))
    policy = CallPolicy(prices=PRICES, run_micro_eur=3 * most)
    cheap = LanguageReply(text="Ja.", model_version="m", usage=Usage(input_tokens=10, output_tokens=90))
    desk = Desk(any_campus, always(cheap), policy)
    refused: list[str] = []

    def ask(number: int) -> None:
        calls = desk.of_run("r1", policy)
        together.wait()
        try:
            calls.ask(_request(f"Frage {number}"))
        except ModelError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(desk.model.asked) <= 4
    assert sum(cost for _, cost in desk.rows()) <= 3 * most
    assert refused == ["budget"] * (12 - len(desk.model.asked))


def test_a_model_that_costs_nothing_knows_no_budget(campus: Campus) -> None:
    desk = Desk(campus, always(_said()), CallPolicy(run_micro_eur=0, day_micro_eur=0))
    desk.calls.ask(_request())
    assert desk.rows() == [("ok", 0)]


def test_a_model_outside_needs_its_prices() -> None:
    outside = ScriptedModel(always("x"), leaves_machine=True)
    with pytest.raises(SettingsError, match="prices"):
        policy_of(Settings(), outside)
    policy = policy_of(Settings(llm_price_input=3, llm_price_output=15, budget_run_eur=1.5), outside)
    assert policy.prices == Prices(input=3, output=15, cached=3)
    assert policy.run_micro_eur == 1_500_000
    assert policy_of(Settings(), ScriptedModel(always("x"))).prices is None


def test_kept_replies_hang_on_their_document(campus: Campus) -> None:
    """Erasing the version erases them."""
    desk = Desk(campus, always(_said()))
    desk.calls.ask(_request())
    assert campus.rows("response_cache", "document_version_id") == [(desk.version,)]
