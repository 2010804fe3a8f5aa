"""Chunking: cut a version's canonical text into chunks and windows and store them.

Where a cut may fall lives in `text.chunking`; the rows live in `stores.chunks`.
"""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.knowledge import ids
from rag_assets.ledger.fingerprints import digest
from rag_assets.offline import layout
from rag_assets.offline.parts import Complete, Parts, Target
from rag_assets.stores import chunks as store
from rag_assets.stores import documents
from rag_assets.text.chunking import CHUNKER_VERSION, ChunkLimits, chunk_text
from rag_assets.text.sections import build_sections
from rag_assets.text.tokens import CharacterTokens


def parameters(settings: Settings) -> str:
    """What the result depends on besides the text."""
    return f"chunker {CHUNKER_VERSION}, {limits(settings)}, tokens {settings.token_chars}"


def limits(settings: Settings) -> ChunkLimits:
    """The sizes that the settings ask for."""
    return ChunkLimits(
        min_tokens=settings.chunk_min_tokens,
        max_tokens=settings.chunk_max_tokens,
        overlap_tokens=settings.chunk_overlap_tokens,
        window_chars=settings.window_chars,
    )


def chunk_document(parts: Parts, target: Target, complete: Complete) -> None:
    """Cut the text and store chunks and windows; the same text and limits give the same uids."""
    version = target.version
    with parts.database.read() as connection:
        text, spans = documents.reading_of(connection, version.id)
        namespace = documents.namespace(connection)
    title = version.title or ""
    canonical = layout.load(text, spans)
    cut = chunk_text(
        canonical,
        build_sections(canonical, title=title),
        title=title,
        tokens=CharacterTokens(parts.settings.token_chars),
        limits=limits(parts.settings),
    )
    new = []
    for chunk in cut:
        uid = ids.uid(namespace, "chunk", f"{version.uid}:{target.fingerprint}:{chunk.ordinal}")
        windows = tuple(
            store.NewWindow(
                uid=ids.uid(namespace, "window", f"{uid}:{window.ordinal}"),
                ordinal=window.ordinal,
                char_start=window.start,
                char_end=window.end,
                context=window.context,
                text_sha256=digest(store.embedded_text(window.context, text[window.start : window.end])),
            )
            for window in chunk.windows
        )
        content = text[chunk.start : chunk.end]
        new.append(
            store.NewChunk(
                uid=uid,
                ordinal=chunk.ordinal,
                section_ordinal=chunk.section,
                content=content,
                content_sha256=digest(content),
                title_path=chunk.title_path,
                char_start=chunk.start,
                char_end=chunk.end,
                overlap=chunk.overlap,
                page_start=chunk.page_start,
                page_end=chunk.page_end,
                token_count=chunk.token_count,
                table_header=chunk.table_header,
                windows=windows,
            )
        )
    with parts.database.write() as connection:
        store.add(connection, version.id, target.fingerprint, new)
        complete(
            connection,
            digest(*(f"{c.title_path}\n{w.char_start}:{w.char_end}:{w.text_sha256}" for c in new for w in c.windows)),
            {
                "chunks": len(new),
                "windows": sum(len(chunk.windows) for chunk in new),
                "tokens": sum(chunk.token_count for chunk in new),
            },
        )
