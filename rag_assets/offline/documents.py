"""Import: archive the original, read it, clean it, keep the one canonical text with its sections.

How a format is read lives in `readers`, cleaning in `text`. What changed in a folder is found by `offline.scan`.
"""

from __future__ import annotations

import json
from pathlib import Path

from rag_assets.errors import DocumentError
from rag_assets.ledger.fingerprints import digest
from rag_assets.models.vision.base import Vision
from rag_assets.offline import layout
from rag_assets.offline.parts import Complete, Parts, Progress, Target
from rag_assets.offline.recognition import recognise
from rag_assets.readers.base import READERS_VERSION
from rag_assets.stores import documents as store
from rag_assets.text.cleaning import CLEANING_VERSION, canonicalise
from rag_assets.text.instructions import suspicious_passages
from rag_assets.text.language import detect_language
from rag_assets.text.quality import glued_words
from rag_assets.text.sections import build_sections, with_languages


def parameters(vision: Vision | None) -> str:
    """What the result depends on besides the file; who installs a text recognition finds the scans waiting for it."""
    recognised_by = f", vision {vision.name}" if vision is not None else ""
    return f"readers {READERS_VERSION}, cleaning {CLEANING_VERSION}{recognised_by}"


def take_in(parts: Parts, document: store.DocumentRow) -> Target:
    """Archive the document's present content and give its version; a content seen before finds its old version.

    What could not be read is fetched from its folder once more: a person may have mended it since the last scan, and
    would not believe a second run that fails over what is no longer there.

    Raises:
        DocumentError: `vanished`, `unreadable`, `changed_while_read`.
    """
    with parts.database.read() as connection:
        version = store.version_by_sha(connection, document.id, document.seen_sha256) if document.seen_sha256 else None
        was_read = version is not None and store.has_text(connection, version.id)
    # Damaged or gone: the source has it still, and puts it right.
    if version is not None and was_read and parts.archive.is_intact(version.sha256):
        return Target(document, version)
    archived = parts.archive.put(_file_of(parts, document))
    if version is not None and archived.sha256 == version.sha256:
        return Target(document, version)
    # Before the version exists: what is archived is in the manifest, also when this process is killed here.
    parts.archive.record(
        "seen", document.source_path, sha256=archived.sha256, document_uid=document.uid, at=parts.clock()
    )
    with parts.database.write() as connection:
        version = store.add_version(
            connection,
            document.id,
            sha256=archived.sha256,
            archive_path=archived.path,
            byte_size=archived.size,
            now=parts.clock(),
        )
        if archived.sha256 != document.seen_sha256:
            # The file changed between scan and archive; what was archived is what we have.
            document = store.set_seen(connection, document.id, sha256=archived.sha256)
    return Target(document, version)


def _file_of(parts: Parts, document: store.DocumentRow) -> Path:
    for source in parts.sources:
        if source.name == document.source:
            file = source.find(document.source_path)
            if file is not None:
                return file
    raise DocumentError("vanished", document=document.uid)


def read_document(parts: Parts, target: Target, complete: Complete, progress: Progress) -> None:
    """Read the archived original and store text, layout and sections.

    Raises:
        DocumentError: with the code that says why the document cannot be read.
        ServiceError: the model that recognises text is out of reach.
    """
    document, version = target.document, target.version
    original = parts.archive.verified(version.sha256)
    result = parts.worker.read(original, name=document.file_name)
    if result.needs_ocr_pages and parts.vision is not None:
        result = recognise(
            result,
            parts.vision,
            lambda page: parts.worker.picture(original, page),
            lambda done, total: progress("documents", document.uid, done, total),
        )
    hidden = {"hidden_characters": sum(map(len, result.hidden_text.split()))}
    canonical = canonicalise(result.blocks, repairs={**result.repairs, **hidden})
    if not canonical.text:
        pages, needs_ocr_pages = result.page_count or 0, len(result.needs_ocr_pages)
        with parts.database.write() as connection:
            store.note_pages(connection, version.id, pages=pages, needs_ocr_pages=needs_ocr_pages)
        raise DocumentError("needs_ocr" if needs_ocr_pages else "empty", document=document.uid, pages=pages)
    title = result.title or ""
    spans = layout.dump(canonical)
    text_sha256 = digest(canonical.text)
    language = detect_language(canonical.text)
    sections = with_languages(build_sections(canonical, title=title), canonical.text, document=language)
    if language == "und" and result.language in ("de", "en"):
        language = result.language
    suspicious = len(suspicious_passages(canonical.text)) + len(suspicious_passages(result.hidden_text))
    warnings = (*result.warnings, "suspicious_instructions") if suspicious else result.warnings
    languages = {language, *(section.language for section in sections if section.language)} - {"und"}
    words, glued = glued_words(canonical.text)
    published = result.published_on.isoformat() if result.published_on else ""
    with parts.database.write() as connection:
        store.store_reading(
            connection,
            version.id,
            text=canonical.text,
            layout=spans,
            repairs=json.dumps(dict(canonical.repairs), sort_keys=True),
            warnings=json.dumps(list(warnings)),
            title=result.title,
            authors=result.authors,
            language=language,
            published_on=result.published_on,
            page_count=result.page_count,
            needs_ocr_pages=len(result.needs_ocr_pages),
            mime_type=result.mime_type,
            reader=result.reader,
        )
        store.replace_sections(connection, version.id, document.id, sections)
        if document.current_version_id is None:
            store.flip_current(connection, document.id, version.id)
        complete(
            connection,
            digest(text_sha256, title, language, published, spans),
            {
                "bytes": version.byte_size,
                "pages": result.page_count or 0,
                "characters": len(canonical.text),
                "words": words,
                "glued_words": glued,
                "sections": len(sections) - 1,
                "languages": len(languages),
                "repairs": sum(canonical.repairs.values()),
                "warnings": len(warnings),
                "suspicious_passages": suspicious,
                "needs_ocr_pages": len(result.needs_ocr_pages),
            },
        )
