"""All public fault cases in one watched folder, taken through the real pipeline once, and looked at from outside."""

from __future__ import annotations

import json
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from rag_assets.app import App
from rag_assets.errors import RagError
from rag_assets.ledger import stages
from rag_assets.ledger.overview import DocumentState, overview
from rag_assets.offline import pipeline

#: What lies in a case's folder and is no document of it.
_NOT_INPUT = frozenset({"expected.json", "expected.md", "make.md", "config.json"})

CASES = (
    "config-overlap-ge-size csv-formula-entity-names docx-tracked-changes docx-zip-bomb eml-quoted-printable"
    " file-4gb-sparse files-duplicates-and-rename files-junk-and-locks files-nfc-nfd-names files-odd-names"
    " html-wrong-meta-charset html-xss md-headings-only md-long-table pdf-hidden-prompt-injection pdf-image-only"
    " pdf-letterspaced-heading pdf-ligatures-fb01 pdf-nfd-umlauts pdf-null-bytes pdf-repeated-header-footer"
    " pdf-rotated-page pdf-soft-hyphen pdf-truncated pdf-two-columns-rowwise pdf-xref-prev-loop pdf-zero-pages"
    " txt-cp1252 txt-german-abbreviations txt-one-huge-line txt-utf16le-bom wrong-extension"
).split()


def lay_out(cases: Path, folder: Path) -> None:
    """Copy each case's input below `folder`, unpack trees of files, make what is too large to be shipped."""
    for case in CASES:
        place = folder / case
        place.mkdir(parents=True)
        for file in sorted((cases / case).iterdir()):
            if file.name.endswith(".tar.gz"):
                if file.name != "stand2.tar.gz":
                    unpack(file, place)
            elif file.name not in _NOT_INPUT:
                shutil.copyfile(file, place / file.name)
    for name in ("riesig.pdf", "riesig.txt"):
        make_sparse(folder / "file-4gb-sparse" / name)


def unpack(file: Path, folder: Path) -> None:
    """Unpack a tree of files with its odd names as they are."""
    with tarfile.open(file) as archive:
        archive.extractall(folder, filter="fully_trusted")


def make_sparse(path: Path, size: int = 4 * 2**30) -> None:
    """A file of this size that takes no room, as `truncate -s` makes it."""
    with path.open("wb") as file:
        file.truncate(size)


def build(app: App) -> None:
    """Everything brought up to date; one bad document does not stop the others."""
    app.scan()
    with app.database.read() as connection:
        plan = stages.plan(connection, pipeline.parameters(app.parts))
    for document in plan:
        for stage in document.stages:
            try:
                pipeline.run_stage(app.parts, document.uid, stage)
            except RagError:
                break
    pipeline.settle(app.parts)


def expected(cases: Path, case: str) -> dict[str, Any]:
    """What the case expects."""
    found: dict[str, Any] = json.loads((cases / case / "expected.json").read_text("utf-8"))
    return found


