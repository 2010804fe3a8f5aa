"""The stages `entities` and `statements` of one version: what they store, what they call, what they survive."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_assets.errors import ServiceError
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.offline.entities import extract_entities
from rag_assets.stores import chunks as chunk_store
from rag_assets.stores.database import Connection
from rag_assets_tests.campus import Campus, NotationExtractor

TEXT = """[Carl Rogers|Person] =INFLUENCED=> [Marion Blum|Person]
[Empathie|Konzept] :nicht dauern: 3  Jahre

[Empathie|Konzept] .definition. das   Einfühlen
[Marion Blum|Person] =AUTHORED_BY=> [Wandel|Werk]
[Marion Blum|Person] =AUTHORED_BY=> [Empathie|Konzept]"""


def test_passages_quote_the_text_on_both_databases(any_campus: Campus) -> None:
    """Every mention and every piece of evidence is the text at its span; values are on one line."""
    any_campus.put("a.md", TEXT)
    for start, end, surface in any_campus.rows("entity_mentions", "char_start", "char_end", "surface"):
        assert TEXT[start:end] == surface
    evidence = any_campus.rows("evidence", "char_start", "char_end", "quote")
    assert len(evidence) == 5
    for start, end, quote in evidence:
        assert TEXT[start:end] == quote
    assert any_campus.rows("statements", "predicate", "object_literal", "polarity") == [
        ("dauern", "3 Jahre", "negated")
    ]
    assert any_campus.rows("entity_properties", "property", "value") == [("definition", "das Einfühlen")]


def test_relations_are_turned_counted_or_kept_as_rejected(campus: Campus) -> None:
    """Person → Werk becomes Werk → Person; Person → Konzept fits neither way and says why."""
    version = campus.store("a.md", TEXT)
    campus.entities(version)
    counts = campus.statements(version).counts
    assert (counts["turned"], counts["rejected"], counts["relations"]) == (1, 1, 2)
    ends = {row[0]: row[1] for row in campus.rows("entities", "id", "canonical_key")}
    columns = ("source_entity_id", "relation_type", "target_entity_id", "status", "rejection_reason")
    assert {
        (ends[s], kind, ends[t], status, why) for s, kind, t, status, why in campus.rows("relations", *columns)
    } == {
        ("carl rogers", "INFLUENCED", "marion blum", "proposed", None),
        ("wandel", "AUTHORED_BY", "marion blum", "proposed", None),
        ("marion blum", "AUTHORED_BY", "empathie", "rejected", "domain_range"),
    }


def test_symmetric_relations_are_stored_once(campus: Campus) -> None:
    """Both directions are one row with two passages; SYNONYM_OF is a row, a proposal, and counted."""
    version = campus.put(
        "a.md",
        "[Nähe|Konzept] =CONTRADICTS=> [Ferne|Konzept]\n[Ferne|Konzept] =CONTRADICTS=> [Nähe|Konzept]\n"
        "[Nähe|Konzept] =SYNONYM_OF=> [Enge|Konzept]",
    )
    uids = dict(campus.rows("entities", "id", "uid"))
    found = campus.rows("relations", "relation_type", "source_entity_id", "target_entity_id")
    assert [row[0] for row in found] == ["CONTRADICTS", "SYNONYM_OF"]
    assert all(uids[source] < uids[target] for _, source, target in found)
    assert len(campus.rows("evidence", "id")) == 3
    assert campus.statements(version).counts["merge_proposals"] == 1


def test_a_surface_and_its_canonical_name_are_one_entity(campus: Campus) -> None:
    """What the extractor recognised as a curated name is stored under that name's key, the surface in the mention."""
    campus.put("a.md", "[GFK|Methode>Gewaltfreie Kommunikation] und [GEWALTFREIE KOMMUNIKATION|Methode]")
    assert campus.statuses() == {"gewaltfreie kommunikation": "extracted"}
    assert campus.rows("entity_mentions", "surface") == [("GEWALTFREIE KOMMUNIKATION",), ("GFK",)]


def test_overlapping_chunks_give_one_passage(campus: Campus) -> None:
    """A passage that two chunks share is stored once, with the first of them."""
    version = campus.store("a.md", "Vor.\n\n[Empathie|Konzept] :dauern: 3 Jahre\n\nNach.")
    campus.widen_chunk(version, ordinal=2, start=6)
    campus.extract(version)
    ((chunk, start),) = campus.rows("entity_mentions", "chunk_id", "char_start")
    assert start == 7
    assert chunk == campus.chunk_ids(version)[1]
    assert len(campus.rows("evidence", "id")) == 1


