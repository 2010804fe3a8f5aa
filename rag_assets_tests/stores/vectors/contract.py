"""What every vector index must do, and a slow, plain second implementation of its ranking to compare with.

Subclass `VectorIndexContract` and give `index`.
"""

from __future__ import annotations

import math
import random
import uuid
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from rag_assets.errors import StoreError
from rag_assets.stores.vectors.base import Filter, Hit, ModelRef, Query, VectorIndex, VectorPoint

DIMENSION = 24
MODEL = ModelRef("hashing", "test", "0" * 64, DIMENSION)
WORDS = [f"wort{i}" for i in range(40)]
WEIGHT = 0.05


def unit(numbers: Iterable[float]) -> np.ndarray:
    vector = np.array(list(numbers), dtype=np.float64)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def some_vector(chance: random.Random) -> np.ndarray:
    return unit(chance.gauss(0, 1) for _ in range(DIMENSION))


def some_point(number: int, chance: random.Random, *, chunk_id: int | None = None) -> VectorPoint:
    """A point whose content depends on `chance` only, with a uid from its number."""
    words = Counter(chance.choices(WORDS, weights=[1 / (i + 1) for i in range(len(WORDS))], k=chance.randint(0, 12)))
    chunk = number // 2 if chunk_id is None else chunk_id
    return VectorPoint(
        uid=str(uuid.uuid5(uuid.NAMESPACE_OID, f"point {number}")),
        chunk_id=chunk,
        document_id=chunk // 3,
        language=chance.choice(["de", "de", "en"]),
        type=chance.choice(["handbuch", "faq", "buch"]),
        text_sha256=uuid.UUID(int=chance.getrandbits(128), version=4).hex * 2,
        vector=some_vector(chance),
        terms=dict(words),
    )


def some_points(n: int, seed: int = 1) -> list[VectorPoint]:
    chance = random.Random(seed)
    return [some_point(number, chance) for number in range(n)]


def expected_hits(
    points: Iterable[VectorPoint], query: Query, *, limit: int, weight: float, where: Filter | None = None
) -> list[Hit]:
    """Cosine and BM25 (k1 = 0.9, b = 0) over its possible maximum, in plain Python, from the textbook."""
    stored = list(points)
    frequency = {}
    for term in query.terms:
        holding = sum(1 for point in stored if point.terms.get(term))
        frequency[term] = math.log(1 + (len(stored) - holding + 0.5) / (holding + 0.5))
    reachable = sum(frequency.values()) * 1.9
    found = []
    for point in stored:
        if where is not None and not (
            (where.document_ids is None or point.document_id in where.document_ids)
            and (where.languages is None or point.language in where.languages)
            and (where.types is None or point.type in where.types)
        ):
            continue
        bm25 = sum(
            frequency[term] * point.terms[term] * 1.9 / (point.terms[term] + 0.9)
            for term in query.terms
            if point.terms.get(term)
        )
        lexical = bm25 / reachable if reachable else 0.0
        cosine = 0.0
        if query.vector is not None:
            cosine = float(np.dot(point.vector.astype(np.float64), query.vector.astype(np.float64)))
        elif lexical == 0:
            continue
        found.append(Hit(point.uid, point.chunk_id, point.document_id, cosine, lexical))
    found.sort(key=lambda hit: (-hit.rank(weight), hit.uid))
    return found[:limit]


def assert_same_hits(found: list[Hit], expected: list[Hit]) -> None:
    """Same windows in the same order, same parts of the score up to float32."""
    assert [hit.uid for hit in found] == [hit.uid for hit in expected]
    for one, other in zip(found, expected, strict=True):
        assert (one.chunk_id, one.document_id) == (other.chunk_id, other.document_id)
        assert one.cosine == pytest.approx(other.cosine, abs=2e-6)
        assert one.lexical == pytest.approx(other.lexical, abs=2e-6)


