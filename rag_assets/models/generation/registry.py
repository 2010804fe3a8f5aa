"""From the setting `RAG_GENERATION` to the model that answers; the one list of what may stand there."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.errors import SettingsError
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.generation.base import AnswerModel
from rag_assets.models.generation.extractive import ExtractiveModel

CHOICES = ("extractive",)


def open_answer_model(settings: Settings, embedder: Embedder) -> AnswerModel:
    """The model that the settings name; `embedder` compares sentences for the extractive one.

    Raises:
        SettingsError: the setting names no model.
    """
    if settings.generation == "extractive":
        return ExtractiveModel(embedder)
    raise SettingsError(
        "settings",
        "RAG_GENERATION names no model",
        hint=f"Choose one of: {', '.join(CHOICES)}.",
        value=settings.generation,
    )
