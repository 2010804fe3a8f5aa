"""The way from a question to an answer that is kept: sources that stand in the documents, abstention, sessions."""

from __future__ import annotations

import json
from typing import ClassVar

import pytest
from sqlalchemy import update

from rag_assets.errors import StoreError, UsageError
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.models.generation.base import NO_SOURCE, Generation, GenerationRequest
from rag_assets.stores import chats
from rag_assets.stores.schema.derivatives import Chunk
from rag_assets.stores.schema.sources import Document
from rag_assets.stores.vectors.base import Filter
from rag_assets_tests.online.desk import Desk


def test_an_answer_quotes_its_source_word_for_word(desk: Desk) -> None:
    """Sentence, number, document and quote; the quote stands in the version's text at its span."""
    answer = desk.ask("Was kostet die Ausbildung?")
    assert answer.outcome == "answered"
    assert answer.answer.startswith("Die Ausbildung kostet 6.480 Euro und kann in 18 Raten bezahlt werden. [Quelle 1]")
    first = answer.sources[0]
    assert (first.source_path, first.title, first.used) == ("campus/gebuehren.md", "gebuehren.md", True)
    assert first.quote == "Die Ausbildung kostet 6.480 Euro und kann in 18 Raten bezahlt werden."
    for source in answer.sources:
        assert desk.text(source.version_id)[source.start : source.end] == source.quote
    assert all(verdict.verdict == "verbatim" for verdict in answer.verdicts)


def test_json_has_the_documented_fields(desk: Desk) -> None:
    """What other programs read; more fields may come, none may go."""
    told = json.loads(json.dumps(desk.ask("Was ist Feedback?").to_json()))
    assert {"answer", "outcome", "sources", "conflicts", "session", "message", "version", "model"} <= told.keys()
    wanted = "number document_uid source_path title page section quote score similarity recency authority".split()
    assert set(wanted) <= told["sources"][0].keys()
    assert [source["number"] for source in told["sources"]] == list(range(1, len(told["sources"]) + 1))


def test_the_score_is_the_sum_of_its_three_parts(desk: Desk) -> None:
    """0.7, 0.1 and 0.2, and the list is in the order of the scores."""
    sources = desk.ask("Was ist Feedback?").sources
    for source in sources:
        parts = 0.7 * source.similarity + 0.1 * source.recency + 0.2 * source.authority
        assert source.score == pytest.approx(parts)
    assert [source.score for source in sources] == sorted((source.score for source in sources), reverse=True)


@pytest.mark.parametrize("question", ["Wie tief ist der Bodensee?", "Wer erfand EMDR?", "xyzzy plugh"])
def test_it_abstains_when_nothing_answers(desk: Desk, question: str) -> None:
    """No source, no model's sentence; but where one might look."""
    answer = desk.ask(question)
    assert (answer.answer, answer.outcome, answer.sources) == (NO_SOURCE, "no_source", ())
    assert 1 <= len(answer.nearest) <= 3


@pytest.mark.parametrize("question", ["", "   ", "?!", "\u200b"], ids=repr)
def test_a_question_without_words_is_sent_back(desk: Desk, question: str) -> None:
    """Before any model is called, and nothing is kept."""
    with pytest.raises(UsageError) as caught:
        desk.ask(question)
    assert caught.value.code == "empty_question"
    assert desk.rows("chat_sessions") == []


def test_a_question_that_is_too_long_is_sent_back(desk: Desk) -> None:
    """Nobody asks a book."""
    with pytest.raises(UsageError) as caught:
        desk.ask("warum " * 1000)
    assert caught.value.code == "question_too_long"


def test_an_empty_base_says_what_to_do(empty: Desk) -> None:
    """Not "no source found": there is nothing to look in yet."""
    with pytest.raises(UsageError) as caught:
        empty.ask("Was ist Feedback?")
    assert caught.value.code == "nothing_to_answer_from"
    assert "rag all" in caught.value.hint


