"""What a language model is asked: instructions that stay the same for every passage, then the passage.

The instructions come first and hold the ontology's classes and relation types, so that a provider's prompt cache serves
them. The passage stands between two lines with a number that nobody who wrote it could know, since it depends on all of
it. Nothing that other documents say is ever part of a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import MODALITIES, POLARITIES, STATEMENT_TYPES, ExtractionRequest
from rag_assets.models.language.base import LanguageRequest, Message
from rag_assets.prompts.registry import Prompt

EXTRACTION_PROMPT: Final = "extraktion"

#: Characters besides the passage, at most: the instructions are read again for every passage.
MOST_CHARACTERS: Final = 4000
_MOST_KNOWN: Final = 30
_MOST_PATH: Final = 200


def instructions(prompt: Prompt, ontology: Ontology) -> str:
    """The prompt's text with the ontology in it; descriptions give way where it would get too long."""
    text = ""
    for with_descriptions, with_properties in ((True, True), (True, False), (False, False)):
        text = prompt.template.replace(
            "{klassen}", _classes(ontology, with_descriptions=with_descriptions, with_properties=with_properties)
        ).replace("{beziehungen}", _relation_types(ontology))
        if len(text) <= MOST_CHARACTERS - _MOST_PATH - 100:
            break
    return text


def compose(
    request: ExtractionRequest,
    *,
    system: str,
    known: Sequence[tuple[str, str]],
    schema: dict[str, Any],
    max_output_tokens: int,
) -> LanguageRequest:
    """The request for a passage; `known` are (name, class) of curated entities that occur in it."""
    mark = sha256(request.text.encode("utf-8", "replace")).hexdigest()[:12]
    fence = f"<<<abschnitt {mark}>>>", f"<<<ende {mark}>>>"
    head = f"Stelle: {' '.join((request.title_path or request.title).split())[:_MOST_PATH]}\n"
    room = MOST_CHARACTERS - len(system) - len(head) - sum(map(len, fence)) - 4
    return LanguageRequest(
        system=system,
        messages=(Message(role="user", text=f"{head}{_known(known, room)}{fence[0]}\n{request.text}\n{fence[1]}"),),
        schema=schema,
        max_output_tokens=max_output_tokens,
    )


def reply_schema(ontology: Ontology) -> dict[str, Any]:
    """JSON schema of a reply; classes and relation types are the ontology's."""
    text = {"type": "string"}
    share = {"type": "number"}
    classes = sorted(item.name for item in ontology.classes)
    types = sorted(item.code for item in ontology.relation_types)
    return _object(
        entities=_list(
            _object(
                **{"name": text, "class": {"type": "string", "enum": classes}},
                properties=_list(_object(property=text, value=text, quote=text)),
            )
        ),
        relations=_list(
            _object(source=text, type={"type": "string", "enum": types}, target=text, quote=text, confidence=share)
        ),
        statements=_list(
            _object(
                subject=text,
                predicate=text,
                object=text,
                type={"type": "string", "enum": list(STATEMENT_TYPES)},
                modality={"type": "string", "enum": list(MODALITIES)},
                polarity={"type": "string", "enum": list(POLARITIES)},
                quote=text,
                confidence=share,
            )
        ),
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _classes(ontology: Ontology, *, with_descriptions: bool, with_properties: bool) -> str:
    lines = []
    for item in ontology.classes:
        line = f"- {item.name}" + (f" (eine Art {item.parent})" if item.parent else "")
        if with_descriptions:
            line += f": {item.description}"
        if with_properties and item.properties:
            line += f" [{', '.join(known.name for known in item.properties)}]"
        lines.append(line)
    return "\n".join(lines)


def _relation_types(ontology: Ontology) -> str:
    lines = []
    for item in ontology.relation_types:
        pairs = ", ".join(f"{domain}→{range_}" for domain, range_ in item.rules[:4])
        lines.append(f"- {item.code} ({item.label}): {pairs}{' …' if len(item.rules) > 4 else ''}")
    return "\n".join(lines)


def _known(known: Sequence[tuple[str, str]], room: int) -> str:
    """One line with curated names, as many as there is room for."""
    line = "Bekannte Begriffe darin: "
    parts: list[str] = []
    left = room - len(line) - 1
    for name, class_name in dict.fromkeys(known):
        part = f"{name} ({class_name})"
        if len(part) + 2 > left or len(parts) == _MOST_KNOWN:
            break
        parts.append(part)
        left -= len(part) + 2
    return f"{line}{'; '.join(parts)}\n" if parts else ""
