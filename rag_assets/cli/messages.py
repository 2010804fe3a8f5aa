"""What the command line says to people, in German and in English; RAG_LANGUAGE chooses.

Codes, field names of JSON and `--help` stay English: they are an interface. Words here are for reading.
"""

from __future__ import annotations

from typing import Final

GERMAN: Final = {
    "stage.documents": "Einlesen",
    "stage.chunks": "Abschnitte",
    "stage.embeddings": "Einbetten",
    "stage.entities": "Begriffe",
    "stage.statements": "Aussagen",
    "settling": "Gesamtbestand abgleichen",
    "progress.failed": "Fehler in {stage}: {code}",
    "progress.done": "fertig",
    "built.scan": "Ordner: {added} neu, {changed} geändert, {moved} verschoben, {removed} entfernt, "
    "{returned} zurück, {unchanged} unverändert",
    "built.nothing": "Alles ist auf dem Stand; nichts zu tun.",
    "built.done": "{documents} Dokumente bearbeitet in {seconds} s; Wissensstand {version}.",
    "built.settled": "Gesamtbestand abgeglichen; Wissensstand {version}.",
    "built.failed": "{failed} Dokumente mit Fehler:",
    "built.oversize": "{bytes:,} Bytes, gelesen werden höchstens {limit:,}.",
    "built.restored": "{count} archivierte Originale waren beschädigt und wurden neu kopiert.",
    "built.skipped": "{count} Dateien übergangen (`rag status` nennt sie).",
    "built.retry": "Erneut versuchen: rag all --retry-failed",
    "status.title": "Dokumente",
    "status.document": "Dokument",
    "status.collection": "Sammlung",
    "status.status": "Stand",
    "status.stages": "Stufen",
    "status.pages": "Seiten",
    "status.chunks": "Abschnitte",
    "status.note": "Hinweis",
    "status.version": "Wissensstand {version}",
    "status.no_version": "noch kein Wissensstand; `rag all` baut ihn auf",
    "status.counts": "{documents} Dokumente ({done} fertig, {error} mit Fehler, {pending} offen) · {chunks} Abschnitte · "
    "{entities} Begriffe · {relations} Beziehungen · {statements} Aussagen",
    "status.hidden": "{count} fertige Dokumente nicht gezeigt; `rag status --all` zeigt sie.",
    "status.empty": "Noch keine Dokumente. Ordner stehen in sources.yaml; `rag all` liest sie ein.",
    "status.bytes": "{bytes} Bytes, Grenze {limit} (RAG_READ_MAX_BYTES)",
    "status.ocr": "{pages} Seiten ohne Text (Texterkennung nötig)",
    "status.older": "antwortet noch aus der vorigen Fassung",
    "status.skipped": "Übergangene Dateien",
    "status.legend": "Stufen: {stages}    ● fertig  ◐ in Arbeit  ✗ Fehler  · offen",
    "state.pending": "offen",
    "state.processing": "in Arbeit",
    "state.done": "fertig",
    "state.error": "Fehler",
    "ask.sources": "Quellen",
    "ask.page": "S. {page}",
    "ask.score": "Wertung {score:.2f} (Ähnlichkeit {similarity:.2f}, Aktualität {recency:.2f}, Gewicht {authority:.2f})",
    "ask.nearest": "Am nächsten kommen",
    "why.living": "gilt",
    "why.passages": "Belege",
    "why.none": "Kein lebender Beleg.",
    "why.about": "{kind} · {status} · {uid}",
    "why.by": "gefunden von {agent}, Lauf {run}, Code {code}",
    "graph.written": "{nodes} Knoten, {edges} Kanten, Wissensstand {version}: {file}",
    "doctor.ok": "in Ordnung",
    "doctor.missing": "fehlt",
    "doctor.broken": "nicht in Ordnung",
    "doctor.optional": "nicht vorhanden (freiwillig)",
    "doctor.title": "Prüfung der Installation",
    "doctor.all_well": "Alles Nötige ist in Ordnung.",
    "doctor.not_well": "{count} Punkte sind nicht in Ordnung.",
    "check.python": "Python",
    "check.packages": "Pakete",
    "check.database": "Datenbank",
    "check.schema": "Schema",
    "check.archive": "Archiv",
    "check.index": "Suchindex",
    "check.embedder": "Einbettungsmodell",
    "check.sources": "Ordner",
    "check.ontology": "Ontologie",
    "check.dagster": "Dagster",
    "check.disk": "Speicherplatz",
    "check.ollama": "Ollama",
    "check.qdrant": "Qdrant",
    "check.tesseract": "Texterkennung (tesseract)",
}