def test_another_embedding_model_is_refused_with_the_way_out(desk: Desk) -> None:
    """Its question vectors mean nothing beside these passages, though the dimension is the same."""

    class Other(HashingEmbedder):
        digest = "f" * 64

    desk.embedder = Other()
    with pytest.raises(StoreError) as caught:
        desk.ask("Was ist Feedback?")
    assert caught.value.code == "dimension_mismatch"
    assert "rag embed --rebuild" in caught.value.hint


class TestWhatMayAnswer:
    """SQL decides; the index still holds the vectors in all these cases."""

    def test_a_removed_document_is_gone_at_once(self, desk: Desk) -> None:
        desk.campus.remove("campus/gebuehren.md")
        assert "6.480" not in desk.ask("Was kostet die Ausbildung?").answer

    def test_a_deprecated_chunk_is_gone_at_once(self, desk: Desk) -> None:
        with desk.campus.database.write() as connection:
            connection.execute(update(Chunk).where(Chunk.content.contains("6.480")).values(status="deprecated"))
        assert "6.480" not in desk.ask("Was kostet die Ausbildung?").answer

    def test_a_new_version_answers_and_the_old_one_does_not(self, desk: Desk) -> None:
        desk.put("campus/gebuehren.md", "Die Ausbildung kostet 7.000 Euro und wird in Raten bezahlt.")
        answer = desk.ask("Was kostet die Ausbildung?")
        assert "7.000" in answer.answer
        assert "6.480" not in answer.answer

    def test_an_audience_sees_its_documents_only(self, desk: Desk) -> None:
        with desk.campus.database.write() as connection:
            of_fees = Document.source_path == "campus/gebuehren.md"
            connection.execute(update(Document).where(of_fees).values(audience="leitung,lehre"))
        question = "Was kostet die Ausbildung?"
        assert "6.480" not in json.dumps(desk.ask(question, audiences=frozenset({"gast"})).to_json())
        assert "6.480" in desk.ask(question, audiences=frozenset({"gast", "lehre"})).answer
        assert "6.480" in desk.ask(question).answer

    def test_local_text_never_goes_to_a_model_outside(self, desk: Desk) -> None:
        class Outside:
            provider, name, leaves_machine = "claude", "double", True
            seen: ClassVar[list[GenerationRequest]] = []

            def generate(self, request: GenerationRequest) -> Generation:
                self.seen.append(request)
                return Generation(NO_SOURCE, "1")

        with desk.campus.database.write() as connection:
            of_fees = Document.source_path == "campus/gebuehren.md"
            connection.execute(update(Document).where(of_fees).values(local_only=True))
        desk.model = Outside()
        desk.ask("Was kostet die Ausbildung? Was ist Feedback?")
        desk.ask("Was ist Feedback?")
        assert Outside.seen
        assert not any("6.480" in request.context for request in Outside.seen)

    def test_a_filter_and_a_collection_restrict_the_search(self, desk: Desk) -> None:
        desk.put("system/preise.md", "Die Ausbildung kostet auf der Plattform nichts extra.", collection="system_docs")
        both = {source.source_path for source in desk.ask("Was kostet die Ausbildung?").sources}
        assert {"system/preise.md", "campus/gebuehren.md"} <= both
        system = desk.ask("Was kostet die Ausbildung?", collections=("system_docs",))
        assert {source.source_path for source in system.sources} == {"system/preise.md"}
        none = desk.ask("Was kostet die Ausbildung?", where=Filter(types=frozenset({"buch"})))
        assert none.outcome == "no_source"


def test_pages_and_sections_are_those_of_the_quote(empty: Desk) -> None:
    """Not those of the chunk's beginning: a chunk may run over a page."""
    text = "Eine Einleitung steht hier am Anfang. Die Prüfung dauert dreißig Minuten im kleinen Saal."
    turn = text.index("Die Prüfung")
    version = empty.put("a.pdf", text, pages=[(1, "iv", 0, turn), (2, "v", turn, len(text))])
    empty.section(version, "Titel", 0, len(text), level=0)
    empty.section(version, "Kapitel 1", 0, turn)
    empty.section(version, "Prüfungen", turn, len(text))
    (source,) = empty.ask("Wie lange dauert die Prüfung?").sources
    assert (source.page, source.page_label, source.section) == (2, "v", "Prüfungen")
    assert source.quote == "Die Prüfung dauert dreißig Minuten im kleinen Saal."


