"""What every answering model must do, whoever runs it. Subclass it and give `model`."""

from __future__ import annotations

import re

import pytest

from rag_assets.models.generation.base import NO_SOURCE, AnswerModel, GenerationRequest, SourceText

TEXTS = (
    "Feedback ist eine Rückmeldung zu einem beobachteten Verhalten. Es nützt beiden Seiten.",
    "Die Ausbildung kostet 6.480 Euro. Sie dauert achtzehn Monate.",
)


def request(question: str, *texts: str, **given: object) -> GenerationRequest:
    """A request with these sources, as phase A6 would make it."""
    sources = tuple(SourceText(number, f"Titel {number}", text) for number, text in enumerate(texts, 1))
    context = "\n\n---\n\n".join(f"[Quelle {source.number}: {source.title}]\n{source.text}" for source in sources)
    return GenerationRequest("Antworte aus den Quellen.", context, question, sources, **given)  # type: ignore[arg-type]


class AnswerModelContract:
    """Shapes and promises of `AnswerModel`."""

    @pytest.fixture
    def model(self) -> AnswerModel:
        raise NotImplementedError

    def test_an_answer_names_sources_that_exist(self, model: AnswerModel) -> None:
        reply = model.generate(request("Was kostet die Ausbildung?", *TEXTS))
        numbers = {int(number) for number in re.findall(r"\[Quelle (\d+)\]", reply.text)}
        assert numbers
        assert numbers <= {1, 2}

    def test_it_says_who_it_is(self, model: AnswerModel) -> None:
        """Stored with each answer, with the exact version."""
        assert 0 < len(model.provider) <= 40
        assert 0 < len(f"{model.provider}:{model.name}") <= 255
        assert model.generate(request("Was ist Feedback?", *TEXTS)).model_version
        assert isinstance(model.leaves_machine, bool)
        assert isinstance(model, AnswerModel)

    def test_without_sources_it_abstains(self, model: AnswerModel) -> None:
        assert model.generate(request("Was ist Feedback?")).text == NO_SOURCE

    def test_it_says_how_it_stopped(self, model: AnswerModel) -> None:
        assert model.generate(request("Was ist Feedback?", *TEXTS)).stop_reason in {"end", "length", "refused"}
