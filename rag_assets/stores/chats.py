"""Chat sessions: questions, answers and the sources that were shown with them.

Rows only; what is asked and answered is decided in `online`. Sessions belong to a person (`user_ref`, a pseudonym;
None on one's own machine) and expire.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, func, select

from rag_assets.errors import UsageError
from rag_assets.stores.bulk import insert_row, insert_rows
from rag_assets.stores.schema.online import ChatMessage, ChatSession, ChatSource
from rag_assets.stores.tables import table_of

USER: Final = "user"
ASSISTANT: Final = "assistant"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session that has not expired."""

    id: int
    uid: str
    user_ref: str | None


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A question or an answer."""

    uid: str
    session_uid: str
    user_ref: str | None
    ordinal: int
    role: str
    content: str
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnswer:
    """What is kept of an answer; `verification` and `parameters` are JSON."""

    content: str
    outcome: str
    knowledge_version_id: int | None
    model: str
    prompt_id: int | None
    parameters: str
    verification: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """A source as it was shown; the span points into the text of the document version."""

    number: int
    chunk_id: int
    document_version_id: int
    char_start: int
    char_end: int
    page: int | None
    section: str | None
    similarity: float
    cosine: float
    recency: float
    authority: float
    score: float
    used: bool


def open_session(connection: Connection, *, user_ref: str | None, at: datetime, expires_at: datetime) -> SessionRow:
    """A new session."""
    uid = str(uuid4())
    session_id = insert_row(
        connection, table_of(ChatSession), uid=uid, user_ref=user_ref, created_at=at, expires_at=expires_at
    )
    return SessionRow(session_id, uid, user_ref)


def get_session(connection: Connection, uid: str, *, user_ref: str | None, at: datetime) -> SessionRow:
    """The session of this person.

    Raises:
        UsageError: `unknown_session`; also for one that has expired or is somebody else's, without telling which.
    """
    row = connection.execute(
        select(ChatSession.id, ChatSession.uid, ChatSession.user_ref, ChatSession.expires_at).where(
            ChatSession.uid == uid
        )
    ).one_or_none()
    if row is None or row.user_ref != user_ref or row.expires_at <= at:
        raise UsageError("unknown_session", session=uid)
    return SessionRow(row.id, row.uid, row.user_ref)


def messages(connection: Connection, session_id: int) -> list[MessageRow]:
    """The session's messages in order."""
    return _messages(connection, ChatMessage.session_id == session_id)


def get_message(connection: Connection, uid: str) -> MessageRow:
    """One message.

    Raises:
        UsageError: `unknown_message`.
    """
    found = _messages(connection, ChatMessage.uid == uid)
    if not found:
        raise no_such_message(uid)
    return found[0]


def no_such_message(uid: str) -> UsageError:
    """The error for a message that does not exist, or not for this person: which of the two is not told."""
    return UsageError("unknown_message", message=uid)


def add_question(connection: Connection, session: SessionRow, content: str, *, at: datetime) -> str:
    """Add a question; returns the message's uid."""
    return _add(connection, session, role=USER, content=content, created_at=at)[1]


def add_answer(
    connection: Connection, session: SessionRow, answer: NewAnswer, sources: Sequence[NewSource], *, at: datetime
) -> str:
    """Add an answer with its sources; returns the message's uid."""
    message_id, uid = _add(
        connection,
        session,
        role=ASSISTANT,
        content=answer.content,
        outcome=answer.outcome,
        knowledge_version_id=answer.knowledge_version_id,
        model=answer.model,
        prompt_id=answer.prompt_id,
        parameters=answer.parameters,
        verification=answer.verification,
        created_at=at,
    )
    columns = NewSource.__dataclass_fields__
    insert_rows(
        connection,
        table_of(ChatSource),
        [{"message_id": message_id, **{name: getattr(source, name) for name in columns}} for source in sources],
    )
    return uid


def _add(connection: Connection, session: SessionRow, **values: object) -> tuple[int, str]:
    uid = str(uuid4())
    last = connection.scalar(select(func.max(ChatMessage.ordinal)).where(ChatMessage.session_id == session.id))
    ordinal = 0 if last is None else last + 1
    message_id = insert_row(
        connection, table_of(ChatMessage), uid=uid, session_id=session.id, ordinal=ordinal, **values
    )
    return message_id, uid


def _messages(connection: Connection, condition: object) -> list[MessageRow]:
    query = (
        select(
            ChatMessage.uid, ChatSession.uid.label("session_uid"), ChatSession.user_ref, ChatMessage.ordinal,
            ChatMessage.role, ChatMessage.content, ChatMessage.outcome,
        )
        .join(ChatSession, ChatSession.id == ChatMessage.session_id)
        .where(condition)  # type: ignore[arg-type]
        .order_by(ChatMessage.session_id, ChatMessage.ordinal)
    )  # fmt: skip
    return [MessageRow(*row) for row in connection.execute(query)]
