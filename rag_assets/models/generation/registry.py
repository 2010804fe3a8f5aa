"""From the setting `RAG_GENERATION` to the model that answers; the one list of what may stand there."""

from __future__ import annotations

from collections.abc import Callable

from rag_assets.config import Settings
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.generation.base import AnswerModel
from rag_assets.models.generation.extractive import ExtractiveModel
from rag_assets.models.language.base import Ask, LanguageModel
from rag_assets.models.language.registry import open_language_model


def open_answer_model(settings: Settings, embedder: Embedder, calls: Callable[[LanguageModel], Ask]) -> AnswerModel:
    """The model that the settings name.

    `embedder` compares sentences for the extractive one; `calls` gives the way to reach a language model.

    Raises:
        SettingsError: the setting names no model.
    """
    if settings.generation == "extractive":
        return ExtractiveModel(embedder)
    from rag_assets.models.generation.prompted import PromptedModel

    model = open_language_model(settings.generation, settings, setting="RAG_GENERATION", also=("extractive",))
    return PromptedModel(model, calls(model))
