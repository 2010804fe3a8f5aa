"""Settings: what a person may set through the environment (`RAG_*`), and the embedded defaults.

The folders to watch (sources.yaml) and the conceptual world (ontology.yaml) are files of their own, found through
settings here and read by `offline.sources` and `knowledge.ontology`. No other module reads the environment.

Plain dataclasses: every command begins here, and importing pydantic for thirty values took a quarter of `rag status`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any, Final, Literal, cast

from rag_assets.errors import SettingsError

PROJECT_FOLDER = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Secret:
    """A key or password: neither printing nor logging it shows it."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        """The value itself, for the one who must send it."""
        return self._value


def _setting(
    default: object,
    meaning: str,
    *,
    at_least: float = -inf,
    above: float = -inf,
    at_most: float = inf,
    one_of: tuple[str, ...] = (),
    variable: str = "",
) -> Any:
    """A field of `Settings`: its default, what it means, and which values can be used."""
    limits = {"at_least": at_least, "above": above, "at_most": at_most, "one_of": one_of}
    return field(default=default, metadata={"meaning": meaning, "variable": variable, **limits})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. Each is read from `RAG_<NAME>`; every one has a default that needs no server and no key.

    Raises:
        SettingsError: a value is out of its limits; the message names the variable.
    """

    home: Path = _setting(
        PROJECT_FOLDER / ".rag", "Folder of everything that is built: database, archive, index, Dagster."
    )
    database_url: str = _setting(
        "", "SQLAlchemy URL of the database; empty means SQLite in the home. MariaDB: `mysql+pymysql://…`."
    )
    qdrant_url: str = _setting("", "URL of a Qdrant server; empty means the embedded index.")
    qdrant_api_key: Secret = _setting(Secret(""), "Key of the Qdrant server.")
    dagster_home: Path | None = _setting(
        None,
        "`DAGSTER_HOME`: where Dagster keeps its history; empty means the folder `dagster` in the home.",
        variable="DAGSTER_HOME",
    )
    sources: Path = _setting(PROJECT_FOLDER / "sources.yaml", "File that names the folders to watch.")
    ontology: Path = _setting(
        PROJECT_FOLDER / "ontology.yaml", "File with classes, taxonomy, relation types and synonyms."
    )
    embedding: str = _setting("e5", "`e5`, `hashing` or `ollama:MODEL`.")
    generation: str = _setting("extractive", "`extractive`: the best sentences of the best passages, word for word.")
    extraction: str = _setting("rules", "`rules`: word lists, patterns and verbs of German.")
    ollama_url: str = _setting("http://127.0.0.1:11434", "URL of the Ollama server.")
    model_timeout_s: float = _setting(120.0, "How long one call to a model server may take, in seconds.", above=0)
    language: Literal["de", "en"] = _setting("de", "Language of what people see.", one_of=("de", "en"))

    token_chars: float = _setting(3.2, "Characters a token where no tokenizer is at hand.", above=0.5, at_most=10)
    chunk_min_tokens: int = _setting(500, "A chunk is at least this long, unless its section ends.", at_least=16)
    chunk_max_tokens: int = _setting(800, "A chunk is at most this long.", at_least=32)
    chunk_overlap_tokens: int = _setting(75, "What a chunk repeats of the one before it.", at_least=0)
    window_chars: int = _setting(
        800, "What is embedded is at most this long, title included.", at_least=200, at_most=8000
    )

    token_limit_default: int = _setting(4096, "Context budget in tokens, default profile.", at_least=64)
    token_limit_chat: int = _setting(3000, "Context budget in tokens, chat.", at_least=64)
    token_limit_studio: int = _setting(5000, "Context budget in tokens, content studio.", at_least=64)
    top_k: int = _setting(8, "How many passages the preselection hands on.", at_least=1, at_most=50)
    strict_cosine: bool = _setting(False, "Cosine similarity only: no lexical search, no widening.")
    weight_similarity: float = _setting(0.7, "Weight of similarity in the score.", at_least=0, at_most=1)
    weight_recency: float = _setting(0.1, "Weight of recency in the score.", at_least=0, at_most=1)
    weight_authority: float = _setting(0.2, "Weight of authority in the score.", at_least=0, at_most=1)
    chat_retention_days: int = _setting(180, "Chat sessions expire after so many days.", at_least=1)

    read_timeout_s: float = _setting(120.0, "How long reading one document may take, in seconds.", above=0)
    read_memory_mb: int = _setting(2048, "Memory that the reading process may take, in MiB.", at_least=256)
    read_max_bytes: int = _setting(500_000_000, "Largest file that is read, in bytes.", at_least=1)
    read_max_pages: int = _setting(5000, "Most pages that are read of one document.", at_least=1)
    read_max_expanded_bytes: int = _setting(
        600_000_000, "What a zip container (DOCX, ODT, EPUB …) may unpack to in all, in bytes.", at_least=1
    )
    read_max_expansion_ratio: int = _setting(
        200, "How many times its packed size a part of a zip container may have, from 1 MB on.", at_least=1
    )
    sensor_interval_s: int = _setting(
        60,
        "How often Dagster's sensors look at the folders, in seconds; read when Dagster's processes start.",
        at_least=5,
    )
    lease_s: float = _setting(600.0, "How long a claim on a document's stage holds, in seconds.", above=0)

    def __post_init__(self) -> None:
        problems = [f"{variable_of(item)}: {text}" for item in fields(self) if (text := _problem(item, self))]
        if self.chunk_overlap_tokens >= self.chunk_min_tokens:
            problems.append("RAG_CHUNK_OVERLAP_TOKENS must be smaller than RAG_CHUNK_MIN_TOKENS")
        if self.chunk_min_tokens > self.chunk_max_tokens:
            problems.append("RAG_CHUNK_MIN_TOKENS must not be larger than RAG_CHUNK_MAX_TOKENS")
        if problems:
            raise SettingsError("settings", "; ".join(problems))

    @property
    def resolved_database_url(self) -> str:
        """The database's URL, SQLite in the home when none is set."""
        return self.database_url or f"sqlite:///{self.home / 'rag.sqlite'}"

    @property
    def resolved_dagster_home(self) -> Path:
        """Dagster's home: below ours unless DAGSTER_HOME names another."""
        return (self.dagster_home or self.home / "dagster").absolute()

    @property
    def archive_folder(self) -> Path:
        """Where the archived originals and their manifest lie."""
        return self.home / "archive"

    @property
    def index_folder(self) -> Path:
        """Where the embedded index keeps its snapshots."""
        return self.home / "index"


