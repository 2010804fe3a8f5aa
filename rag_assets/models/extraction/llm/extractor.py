"""The extractor that asks a language model, whoever runs it.

A reply that breaks off is met by asking again for less: the passage in two halves, each again if need be. One that is no
JSON is asked for once more. What is left after that is an error of this passage alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from rag_assets.errors import ModelError
from rag_assets.knowledge.naming import canonical_key
from rag_assets.knowledge.ontology import Ontology
from rag_assets.models.extraction.base import Extraction, ExtractionRequest
from rag_assets.models.extraction.llm.admission import Admission
from rag_assets.models.extraction.llm.prompt import EXTRACTION_PROMPT, compose, instructions, reply_schema
from rag_assets.models.extraction.llm.reply import BrokenReplyError, RawReply, TruncatedReplyError, parse_reply
from rag_assets.models.extraction.rules.gazetteer import Gazetteer
from rag_assets.models.language.base import Ask, LanguageModel, LanguageReply, LanguageRequest, Message, StopReason
from rag_assets.prompts import registry as prompts
from rag_assets.text.sentences import sentence_spans

LLM_VERSION: Final = "1"
"""Raise it whenever the same reply gives another extraction."""

#: Passages are not cut below this; what does not fit then is an error.
_SHORTEST_PIECE: Final = 300
_AGAIN: Final = (
    "Das war kein gültiges JSON der verlangten Form. Antworte nur mit dem JSON-Objekt, ohne Text davor oder danach."
)


class LlmExtractor:
    """Extraction by a language model: what it says is taken only where the passage bears it out.

    Args:
        model: whom to ask.
        ontology: classes and relation types that it may use.
        max_output_tokens: longest reply to one passage.
        ask: how to reach the model; the model itself, unless the caller keeps, counts and limits calls.
    """

    name = "llm"

    def __init__(
        self, model: LanguageModel, ontology: Ontology, *, max_output_tokens: int = 4096, ask: Ask | None = None
    ) -> None:
        self.model = model
        self._ontology = ontology
        self._max_output_tokens = max_output_tokens
        self._ask: Ask = ask or _direct(model)
        self._prompt = prompts.load(EXTRACTION_PROMPT)
        self._system = instructions(self._prompt, ontology)
        self._schema = reply_schema(ontology)
        self._gazetteer = Gazetteer(ontology)
        self._curated = {
            canonical_key(label): (entry.name, entry.class_name)
            for entry in ontology.synonyms
            for label in (entry.name, *entry.labels)
        }
        self.version = f"{LLM_VERSION} {model.provider}:{model.name}"
        fixed = (LLM_VERSION, model.fingerprint, self._prompt.sha256, ontology.revision, str(max_output_tokens))
        self.fingerprint = sha256("\n".join(fixed).encode()).hexdigest()

    def asking(self, ask: Ask) -> LlmExtractor:
        """See `AskingExtractor`."""
        return LlmExtractor(self.model, self._ontology, max_output_tokens=self._max_output_tokens, ask=ask)

    def first_request(self, request: ExtractionRequest) -> LanguageRequest:
        """See `AskingExtractor`."""
        mentions = self._gazetteer.find(request.text)
        known = [(mention.canonical, mention.class_name) for mention in mentions if mention.canonical]
        return compose(
            request,
            system=self._system,
            known=known,
            schema=self._schema,
            max_output_tokens=self._max_output_tokens,
        )

    def extract(self, request: ExtractionRequest) -> Extraction:
        """What the model finds in the passage and the passage bears out.

        Raises:
            ModelError: `model_refused`; `model_incomplete`, even the shortest piece got no whole reply; `model_reply`,
                it gave no JSON twice; whatever the model raises.
        """
        admission = Admission(self._ontology, request.text, self._curated)
        if request.text.strip():
            for reply in self._replies(request):
                admission.take(reply)
        return admission.result(start=request.start)

    def _replies(self, request: ExtractionRequest) -> Iterable[RawReply]:
        asked = self.first_request(request)
        try:
            yield self._parsed(asked)
        except _TooMuchError:
            halves = _halves(request.text)
            if halves is None:
                raise ModelError("model_incomplete", characters=len(request.text)) from None
            for half in halves:
                yield from self._replies(_with_text(request, half))

    def _parsed(self, asked: LanguageRequest) -> RawReply:
        reply = self._answered(asked)
        try:
            return parse_reply(reply.text)
        except TruncatedReplyError:
            raise _TooMuchError from None
        except BrokenReplyError:
            pass
        again = LanguageRequest(
            system=asked.system,
            messages=(
                *asked.messages,
                Message(role="assistant", text=reply.text or "–"),
                Message(role="user", text=_AGAIN),
            ),
            schema=asked.schema,
            max_output_tokens=asked.max_output_tokens,
        )
        reply = self._answered(again)
        try:
            return parse_reply(reply.text)
        except TruncatedReplyError:
            raise _TooMuchError from None
        except BrokenReplyError:
            raise ModelError("model_reply", "no JSON of the form asked for, twice") from None

    def _answered(self, asked: LanguageRequest) -> LanguageReply:
        try:
            reply = self._ask(asked, usable=_is_usable)
        except ModelError as error:
            if error.code == "text_too_long":
                raise _TooMuchError from error
            raise
        if reply.stop is StopReason.REFUSED:
            raise ModelError("model_refused", model=self.model.name)
        if reply.stop is not StopReason.END:
            raise _TooMuchError
        return reply


class _TooMuchError(Exception):
    """Passage and reply together are more than the model takes."""


def _is_usable(reply: LanguageReply) -> bool:
    """Whether a reply may be kept: whole, and of the form asked for."""
    if reply.stop is not StopReason.END:
        return False
    try:
        parse_reply(reply.text)
    except BrokenReplyError:
        return False
    return True


def _direct(model: LanguageModel) -> Ask:
    def ask(request: LanguageRequest, *, usable: object = None) -> LanguageReply:
        del usable
        return model.complete(request)

    return ask


def _halves(text: str) -> tuple[str, str] | None:
    """The text cut at the end of the sentence that is nearest to its middle; None when it is too short for that."""
    if len(text) < 2 * _SHORTEST_PIECE:
        return None
    middle = len(text) // 2
    ends = [end for _, end in sentence_spans(text) if _SHORTEST_PIECE <= end <= len(text) - _SHORTEST_PIECE]
    cut = min(ends, key=lambda end: (abs(end - middle), end)) if ends else middle
    return text[:cut], text[cut:]


def _with_text(request: ExtractionRequest, text: str) -> ExtractionRequest:
    return ExtractionRequest(
        text=text, start=request.start, title=request.title, title_path=request.title_path, language=request.language
    )