def memory_mb(process_id: int | str, name: str) -> float:
    """A process's `VmRSS` or, since the last `forget_peak`, its `VmHWM`; 0 without /proc."""
    status = Path(f"/proc/{process_id}/status")
    lines = status.read_text("ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def forget_peak() -> None:
    """Begin anew with the largest size of this process."""
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5", "ascii")


@dataclass(frozen=True)
class StoredChunk:
    """A chunk as stored, with `own`, its content without the overlap, and what is embedded of it."""

    content: str
    own: str
    title_path: str
    page_start: int | None
    page_end: int | None
    token_count: int
    table_header: str
    embedded: tuple[str, ...]


@dataclass
class Library:
    """One installation over the folder with all cases."""

    app: App
    cases: Path
    grown_mb: float = 0
    """How much larger this process was at its largest while building than before."""
    reader_peak_mb: float = 0
    """How large the reading process was at its largest."""

    def __post_init__(self) -> None:
        with self.app.database.read() as connection:
            found = overview(connection)
        self.documents = {document.source_path.partition("/")[2]: document for document in found.documents}
        self.skipped = {path.partition("/")[2]: reason for path, reason in found.skipped}

    def of(self, case: str) -> dict[str, DocumentState]:
        """The case's documents by their path below its folder."""
        return {
            path.partition("/")[2]: document for path, document in self.documents.items() if path.startswith(f"{case}/")
        }

    def document(self, case: str) -> DocumentState:
        """The case's only document."""
        (document,) = self.of(case).values()
        return document

    def text(self, document: DocumentState) -> str:
        """The canonical text; empty when there is none."""
        query = (
            "SELECT v.text FROM document_versions v JOIN documents d ON d.current_version_id = v.id WHERE d.uid = :u"
        )
        return "".join(str(row[0]) for row in self.query(query, u=document.uid) if row[0])

    def chunks(self, document: DocumentState) -> list[StoredChunk]:
        """The chunks in the order of the text."""
        query = (
            "SELECT c.id, c.content, c.overlap, c.title_path, c.page_start, c.page_end, c.token_count, c.char_start,"
            " COALESCE(c.table_header, '')"
            " FROM chunks c JOIN documents d ON d.current_version_id = c.document_version_id"
            " WHERE d.uid = :u AND c.status = 'embedded' ORDER BY c.ordinal"
        )
        windows = "SELECT char_start, char_end, context FROM chunk_windows WHERE chunk_id = :c ORDER BY ordinal"
        found = []
        for key, content, overlap, path, first, last, tokens, begin, header in self.query(query, u=document.uid):
            embedded = tuple(
                f"{context}\n{content[start - begin : end - begin]}"
                if context
                else content[start - begin : end - begin]
                for start, end, context in self.query(windows, c=key)
            )
            found.append(StoredChunk(content, content[overlap:], path, first, last, tokens, header, embedded))
        return found

    def repairs(self, document: DocumentState) -> dict[str, int]:
        """What was mended or left out, by kind."""
        query = "SELECT v.repairs FROM document_versions v JOIN documents d ON d.id = v.document_id WHERE d.uid = :u"
        ((repairs,),) = self.query(query, u=document.uid)
        found: dict[str, int] = json.loads(repairs)
        return found

    def headings(self, document: DocumentState) -> list[str]:
        """Headings of the sections, without the document's own."""
        query = (
            "SELECT s.heading FROM document_sections s JOIN documents d"
            " ON d.current_version_id = s.document_version_id WHERE d.uid = :u AND s.ordinal > 0 ORDER BY s.ordinal"
        )
        return [row[0] for row in self.query(query, u=document.uid)]

    def entities(self, document: DocumentState | None = None) -> set[str]:
        """Canonical names of the entities, all or those that a document mentions."""
        if document is None:
            return {row[0] for row in self.query("SELECT canonical_name FROM entities")}
        query = (
            "SELECT DISTINCT e.canonical_name FROM entities e JOIN entity_mentions m ON m.entity_id = e.id"
            " JOIN documents d ON d.current_version_id = m.document_version_id WHERE d.uid = :u"
        )
        return {row[0] for row in self.query(query, u=document.uid)}

    def quotes(self, document: DocumentState) -> list[str]:
        """The passages that relations, statements and values rest on."""
        query = (
            "SELECT e.quote FROM evidence e JOIN documents d ON d.current_version_id = e.document_version_id"
            " WHERE d.uid = :u"
        )
        return [row[0] for row in self.query(query, u=document.uid)]

    def related(self) -> set[frozenset[str]]:
        """Pairs of names between which there is a relation or a statement."""
        names = dict(self.query("SELECT id, canonical_name FROM entities"))
        pairs = self.query("SELECT source_entity_id, target_entity_id FROM relations")
        pairs += self.query("SELECT subject_entity_id, object_entity_id FROM statements WHERE object_entity_id > 0")
        return {frozenset((names[one], names[other])) for one, other in pairs}

    def found(self, question: str) -> list[str]:
        """Paths of the sources for a question, best first."""
        return [source.source_path.partition("/")[2] for source in self.app.ask(question).sources]

    def query(self, sql: str, **values: Any) -> list[Any]:
        """Rows of a SELECT, read past the code under test."""
        with self.app.database.read() as connection:
            return [tuple(row) for row in connection.execute(text(sql), values)]
