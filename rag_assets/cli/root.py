"""The command group `rag`: its verbs, found when they are used, and how it ends.

Every error of ours becomes one line with its code and one with the way out; a traceback is shown with `--debug` only.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from rag_assets.errors import CODES, DONE, INTERRUPTED, WRONG_USE, RagError

# Verb → module. A module is imported when its verb is used, or when help lists the verbs.
VERBS: Final = {
    "all": "building",
    "scan": "building",
    "process": "building",
    "embed": "building",
    "file": "building",
    "ask": "asking",
    "status": "looking",
    "diff": "one_document",
    "text": "looking",
    "why": "looking",
    "graph": "looking",
    "doctor": "doctor",
}


class Verbs(click.Group):
    """Finds a verb's command in the module that holds it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order in which a newcomer needs them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this verb."""
        module = VERBS.get(cmd_name)
        if module is None:
            return None
        command = getattr(import_module(f"rag_assets.cli.{module}"), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's order
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"rag {version('rag-assets')}")
        ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
@click.option("--debug", is_flag=True, help="Show tracebacks; they may quote documents.")
@click.pass_context
def rag(ctx: click.Context, *, debug: bool) -> None:
    """Turn folders of documents into checked knowledge, and answer questions with sources.

    \b
      rag all                        read what is new in the folders of sources.yaml
      rag ask "Was ist Coaching?"    answer, with the passages it stands on
      rag status                     how far every document is

    Settings come from the environment (RAG_HOME, RAG_EMBEDDING, ...); docs/settings.md lists them.
    Exit status: 0 done, 1 some documents failed, 2 wrong use or settings, 3 a service is out of reach,
    130 interrupted.
    """
    ctx.obj = {"debug": debug}


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; returns the exit status."""
    debug = "--debug" in arguments
    try:
        status = rag.main(list(arguments), prog_name="rag", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return WRONG_USE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        verb = context.command_path if context is not None else "rag"
        hint = f"`{verb} --help` shows how it is used."
        return _say("usage", error.format_message(), hint, ids={}, debug=debug, status=WRONG_USE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("rag: interrupted; what was done is kept, run again to go on", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`) has seen enough; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except RagError as error:
        return _say(error.code, error.message, error.hint, ids=error.ids, debug=debug, status=error.exit_status)
    except Exception as error:  # noqa: BLE001 - the end of the line
        from rag_assets.stores import failures

        meaning = failures.known(error)
        if meaning is not None:
            return _say(
                meaning.code, meaning.message, meaning.hint, ids=meaning.ids, debug=debug, status=meaning.exit_status
            )
        # Everything else is a bug, told without its text.
        code = CODES["internal"]
        return _say("internal", type(error).__name__, code.hint, ids={}, debug=debug, status=code.exit_status)
    return status if isinstance(status, int) else DONE


def _say(code: str, message: str, hint: str, *, ids: dict[str, object], debug: bool, status: int) -> int:
    named = ", ".join(f"{name}={value}" for name, value in ids.items())
    what = " ".join(part for part in (message, f"({named})" if named else "") if part)
    click.echo(f"rag: {code}: {what}" if what else f"rag: {code}", err=True)
    click.echo(f"     {hint}", err=True)
    if debug:
        traceback.print_exc(file=sys.stderr)
    return status
