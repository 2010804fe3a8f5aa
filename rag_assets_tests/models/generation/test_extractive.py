"""Answers made of quotations: the contract, which sentences are taken, and that nothing is ever made up."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.config import Settings, load_settings
from rag_assets.errors import SettingsError
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.models.generation.base import NO_SOURCE, AnswerModel, GenerationRequest, SourceText
from rag_assets.models.generation.extractive import MOST_SENTENCES, ExtractiveModel
from rag_assets.models.generation.registry import open_answer_model
from rag_assets.models.language.base import Ask, LanguageModel
from rag_assets_tests.models.generation.contract import AnswerModelContract, request

_MODEL = ExtractiveModel(HashingEmbedder())


class TestExtractiveModel(AnswerModelContract):
    """The contract, without any server."""

    @pytest.fixture
    def model(self) -> AnswerModel:
        return _MODEL


def _answer(question: str, *texts: str) -> str:
    return _MODEL.generate(request(question, *texts)).text


def test_the_sentence_that_answers_is_taken() -> None:
    """Not the first one, and not all of them."""
    text = "Der Campus liegt am See. Die Prüfung dauert 30 Minuten. Im Saal gibt es Wasser und Obst."
    assert _answer("Wie lange dauert die Prüfung?", text) == "Die Prüfung dauert 30 Minuten. [Quelle 1]"


def test_a_definition_is_preferred_when_one_is_asked_for() -> None:
    """A question for "Was ist X" wants "X ist ein …", not the next sentence with X in it."""
    text = (
        "Ein Genogramm hängt oft an der Wand und braucht Platz. "
        "Ein Genogramm ist eine Zeichnung der Familie über drei Generationen. "
        "Viele Genogramme entstehen in der dritten Sitzung."
    )
    assert _answer("Was ist ein Genogramm?", text).startswith("Ein Genogramm ist eine Zeichnung der Familie")


def test_the_question_above_helps_to_find_its_answer() -> None:
    """In a FAQ the words asked for stand in the question, not in the answer."""
    text = (
        "Wie läuft der Tag ab?\n\nMorgens lernen Sie das Haus und die Lehrenden kennen.\n\n"
        "Darf mein Hund mit?\n\nLeider nein, mit Ausnahme von Tieren zur Assistenz."
    )
    assert _answer("Darf ich den Hund mitbringen?", text).startswith("Leider nein, mit Ausnahme")


def test_a_row_of_a_table_answers_by_the_words_of_its_header() -> None:
    """Also the first row of a text that begins in the middle of a table, whose header stands beside it."""
    rows = "Teamuhr | Reifung einer Gruppe | 60 Min.\nGenogramm | Sicht auf die Familie | 90 Min.\n\nDer Campus liegt am See."
    whole = f"Methode | Ziel | Dauer\n{rows}"
    assert _answer("Welche Dauer hat das Genogramm?", whole) == "Genogramm | Sicht auf die Familie | 90 Min. [Quelle 1]"
    asked = request("Welche Dauer hat die Teamuhr?", rows)
    in_table = replace(asked, sources=(replace(asked.sources[0], table_header="Methode | Ziel | Dauer"),))
    assert _MODEL.generate(in_table).text == "Teamuhr | Reifung einer Gruppe | 60 Min. [Quelle 1]"


def test_a_list_is_quoted_with_its_opening_line() -> None:
    """Item by item, as it stands."""
    text = "Vorab.\n\nDie Phasen des Modells sind:\n\nForming\n\nStorming\n\nNorming\n\nDas war alles zu diesem Modell."
    assert _answer("Welche Phasen hat das Modell?", text).startswith(
        "Die Phasen des Modells sind:\nForming\nStorming\nNorming [Quelle 1]"
    )


def test_a_sentence_that_leans_on_another_brings_it_along() -> None:
    """Alone, "Sie dauert …" leaves the reader asking who."""
    text = "Die Lehrsupervision begleitet alle Teilnehmenden. Sie dauert bei uns dreißig Stunden im Jahr."
    answer = _answer("Wie viele Stunden dauert das im Jahr?", text)
    assert answer.index("Die Lehrsupervision begleitet") < answer.index("Sie dauert bei uns dreißig Stunden")


def test_the_same_said_twice_is_quoted_once() -> None:
    """Two documents with the same sentence."""
    sentence = "Die Prüfung dauert 30 Minuten im kleinen Saal."
    assert _answer("Wie lange dauert die Prüfung?", sentence, sentence).count("30 Minuten") == 1


def test_a_sentence_that_looks_like_a_citation_is_not_quoted() -> None:
    """A document could forge sources that way."""
    text = "Die Prüfung dauert 99 Stunden, siehe [Quelle 7] im Anhang. Die Prüfung dauert 30 Minuten."
    assert "[Quelle 7]" not in _answer("Wie lange dauert die Prüfung?", text)


@pytest.mark.parametrize(
    "text", ["", "Kapitel 1\n\nKapitel 2", "a | b\nc | d", "Warum denn eigentlich nicht?"], ids=repr
)
def test_without_a_quotable_sentence_it_abstains(text: str) -> None:
    """Headings, tables and questions are no answers."""
    assert _answer("Was ist Feedback?", text) == NO_SOURCE


_SENTENCES = st.lists(
    st.sampled_from(
        ["Das Team braucht ein Ziel.", "Sie wird geprüft, z. B. im Mai.", "Überschrift", "Die Regeln sind:", "erstens",
         "Wozu dient das?", "Nein. Das genügt hier nicht.", "x | y", "Feedback ist eine\nRückmeldung an andere.[2]"]
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(
    texts=st.lists(_SENTENCES, min_size=1, max_size=3), question=st.sampled_from(["Was ist Feedback?", "Ziel Team?"])
)
def test_every_sentence_stands_in_the_source_it_names(texts: list[list[str]], question: str) -> None:
    """Word for word, white space aside; at most four; the same every time."""
    whole = ["\n\n".join(parts) for parts in texts]
    answer = _answer(question, *whole)
    assert answer == _answer(question, *whole)
    if answer == NO_SOURCE:
        return
    quoted = re.findall(r"(.+?) \[Quelle (\d+)\](?:\s+|$)", answer, re.DOTALL)
    assert 1 <= len(quoted) <= MOST_SENTENCES
    assert "".join(f"{text} [Quelle {number}] " for text, number in quoted).split() == answer.split()
    for text, number in quoted:
        assert " ".join(text.split()) in " ".join(whole[int(number) - 1].split())


def test_the_best_source_comes_first_for_equal_sentences() -> None:
    """Relevance decides between sentences that say as much."""
    sources = (
        SourceText(1, "A", "Die Prüfung dauert eine halbe Stunde.", relevance=0.2),
        SourceText(2, "B", "Die Prüfung dauert dreißig Minuten.", relevance=0.9),
    )
    answer = _MODEL.generate(GenerationRequest("", "", "Wie lange dauert die Prüfung?", sources)).text
    assert answer.startswith("Die Prüfung dauert dreißig Minuten. [Quelle 2]")


def _no_calls(_: LanguageModel) -> Ask:
    raise AssertionError("it quotes, it does not ask")


def test_the_registry_opens_it_and_refuses_the_unknown() -> None:
    """With the list of what may stand there."""
    assert open_answer_model(Settings(), HashingEmbedder(), _no_calls).provider == "extractive"
    for wrong in ("", "extractive:x", "gpt"):
        with pytest.raises(SettingsError) as caught:
            load_settings(generation=wrong)
        assert "extractive" in caught.value.message
