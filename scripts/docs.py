"""Write the generated blocks of the documentation anew: docs.py [--check].

A block stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; everything around it is written by people.
A test calls `render` and compares, so that what the docs say of commands, settings and errors is always so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
FILES = ("commands.md", "errors.md", "settings.md")
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def commands() -> str:
    """The help of `rag` and of each verb."""
    import click

    from rag_assets.cli.root import VERBS, rag

    group = click.Context(rag, info_name="rag", terminal_width=100, max_content_width=100)
    parts = [_help("rag", rag.get_help(group))]
    for verb in VERBS:
        command = rag.get_command(group, verb)
        assert command is not None
        context = click.Context(command, info_name=verb, parent=group, terminal_width=100, max_content_width=100)
        parts.append(_help(f"rag {verb}", command.get_help(context)))
    return "\n".join(parts)


def errors() -> str:
    """The table of error codes."""
    from rag_assets.errors import CODES

    rows = ["| code | exit status | a retry can help | what to do |", "|---|---|---|---|"]
    for name, code in CODES.items():
        rows.append(f"| `{name}` | {code.exit_status} | {'yes' if code.transient else 'no'} | {_cell(code.hint)} |")
    return "\n".join(rows) + "\n"


def settings() -> str:
    """The table of settings."""
    from pydantic_core import PydanticUndefined

    from rag_assets.config import PROJECT_FOLDER, Settings

    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, Path):
            shown = f"`{default.relative_to(PROJECT_FOLDER)}` in the project"
        elif default is None or default is PydanticUndefined or str(default) == "":
            shown = ""
        else:
            shown = f"`{default}`"
        variable = "DAGSTER_HOME" if name == "dagster_home" else f"RAG_{name.upper()}"
        rows.append(f"| `{variable}` | {shown} | {_cell(field.description or '')} |")
    return "\n".join(rows) + "\n"


GENERATORS: dict[str, Callable[[], str]] = {"commands": commands, "errors": errors, "settings": settings}


def render(text: str) -> str:
    """The text of a documentation file with its generated blocks made anew."""
    return _BLOCK.sub(lambda found: found[1] + GENERATORS[found[2]]() + found[3], text)


def _help(title: str, text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return f"## `{title}`\n\n```text\n" + "\n".join(lines) + "\n```\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Rewrite the files, or with --check only say which would change."""
    check = "--check" in sys.argv
    changed = 0
    for name in FILES:
        file = DOCS / name
        before = file.read_text(encoding="utf-8")
        after = render(before)
        if after != before:
            changed += 1
            print(f"{'differs' if check else 'written'}: docs/{name}")
            if not check:
                file.write_text(after, encoding="utf-8")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