def variable_of(item: Field[Any]) -> str:
    """The environment variable of a field of `Settings`."""
    return item.metadata["variable"] or f"RAG_{item.name.upper()}"


def load_settings(*, environment: Mapping[str, str] = os.environ, **overrides: object) -> Settings:
    """Read the settings from the environment; `overrides` win over it.

    An empty variable counts as none: as a path it would mean the folder one happens to stand in.

    Raises:
        SettingsError: a value cannot be used; the message names the variable.
    """
    values, problems = dict(overrides), []
    for item in fields(Settings):
        text = environment.get(variable_of(item), "")
        if text and item.name not in overrides:
            convert, wanted = _KINDS[re.split(r"\W", str(item.type), maxsplit=1)[0]]
            try:
                values[item.name] = convert(text)
            except (ValueError, KeyError):
                problems.append(f"{variable_of(item)}: must be {wanted}")
    if problems:
        raise SettingsError("settings", "; ".join(problems))
    return Settings(**cast("dict[str, Any]", values))


def _yes_or_no(text: str) -> bool:
    return {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}[
        text.strip().lower()
    ]


# How a variable's text becomes a value of the field's type, and what to call that type to people.
_KINDS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "str": (str, "text"),
    "Literal": (str, "text"),
    "Path": (Path, "a path"),
    "Secret": (Secret, "text"),
    "int": (int, "a whole number"),
    "float": (float, "a number"),
    "bool": (_yes_or_no, "true or false"),
}


def _problem(item: Field[Any], settings: Settings) -> str:
    """Why this value cannot be used; empty when it can."""
    value, limits = getattr(settings, item.name), item.metadata
    if limits["one_of"] and value not in limits["one_of"]:
        return f"must be {' or '.join(limits['one_of'])}"
    if not isinstance(value, int | float):
        return ""
    # "Not a number" compares with nothing: it must fail here, too.
    if not value > limits["above"] and limits["above"] != -inf:
        return f"must be greater than {limits['above']}"
    if not value >= limits["at_least"]:
        return f"must be at least {limits['at_least']}"
    if not value <= limits["at_most"]:
        return f"must be at most {limits['at_most']}"
    return ""
