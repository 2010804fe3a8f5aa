"""The verb `ask`: a question, its answer, and the passages that it stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag_assets.cli.output import debug_option, json_option, opened, plain, print_json
from rag_assets.knowledge.placement import COLLECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag_assets.cli.messages import Messages
    from rag_assets.online.answer import Answer
    from rag_assets.online.sources import Source


@click.command("ask")
@click.argument("question")
@click.option("--collection", type=click.Choice(COLLECTIONS), help="Look only here for the answer.")
@click.option("--session", metavar="UID", callback=plain, help="Go on with this conversation.")
@click.option("--all-sources", is_flag=True, help="Also show the passages that were read but not cited.")
@json_option
@debug_option
def ask_command(*, question: str, collection: str | None, session: str | None, all_sources: bool, as_json: bool) -> int:
    """Answer a question from the documents, with numbered sources.

    Every claim carries the number of a passage below it, [Quelle 1]; each source shows document, page or section and
    the words as they stand there. When nothing answers the question, that is said, and nothing is made up.

    \b
    Examples:
      rag ask "Was ist der Unterschied zwischen Coaching und Therapie?"
      rag ask "Wie sichere ich die Datenbank?" --collection system_docs
      rag ask "Wer entwickelte die Familienrekonstruktion?" --json
    """
    with opened() as scope:
        answer = scope.app.ask(question, collections=(collection,) if collection else None, session=session)
    if as_json:
        print_json(answer.to_json())
    else:
        _show(scope.say, answer, all_sources=all_sources)
    return 0


def _show(say: Messages, answer: Answer, *, all_sources: bool) -> None:
    click.echo(answer.answer)
    cited = [source for source in answer.sources if source.used or all_sources]
    _list(say, "ask.sources", cited)
    _list(say, "ask.nearest", answer.nearest)


def _list(say: Messages, title: str, sources: Sequence[Source]) -> None:
    if not sources:
        return
    click.echo(f"\n{say(title)}:")
    for source in sources:
        page = source.page_label or source.page
        place = [source.title] if page is None else [source.title, say("ask.page", page=page)]
        if source.section and source.section != source.title:
            place.append(source.section)
        click.echo(f"[{source.number}] {', '.join(place)}")
        click.echo(f"    {source.source_path}")
        click.echo(
            "    "
            + say(
                "ask.score",
                score=source.score,
                similarity=source.similarity,
                recency=source.recency,
                authority=source.authority,
            )
        )
        click.echo(f"    „{' '.join(source.quote.split())}“")
