"""The main job over the whole example campus with the embedded default: answers with sources, and a quiet re-run."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from rag_assets.app import open_app
from rag_assets.config import load_settings
from rag_assets_tests.system.installation import CAMPUS, PROJECT, Installation

pytestmark = pytest.mark.timeout(900)


def squeeze(text: str) -> str:
    """White space folded: a reader sees no difference between a line break and a blank."""
    return " ".join(text.split())


def test_every_example_document_is_done(campus: Installation) -> None:
    documents = campus.rag("status", "--json").json["documents"]
    files = [file for kind in ("documents", "system_docs") for file in (CAMPUS / kind).rglob("*") if file.is_file()]
    assert len(documents) == len(files)
    assert {document["status"] for document in documents} == {"done"}
    assert all(set(document["stages"].values()) == {"done"} for document in documents)


def test_an_answer_cites_a_passage_word_for_word(campus: Installation) -> None:
    answer = campus.rag("ask", "--json", "Wie viele Sitzungen umfasst ein Coaching höchstens?").json
    assert answer["outcome"] in {"answered", "conflicting"}
    cited = {int(number) for number in re.findall(r"\[Quelle (\d+)\]", answer["answer"])}
    assert cited
    sources = {source["number"]: source for source in answer["sources"]}
    for number in cited:
        source = sources[number]
        text = campus.rag("text", source["document_uid"]).out
        assert squeeze(source["quote"]) in squeeze(text)
        assert source["page"] or source["section"]
        parts = 0.7 * source["similarity"] + 0.1 * source["recency"] + 0.2 * source["authority"]
        assert source["score"] == pytest.approx(parts, abs=0.002)


def test_every_sentence_of_an_answer_stands_in_its_source(campus: Installation) -> None:
    answer = campus.rag("ask", "--json", "Was hilft bei einem Konflikt im Team?").json
    sources = {source["number"]: source for source in answer["sources"]}
    pairs = re.findall(r"(.+?)\s*\[Quelle (\d+)\]", answer["answer"], flags=re.DOTALL)
    assert pairs
    for sentence, number in pairs:
        text = campus.rag("text", sources[int(number)]["document_uid"]).out
        assert squeeze(sentence) in squeeze(text)


def test_running_again_writes_nothing(campus: Installation) -> None:
    before = campus.dump()
    assert before["chunks"]
    assert before["entities"]
    assert before["statements"]
    campus.rag("all", "--quiet")
    assert campus.dump() == before


def test_a_question_writes_chat_rows_only(campus: Installation) -> None:
    before = campus.dump()
    campus.rag("ask", "Was ist Supervision?")
    assert campus.dump() == before
    assert len(campus.dump(without=())["chat_messages"]) >= 2


def test_the_graph_holds_what_the_tables_hold(campus: Installation) -> None:
    out = campus.folder / "graph.json"
    campus.rag("graph", "--out", str(out))
    graph = json.loads(out.read_text())
    uids = {node["uid"] for node in graph["nodes"]}
    assert len(uids) == len(graph["nodes"]) > 50
    assert all(edge["source"] in uids and edge["target"] in uids for edge in graph["edges"])
    alive = {uid for (uid,) in campus.query("SELECT uid FROM entities WHERE status IN ('normalized', 'validated')")}
    assert uids <= alive


def test_known_facts_of_the_field_are_in_the_graph(campus: Installation) -> None:
    rows = campus.query(
        "SELECT s.canonical_name, r.relation_type, t.canonical_name FROM relations r"
        " JOIN entities s ON s.id = r.source_entity_id JOIN entities t ON t.id = r.target_entity_id"
        " WHERE r.status = 'proposed'"
    )
    assert ("Gewaltfreie Kommunikation", "AUTHORED_BY", "Marshall B. Rosenberg") in rows


def questions(name: str, *, answerable: bool) -> list[dict[str, Any]]:
    entries = yaml.safe_load((CAMPUS / "evaluation" / name).read_text())
    entries = entries["questions"] if isinstance(entries, dict) else entries
    return [entry for entry in entries if bool(entry["answerable"]) is answerable]


@pytest.fixture(scope="module")
def ask(campus: Installation) -> Any:
    """Ask many questions in one process."""
    settings = load_settings(
        home=campus.home, sources=campus.folder / "sources.yaml", ontology=PROJECT / "ontology.yaml", embedding="e5"
    )
    with open_app(settings) as app:
        yield app.ask


def test_the_right_document_is_among_the_first_three_sources(ask: Any) -> None:
    """Questions from the reader's side, written apart from the retrieval."""
    entries = questions("questions.yaml", answerable=True)
    assert len(entries) == 40
    missed = [
        entry["id"]
        for entry in entries
        if entry["document"] not in [source.source_path for source in ask(entry["question"]).sources[:3]]
    ]
    assert len(missed) <= 4, missed


def test_it_abstains_where_no_document_answers(ask: Any) -> None:
    entries = questions("questions.yaml", answerable=False)
    assert len(entries) == 10
    answered = [entry["id"] for entry in entries if ask(entry["question"]).outcome != "no_source"]
    assert len(answered) <= 2, answered
