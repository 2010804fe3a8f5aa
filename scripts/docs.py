"""Write the generated blocks of the documentation anew: docs.py [--check].

A block stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; everything around it is written by people.
A test calls `render` and compares, so that what the docs say of commands, settings and errors is always so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("README.md", "docs/assets.md", "docs/commands.md", "docs/errors.md", "docs/settings.md", "docs/tables.md")
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def commands() -> str:
    """The help of `rag` and of each verb."""
    import click

    from rag_assets.cli.root import VERBS, rag

    # With the settings that the command runs with: click keeps the help option that it made first.
    group = click.Context(rag, info_name="rag", terminal_width=100, **rag.context_settings)
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

    from rag_assets.config import PROJECT_FOLDER, Settings, variables

    named = variables()
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, Path):
            shown = f"`{default.relative_to(PROJECT_FOLDER)}` in the project"
        elif default is None or default is PydanticUndefined or str(default) == "":
            shown = ""
        else:
            shown = f"`{default}`"
        rows.append(f"| `{named[name]}` | {shown} | {_cell(field.description or '')} |")
    return "\n".join(rows) + "\n"


def tables() -> str:
    """Every table and view with its meaning and columns; * marks columns that can hold text about people."""
    from rag_assets.stores.schema import VIEWS, Base

    parts = []
    meanings = {mapper.local_table: _first(mapper.class_.__doc__) for mapper in Base.registry.mappers}
    for table in sorted(Base.metadata.tables.values(), key=lambda table: table.name):
        columns = ", ".join(f"`{column.name}`{'*' if column.info.get('personal') else ''}" for column in table.columns)
        parts.append(f"- **{table.name}** – {meanings[table]}<br>{columns}")
    parts += [f"- **{name}** (view) – with the columns that the campus knows." for name in sorted(VIEWS)]
    return "\n".join(parts) + "\n"


def assets() -> str:
    """Every asset with what it depends on and what it is, and what starts them."""
    from rag_assets.definitions import defs

    graph = defs.resolve_asset_graph()
    rows = ["| asset | depends on | partitioned | what it is |", "|---|---|---|---|"]
    for key in sorted(graph.get_all_asset_keys(), key=lambda key: key.to_user_string()):
        node = graph.get(key)
        upstream = ", ".join(f"`{parent.to_user_string()}`" for parent in sorted(node.parent_keys, key=str)) or "–"
        partitioned = "by document" if node.is_partitioned else "no"
        rows.append(f"| `{key.to_user_string()}` | {upstream} | {partitioned} | {_cell(node.description or '')} |")
    started = [f"- job `{job.name}` – {job.description or ''}" for job in defs.jobs or ()]
    started += [f"- schedule `{schedule.name}` – {schedule.description or ''}" for schedule in defs.schedules or ()]
    started += [f"- sensor `{sensor.name}` – {sensor.description or ''}" for sensor in defs.sensors or ()]
    return "\n".join([*rows, "", *sorted(line.rstrip(" –") for line in started)]) + "\n"


GENERATORS: dict[str, Callable[[], str]] = {
    "assets": assets,
    "commands": commands,
    "errors": errors,
    "settings": settings,
    "tables": tables,
}


def render(text: str) -> str:
    """The text of a documentation file with its generated blocks made anew."""
    return _BLOCK.sub(lambda found: found[1] + GENERATORS[found[2]]() + found[3], text)


def _help(title: str, text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return f"## `{title}`\n\n```text\n" + "\n".join(lines) + "\n```\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _first(docstring: str | None) -> str:
    return " ".join((docstring or "").strip().split("\n\n", maxsplit=1)[0].split())


def main() -> int:
    """Rewrite the files, or with --check only say which would change."""
    check = "--check" in sys.argv
    changed = 0
    for name in FILES:
        file = ROOT / name
        before = file.read_text(encoding="utf-8")
        after = render(before)
        if after != before:
            changed += 1
            print(f"{'differs' if check else 'written'}: {name}")
            if not check:
                file.write_text(after, encoding="utf-8")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
