"""A small base to ask: documents of a few paragraphs, each a chunk of one window, embedded by feature hashing."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update

from rag_assets.ledger.spaces import model_ref, point_uid
from rag_assets.models.embedding.base import Embedder
from rag_assets.models.embedding.hashing import HashingEmbedder
from rag_assets.models.generation.base import AnswerModel
from rag_assets.models.generation.extractive import ExtractiveModel
from rag_assets.online.answer import Answer, answer
from rag_assets.online.parts import AnswerParts, Options
from rag_assets.online.retrieval import Retrieved, retrieve
from rag_assets.stores.schema.derivatives import Chunk, ChunkWindow
from rag_assets.stores.schema.sources import Document, DocumentSection, DocumentVersion
from rag_assets.stores.vectors.base import VectorPoint
from rag_assets.stores.vectors.embedded import EmbeddedIndex
from rag_assets.text.lexical import analyse
from rag_assets_tests.campus import NAMESPACE, Campus

FEEDBACK = """Feedback ist eine Rückmeldung zu einem beobachteten Verhalten. Es beschreibt Wahrnehmung und Wirkung.

Gute Rückmeldungen kommen zeitnah. Wer Feedback gibt, bittet vorher um Erlaubnis."""
CONTRACT = """Der Dreieckskontrakt regelt Ziele, Berichtswege und Grenzen zwischen Klientin, Coach und Führungskraft.

Inhalte der Sitzungen gehören nicht zum Bericht an das Unternehmen."""
FEES = """Die Ausbildung kostet 6.480 Euro und kann in 18 Raten bezahlt werden.

Bis sechs Wochen vor Beginn ist der Rücktritt kostenfrei."""


@dataclass
class Desk:
    """Documents go in by `put`, questions by `ask`."""

    campus: Campus
    folder: Path
    embedder: Embedder = field(default_factory=HashingEmbedder)
    model: AnswerModel | None = None

    def __post_init__(self) -> None:
        self.index = EmbeddedIndex(self.campus.database, self.folder)

    @property
    def parts(self) -> AnswerParts:
        return AnswerParts(
            database=self.campus.database,
            index=self.index,
            embedder=self.embedder,
            model=self.model or ExtractiveModel(self.embedder),
            clock=self.campus.clock,
        )

    def put(self, path: str, text: str, *, extract: bool = False, pages: Any = (), **document: Any) -> int:
        """Store, index and (with `extract`) read the facts of a document; returns the version's id."""
        version_id = self.campus.put(path, text) if extract else self.campus.store(path, text)
        collection = document.get("collection", "documents")
        model = model_ref(self.embedder)
        self.index.ensure(collection, model)
        points = []
        with self.campus.database.write() as connection:
            document_id = connection.scalar(select(DocumentVersion.document_id).where(DocumentVersion.id == version_id))
            if document:
                connection.execute(update(Document).where(Document.id == document_id).values(**document))
            layout = json.dumps({"blocks": [], "pages": list(pages)})
            connection.execute(update(DocumentVersion).where(DocumentVersion.id == version_id).values(layout=layout))
            rows = connection.execute(select(Chunk).where(Chunk.document_version_id == version_id)).all()
            for row in rows:
                window = f"window {row.uid}"[:36]
                sha = row.content_sha256
                connection.execute(
                    insert(ChunkWindow).values(
                        uid=window, chunk_id=row.id, ordinal=0, char_start=row.char_start, char_end=row.char_end,
                        context="", text_sha256=sha,
                    )
                )  # fmt: skip
                points.append(
                    VectorPoint(
                        point_uid(NAMESPACE, window, model), row.id, document_id or 0, "de", "text", sha,
                        self.embedder.embed_passages([row.content])[0], Counter(analyse(row.content)),
                    )
                )  # fmt: skip
        self.index.upsert(collection, points)
        return version_id

    def section(self, version_id: int, heading: str, start: int, end: int, *, level: int = 1) -> None:
        """Give the version a section."""
        with self.campus.database.write() as connection:
            document_id = connection.scalar(select(DocumentVersion.document_id).where(DocumentVersion.id == version_id))
            ordinal = len(
                connection.execute(
                    select(DocumentSection.id).where(DocumentSection.document_version_id == version_id)
                ).all()
            )
            connection.execute(
                insert(DocumentSection).values(
                    document_id=document_id, document_version_id=version_id, ordinal=ordinal, level=level, heading=heading, char_start=start,
                    char_end=end,
                )
            )  # fmt: skip

    def ask(self, question: str, *, session: str | None = None, message: str | None = None, **options: Any) -> Answer:
        return answer(question, self.parts, Options(**options), session=session, message=message)

    def find(self, question: str, **options: Any) -> Retrieved:
        return retrieve(question, self.parts, Options(**options))

    def text(self, version_id: int) -> str:
        """The canonical text of a version."""
        with self.campus.database.read() as connection:
            return connection.scalar(select(DocumentVersion.text).where(DocumentVersion.id == version_id)) or ""

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        return self.campus.rows(table, *columns)
