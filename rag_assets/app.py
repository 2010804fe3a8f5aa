"""The one place where parts are put together: `open_app(settings)` gives an `App`, whose parts open when first used.

`rag status` reads SQL and nothing else, so that it must not wait for models, for readers or for the ontology. Heavy
modules are therefore imported inside the properties that need them. What a part does lives in its own package.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rag_assets.config import Settings

if TYPE_CHECKING:
    from rag_assets.knowledge.ontology import Ontology
    from rag_assets.models.embedding.base import Embedder
    from rag_assets.models.extraction.base import Extractor
    from rag_assets.models.language.base import Ask, LanguageModel
    from rag_assets.models.vision.base import Vision
    from rag_assets.offline.parts import Parts
    from rag_assets.offline.scan import ScanReport
    from rag_assets.offline.source import Source
    from rag_assets.online.answer import Answer
    from rag_assets.online.parts import AnswerParts
    from rag_assets.readers.worker import ReadingWorker
    from rag_assets.stores.archive import Archive
    from rag_assets.stores.database import Database
    from rag_assets.stores.vectors.base import VectorIndex

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def open_app(
    settings: Settings,
    *,
    clock: Clock = utc_now,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    ontology: Ontology | None = None,
    sources: tuple[Source, ...] | None = None,
    worker: ReadingWorker | None = None,
    vision: Vision | None = None,
) -> App:
    """The application of these settings. Nothing is opened before it is used.

    What is given here takes the place of what the settings name; `sources` that of sources.yaml. A `worker` that is
    given stays the giver's to close.
    """
    app = App(settings, clock=clock)
    given = {
        "embedder": embedder,
        "extractor": extractor,
        "ontology": ontology,
        "sources": sources,
        "worker": worker,
        "vision": vision,
    }
    # A cached property looks into the instance's dictionary first.
    app.__dict__.update({name: part for name, part in given.items() if part is not None})
    return app


class App:
    """All parts of one installation, for one process; use it as a context manager, or call `close`.

    ```python
    with open_app(load_settings()) as app, app.database.read() as connection:
        documents.list_all(connection)
    ```
    """

    def __init__(self, settings: Settings, *, clock: Clock = utc_now) -> None:
        self.settings = settings
        self.clock = clock
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the reading process and close connections; parts opened afterwards are opened anew."""
        for name in ("database", "index", "archive", "worker", "parts", "answering"):
            self.__dict__.pop(name, None)
        self._cleanup.close()

    @cached_property
    def database(self) -> Database:
        """The database, its schema brought to the present version.

        Raises:
            StoreError: `database_newer`, the home was made by a newer version.
            ServiceError: the server is out of reach.
        """
        from rag_assets.stores import installation, migrate
        from rag_assets.stores.database import Database

        database = Database(self.settings.resolved_database_url)
        self._cleanup.callback(database.close)
        # The archive outlives the database: a new one over an old archive mints the same uids again.
        kept = self.archive.namespace()
        migrate.upgrade(database, namespace=kept)
        if kept is None:
            with database.read() as connection:
                self.archive.keep_namespace(installation.namespace(connection))
        return database

    @cached_property
    def archive(self) -> Archive:
        """The archived originals."""
        from rag_assets.stores.archive import Archive

        return Archive(self.settings.archive_folder)

    @cached_property
    def index(self) -> VectorIndex:
        """The vector index: Qdrant when a URL is set, else the embedded one."""
        if self.settings.qdrant_url:
            from rag_assets.stores.vectors.qdrant import open_qdrant

            return open_qdrant(self.settings.qdrant_url, self.settings.qdrant_api_key.get_secret_value())
        from rag_assets.stores.vectors.embedded import EmbeddedIndex

        return EmbeddedIndex(self.database, self.settings.index_folder)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model; loaded at its first use."""
        from rag_assets.models.embedding.registry import open_embedder

        return open_embedder(self.settings)

    @cached_property
    def ontology(self) -> Ontology:
        """What ontology.yaml says."""
        from rag_assets.offline.ontology_file import load_ontology

        return load_ontology(self.settings.ontology)

    @cached_property
    def extractor(self) -> Extractor:
        """What finds entities, relations and statements."""
        from rag_assets.models.extraction.registry import open_extractor

        return open_extractor(self.settings, self.ontology)

    @cached_property
    def vision(self) -> Vision | None:
        """What recognises text on pictures of pages, if there is anything."""
        from rag_assets.models.vision.registry import open_vision

        return open_vision(self.settings)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The folders to watch."""
        from rag_assets.offline.sources import load_sources

        return load_sources(self.settings.sources)

    @cached_property
    def worker(self) -> ReadingWorker:
        """The process that reads files; started at its first file."""
        from rag_assets.readers.base import ReadLimits
        from rag_assets.readers.worker import ReadingWorker

        limits = ReadLimits(
            timeout_s=self.settings.read_timeout_s,
            memory_mb=self.settings.read_memory_mb,
            max_bytes=self.settings.read_max_bytes,
            max_pages=self.settings.read_max_pages,
            max_expanded_bytes=self.settings.read_max_expanded_bytes,
            max_expansion_ratio=self.settings.read_max_expansion_ratio,
        )
        return self._cleanup.enter_context(ReadingWorker(limits))

    @cached_property
    def answering(self) -> AnswerParts:
        """What answering works with."""
        from rag_assets.models.generation.registry import open_answer_model
        from rag_assets.online.parts import AnswerParts
        from rag_assets.text.tokens import CharacterTokens

        return AnswerParts(
            database=self.database,
            index=self.index,
            embedder=self.embedder,
            model=open_answer_model(self.settings, self.embedder, self._answering_calls),
            clock=self.clock,
            tokens=CharacterTokens(self.settings.token_chars),
        )

    def _answering_calls(self, model: LanguageModel) -> Ask:
        from rag_assets.ledger.model_calls import Calls, policy_of

        self._cleanup.callback(model.close)
        policy = policy_of(self.settings, model)
        return Calls(
            self.database, model, policy, version_id=None, purpose="generation", run_id=None, clock=self.clock
        ).ask

    def ask(
        self,
        question: str,
        *,
        collections: tuple[str, ...] | None = None,
        session: str | None = None,
        message: str | None = None,
    ) -> Answer:
        """Answer a question as the settings say; see `online.answer`.

        `collections` None looks in all of them; `message` names a stored question instead of `question`.

        Raises:
            RagError: as `online.answer`.
        """
        from rag_assets.online.answer import answer
        from rag_assets.online.parts import Options

        options = Options.of(self.settings, collections=collections)
        return answer(question, self.answering, options, session=session, message=message)

    @cached_property
    def parts(self) -> Parts:
        """What the offline stages work with."""
        from rag_assets.ledger.model_calls import CallPolicy, policy_of
        from rag_assets.models.extraction.base import AskingExtractor
        from rag_assets.models.extraction.rules import RulesExtractor
        from rag_assets.offline.parts import Parts

        extractor = self.extractor
        model = extractor.model if isinstance(extractor, AskingExtractor) else None
        if model is not None:
            self._cleanup.callback(model.close)
        return Parts(
            settings=self.settings,
            database=self.database,
            archive=self.archive,
            index=self.index,
            embedder=self.embedder,
            extractor=extractor,
            house_extractor=RulesExtractor(self.ontology) if model is not None and model.leaves_machine else None,
            calls=policy_of(self.settings, model) if model is not None else CallPolicy(),
            ontology=self.ontology,
            worker=self.worker,
            sources=self.sources,
            clock=self.clock,
            vision=self.vision,
        )

    def scan(self, sources: tuple[Source, ...] | None = None, *, full: bool = False) -> ScanReport:
        """Bring the documents' rows in line with the folders of these sources, by default of all; mend the archive.

        `full` hashes every file and every archived original; else size, time and inode decide.

        Raises:
            UsageError: `no_such_folder`, `no_permission`; nothing is written then.
        """
        from rag_assets.offline import originals
        from rag_assets.offline.scan import scan

        looked_at = self.sources if sources is None else sources
        report = scan(
            self.database,
            looked_at,
            archive=self.archive,
            max_bytes=self.settings.read_max_bytes,
            full=full,
            clock=self.clock,
        )
        return replace(report, restored=originals.restore(self.database, self.archive, looked_at, full=full))

    def watch_also(self, sources: tuple[Source, ...]) -> None:
        """Take these sources too, as a folder named on the command line; before any part is opened."""
        known = {source.name for source in self.sources}
        self.__dict__["sources"] = (*self.sources, *(source for source in sources if source.name not in known))
