"""From `claude:MODEL`, `ollama:MODEL` or `openai:MODEL` to the model; the one list of providers."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.errors import SettingsError
from rag_assets.models.language.base import LanguageModel

PROVIDERS = ("claude", "ollama", "openai")


def open_language_model(named: str, settings: Settings, *, setting: str, also: tuple[str, ...] = ()) -> LanguageModel:
    """The model that `named` says; nothing is connected to before the first call.

    Args:
        named: provider and model, e.g. `ollama:llama3.1`.
        settings: addresses, keys and limits.
        setting: name of the setting that `named` stands in, for the message.
        also: what else may stand there, for the message.

    Raises:
        SettingsError: it names no provider or no model.
    """
    provider, _, model = named.partition(":")
    if provider not in PROVIDERS or not model.strip():
        choices = ", ".join((*also, *(f"{name}:MODEL" for name in PROVIDERS)))
        raise SettingsError("settings", f"{setting} names no model", hint=f"Choose one of: {choices}.", value=named)
    timeout_s, context_tokens = settings.model_timeout_s, settings.llm_context_tokens
    if provider == "claude":
        from rag_assets.models.language.claude import ClaudeModel

        return ClaudeModel(
            model,
            api_key=settings.anthropic_api_key.get_secret_value(),
            url=settings.anthropic_url,
            effort=settings.llm_effort,
            timeout_s=timeout_s,
            context_tokens=context_tokens,
        )
    if provider == "ollama":
        from rag_assets.models.language.ollama import OllamaModel

        return OllamaModel(model, url=settings.ollama_url, timeout_s=timeout_s, context_tokens=context_tokens)
    from rag_assets.models.language.openai import OpenAiModel

    return OpenAiModel(
        model,
        api_key=settings.openai_api_key.get_secret_value(),
        url=settings.openai_url,
        timeout_s=timeout_s,
        context_tokens=context_tokens,
    )