class TestSessions:
    """What is kept, and for whom."""

    def test_question_answer_and_sources_are_kept(self, desk: Desk) -> None:
        answer = desk.ask("Was ist  Feedback?")
        ((_, uid, user_ref, created_at, expires_at),) = desk.rows("chat_sessions")
        assert (uid, user_ref) == (answer.session, None)
        assert (expires_at - created_at).days == 180
        messages = desk.rows("chat_messages", "ordinal", "role", "content", "outcome")
        assert messages == [(0, "user", "Was ist Feedback?", None), (1, "assistant", answer.answer, "answered")]
        kept = desk.rows("chat_sources", "number", "char_start", "char_end", "score", "used")
        assert kept == [(s.number, s.start, s.end, s.score, s.used) for s in answer.sources]
        ((parameters, verification),) = [
            row for row in desk.rows("chat_messages", "parameters", "verification") if row[0]
        ]
        assert json.loads(parameters)["top_k"] == 8
        assert {one["verdict"] for one in json.loads(verification)} == {"verbatim"}

    def test_a_session_goes_on(self, desk: Desk) -> None:
        first = desk.ask("Was ist Feedback?")
        second = desk.ask("Was kostet die Ausbildung?", session=first.session)
        assert second.session == first.session
        assert [row[0] for row in desk.rows("chat_messages", "ordinal")] == [0, 1, 2, 3]

    def test_a_session_belongs_to_its_person(self, desk: Desk) -> None:
        mine = desk.ask("Was ist Feedback?", user_ref="anna").session
        for somebody in (None, "bernd"):
            with pytest.raises(UsageError) as caught:
                desk.ask("Was ist Feedback?", session=mine, user_ref=somebody)
            assert caught.value.code == "unknown_session"
        assert len(desk.rows("chat_messages")) == 2

    def test_a_stored_question_is_answered_once_asked_by_its_uid(self, desk: Desk) -> None:
        with desk.campus.database.write() as connection:
            now = desk.campus.clock()
            session = chats.open_session(connection, user_ref=None, at=now, expires_at=now.replace(year=2030))
            message = chats.add_question(connection, session, "Was ist Feedback?", at=now)
        answer = desk.ask("", message=message)
        assert answer.session == session.uid
        assert answer.outcome == "answered"
        assert len(desk.rows("chat_messages")) == 2

    def test_an_answer_or_an_unknown_uid_is_no_question(self, desk: Desk) -> None:
        answered = desk.ask("Was ist Feedback?").message
        for uid in (answered, "nobody"):
            with pytest.raises(UsageError) as caught:
                desk.ask("", message=uid)
            assert caught.value.code == "unknown_message"

    def test_the_prompt_of_an_answer_can_be_found(self, desk: Desk) -> None:
        desk.ask("Was ist Feedback?")
        desk.ask("Was kostet die Ausbildung?")
        assert [row[:2] for row in desk.rows("prompts", "name", "version")] == [("antwort", 1)]


CONFLICT_A = "[Coaching-Prozess|Konzept] :dauern: zehn Sitzungen."
CONFLICT_B = "[Coaching-Prozess|Konzept] :dauern: acht Sitzungen."


