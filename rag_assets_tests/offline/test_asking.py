"""Extraction of many chunks by a model that fails in every way: each chunk ends somewhere, nothing is asked in vain."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from rag_assets.errors import ModelError, ServiceError, SettingsError
from rag_assets.ledger.model_calls import CallPolicy, Prices
from rag_assets.models.extraction.llm import LlmExtractor
from rag_assets.models.language.base import LanguageReply, LanguageRequest, StopReason, Usage
from rag_assets.offline.extraction import Obtained, obtain, read_chunks
from rag_assets.stores import chunks as chunk_store
from rag_assets_tests.campus import Campus
from rag_assets_tests.models.extraction.llm.scripted import ONTOLOGY, Script, ScriptedModel, reply

EMPATHIE = {"name": "Empathie", "class": "Haltung", "properties": []}
GOOD = reply([EMPATHIE])


def _obtain(campus: Campus, version: int, model: ScriptedModel, policy: CallPolicy | None = None) -> Obtained:
    extractor = LlmExtractor(model, ONTOLOGY)
    with campus.database.read() as connection:
        rows = chunk_store.of_version(connection, version)
    chunks = read_chunks(rows, extractor, title="Skript", language="de")
    return obtain(
        campus.database,
        extractor,
        chunks,
        version_id=version,
        clock=campus.clock,
        run_id="r1",
        policy=policy or CallPolicy(concurrency=4),
    )


def _paragraphs(count: int) -> str:
    return "\n\n".join(f"Absatz {number} sagt, dass Empathie hilft." for number in range(count))


def _by_paragraph(faults: dict[int, Script]) -> Script:
    """The fault of a paragraph, else a good reply."""

    def script(asked: LanguageRequest) -> str | LanguageReply | BaseException:
        for number, fault in faults.items():
            if f"Absatz {number} " in asked.messages[0].text:
                return fault(asked)
        return GOOD

    return script


def test_the_second_time_nothing_is_asked(any_campus: Campus) -> None:
    version = any_campus.store("a.md", _paragraphs(6))
    model = ScriptedModel(lambda _: GOOD)
    first = _obtain(any_campus, version, model)
    before = any_campus.dump()
    second = _obtain(any_campus, version, model)
    assert (first.calls, second.calls, len(model.asked)) == (6, 0, 6)
    assert second.extractions == first.extractions
    assert any_campus.dump() == before


def test_one_changed_chunk_is_one_call(campus: Campus) -> None:
    model = ScriptedModel(lambda _: GOOD)
    _obtain(campus, campus.store("a.md", _paragraphs(6)), model)
    changed = campus.store("a.md", _paragraphs(6).replace("Absatz 3", "Absatz drei"))
    assert _obtain(campus, changed, model).calls == 1


def test_a_service_that_fails_for_one_chunk_lets_the_others_finish(campus: Campus) -> None:
    """What could be had is kept; the next run asks only for the one."""
    version = campus.store("a.md", _paragraphs(8))
    busy = ScriptedModel(_by_paragraph({2: lambda _: ServiceError("model_busy")}))
    with pytest.raises(ServiceError):
        _obtain(campus, version, busy)
    assert len(busy.asked) == 8
    well = ScriptedModel(lambda _: GOOD)
    assert len(_obtain(campus, version, well).extractions) == 8
    assert len(well.asked) == 1


def test_a_service_that_is_away_is_not_asked_for_every_chunk(campus: Campus) -> None:
    version = campus.store("a.md", _paragraphs(40))
    away = ScriptedModel(lambda _: ServiceError("model_unreachable"))
    with pytest.raises(ServiceError):
        _obtain(campus, version, away, CallPolicy(concurrency=2))
    assert len(away.asked) <= 5


def test_a_refused_key_is_refused_once(campus: Campus) -> None:
    version = campus.store("a.md", _paragraphs(10))
    refused = ScriptedModel(lambda _: SettingsError("settings"))
    with pytest.raises(SettingsError):
        _obtain(campus, version, refused, CallPolicy(concurrency=1))
    assert len(refused.asked) == 1


def test_a_spent_budget_stops_and_the_next_run_goes_on(campus: Campus) -> None:
    version = campus.store("a.md", _paragraphs(10))
    said = LanguageReply(text=GOOD, model_version="m", usage=Usage(input_tokens=900, output_tokens=50))
    model = ScriptedModel(lambda _: said)
    prices = Prices(input=3.0, output=15.0, cached=3.0)
    small = CallPolicy(prices=prices, concurrency=1, run_micro_eur=80_000)
    with pytest.raises(ModelError, match="budget"):
        _obtain(campus, version, model, small)
    made = len(model.asked)
    assert 0 < made < 10
    assert sum(cost for (cost,) in campus.rows("model_calls", "cost_micro_eur")) <= 80_000
    assert len(_obtain(campus, version, model, CallPolicy(prices=prices, run_micro_eur=10**9)).extractions) == 10
    assert len(model.asked) == 10


@dataclass
class Unruly:
    """A model where one passage in ten meets a fault; it notes what each call was worth."""

    seed: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    tries: Counter[str] = field(default_factory=Counter)
    calls: int = 0

    def __call__(self, asked: LanguageRequest) -> str | LanguageReply | BaseException:
        text = asked.messages[0].text
        with self.lock:
            self.calls += 1
            self.tries[text] += 1
            tries = self.tries[text]
        chance = random.Random(f"{self.seed} {text}")
        if chance.random() > 0.1:
            return GOOD
        faults: tuple[Callable[[], str | LanguageReply | BaseException], ...] = (
            lambda: "Es tut mir leid.",
            lambda: '{"entities": [{"name": "Emp',
            lambda: LanguageReply(text="", model_version="m", stop=StopReason.REFUSED),
            lambda: LanguageReply(text="{", model_version="m", stop=StopReason.LENGTH),
            lambda: ModelError("model_reply"),
            lambda: ValueError("Geheimnis"),
            lambda: json.dumps([1, 2]),
            lambda: ServiceError("model_busy") if tries == 1 else GOOD,
        )
        return chance.choice(faults)()


@pytest.mark.long
def test_a_thousand_chunks_of_which_a_tenth_meets_a_fault(campus: Campus) -> None:
    """Every chunk ends with an extraction or with a code; no call is made that the policy does not allow."""
    version = campus.store("a.md", _paragraphs(1000))
    unruly = Unruly(seed=7)
    model = ScriptedModel(unruly)
    for _ in range(4):
        try:
            obtained = _obtain(campus, version, model, CallPolicy(concurrency=8))
        except ServiceError:
            continue
        break
    else:
        pytest.fail("it never came to an end")
    codes = Counter(code for _, code in obtained.quarantined)
    assert len(obtained.extractions) + sum(codes.values()) == 1000
    assert set(codes) == {"model_reply", "model_refused", "model_incomplete", "internal"}
    assert 40 < sum(codes.values()) < 120
    # Good passages once; a passage with a fault once a run, and once more a run where it gave no JSON.
    assert 1000 <= unruly.calls <= 1000 + 4 * 2 * 120
    good = [text for text, tries in unruly.tries.items() if tries == 1]
    assert len(good) >= 850