def test_the_same_text_is_extracted_once(campus: Campus) -> None:
    """Two stages, a re-run and a copy in another document: one call for each distinct passage."""
    version = campus.put("a.md", TEXT)
    campus.extract(version)
    campus.put("b.md", "[Neu|Konzept]\n\n" + TEXT)
    assert campus.extractor.calls == 3
    assert len(campus.rows("response_cache", "request_sha256")) == 3
    assert campus.rows("model_calls", "purpose", "outcome") == [("extraction", "ok")] * 3


def test_one_changed_chunk_is_one_call_though_all_others_moved(campus: Campus) -> None:
    """A request holds no offset."""
    campus.put("a.md", TEXT)
    calls = campus.extractor.calls
    campus.put("a.md", TEXT.replace("[Carl Rogers", "Herr [Carl Rogers"))
    assert campus.extractor.calls == calls + 1


def test_a_bad_chunk_is_quarantined_and_the_others_go_on(campus: Campus) -> None:
    """It is counted with its code, not asked again by `statements`, and asked again when the stage is run again."""
    version = campus.store("a.md", "[Vorher|Konzept]\n\nBROKEN [Mitte|Konzept]\n\n[Nachher|Konzept]")
    first = campus.entities(version)
    assert (first.counts["quarantined"], first.counts["quarantined.model_reply"]) == (1, 1)
    assert sorted(campus.statuses()) == ["nachher", "vorher"]
    second = campus.statements(version)
    assert (second.counts["quarantined"], campus.extractor.calls) == (1, 3)
    assert [row[0] for row in campus.rows("model_calls", "outcome")] == ["invalid_output", "ok", "ok"]
    campus.entities(version)
    assert campus.extractor.calls == 4


def test_an_extractor_that_breaks_costs_only_its_chunk(campus: Campus) -> None:
    """Any exception is quarantined as `internal`; its message, which may hold text, goes nowhere."""

    class Breaking(NotationExtractor):
        def extract(self, request: ExtractionRequest) -> Extraction:
            if "Geheimnis" in request.text:
                raise IndexError(request.text)
            return super().extract(request)

    campus.extractor = Breaking()
    version = campus.store("a.md", "[Gut|Konzept]\n\nGeheimnis [Schlecht|Konzept]")
    counts = campus.entities(version).counts
    assert counts["quarantined.internal"] == 1
    assert list(campus.statuses()) == ["gut"]
    assert "Geheimnis" not in repr({name: rows for name, rows in campus.dump().items() if "chunk" not in name
                                    and name != "document_versions"})  # fmt: skip


def test_what_was_extracted_before_a_fault_is_kept(campus: Campus) -> None:
    """The server goes away at the third chunk: two replies stay, nothing else is written, the retry makes one call."""

    class Failing(NotationExtractor):
        down = True

        def extract(self, request: ExtractionRequest) -> Extraction:
            if self.down and "Drei" in request.text:
                raise ServiceError("model_unreachable")
            return super().extract(request)

    failing = Failing()
    campus.extractor = failing
    version = campus.store("a.md", "[Eins|Konzept]\n\n[Zwei|Konzept]\n\n[Drei|Konzept]")
    with pytest.raises(ServiceError):
        campus.entities(version)
    assert len(campus.rows("response_cache", "request_sha256")) == 2
    assert campus.statuses() == {}
    failing.down = False
    campus.entities(version)
    assert failing.calls == 3
    assert sorted(campus.statuses()) == ["drei", "eins", "zwei"]


def test_the_stage_and_its_completion_are_one_transaction(campus: Campus) -> None:
    """When completing fails (the claim was lost), no fact of this run stays; the replies do."""
    version = campus.store("a.md", TEXT)

    def lost(_connection: Connection, _data_version: str, _counts: object) -> None:
        raise RuntimeError("lost")

    with campus.database.read() as connection:
        rows = chunk_store.of_version(connection, version)
    with pytest.raises(RuntimeError, match="lost"):
        extract_entities(
            database=campus.database,
            extractor=campus.extractor,
            ontology=campus.ontology,
            document_id=1,
            version_id=version,
            language="de",
            title="Titel",
            chunks=rows,
            run_id=None,
            clock=campus.clock,
            complete=lost,
        )
    assert campus.rows("entities") == []
    assert campus.rows("audit_log") == []
    assert len(campus.rows("response_cache", "request_sha256")) == 2


def test_the_data_version_follows_what_is_said(new_campus: Callable[[], Campus]) -> None:
    """The same in another installation with other ids; another when one word of a fact differs."""
    one, other, changed = new_campus(), new_campus(), new_campus()
    other.put("vorher.md", "[Anderes|Konzept]")
    results = [campus.extract(campus.store("a.md", TEXT)) for campus in (one, other)]
    assert [r.data_version for r in results[0]] == [r.data_version for r in results[1]]
    entities, statements = changed.extract(changed.store("a.md", TEXT.replace("3  Jahre", "4  Jahre")))
    assert entities.data_version == results[0][0].data_version
    assert statements.data_version != results[0][1].data_version
