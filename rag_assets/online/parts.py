"""The parts that answering works with, put together by `app.open_app`, and what a caller may choose per question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self

from rag_assets.config import Settings
from rag_assets.knowledge.scoring import Weights
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.generation.base import AnswerModel
from rag_assets.stores.database import Database
from rag_assets.stores.vectors.base import Filter, VectorIndex
from rag_assets.text.tokens import CharacterTokens, TokenCounter

#: Of words beside cosine, in the index and over whole passages. On five German sets .05 and .07 are equal (MRR@10 .776,
#: .776, cosine alone .765); on 92 questions to the example campus .07 brings the right passage into the context twice
#: more often.
LEXICAL_WEIGHT: Final = 0.07


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """What answering needs. Opening it is cheap; models are loaded at their first use."""

    database: Database
    index: VectorIndex
    embedder: Embedder
    model: AnswerModel
    clock: Callable[[], datetime]
    tokens: TokenCounter = field(default_factory=CharacterTokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices for one question.

    Attributes:
        collections: where to look; None: in all that hold documents which may answer.
        audiences: groups of the person who asks; None: sees everything (one's own machine).
        user_ref: pseudonym of the person; a session belongs to it.
        where: restricts documents, languages, types.
        top_k: how many passages go on to the context.
        lexical_weight: of the lexical score beside cosine; 0 when `strict`.
        strict: cosine similarity only, as the mission's phase A2 says.
        token_limit: of the context, in tokens of the parts' counter.
        keep_unsupported: False removes sentences that no source supports.
        max_tokens, temperature: of the answer, for models that take them.
        retention_days: after how many days a new session expires.
    """

    collections: tuple[str, ...] | None = None
    audiences: frozenset[str] | None = None
    user_ref: str | None = None
    where: Filter | None = None
    top_k: int = 8
    lexical_weight: float = LEXICAL_WEIGHT
    strict: bool = False
    token_limit: int = 3000
    weights: Weights = field(default_factory=Weights)
    keep_unsupported: bool = True
    max_tokens: int = 1000
    temperature: float | None = None
    retention_days: int = 180

    @classmethod
    def of(cls, settings: Settings, *, collections: tuple[str, ...] | None = None) -> Self:
        """The choices that the settings make for a chat.

        Raises:
            ValueError: the three weights do not add up to 1.
        """
        return cls(
            collections=collections,
            top_k=settings.top_k,
            strict=settings.strict_cosine,
            token_limit=settings.token_limit_chat,
            weights=Weights(
                similarity=settings.weight_similarity,
                recency=settings.weight_recency,
                authority=settings.weight_authority,
            ),
            retention_days=settings.chat_retention_days,
        )