ENGLISH: Final = {
    "stage.documents": "Reading",
    "stage.chunks": "Chunks",
    "stage.embeddings": "Embedding",
    "stage.entities": "Entities",
    "stage.statements": "Statements",
    "settling": "Bringing the whole base in line",
    "progress.failed": "failed in {stage}: {code}",
    "progress.done": "done",
    "built.scan": "Folders: {added} new, {changed} changed, {moved} moved, {removed} removed, "
    "{returned} returned, {unchanged} unchanged",
    "built.nothing": "Everything is up to date; nothing to do.",
    "built.done": "{documents} documents worked on in {seconds} s; knowledge version {version}.",
    "built.settled": "The whole base was brought in line; knowledge version {version}.",
    "built.failed": "{failed} documents failed:",
    "built.oversize": "{bytes:,} bytes, at most {limit:,} are read.",
    "built.restored": "{count} archived originals were damaged and were copied again.",
    "built.skipped": "{count} files skipped (`rag status` names them).",
    "built.retry": "Try again: rag all --retry-failed",
    "status.title": "Documents",
    "status.document": "Document",
    "status.collection": "Collection",
    "status.status": "Status",
    "status.stages": "Stages",
    "status.pages": "Pages",
    "status.chunks": "Chunks",
    "status.note": "Note",
    "status.version": "Knowledge version {version}",
    "status.no_version": "no knowledge version yet; `rag all` builds one",
    "status.counts": "{documents} documents ({done} done, {error} failed, {pending} pending) · {chunks} chunks · "
    "{entities} entities · {relations} relations · {statements} statements",
    "status.hidden": "{count} finished documents not shown; `rag status --all` shows them.",
    "status.empty": "No documents yet. Folders are named in sources.yaml; `rag all` reads them.",
    "status.bytes": "{bytes} bytes, limit {limit} (RAG_READ_MAX_BYTES)",
    "status.ocr": "{pages} pages without text (text recognition needed)",
    "status.older": "still answers from its former content",
    "status.skipped": "Skipped files",
    "status.legend": "Stages: {stages}    ● done  ◐ at work  ✗ failed  · open",
    "state.pending": "pending",
    "state.processing": "at work",
    "state.done": "done",
    "state.error": "failed",
    "ask.sources": "Sources",
    "ask.page": "p. {page}",
    "ask.score": "score {score:.2f} (similarity {similarity:.2f}, recency {recency:.2f}, authority {authority:.2f})",
    "ask.nearest": "Nearest to the question",
    "why.living": "holds",
    "why.passages": "Evidence",
    "why.none": "No living evidence.",
    "why.about": "{kind} · {status} · {uid}",
    "why.by": "found by {agent}, run {run}, code {code}",
    "graph.written": "{nodes} nodes, {edges} edges, knowledge version {version}: {file}",
    "doctor.ok": "fine",
    "doctor.missing": "missing",
    "doctor.broken": "not in order",
    "doctor.optional": "absent (optional)",
    "doctor.title": "Check of the installation",
    "doctor.all_well": "Everything that is needed is in order.",
    "doctor.not_well": "{count} points are not in order.",
    "check.python": "Python",
    "check.packages": "Packages",
    "check.database": "Database",
    "check.schema": "Schema",
    "check.archive": "Archive",
    "check.index": "Search index",
    "check.embedder": "Embedding model",
    "check.sources": "Folders",
    "check.ontology": "Ontology",
    "check.dagster": "Dagster",
    "check.disk": "Disk space",
    "check.ollama": "Ollama",
    "check.qdrant": "Qdrant",
    "check.tesseract": "Text recognition (tesseract)",
}

CATALOGUES: Final = {"de": GERMAN, "en": ENGLISH}


class Messages:
    """The sentences of one language.

    >>> Messages("en")("status.version", version="1.1.1")
    'Knowledge version 1.1.1'
    """

    def __init__(self, language: str) -> None:
        self._texts = CATALOGUES.get(language, GERMAN)

    def __call__(self, name: str, /, **values: object) -> str:
        """The sentence of this name with the values put in."""
        return self._texts[name].format(**values)
