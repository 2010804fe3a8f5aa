"""A language model that gives prepared replies, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.models.extraction.llm import LlmExtractor
from rag_assets.models.language.base import LanguageReply, LanguageRequest, StopReason

ONTOLOGY = Ontology.from_mapping(yaml.safe_load(Path("ontology.yaml").read_text(encoding="utf-8")))

Script = Callable[[LanguageRequest], str | LanguageReply | BaseException]


@dataclass
class ScriptedModel:
    """Answers each request with what `script` gives for it."""

    script: Script
    provider: str = "scripted"
    name: str = "model"
    fingerprint: str = "scripted"
    leaves_machine: bool = False
    context_tokens: int = 8000
    asked: list[LanguageRequest] = field(default_factory=list)

    def complete(self, request: LanguageRequest) -> LanguageReply:
        self.asked.append(request)
        said = self.script(request)
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, LanguageReply) else LanguageReply(text=said, model_version="scripted 1")

    def stream(self, request: LanguageRequest) -> Iterator[str | LanguageReply]:
        yield self.complete(request)

    def close(self) -> None:
        pass


def always(said: str | LanguageReply | BaseException) -> Script:
    return lambda _: said


def in_turn(*said: str | LanguageReply | BaseException) -> Script:
    replies = iter(said)
    return lambda _: next(replies)


def cut_off(text: str = '{"entities": [{"na') -> LanguageReply:
    return LanguageReply(text=text, model_version="scripted 1", stop=StopReason.LENGTH)


def reply(
    entities: list[Any] | None = None, relations: list[Any] | None = None, statements: list[Any] | None = None
) -> str:
    lists = {"entities": entities or [], "relations": relations or [], "statements": statements or []}
    return json.dumps(lists, ensure_ascii=False)


def request(text: str, **given: Any) -> ExtractionRequest:
    return ExtractionRequest(
        **{"text": text, "start": 0, "title": "Skript", "title_path": "Skript › Teil", "language": "de", **given}
    )


def extract(text: str, script: Script, **given: Any) -> Extraction:
    return LlmExtractor(ScriptedModel(script), ONTOLOGY).extract(request(text, **given))


def refused(extraction: Extraction) -> dict[str, int]:
    return {f"{item.kind}.{item.reason}": item.count for item in extraction.refused}