class TestDisagreement:
    """Two documents give one thing two values."""

    @pytest.fixture
    def torn(self, desk: Desk) -> Desk:
        desk.put("campus/handbuch.md", CONFLICT_A, extract=True)
        desk.put("campus/faq.md", CONFLICT_B, extract=True)
        desk.campus.reconcile()
        return desk

    def test_both_positions_are_shown_with_their_sources(self, torn: Desk) -> None:
        answer = torn.ask("Wie lange dauert ein Coaching-Prozess, wie viele Sitzungen?")
        assert answer.outcome == "conflicting"
        assert "Die Quellen sind sich hier nicht einig" in answer.answer
        ((first, second),) = [conflict.positions for conflict in answer.conflicts]
        paths = {source.number: source.source_path for source in answer.sources}
        assert {paths[first.source], paths[second.source]} == {"campus/handbuch.md", "campus/faq.md"}
        assert "zehn Sitzungen" in answer.answer
        assert "acht Sitzungen" in answer.answer
        told = answer.to_json()["conflicts"][0]
        assert {position["object"] for position in told["positions"]} == {"zehn Sitzungen.", "acht Sitzungen."}

    def test_a_question_about_something_else_stays_calm(self, torn: Desk) -> None:
        answer = torn.ask("Was kostet die Ausbildung?")
        assert (answer.outcome, answer.conflicts) == ("answered", ())

    def test_the_other_side_is_brought_in_when_retrieval_missed_it(self, torn: Desk) -> None:
        answer = torn.ask("Wie lange dauert ein Coaching-Prozess, wie viele Sitzungen?", top_k=1)
        assert len(answer.sources) == 2
        assert {source.source_path for source in answer.sources} == {"campus/handbuch.md", "campus/faq.md"}

    def test_what_somebody_may_not_see_is_not_shown_to_him(self, torn: Desk) -> None:
        with torn.campus.database.write() as connection:
            of_faq = Document.source_path == "campus/faq.md"
            connection.execute(update(Document).where(of_faq).values(audience="leitung"))
        answer = torn.ask("Wie lange dauert ein Coaching-Prozess?", audiences=frozenset({"gast"}))
        assert "acht Sitzungen" not in json.dumps(answer.to_json(), ensure_ascii=False)


def test_unsupported_sentences_are_marked_or_removed(desk: Desk) -> None:
    """A model that invents: kept with its verdict, or taken out; when nothing is left, it abstains."""

    class Inventive:
        provider, name, leaves_machine = "double", "double", False
        reply = ""

        def generate(self, request: GenerationRequest) -> Generation:
            return Generation(self.reply, "1")

    desk.model = model = Inventive()
    model.reply = (
        "Feedback ist eine Rückmeldung zu einem beobachteten Verhalten. [Quelle 1] "
        "Es wurde 1802 in Wien erfunden. [Quelle 1] Mond und Sterne. [Quelle 9]"
    )
    marked = desk.ask("Was ist Feedback?")
    assert [one.verdict for one in marked.verdicts] == ["verbatim", "unsupported", "unknown_source"]
    strict = desk.ask("Was ist Feedback?", keep_unsupported=False)
    assert strict.answer == "Feedback ist eine Rückmeldung zu einem beobachteten Verhalten. [Quelle 1]"
    model.reply = "Es wurde 1802 in Wien erfunden. [Quelle 1]"
    assert desk.ask("Was ist Feedback?", keep_unsupported=False).outcome == "no_source"


def test_retrieval_is_repeatable(desk: Desk) -> None:
    """The same question finds the same passages with the same scores."""
    once, twice = desk.find("Was kostet Feedback?"), desk.find("Was kostet Feedback?")
    assert [item.score for item in once.ranked] == pytest.approx([item.score for item in twice.ranked], abs=1e-9)
    assert [item.passage.chunk.id for item in once.ranked] == [item.passage.chunk.id for item in twice.ranked]


def test_strict_mode_looks_at_cosine_alone(desk: Desk) -> None:
    """The mission's phase A2 to the letter."""
    found = desk.find("Was kostet die Ausbildung?", strict=True)
    assert all(item.passage.candidate.lexical == 0 for item in found.ranked)
    for item in found.ranked:
        assert item.passage.candidate.relevance == pytest.approx(item.passage.candidate.cosine, abs=1e-6)
