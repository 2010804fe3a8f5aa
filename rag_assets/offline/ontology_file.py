"""Reading ontology.yaml: from the file to the frozen ontology, with the line in what is said about a mistake.

What the ontology means and what is checked lives in `knowledge.ontology`; its rows in `stores.ontology`.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from rag_assets.errors import SettingsError
from rag_assets.knowledge.ontology import Ontology
from rag_assets.offline.yaml_nodes import refuse_ambiguous


def load_ontology(file: Path) -> Ontology:
    """Read and check ontology.yaml.

    Raises:
        SettingsError: `broken_ontology`; the message names the line and the place.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SettingsError("broken_ontology", f"{file.name} does not exist", file=file) from None
    except (OSError, UnicodeDecodeError):
        raise SettingsError("broken_ontology", f"{file.name} cannot be read as UTF-8 text", file=file) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        refuse_ambiguous(file, yaml.compose(text, Loader=loader), code="broken_ontology")
        content = yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are the safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise SettingsError(
            "broken_ontology", f"{file.name}{line}: {getattr(error, 'problem', None) or 'not YAML'}"
        ) from None
    except (ValueError, RecursionError) as error:
        # A day that no calendar has, or lists in lists without end.
        problem = "is nested too deeply" if isinstance(error, RecursionError) else f"holds a wrong value: {error}"
        raise SettingsError("broken_ontology", f"{file.name}, line 1 or below: {problem}") from None
    if not isinstance(content, dict):
        raise SettingsError("broken_ontology", f"{file.name}: must hold names and values at its top")
    try:
        return Ontology.from_mapping(content)
    except SettingsError as error:
        if error.code != "broken_ontology":
            raise
        line_number = line_of(text, error.message.partition(":")[0])
        raise SettingsError("broken_ontology", f"{file.name}, line {line_number}: {error.message}") from None


def line_of(text: str, place: str) -> int:
    """Line (from 1) of a place like `classes[2].parent`, or of the nearest thing around it that is there."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = 1
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place):
        if isinstance(node, yaml.MappingNode) and name:
            found = next(((key, value) for key, value in node.value if key.value == name), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and index and int(index) < len(node.value):
            node = node.value[int(index)]
            line = node.start_mark.line + 1
        else:
            break
    return line
