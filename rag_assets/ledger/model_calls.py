"""Every call to a language model goes through here: kept replies first, then the budget, then the call and its record.

A reply that was paid for is stored at once, in a short transaction of its own, so that no later fault loses it. Before a
call that costs money its highest possible price is booked, so that several processes together keep to the budget too;
a process that is killed in between leaves its booking behind, which counts until the day ends. Never any text but in the
reply cache.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final

from rag_assets.config import Settings
from rag_assets.errors import ModelError, RagError, SettingsError
from rag_assets.ledger import locks
from rag_assets.models.language.base import (
    LanguageModel,
    LanguageReply,
    LanguageRequest,
    StopReason,
    Usage,
    is_whole,
)
from rag_assets.stores import activities, response_cache
from rag_assets.stores.activities import NewModelCall
from rag_assets.stores.bulk import in_write
from rag_assets.stores.database import Connection, Database

PENDING: Final = "pending"
"""Outcome of a call that is under way, or whose process was killed: its booked price stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Euro per million tokens, which is micro-euro per token. `cached` is for input from the provider's prompt cache."""

    input: float
    output: float
    cached: float

    def cost(self, usage: Usage) -> int:
        """Price of one call in micro-euro, rounded up."""
        fresh = usage.input_tokens - usage.cached_tokens
        whole = fresh * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output
        return ceil(whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """What calls may cost, and how many may be under way at once.

    Attributes:
        prices: None for a model that costs nothing.
        run_micro_eur: most that one run may spend.
        day_micro_eur: most that all runs of a day (UTC) may spend together.
        concurrency: calls under way at once in one process.
        token_chars: characters of a token, for prices that must be known before the call.
    """

    prices: Prices | None = None
    run_micro_eur: int = 5_000_000
    day_micro_eur: int = 20_000_000
    concurrency: int = 4
    token_chars: float = 3.2

    def most(self, request: LanguageRequest) -> int:
        """The highest price that a request can come to, in micro-euro; 0 for a model that costs nothing."""
        if self.prices is None:
            return 0
        # A third more than usual: a text may be denser than prose.
        tokens = ceil(request.characters / self.token_chars * 4 / 3)
        return self.prices.cost(Usage(input_tokens=tokens, output_tokens=request.max_output_tokens))


def policy_of(settings: Settings, model: LanguageModel) -> CallPolicy:
    """What the settings say that calls to this model may cost.

    Raises:
        SettingsError: the model is outside and its prices are not set: nobody could say what a run will cost.
    """
    known = settings.llm_price_input is not None and settings.llm_price_output is not None
    if model.leaves_machine and not known:
        raise SettingsError(
            "settings",
            "a model outside the own network needs its prices set, so that budgets hold",
            hint="Set RAG_LLM_PRICE_INPUT and RAG_LLM_PRICE_OUTPUT: euro for a million tokens.",
            model=label(model),
        )
    prices = None
    if settings.llm_price_input is not None and settings.llm_price_output is not None:
        cached = settings.llm_price_cached
        prices = Prices(
            input=settings.llm_price_input,
            output=settings.llm_price_output,
            cached=settings.llm_price_input if cached is None else cached,
        )
    return CallPolicy(
        prices=prices,
        run_micro_eur=round(settings.budget_run_eur * 1e6),
        day_micro_eur=round(settings.budget_day_eur * 1e6),
        concurrency=settings.llm_concurrency,
        token_chars=settings.token_chars,
    )


class Calls:
    """The calls of one piece of work: on one document version, for one purpose. Safe to share between threads.

    Args:
        database: where replies and records are kept.
        model: whom to ask.
        policy: prices and limits.
        version_id: the document version whose text is sent; the reply is erased with it. None where the text is of
            several or a person's: no reply is kept then.
        purpose: `extraction`, `generation` or `vision`.
        run_id: what the budget of a run is counted over; None for what is no run, as an answer.
        clock: the present moment.
    """

    def __init__(
        self,
        database: Database,
        model: LanguageModel,
        policy: CallPolicy,
        *,
        version_id: int | None,
        purpose: str,
        run_id: str | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._model = model
        self._policy = policy
        self._version_id = version_id
        self._purpose = purpose
        self._run_id = run_id
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def ask(self, request: LanguageRequest, /, *, usable: Callable[[LanguageReply], bool] = is_whole) -> LanguageReply:
        """See `models.language.base.Ask`.

        Raises:
            ModelError: `budget`, before the call; as `LanguageModel.complete`.
            ServiceError: as `LanguageModel.complete`.
        """
        key = request.sha256(self._model.fingerprint)
        kept = self._kept(key)
        if kept is not None:
            self._count(replies_kept=1)
            return reply_from_json(kept)
        began = self._clock()
        booked = self._book(key, request, began)
        try:
            reply = self._model.complete(request)
        except BaseException as error:
            known = isinstance(error, RagError)
            self._record(key, booked, began, "error" if known else PENDING, Usage(), 0 if known else None)
            raise
        outcome = _outcome(reply, usable)
        cost = self._policy.prices.cost(reply.usage) if self._policy.prices else 0
        self._record(key, booked, began, outcome, reply.usage, cost, reply if outcome == "ok" else None)
        return reply

    def _kept(self, key: str) -> str | None:
        if self._version_id is None:
            return None
        with self._database.read() as connection:
            return response_cache.get_many(connection, [key]).get(key)

    @property
    def counts(self) -> Mapping[str, int]:
        """What was done so far: `calls`, `replies_kept`, `input_tokens`, `output_tokens`, `cost_micro_eur`."""
        with self._lock:
            return dict(self._counts)

    def _book(self, key: str, request: LanguageRequest, began: datetime) -> int | None:
        """Book the highest price; None when nothing can be owed."""
        most = self._policy.most(request)
        if not most:
            return None

        def write(connection: Connection) -> int:
            locks.hold_base(connection)  # else two would see the same sum, and both go on
            today = began.replace(hour=0, minute=0, second=0, microsecond=0)
            if self._run_id is not None:
                self._check("run", activities.spent_in_run(connection, self._run_id), most, self._policy.run_micro_eur)
            self._check("day", activities.spent_since(connection, today), most, self._policy.day_micro_eur)
            return activities.add_call(connection, self._call(key, began, PENDING, Usage(), most))

        return in_write(self._database, write)

    def _check(self, what: str, spent: int, most: int, limit: int) -> None:
        if spent + most > limit:
            setting = f"RAG_BUDGET_{what.upper()}_EUR"
            raise ModelError(
                "budget",
                f"the budget of this {what} does not hold another call",
                setting=setting,
                spent_eur=round(spent / 1e6, 4),
                next_call_eur=round(most / 1e6, 4),
                limit_eur=round(limit / 1e6, 4),
            )

    def _record(
        self,
        key: str,
        booked: int | None,
        began: datetime,
        outcome: str,
        usage: Usage,
        cost: int | None,
        reply: LanguageReply | None = None,
    ) -> None:
        """Record the end of a call; `cost` None leaves what was booked."""

        def write(connection: Connection) -> None:
            call = self._call(key, began, outcome, usage, cost or 0)
            if booked is None:
                activities.add_call(connection, call)
            else:
                activities.end_call(connection, booked, call, keep_cost=cost is None)
            if reply is not None and self._version_id is not None:
                keep_reply(connection, key, reply, self._model, version_id=self._version_id, at=call.created_at)

        in_write(self._database, write)
        self._count(
            calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_micro_eur=cost or 0
        )

    def _call(self, key: str, began: datetime, outcome: str, usage: Usage, cost: int) -> NewModelCall:
        ended = self._clock()
        return NewModelCall(
            purpose=self._purpose,
            model=label(self._model),
            request_sha256=key,
            latency_ms=max(0, round((ended - began).total_seconds() * 1000)),
            outcome=outcome,
            created_at=began,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_micro_eur=cost,
            document_version_id=self._version_id,
            run_id=self._run_id,
        )

    def _count(self, **counted: int) -> None:
        with self._lock:
            self._counts.update({name: count for name, count in counted.items() if count})


def keep_reply(
    connection: Connection, key: str, reply: LanguageReply, model: LanguageModel, *, version_id: int, at: datetime
) -> None:
    """Keep a whole reply for the next time the same request is made."""
    response_cache.put(connection, {key: reply_to_json(reply)}, version_id=version_id, extractor=label(model), at=at)


def label(model: LanguageModel) -> str:
    """Provider and name as they are recorded."""
    return f"{model.provider}:{model.name}"


def reply_to_json(reply: LanguageReply) -> str:
    """A reply as it is kept."""
    return json.dumps(asdict(reply), ensure_ascii=False, sort_keys=True)


def reply_from_json(kept: str) -> LanguageReply:
    """Inverse of `reply_to_json`."""
    fields: dict[str, Any] = json.loads(kept)
    return LanguageReply(
        text=fields["text"],
        model_version=fields["model_version"],
        stop=StopReason(fields["stop"]),
        usage=Usage(**fields["usage"]),
    )


def _outcome(reply: LanguageReply, usable: Callable[[LanguageReply], bool]) -> str:
    if reply.stop is StopReason.REFUSED:
        return "refused"
    if reply.stop is not StopReason.END:
        return "incomplete"
    return "ok" if usable(reply) else "invalid_output"
