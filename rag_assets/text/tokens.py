"""Counting tokens: the protocol, and the count by characters for where no tokenizer is at hand.

Tokenizers of particular models live with their adapters in `models`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


class TokenCounter(Protocol):
    """Counts the tokens of a text. `name` goes into fingerprints: another counter gives other chunks."""

    @property
    def name(self) -> str:
        """Names the counter and its settings."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens, 0 for the empty text."""
        ...


@dataclass(frozen=True, slots=True)
class CharacterTokens:
    """Tokens = characters / `chars_per_token`, rounded up.

    3.2 is what Llama-3's and Qwen's tokenizers were measured to need for German prose (BERT 2.75, XLM-R 4.1).

    >>> CharacterTokens().count("Wertschätzung")
    5
    """

    chars_per_token: float = 3.2

    @property
    def name(self) -> str:
        """E.g. "characters/3.2"."""
        return f"characters/{self.chars_per_token:g}"

    def count(self, text: str) -> int:
        """Number of tokens, 0 for the empty text."""
        return math.ceil(len(text) / self.chars_per_token)
