"""The Qdrant adapter: the contract on the client's own in-memory implementation, payload, alias, and on a real server."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from qdrant_client import QdrantClient

from rag_assets.errors import ServiceError
from rag_assets.stores.vectors.base import ModelRef, VectorIndex
from rag_assets.stores.vectors.qdrant import QdrantIndex, open_qdrant
from rag_assets.stores.vectors.qdrant_points import DENSE, LEXICAL
from rag_assets_tests.stores.vectors.contract import MODEL, VectorIndexContract, some_points, some_query

# The in-memory client is always exact and says so once.
pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    opened = QdrantClient(":memory:")
    yield opened
    opened.close()


class TestQdrantIndex(VectorIndexContract):
    """Semantics as the client's in-memory implementation has them."""

    @pytest.fixture
    def index(self, client: QdrantClient) -> VectorIndex:
        return QdrantIndex(client)


def test_the_payload_is_exactly_four_fields_and_never_text(client: QdrantClient) -> None:
    """Whoever gets at the vector store must not find texts there, nor hashes to look texts up by."""
    index = QdrantIndex(client)
    index.ensure("documents", MODEL)
    index.upsert("documents", some_points(5))
    records, _ = client.scroll("documents", limit=10, with_payload=True, with_vectors=True)
    assert len(records) == 5
    by_uid = {point.uid: point for point in some_points(5)}
    for record in records:
        point = by_uid[str(record.id)]
        assert record.payload == {
            "chunk_id": point.chunk_id,
            "document_id": point.document_id,
            "language": point.language,
            "type": point.type,
        }
        assert isinstance(record.vector, dict)
        assert set(record.vector) == {DENSE, LEXICAL}


def test_a_model_change_swaps_the_alias_and_drops_the_old_vectors(client: QdrantClient) -> None:
    """The name that everybody uses is an alias; behind it stands one Qdrant collection per model."""
    index = QdrantIndex(client)
    index.ensure("documents", MODEL)
    index.upsert("documents", some_points(5))
    (first,) = [alias.collection_name for alias in client.get_aliases().aliases]
    index.reset("documents", ModelRef("ollama", "bge-m3", "2" * 64, 4))
    (second,) = [alias.collection_name for alias in client.get_aliases().aliases]
    assert first != second
    assert [one.name for one in client.get_collections().collections] == [second]


def test_resetting_to_the_same_model_empties_the_collection(client: QdrantClient) -> None:
    """`rag embed --rebuild` without another model."""
    index = QdrantIndex(client)
    index.ensure("documents", MODEL)
    index.upsert("documents", some_points(5))
    index.reset("documents", MODEL)
    assert index.count("documents") == 0
    assert index.model("documents") == MODEL


def test_a_server_out_of_reach_is_a_service_error() -> None:
    """A later try can help; the exit status is that of a service out of reach."""
    index = open_qdrant("http://127.0.0.1:9", timeout_s=1)
    with pytest.raises(ServiceError) as caught:
        index.search("documents", some_query(), limit=3)
    assert caught.value.code == "vector_store_unreachable"


class _Prefixed:
    """Gives a test's collections names of their own on a shared server."""

    def __init__(self, index: QdrantIndex, prefix: str) -> None:
        self._index, self._prefix = index, prefix

    def __getattr__(self, name: str) -> object:
        method = getattr(self._index, name)
        return lambda collection, *arguments, **options: method(self._prefix + collection, *arguments, **options)


class TestQdrantServer(VectorIndexContract):
    """The same on a real server, where one is."""

    @pytest.fixture
    def index(self, qdrant_url: str) -> Iterator[VectorIndex]:
        prefix = f"test-{uuid.uuid4().hex[:8]}-"
        client = QdrantClient(url=qdrant_url)
        yield _Prefixed(QdrantIndex(client), prefix)  # type: ignore[misc]
        for one in client.get_collections().collections:
            if one.name.startswith(prefix):
                client.delete_collection(one.name)
        client.close()
