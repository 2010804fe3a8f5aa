"""Phases A0–A1: take the question in, and embed it with the same model as the passages. No interpretation here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag_assets.errors import UsageError
from rag_assets.models.embedding.base import Embedder
from rag_assets.text.lexical import content_words, query_terms

MAX_CHARS: Final = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was taken in.

    Attributes:
        text: white space and Unicode form tidied, otherwise as it was asked.
        terms: distinct terms for the lexical search. words: distinct stems that carry its topic.
        vector: (dimension,) float32, unit length.
    """

    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    vector: NDArray[np.float32] = field(compare=False)


def tidy(text: str) -> str:
    """The question's text in NFC, controls taken out, white space to single blanks.

    Raises:
        UsageError: `empty_question` without a letter or digit, `question_too_long` over 2000 characters.
    """
    plain = "".join(" " if unicodedata.category(sign) in {"Cc", "Cs", "Co"} else sign for sign in text)
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFC", plain)).strip()
    if not any(sign.isalnum() for sign in plain):
        raise UsageError("empty_question")
    if len(plain) > MAX_CHARS:
        raise UsageError("question_too_long", "", characters=len(plain), most=MAX_CHARS)
    return plain


def take(text: str, embedder: Embedder, *, also: Sequence[str] = ()) -> Question:
    """The question, ready to be looked for; `also` are names that are searched for beside what was asked.

    Raises:
        UsageError: as `tidy`. ModelError, ServiceError: as the embedder.
    """
    plain = tidy(text)
    searched = f"{plain} ({', '.join(also)})" if also else plain
    return Question(
        text=plain,
        terms=tuple(query_terms(searched)),
        words=frozenset(content_words(searched)),
        vector=embedder.embed_query(searched),
    )
