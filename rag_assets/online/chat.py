"""Phase A8, second half: what is kept of a question and its answer in the person's session."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from rag_assets.online.citations import Verdict
from rag_assets.online.sources import Source
from rag_assets.prompts.registry import Prompt
from rag_assets.stores import chats, prompts
from rag_assets.stores.database import Connection


def pending_question(connection: Connection, message_uid: str, *, user_ref: str | None) -> tuple[str, str]:
    """The session and the words of a question that waits for its answer.

    Raises:
        UsageError: `unknown_message`; also for an answer, and for somebody else's question.
    """
    message = chats.get_message(connection, message_uid)
    if message.role != chats.USER or message.user_ref != user_ref:
        raise chats.no_such_message(message_uid)
    return message.session_uid, message.content


def keep(
    connection: Connection,
    *,
    session_uid: str | None,
    user_ref: str | None,
    question: str | None,
    answer: str,
    outcome: str,
    sources: Sequence[Source],
    verdicts: Sequence[Verdict],
    knowledge_version_id: int | None,
    model: str,
    prompt: Prompt,
    parameters: Mapping[str, Any],
    at: datetime,
    retention_days: int,
) -> tuple[str, str]:
    """Store question, answer and sources; returns the uids of the session and of the answer's message.

    `question` None: it is stored already. A new session is opened when none is named.

    Raises:
        UsageError: `unknown_session`.
    """
    if session_uid is None:
        expires_at = at + timedelta(days=retention_days)
        session = chats.open_session(connection, user_ref=user_ref, at=at, expires_at=expires_at)
    else:
        session = chats.get_session(connection, session_uid, user_ref=user_ref, at=at)
    if question is not None:
        chats.add_question(connection, session, question, at=at)
    message = chats.add_answer(
        connection,
        session,
        chats.NewAnswer(
            content=answer,
            outcome=outcome,
            knowledge_version_id=knowledge_version_id,
            model=model,
            prompt_id=prompts.prompt_id(
                connection, name=prompt.name, template=prompt.template, template_sha256=prompt.sha256
            ),
            parameters=json.dumps(parameters, ensure_ascii=False, sort_keys=True),
            verification=json.dumps(
                [
                    {"start": one.start, "end": one.end, "numbers": one.numbers, "verdict": one.verdict}
                    for one in verdicts
                ]
            ),
        ),
        [_row(source) for source in sources],
        at=at,
    )
    return session.uid, message


def _row(source: Source) -> chats.NewSource:
    return chats.NewSource(
        number=source.number,
        chunk_id=source.chunk_id,
        document_version_id=source.version_id,
        char_start=source.start,
        char_end=source.end,
        page=source.page,
        section=source.section,
        similarity=source.similarity,
        cosine=source.cosine,
        recency=source.recency,
        authority=source.authority,
        score=source.score,
        used=source.used,
    )
