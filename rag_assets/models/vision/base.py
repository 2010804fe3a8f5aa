"""What every vision model takes and gives: a picture of a page, and the text on it.

What it gives is derived, never the original's own text; who calls it says so in what is stored. Describing pictures that
hold no text would be a second method here, for the models that can; none of those below can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PageText:
    """Text recognised on one page."""

    paragraphs: tuple[str, ...]
    """In reading order; lines of a paragraph are joined by a line feed, hyphens at their ends are kept."""
    confidence: float
    """How sure the model is of its words, 0 to 1 on average; 1 when it does not say."""


class Vision(Protocol):
    """Recognises the text on pages."""

    @property
    def name(self) -> str:
        """Technology, model and language, e.g. `tesseract deu`: another name recognises pages anew."""
        ...

    @property
    def release(self) -> str:
        """Name and version of what does the work, for the record; e.g. `tesseract 5.3.0`."""
        ...

    def read_page(self, png: bytes) -> PageText:
        """The text on the page.

        Raises:
            ModelError: `model_reply`, this page cannot be recognised.
            ServiceError: `model_unreachable`, no page can be for now.
        """
        ...
