"""Uids are minted from what is known first and never collide by accident."""

from __future__ import annotations

import re
import unicodedata
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.knowledge.ids import partition_key, uid, window_uid

HERE = UUID("00000000-0000-4000-8000-000000000001")
THERE = UUID("00000000-0000-4000-8000-000000000002")


def test_uid_is_a_version_5_uuid_of_namespace_kind_key_and_generation() -> None:
    made = uid(HERE, "entity", "carl rogers")
    assert made == str(uuid5(HERE, "6:entity:11:carl rogers:0"))
    assert UUID(made).version == 5
    assert len({made, uid(THERE, "entity", "carl rogers"), uid(HERE, "document", "carl rogers"),
                uid(HERE, "entity", "carl rogers", 1)}) == 4  # fmt: skip


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_no_choice_of_kind_and_key_runs_into_another(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (uid(HERE, *one) == uid(HERE, *other)) == (one == other)


def test_a_negative_generation_is_refused() -> None:
    with pytest.raises(ValueError, match="generation"):
        uid(HERE, "entity", "x", -1)


def test_window_uid_depends_on_text_ordinal_and_model() -> None:
    ids = {
        window_uid("a" * 64, 0, "m"),
        window_uid("a" * 64, 1, "m"),
        window_uid("b" * 64, 0, "m"),
        window_uid("a" * 64, 0, "n"),
    }
    assert len(ids) == 4


@given(st.text(min_size=1))
def test_partition_keys_hold_only_what_dagster_can_carry(path: str) -> None:
    for opaque in (False, True):
        assert re.fullmatch(r"[a-z0-9-]+", partition_key(HERE, path, opaque=opaque))


def test_partition_key_shapes() -> None:
    assert re.fullmatch(r"uebung-fuer-gruesse-[0-9a-f]{8}", partition_key(HERE, "quelle/Übung für Grüße.docx"))
    opaque = partition_key(HERE, "personal/Akte Müller.pdf", opaque=True)
    assert re.fullmatch(r"doc-[0-9a-f]{12}", opaque)
    assert opaque != partition_key(THERE, "personal/Akte Müller.pdf", opaque=True)
    assert partition_key(HERE, "a.md") != partition_key(HERE, "a.md", generation=1)
    nfd = unicodedata.normalize("NFD", "quelle/Übung.pdf")
    assert partition_key(HERE, nfd) == partition_key(HERE, "quelle/Übung.pdf")