def some_query(seed: int = 7, *, vector: bool = True, terms: int = 4) -> Query:
    chance = random.Random(seed)
    chosen = tuple(dict.fromkeys([*chance.choices(WORDS, k=terms), "unbekannt"] if terms else []))
    return Query(vector=some_vector(chance) if vector else None, terms=chosen)


class VectorIndexContract:
    """The promises of `VectorIndex`."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        raise NotImplementedError

    @pytest.fixture
    def filled(self, index: VectorIndex) -> VectorIndex:
        """60 points of 30 chunks of 10 documents in `documents`."""
        index.ensure("documents", MODEL)
        index.upsert("documents", some_points(60))
        return index

    @pytest.mark.parametrize(
        "query",
        [some_query(), some_query(8, terms=1), some_query(9, terms=0), some_query(10, vector=False)],
        ids=["both", "one-term", "vector-only", "terms-only"],
    )
    def test_hits_are_the_exact_best(self, filled: VectorIndex, query: Query) -> None:
        """Order, cosine and lexical score agree with the plain implementation, at every length of the list."""
        for limit in (1, 7, 60, 500):
            found = filled.search("documents", query, limit=limit, lexical_weight=WEIGHT)
            assert_same_hits(found, expected_hits(some_points(60), query, limit=limit, weight=WEIGHT))

    def test_the_lexical_weight_shifts_the_order(self, filled: VectorIndex) -> None:
        """Also at weights where the best by the sum is far down in the order by cosine."""
        query = some_query(11)
        for weight in (0.0, 0.05, 1.0, 25.0):
            found = filled.search("documents", query, limit=5, lexical_weight=weight)
            assert_same_hits(found, expected_hits(some_points(60), query, limit=5, weight=weight))

    def test_a_filter_restricts_and_still_fills_the_limit(self, filled: VectorIndex) -> None:
        """It works before the limit does, and leaves the term statistics of the collection alone."""
        query = some_query(12)
        for where in (
            Filter(document_ids=frozenset({2, 5})),
            Filter(languages=frozenset({"en"})),
            Filter(types=frozenset({"faq", "buch"})),
            Filter(document_ids=frozenset(range(6)), languages=frozenset({"de"}), types=frozenset({"faq"})),
            Filter(document_ids=frozenset()),
            Filter(types=frozenset({"unknown"})),
            Filter(),
        ):
            found = filled.search("documents", query, limit=8, lexical_weight=WEIGHT, where=where)
            assert_same_hits(found, expected_hits(some_points(60), query, limit=8, weight=WEIGHT, where=where))

    def test_equal_windows_come_in_the_order_of_their_uids(self, index: VectorIndex) -> None:
        """A tie is never broken by chance: evaluations must be repeatable."""
        index.ensure("documents", MODEL)
        pattern = some_points(1)[0]
        twins = [
            VectorPoint(
                str(uuid.uuid5(uuid.NAMESPACE_OID, f"twin {n}")), n, n, "de", "buch", pattern.text_sha256,
                pattern.vector, pattern.terms,
            )
            for n in range(30)
        ]  # fmt: skip
        index.upsert("documents", twins)
        found = index.search("documents", Query(pattern.vector, ("wort0",)), limit=10)
        assert [hit.uid for hit in found] == sorted(twin.uid for twin in twins)[:10]

    def test_what_was_written_is_found_at_once_and_what_was_deleted_never_again(self, filled: VectorIndex) -> None:
        """The newcomer is the best hit; after its deletion the same question gives the hits of before."""
        query = some_query(13)
        before = filled.search("documents", query, limit=5)
        assert query.vector is not None
        newcomer = VectorPoint(str(uuid.uuid4()), 900, 900, "de", "faq", "a" * 64, query.vector, {})
        filled.upsert("documents", [newcomer])
        assert filled.search("documents", query, limit=5)[0].uid == newcomer.uid
        assert filled.delete_chunks("documents", [900]) == 1
        assert_same_hits(filled.search("documents", query, limit=5), before)

    def test_deleting_counts_points_and_spares_other_chunks(self, filled: VectorIndex) -> None:
        """Each chunk has two points here."""
        assert filled.delete_chunks("documents", [0, 1, 777]) == 4
        assert filled.delete_chunks("documents", [0, 1]) == 0
        assert filled.delete_chunks("documents", []) == 0
        assert filled.count("documents") == 56
        assert filled.chunk_ids("documents") == set(range(2, 30))
        query = some_query(14)
        left = [point for point in some_points(60) if point.chunk_id > 1]
        assert_same_hits(
            filled.search("documents", query, limit=60, lexical_weight=WEIGHT),
            expected_hits(left, query, limit=60, weight=WEIGHT),
        )

    def test_writing_the_same_again_changes_nothing(self, filled: VectorIndex) -> None:
        """A re-run must not double points."""
        query = some_query(15)
        before = filled.search("documents", query, limit=60)
        filled.upsert("documents", some_points(60))
        assert filled.count("documents") == 60
        assert_same_hits(filled.search("documents", query, limit=60), before)

    def test_a_point_with_a_known_uid_is_replaced(self, filled: VectorIndex) -> None:
        """New vector, terms, chunk and document take the place of the old ones."""
        old, query = some_points(60)[3], some_query(16)
        assert query.vector is not None
        new = VectorPoint(old.uid, 500, 600, "en", "faq", "b" * 64, query.vector, {"neu": 2})
        filled.upsert("documents", [new])
        assert filled.count("documents") == 60
        best = filled.search("documents", query, limit=1)[0]
        assert (best.uid, best.chunk_id, best.document_id) == (old.uid, 500, 600)
        assert [hit.uid for hit in filled.search("documents", Query(terms=("neu",)), limit=5)] == [old.uid]
        assert 500 in filled.chunk_ids("documents")

    def test_collections_are_apart(self, filled: VectorIndex) -> None:
        """`documents` and `system_docs` share a model and nothing else."""
        filled.ensure("system_docs", MODEL)
        other = some_points(70)[60:]
        filled.upsert("system_docs", other)
        query = some_query(17)
        assert filled.count("system_docs") == 10
        assert_same_hits(
            filled.search("system_docs", query, limit=20, lexical_weight=WEIGHT),
            expected_hits(other, query, limit=20, weight=WEIGHT),
        )
        filled.delete_chunks("system_docs", [point.chunk_id for point in other])
        assert filled.count("documents") == 60

    def test_another_model_is_refused_with_the_way_out(self, filled: VectorIndex) -> None:
        """Neither another dimension nor another digest of the same size may mix; nothing is changed."""
        for other in (ModelRef("hashing", "test", "0" * 64, 48), ModelRef("hashing", "test", "1" * 64, DIMENSION)):
            with pytest.raises(StoreError) as caught:
                filled.ensure("documents", other)
            assert caught.value.code == "dimension_mismatch"
            assert "rag embed --rebuild" in caught.value.hint
            assert "hashing:test" in str(caught.value)
        assert filled.model("documents") == MODEL
        assert filled.count("documents") == 60

    def test_ensuring_twice_is_harmless(self, filled: VectorIndex) -> None:
        """Every document's stage does it."""
        filled.ensure("documents", MODEL)
        assert filled.count("documents") == 60

    def test_resetting_makes_room_for_another_model(self, filled: VectorIndex) -> None:
        """The way out that the refusal names."""
        other = ModelRef("ollama", "bge-m3", "2" * 64, 4)
        filled.reset("documents", other)
        assert filled.model("documents") == other
        assert filled.count("documents") == 0
        assert filled.search("documents", Query(unit([1, 0, 0, 0])), limit=5) == []
        filled.upsert(
            "documents", [VectorPoint(str(uuid.uuid4()), 1, 1, "de", "faq", "c" * 64, unit([1, 0, 0, 0]), {})]
        )
        assert filled.search("documents", Query(unit([1, 0, 0, 0])), limit=5)[0].cosine == pytest.approx(1.0)

    def test_a_vector_of_another_dimension_is_refused_before_anything_is_written(self, filled: VectorIndex) -> None:
        """In a batch with good ones as well, and in a question."""
        good, bad = some_points(62)[60:]
        bad = VectorPoint(bad.uid, 1, 1, "de", "faq", "d" * 64, unit([1.0] * 8), {})
        with pytest.raises(StoreError) as caught:
            filled.upsert("documents", [good, bad])
        assert caught.value.code == "dimension_mismatch"
        assert filled.count("documents") == 60
        with pytest.raises(StoreError) as asked:
            filled.search("documents", Query(unit([1.0] * 8)), limit=3)
        assert asked.value.code == "dimension_mismatch"

    def test_a_collection_that_was_never_made(self, index: VectorIndex) -> None:
        """Reading finds nothing; writing is a mistake of the caller and says so."""
        assert index.model("documents") is None
        assert index.search("documents", some_query(), limit=3) == []
        assert index.count("documents") == 0
        assert index.chunk_ids("documents") == set()
        assert index.delete_chunks("documents", [1]) == 0
        assert index.vectors("documents", ["x"]) == {}
        with pytest.raises(StoreError) as caught:
            index.upsert("documents", some_points(1))
        assert caught.value.code == "no_collection"

    def test_an_empty_collection_finds_nothing(self, index: VectorIndex) -> None:
        """Before the first document, and after the last was removed."""
        index.ensure("documents", MODEL)
        assert index.search("documents", some_query(), limit=3) == []
        index.upsert("documents", some_points(2))
        index.delete_chunks("documents", [0])
        assert index.search("documents", some_query(), limit=3) == []

    def test_a_question_without_vector_and_terms_or_limit_finds_nothing(self, filled: VectorIndex) -> None:
        """Not everything."""
        assert filled.search("documents", Query(), limit=3) == []
        assert filled.search("documents", some_query(), limit=0) == []

    def test_stored_vectors_come_back(self, filled: VectorIndex) -> None:
        """Diversity of results is computed on them."""
        points = some_points(60)
        found = filled.vectors("documents", [points[3].uid, points[9].uid, str(uuid.uuid4())])
        assert set(found) == {points[3].uid, points[9].uid}
        np.testing.assert_allclose(found[points[9].uid], points[9].vector, atol=1e-6)

    def test_a_sample_is_the_same_every_time(self, filled: VectorIndex) -> None:
        """The points with the smallest uids; a background measured on it must not change between two questions."""
        by_uid = sorted(some_points(60), key=lambda point: point.uid)
        found = filled.sample("documents", 7)
        assert found.shape == (7, DIMENSION)
        expected = {tuple(np.round(point.vector, 5)) for point in by_uid[:7]}
        assert {tuple(np.round(row, 5)) for row in found} == expected
        assert filled.sample("documents", 500).shape == (60, DIMENSION)
        assert len(filled.sample("nowhere", 5)) == 0

    def test_a_long_history_leaves_exactly_what_it_should(self, index: VectorIndex) -> None:
        """Writes, replacements and deletions in a random order, checked after each step against plain data."""
        index.ensure("documents", MODEL)
        chance = random.Random(99)
        alive: dict[str, VectorPoint] = {}
        for step in range(40):
            if chance.random() < 0.65 or not alive:
                batch = [some_point(chance.randrange(200), chance) for _ in range(chance.randint(1, 25))]
                index.upsert("documents", batch)
                alive.update((point.uid, point) for point in batch)
            else:
                gone = chance.sample(sorted({point.chunk_id for point in alive.values()}), 3 if len(alive) > 9 else 1)
                there = [uid for uid, point in alive.items() if point.chunk_id in gone]
                assert index.delete_chunks("documents", gone) == len(there)
                for uid in there:
                    del alive[uid]
            query = some_query(step)
            assert_same_hits(
                index.search("documents", query, limit=12, lexical_weight=WEIGHT),
                expected_hits(alive.values(), query, limit=12, weight=WEIGHT),
            )
        assert index.count("documents") == len(alive)
        assert index.chunk_ids("documents") == {point.chunk_id for point in alive.values()}
