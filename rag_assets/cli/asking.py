"""The verb `ask`: a question, its answer, and the passages that it stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag_assets.cli.output import debug_option, json_option, opened, print_json

if TYPE_CHECKING:
    pass


@click.command("ask")
@click.argument("question")
@click.option(
    "--collection",
    type=click.Choice(("documents", "system_docs")),
    default="documents",
    show_default=True,
    help="Where to look for the answer.",
)
@click.option("--session", metavar="UID", help="Go on with this conversation.")
@json_option
@debug_option
def ask_command(*, question: str, collection: str, session: str | None, as_json: bool) -> int:
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
        answer = scope.app.ask(question, collection=collection, session=session)
    if as_json:
        print_json(answer_json(answer))
    else:
        _show(scope.say, answer)
    return 0
