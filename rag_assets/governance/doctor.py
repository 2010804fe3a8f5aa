"""What works in this installation, what is missing, and how to get it. Reads only and changes nothing.

Each check stands for itself: that one cannot be made never hides another. What people read is said by the surface;
here are names, values and codes.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING, Final
from urllib.error import URLError
from urllib.request import urlopen

from rag_assets.errors import CODES
from rag_assets.knowledge.ontology import Ontology
from rag_assets.knowledge.placement import COLLECTIONS
from rag_assets.models.vision.tesseract import Tesseract, is_installed

if TYPE_CHECKING:
    from rag_assets.config import Settings
    from rag_assets.models.embedding.base import Embedder
    from rag_assets.offline.source import Source
    from rag_assets.stores.archive import Archive
    from rag_assets.stores.database import Database
    from rag_assets.stores.vectors.base import VectorIndex

OK: Final = "ok"
BROKEN: Final = "broken"
ABSENT: Final = "absent"
"""Not there and not needed."""

_LEAST_FREE_BYTES: Final = 200_000_000
_TIMEOUT_S: Final = 2.0
_MOST_NAMED: Final = 10
_ARCHIVE_HINT: Final = (
    "Run `rag scan --full`: it copies again what the sources still hold; a backup of the folder `archive` in RAG_HOME "
    "brings back the rest."
)


@dataclass(frozen=True, slots=True)
class Check:
    """One point of the examination. `detail` is what was found, `hint` what to do when it is not in order."""

    name: str
    state: str
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Patient:
    """What is examined: each part is opened when its check needs it, so that a broken one fails there."""

    settings: Settings
    database: Callable[[], Database]
    archive: Callable[[], Archive]
    index: Callable[[], VectorIndex]
    embedder: Callable[[], Embedder]
    sources: Callable[[], tuple[Source, ...]]
    ontology: Callable[[], Ontology]


def examine(patient: Patient) -> Iterator[Check]:
    """All checks, in the order in which one needs the other."""
    needed: tuple[tuple[str, Callable[[Patient], Check]], ...] = (
        ("python", _python),
        ("packages", _packages),
        ("disk", _disk),
        ("database", _database),
        ("schema", _schema),
        ("archive", _archive),
        ("sources", _sources),
        ("ontology", _ontology),
        ("embedder", _embedder),
        ("index", _index),
        ("dagster", _dagster),
        ("ollama", _ollama),
        ("qdrant", _qdrant),
        ("tesseract", _tesseract),
    )
    for name, check in needed:
        try:
            yield check(patient)
        except Exception as error:  # noqa: BLE001 - a check that breaks is a finding, and the next ones go on
            yield _broken(name, error)


def _broken(name: str, error: Exception) -> Check:
    from rag_assets.stores import failures

    meaning = failures.known(error)
    if meaning is None:
        return Check(name, BROKEN, type(error).__name__, CODES["internal"].hint)
    return Check(name, BROKEN, f"{meaning.code}: {meaning.message}".rstrip(": "), meaning.hint)


def _python(_: Patient) -> Check:
    # An older Python cannot even import this.
    return Check("python", OK, f"{platform.python_version()} ({sys.executable})")


def _packages(_: Patient) -> Check:
    """Whether everything that the project requires is installed, extras apart."""
    missing = []
    required = distribution("rag-assets").requires or []
    for requirement in required:
        if "extra ==" in requirement:
            continue
        name = requirement
        for separator in " ;<>=!~[":
            name = name.partition(separator)[0]
        try:
            distribution(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("packages", BROKEN, ", ".join(missing), "Run `make install`.")
    return Check("packages", OK, str(len(required)))


def _disk(patient: Patient) -> Check:
    place = patient.settings.home.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Check("disk", BROKEN, str(patient.settings.home), CODES["no_permission"].hint)
    free = shutil.disk_usage(place).free
    state = OK if free >= _LEAST_FREE_BYTES else BROKEN
    return Check("disk", state, f"{free / 1e9:.1f} GB", "" if state == OK else CODES["disk_full"].hint)


def _database(patient: Patient) -> Check:
    from rag_assets.stores.diagnosis import diagnose

    found = diagnose(patient.database())
    detail = " ".join(part for part in (found.product, found.version, found.character_set) if part)
    if found.character_set not in (None, "utf8mb4"):
        return Check("database", BROKEN, detail, "Connect with ?charset=utf8mb4 in RAG_DATABASE_URL.")
    return Check("database", OK, detail)


def _schema(patient: Patient) -> Check:
    from rag_assets.stores.diagnosis import diagnose

    found = diagnose(patient.database())
    if not found.is_current:
        return Check("schema", BROKEN, found.revision or "–", CODES["database_newer"].hint)
    return Check("schema", OK, found.revision or "–")


def _archive(patient: Patient) -> Check:
    """Reads every archived original: that it lies there says little."""
    archive = patient.archive()
    place = archive.folder
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Check("archive", BROKEN, str(archive.folder), CODES["no_permission"].hint)
    archive.events()
    names = {sha256: sha256[:12] for sha256 in archive.objects()} | _paths_of_originals(patient)
    damaged = [name for sha256, name in sorted(names.items()) if not archive.is_intact(sha256)]
    if damaged:
        return Check("archive", BROKEN, f"{len(damaged)} / {len(names)}: {_some(damaged)}", _ARCHIVE_HINT)
    return Check("archive", OK, str(len(names)))


def _paths_of_originals(patient: Patient) -> dict[str, str]:
    from rag_assets.stores import versions

    with patient.database().read() as connection:
        return {original.sha256: original.source_path for original in versions.present_originals(connection)}


def _some(names: list[str]) -> str:
    return ", ".join([*names[:_MOST_NAMED], *(["…"] if len(names) > _MOST_NAMED else [])])


def _sources(patient: Patient) -> Check:
    sources = patient.sources()
    missing = [source.name for source in sources if not source.folder.is_dir()]
    if missing:
        return Check("sources", BROKEN, ", ".join(missing), CODES["no_such_folder"].hint)
    return Check("sources", OK, ", ".join(source.name for source in sources))


def _ontology(patient: Patient) -> Check:
    ontology = patient.ontology()
    return Check("ontology", OK, f"{len(ontology.classes)} / {len(ontology.relation_types)} / {len(ontology.synonyms)}")


def _embedder(patient: Patient) -> Check:
    """Loads the model and embeds a word: that it is installed says little."""
    embedder = patient.embedder()
    vector = embedder.embed_query("Probe")
    return Check("embedder", OK, f"{embedder.provider}:{embedder.name}, {len(vector)}")


def _index(patient: Patient) -> Check:
    from rag_assets.ledger.invariants import index_holds_living_chunks
    from rag_assets.ledger.spaces import model_ref

    index = patient.index()
    counts = {collection: index.count(collection) for collection in COLLECTIONS}
    detail = ", ".join(f"{collection} {count}" for collection, count in counts.items())
    for collection, count in counts.items():
        if count:
            index.ensure(collection, model_ref(patient.embedder()))
    with patient.database().read() as connection:
        violations = index_holds_living_chunks(connection, index)
    if violations:
        return Check("index", BROKEN, f"{detail}; {len(violations)}", "Run `rag embed --rebuild`.")
    return Check("index", OK, detail)


def _dagster(patient: Patient) -> Check:
    home = patient.settings.resolved_dagster_home
    place = home
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Check("dagster", BROKEN, str(home), CODES["no_permission"].hint)
    state = "" if (home / "dagster.yaml").exists() else " (–)"
    return Check("dagster", OK, f"{distribution('dagster').version}, {home}{state}")


def _ollama(patient: Patient) -> Check:
    settings = patient.settings
    needed = any(value.startswith("ollama") for value in (settings.embedding, settings.generation, settings.extraction))
    hint = "Install it from https://ollama.com, then `ollama serve`; RAG_OLLAMA_URL names another place."
    return _server("ollama", f"{settings.ollama_url.rstrip('/')}/api/version", needed=needed, hint=hint)


def _qdrant(patient: Patient) -> Check:
    hint = "`docker compose up -d qdrant`, then RAG_QDRANT_URL=http://127.0.0.1:6333."
    url = patient.settings.qdrant_url
    if not url:
        return Check("qdrant", ABSENT, "RAG_QDRANT_URL", hint)
    return _server("qdrant", f"{url.rstrip('/')}/readyz", needed=True, hint=hint)


def _server(name: str, url: str, *, needed: bool, hint: str) -> Check:
    if not url.startswith(("http://", "https://")):
        return Check(name, BROKEN, "URL", CODES["settings"].hint)
    try:
        with urlopen(url, timeout=_TIMEOUT_S) as reply:  # noqa: S310 - the scheme was looked at
            return Check(name, OK, str(reply.status))
    except (URLError, OSError, ValueError):
        return Check(name, BROKEN if needed else ABSENT, url.split("/")[2].rpartition("@")[2], hint)


def _tesseract(patient: Patient) -> Check:
    wanted = patient.settings.vision
    if is_installed():
        return Check("tesseract", OK, f"{Tesseract().release}{', RAG_VISION=none' if wanted == 'none' else ''}")
    hint = "Debian, Ubuntu: apt install tesseract-ocr tesseract-ocr-deu."
    return Check("tesseract", BROKEN if wanted == "tesseract" else ABSENT, "deu", hint)
