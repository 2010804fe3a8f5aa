"""What YAML allows and the project's files may not hold: a key twice, of which YAML takes the last, and aliases.

A few lines of aliases that name each other can stand for more than any memory holds.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from rag_assets.errors import SettingsError


def refuse_ambiguous(file: Path, root: yaml.Node | None, *, code: str) -> None:
    """Look through a file that was composed.

    Raises:
        SettingsError: with this code; the message names the line.
    """
    met: set[int] = set()
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if id(node) in met:
            line = node.start_mark.line + 1
            raise SettingsError(code, f"{file.name}, line {line}: no aliases; write what is named here out each time")
        met.add(id(node))
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        line = key.start_mark.line + 1
                        raise SettingsError(code, f"{file.name}, line {line}: {key.value} stands twice")
                    seen.add(key.value)
                waiting += [key, value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
