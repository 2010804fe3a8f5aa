"""Settings: what a person may set through the environment (`RAG_*`), and the embedded defaults.

The folders to watch (sources.yaml) and the conceptual world (ontology.yaml) are files of their own, found through
settings here and read by `offline.sources` and `knowledge.ontology`. No other module reads the environment.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag_assets.errors import SettingsError

PROJECT_FOLDER = Path(__file__).resolve().parent.parent

_PREFIX: Final = "RAG_"
# What is as like a setting's name as this is meant for it: EMBEDING, TOPK. SERVICE_HOST, which a container's
# environment may hold, is far from all of them.
_LIKENESS: Final = 0.8


def _one_of(*choices: str) -> AfterValidator:
    """Takes one of these; `kind:MODEL` stands for `kind:` and the name of any model."""
    kinds = {kind: bool(model) for kind, _, model in (choice.partition(":") for choice in choices)}

    def check(value: str) -> str:
        kind, _, model = value.partition(":")
        if kinds.get(kind) is not bool(model):
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value

    return AfterValidator(check)


def _address(value: str) -> str:
    parts = urlsplit(value)  # raises ValueError for a port that is no number
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0):
        raise ValueError("must be a URL like http://127.0.0.1:6333")
    return value


class Settings(BaseSettings):
    """All settings. Each is read from `RAG_<NAME>`; every one has a default that needs no server and no key."""

    # An empty variable counts as none: as a path it would mean the folder one happens to stand in.
    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, populate_by_name=True
    )

    home: Path = Field(
        PROJECT_FOLDER / ".rag", description="Folder of everything that is built: database, archive, index, Dagster."
    )
    database_url: str = Field(
        "", description="SQLAlchemy URL of the database; empty means SQLite in the home. MariaDB: `mysql+pymysql://…`."
    )
    qdrant_url: Annotated[str, AfterValidator(_address)] = Field(
        "", description="URL of a Qdrant server; empty means the embedded index."
    )
    qdrant_api_key: SecretStr = Field(SecretStr(""), description="Key of the Qdrant server.")
    dagster_home: Path | None = Field(
        None,
        validation_alias="DAGSTER_HOME",
        description="`DAGSTER_HOME`: where Dagster keeps its history; empty means the folder `dagster` in the home.",
    )
    sources: Path = Field(PROJECT_FOLDER / "sources.yaml", description="File that names the folders to watch.")
    ontology: Path = Field(
        PROJECT_FOLDER / "ontology.yaml", description="File with classes, taxonomy, relation types and synonyms."
    )
    embedding: Annotated[str, _one_of("e5", "hashing", "ollama:MODEL")] = Field(
        "e5", description="`e5`, `hashing` or `ollama:MODEL`."
    )
    generation: Annotated[str, _one_of("extractive", "claude:MODEL", "ollama:MODEL", "openai:MODEL")] = Field(
        "extractive",
        description="`extractive`: the best sentences of the best passages, word for word; or as for RAG_EXTRACTION.",
    )
    extraction: Annotated[str, _one_of("rules", "claude:MODEL", "ollama:MODEL", "openai:MODEL")] = Field(
        "rules",
        description="`rules`: word lists, patterns and verbs of German; or `claude:MODEL`, `ollama:MODEL`, `openai:MODEL`.",
    )
    vision: Annotated[str, _one_of("auto", "none", "tesseract")] = Field(
        "auto",
        description="Text recognition on scanned pages: `tesseract`, `none`, or `auto`: tesseract where it is "
        "installed with German. Set it where several machines work on one database.",
    )
    ollama_url: Annotated[str, AfterValidator(_address)] = Field(
        "http://127.0.0.1:11434", description="URL of the Ollama server."
    )
    anthropic_url: Annotated[str, AfterValidator(_address)] = Field(
        "https://api.anthropic.com", description="URL of Claude's API, or of a gateway to it."
    )
    anthropic_api_key: SecretStr = Field(
        SecretStr(""), validation_alias="ANTHROPIC_API_KEY", description="`ANTHROPIC_API_KEY`: key for Claude."
    )
    openai_url: Annotated[str, AfterValidator(_address)] = Field(
        "http://127.0.0.1:8000/v1", description="URL of a server that speaks OpenAI's chat completions, up to `/v1`."
    )
    openai_api_key: SecretStr = Field(
        SecretStr(""), validation_alias="OPENAI_API_KEY", description="`OPENAI_API_KEY`: key for that server, if any."
    )
    llm_context_tokens: int = Field(
        0, ge=0, description="Context window of the language model in tokens; 0 means the provider's usual."
    )
    llm_max_output_tokens: int = Field(4096, ge=64, description="Longest reply of a language model, in tokens.")
    llm_effort: Literal["low", "medium", "high"] = Field(
        "low", description="How much Claude thinks before it answers: `low`, `medium`, `high`."
    )
    llm_concurrency: int = Field(4, ge=1, le=64, description="Calls to a language model under way at once.")
    llm_price_input: float | None = Field(
        None, ge=0, description="Price of a million input tokens in euro; needed for models outside the own network."
    )
    llm_price_output: float | None = Field(None, ge=0, description="Price of a million output tokens in euro.")
    llm_price_cached: float | None = Field(
        None, ge=0, description="Price of a million input tokens from the provider's cache; unset: as other input."
    )
    budget_run_eur: float = Field(5.0, ge=0, description="Most that one run may spend on language models, in euro.")
    budget_day_eur: float = Field(20.0, ge=0, description="Most that all runs of a day (UTC) may spend, in euro.")
    model_timeout_s: float = Field(120.0, gt=0, description="How long one call to a model server may take, in seconds.")
    language: Literal["de", "en"] = Field("de", description="Language of what people see.")

    token_chars: float = Field(3.2, gt=0.5, le=10, description="Characters a token where no tokenizer is at hand.")
    chunk_min_tokens: int = Field(500, ge=16, description="A chunk is at least this long, unless its section ends.")
    chunk_max_tokens: int = Field(800, ge=32, description="A chunk is at most this long.")
    chunk_overlap_tokens: int = Field(75, ge=0, description="What a chunk repeats of the one before it.")
    window_chars: int = Field(
        800, ge=200, le=8000, description="What is embedded is at most this long, title included."
    )

    token_limit_default: int = Field(4096, ge=64, description="Context budget in tokens, default profile.")
    token_limit_chat: int = Field(3000, ge=64, description="Context budget in tokens, chat.")
    token_limit_studio: int = Field(5000, ge=64, description="Context budget in tokens, content studio.")
    top_k: int = Field(8, ge=1, le=50, description="How many passages the preselection hands on.")
    strict_cosine: bool = Field(False, description="Cosine similarity only: no lexical search, no widening.")
    weight_similarity: float = Field(0.7, ge=0, le=1, description="Weight of similarity in the score.")
    weight_recency: float = Field(0.1, ge=0, le=1, description="Weight of recency in the score.")
    weight_authority: float = Field(0.2, ge=0, le=1, description="Weight of authority in the score.")
    chat_retention_days: int = Field(180, ge=1, description="Chat sessions expire after so many days.")

    read_timeout_s: float = Field(120.0, gt=0, description="How long reading one document may take, in seconds.")
    read_memory_mb: int = Field(2048, ge=256, description="Memory that the reading process may take, in MiB.")
    read_max_bytes: int = Field(500_000_000, ge=1, description="Largest file that is read, in bytes.")
    read_max_pages: int = Field(5000, ge=1, description="Most pages that are read of one document.")
    read_max_expanded_bytes: int = Field(
        600_000_000, ge=1, description="What a zip container (DOCX, ODT, EPUB …) may unpack to in all, in bytes."
    )
    read_max_expansion_ratio: int = Field(
        200, ge=1, description="How many times its packed size a part of a zip container may have, from 1 MB on."
    )
    sensor_interval_s: int = Field(
        60,
        ge=5,
        description="How often Dagster's sensors look at the folders, in seconds; read when Dagster's processes start.",
    )
    lease_s: float = Field(600.0, gt=0, description="How long a claim on a document's stage holds, in seconds.")

    @model_validator(mode="after")
    def _chunk_sizes_fit(self) -> Settings:
        if self.chunk_overlap_tokens >= self.chunk_min_tokens:
            raise ValueError(
                f"RAG_CHUNK_OVERLAP_TOKENS ({self.chunk_overlap_tokens}) must be smaller than"
                f" RAG_CHUNK_MIN_TOKENS ({self.chunk_min_tokens})"
            )
        if self.chunk_min_tokens > self.chunk_max_tokens:
            raise ValueError(
                f"RAG_CHUNK_MIN_TOKENS ({self.chunk_min_tokens}) must not be larger than"
                f" RAG_CHUNK_MAX_TOKENS ({self.chunk_max_tokens})"
            )
        return self

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


def load_settings(**overrides: object) -> Settings:
    """Read the settings from the environment; `overrides` win over it.

    Raises:
        SettingsError: a value cannot be used, or a variable is called almost like a setting, which would be passed
            over in silence; the message names the variable.
    """
    _refuse_misspelt(os.environ)
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        problems = "; ".join(
            "".join(
                [
                    *(f"{_variable(str(name))}: " for name in item["loc"][:1]),
                    item["msg"].removeprefix("Value error, "),
                    _refused(item["input"]),
                ]
            )
            for item in error.errors(include_url=False)
        )
        raise SettingsError("settings", problems) from None


def _refused(given: object) -> str:
    """A value that was refused, if it is a number: others may be secret or long."""
    try:
        return f", is {float(str(given)):g}"
    except ValueError:
        return ""


def _variable(located: str) -> str:
    """The variable behind the place that an error names: a field, or what fills it where another program's does."""
    return variables().get(located, located)


def variables() -> dict[str, str]:
    """The environment variable of each field of `Settings`."""
    return {
        name: str(field.validation_alias or f"{_PREFIX}{name.upper()}") for name, field in Settings.model_fields.items()
    }


def _refuse_misspelt(names: Iterable[str]) -> None:
    known = {variable.removeprefix(_PREFIX): variable for variable in variables().values()}
    problems = []
    for name in sorted(names):
        told = name.upper().removeprefix(_PREFIX)
        if name.upper().startswith(_PREFIX) and known.get(told) != name.upper():
            problems += [
                f"{name.encode('utf-8', 'replace').decode()} is no setting; did you mean {known[meant]}?"
                for meant in difflib.get_close_matches(told, known, n=1, cutoff=_LIKENESS)
            ]
    if problems:
        raise SettingsError("settings", " ".join(problems), hint="Rename the variable, or unset it.")
