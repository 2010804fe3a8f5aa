"""Answers by a language model: what it is sent, and what becomes of replies of every kind."""

from __future__ import annotations

import re

import pytest

from rag_assets.config import load_settings
from rag_assets.errors import ModelError
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.models.generation.base import NO_SOURCE, Turn
from rag_assets.models.generation.prompted import PromptedModel
from rag_assets.models.generation.registry import open_answer_model
from rag_assets.models.language.base import LanguageModel, LanguageReply, LanguageRequest, StopReason, Usage
from rag_assets_tests.models.extraction.llm.scripted import Script, ScriptedModel, always
from rag_assets_tests.models.generation.contract import AnswerModelContract, request


def _prompted(script: Script) -> tuple[PromptedModel, ScriptedModel]:
    model = ScriptedModel(script)
    return PromptedModel(model, lambda asked, **_: model.complete(asked)), model


def _dutiful(asked: LanguageRequest) -> str:
    """Repeats the first sentence of the first source, as a model that keeps to the rules might."""
    found = re.search(r"\[Quelle 1[^\n]*\n([^.]+\.)", asked.messages[-1].text)
    return f"{found[1].strip()} [Quelle 1]" if found else NO_SOURCE


class TestPrompted(AnswerModelContract):
    @pytest.fixture
    def model(self) -> PromptedModel:
        return _prompted(_dutiful)[0]


def test_it_is_sent_instructions_earlier_turns_sources_and_the_question() -> None:
    prompted, model = _prompted(always("Ja. [Quelle 1]"))
    given = request(
        "Was ist Feedback?",
        "Feedback ist eine Rückmeldung.",
        history=(Turn("user", "Hallo"), Turn("assistant", "Guten Tag")),
    )
    prompted.generate(given)
    (asked,) = model.asked
    assert asked.system == given.system
    assert [(m.role, m.text) for m in asked.messages[:2]] == [("user", "Hallo"), ("assistant", "Guten Tag")]
    assert asked.messages[-1].text == f"{given.context}\n\nFrage: Was ist Feedback?"
    assert asked.schema is None


def test_counts_and_version_are_those_of_the_reply() -> None:
    usage = Usage(input_tokens=20, output_tokens=3)
    said = LanguageReply(text="Ja.", model_version="m-1", stop=StopReason.LENGTH, usage=usage)
    generation = _prompted(always(said))[0].generate(request("Ja?", "Ja."))
    assert (generation.text, generation.model_version, generation.stop_reason) == ("Ja.", "m-1", "length")
    assert (generation.input_tokens, generation.output_tokens) == (20, 3)


def test_a_full_window_is_an_error() -> None:
    said = LanguageReply(text="", model_version="m-1", stop=StopReason.CONTEXT)
    with pytest.raises(ModelError) as caught:
        _prompted(always(said))[0].generate(request("Ja?", "Ja."))
    assert caught.value.code == "text_too_long"


def test_the_setting_opens_it() -> None:
    reached: list[LanguageModel] = []

    def calls(model: LanguageModel):
        reached.append(model)
        return lambda asked, **_: model.complete(asked)

    opened = open_answer_model(load_settings(generation="ollama:llama3.1"), HashingEmbedder(), calls)
    assert (opened.provider, opened.name, opened.leaves_machine) == ("ollama", "llama3.1", False)
    assert [model.name for model in reached] == ["llama3.1"]
