"""The prompts of this package by name, each identified by the hash of its text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text and its hash: whoever asks later what an answer was made with finds exactly this."""

    name: str
    template: str
    sha256: str


@lru_cache(maxsize=32)
def load(name: str) -> Prompt:
    """The prompt of this name.

    Raises:
        KeyError: there is none.
    """
    if name not in names():
        raise KeyError(name)
    template = resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    return Prompt(name, template, hashlib.sha256(template.encode()).hexdigest())


def names() -> tuple[str, ...]:
    """Names of all prompts, sorted."""
    files = (entry.name for entry in resources.files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in files if name.endswith(".md")))
