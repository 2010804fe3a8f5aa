"""Requests to language models: what makes two of them the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_assets.models.language.base import LanguageRequest, Message

_REQUEST = LanguageRequest(
    system="Antworte knapp.",
    messages=(Message(role="user", text="Was ist Feedback?"),),
    schema={"type": "object"},
    max_output_tokens=100,
)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(_REQUEST, system="Antworte knapp. "), id="system"),
        pytest.param(replace(_REQUEST, messages=(Message(role="assistant", text="Was ist Feedback?"),)), id="role"),
        pytest.param(replace(_REQUEST, messages=(*_REQUEST.messages, *_REQUEST.messages)), id="one turn more"),
        pytest.param(replace(_REQUEST, schema=None), id="no schema"),
        pytest.param(replace(_REQUEST, schema={"type": "array"}), id="schema"),
        pytest.param(replace(_REQUEST, max_output_tokens=101), id="length"),
    ],
)
def test_whatever_a_reply_may_depend_on_makes_another_request(other: LanguageRequest) -> None:
    assert other.sha256("m") != _REQUEST.sha256("m")
    assert _REQUEST.sha256("n") != _REQUEST.sha256("m")


def test_an_equal_request_is_the_same_request_whatever_the_order_of_its_schema() -> None:
    one = replace(_REQUEST, schema={"type": "object", "title": "Ü"})
    two = replace(_REQUEST, schema={"title": "Ü", "type": "object"})
    assert one.sha256("m") == two.sha256("m")


def test_its_length_counts_all_that_is_sent() -> None:
    assert _REQUEST.characters == len("Antworte knapp.") + len("Was ist Feedback?")
