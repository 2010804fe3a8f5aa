"""The folders to watch: what sources.yaml says of them, or what a folder named on the command line gets.

Here lives how sources are described and checked; what a source then is lives in `source`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, ValidationError

from rag_assets.errors import SettingsError
from rag_assets.offline.glob_patterns import GlobPatterns
from rag_assets.offline.source import Placement, Rule, Source
from rag_assets.offline.yaml_nodes import refuse_ambiguous

__all__ = ["DEFAULT_EXCLUDE", "Placement", "Rule", "Source", "ad_hoc_source", "load_sources"]

DEFAULT_EXCLUDE: Final = ("**/.*", "**/~$*")

Collection = Literal["documents", "system_docs"]


def _folder(value: str) -> str:
    if "\0" in value:
        raise ValueError("must not hold a NUL character")
    try:
        Path(value).expanduser()
    except RuntimeError:
        raise ValueError("there is no such user's home") from None
    return value


def _one_word(value: str) -> str:
    if value != value.lower() or not re.fullmatch(r"\w[\w.-]*", value):
        raise ValueError("must be one word in lower case, without /")
    return unicodedata.normalize("NFC", value)


def _groups(value: list[str]) -> list[str]:
    if not value or any(not group.strip() or "," in group for group in value):
        raise ValueError("must be a list of at least one group, without commas; [all] means everybody")
    return value


def _patterns(value: list[str]) -> list[str]:
    GlobPatterns.of(value)
    return value


def _pattern(value: str) -> str:
    GlobPatterns.of([value])
    return value


_Word = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_one_word)]
_Share = Annotated[float, Strict(), Field(ge=0, le=1)]
_Years = Annotated[float, Strict(), Field(gt=0, le=1000)]
_Flag = Annotated[bool, Strict()]
_Audience = Annotated[list[str], Field(max_length=20), AfterValidator(_groups)]
_Globs = Annotated[list[str], AfterValidator(_patterns)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _RuleEntry(_Strict):
    match: Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
    type: _Word | None = None
    authority: _Share | None = None
    half_life_years: _Years | None = None
    audience: _Audience | None = None
    personal: _Flag | None = None
    local_only: _Flag | None = None

    def build(self) -> Rule:
        return Rule(
            match=GlobPatterns.of([self.match]),
            type=self.type,
            authority=self.authority,
            half_life_years=self.half_life_years,
            audience=None if self.audience is None else tuple(self.audience),
            personal=self.personal,
            local_only=self.local_only,
        )


class _SourceEntry(_Strict):
    name: _Word
    folder: Annotated[str, Field(min_length=1), AfterValidator(_folder)]
    collection: Collection
    type: _Word
    authority: _Share = 0.5
    half_life_years: _Years = 5.0
    personal: _Flag = False
    local_only: _Flag = False
    audience: _Audience = Field(default_factory=lambda: ["all"])
    include: _Globs = Field(default_factory=lambda: ["**/*"])
    exclude: _Globs = Field(default_factory=lambda: list(DEFAULT_EXCLUDE))
    rules: list[_RuleEntry] = Field(default_factory=list)

    def build(self, base: Path) -> Source:
        return Source(
            name=self.name,
            folder=Path(os.path.abspath(base / Path(self.folder).expanduser())),  # noqa: PTH100 - resolve follows links
            collection=self.collection,
            placement=Placement(
                type=self.type,
                authority=self.authority,
                half_life_years=self.half_life_years,
                audience=tuple(self.audience),
                personal=self.personal,
                local_only=self.local_only or self.personal,
            ),
            include=GlobPatterns.of(self.include),
            exclude=GlobPatterns.of(self.exclude),
            rules=tuple(rule.build() for rule in self.rules),
        )


class _SourcesFile(_Strict):
    sources: Annotated[list[_SourceEntry], Field(min_length=1)]


def load_sources(file: Path) -> tuple[Source, ...]:
    """Read sources.yaml. Relative folders are read from the directory of the file.

    Raises:
        SettingsError: `broken_sources`; the message names the line and the key.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        refuse_ambiguous(file, root, code="broken_sources")
        content = yaml.safe_load(text)
    except FileNotFoundError:
        raise SettingsError("broken_sources", f"{file.name} does not exist", file=file) from None
    except (OSError, UnicodeDecodeError):
        raise SettingsError("broken_sources", f"{file.name} cannot be read as UTF-8 text", file=file) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise SettingsError("broken_sources", f"{file.name}{line}: {problem}") from None
    except (ValueError, RecursionError) as error:
        # A day that no calendar has, or lists in lists without end.
        problem = "is nested too deeply" if isinstance(error, RecursionError) else f"holds a wrong value: {error}"
        raise SettingsError("broken_sources", f"{file.name}, line 1 or below: {problem}") from None
    try:
        parsed = _SourcesFile.model_validate(content)
    except ValidationError as error:
        problems = "; ".join(
            f"{file.name}, line {_line(root, item['loc'])}: {_key(item['loc'])}: {_problem(item)}"
            for item in error.errors(include_url=False, include_input=False)
        )
        raise SettingsError("broken_sources", problems) from None
    names: set[str] = set()
    for number, entry in enumerate(parsed.sources):
        if entry.name in names:
            line_number = _line(root, ("sources", number, "name"))
            raise SettingsError(
                "broken_sources", f"{file.name}, line {line_number}: two sources have the same name: {entry.name}"
            )
        names.add(entry.name)
    return tuple(entry.build(file.absolute().parent) for entry in parsed.sources)


def ad_hoc_source(folder: Path, collection: str, *, sources: Sequence[Source] = ()) -> Source:
    """A source for a folder named on the command line, as if sources.yaml had it with all defaults.

    Its name is made from the folder's name and full path, so that the same folder is the same source every time. When
    one of `sources` already watches exactly this folder for this collection, that one is given.

    Raises:
        SettingsError: `settings`, there is no such collection.
    """
    if collection not in ("documents", "system_docs"):
        raise SettingsError("settings", "a collection is `documents` or `system_docs`", collection=collection)
    real = folder.expanduser().resolve()
    for source in sources:
        if source.collection == collection and source.folder.resolve() == real:
            return source
    slug = re.sub(r"[^\w-]+", "-", unicodedata.normalize("NFC", real.name).lower()).strip("-_")[:30] or "ordner"
    entry = _SourceEntry(
        name=f"{slug}-{sha256(os.fsencode(real)).hexdigest()[:8]}",
        folder=str(real),
        collection="system_docs" if collection == "system_docs" else "documents",
        type="systemdoku" if collection == "system_docs" else "dokument",
    )
    return entry.build(real)


def _line(root: yaml.Node | None, location: Sequence[int | str]) -> int:
    """Line (from 1) of the place in the file, or of the nearest thing around it."""
    node, line = root, 1
    for step in location:
        if node is not None:
            line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            key, node = next(((key, value) for key, value in node.value if key.value == step), (None, None))
            if key is None:
                return line
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            return line
    return line


def _problem(item: Mapping[str, Any]) -> str:
    # Pydantic's own words name our classes here.
    if item["type"] == "model_type":
        return "must hold names and values"
    return str(item["msg"]).removeprefix("Value error, ")


def _key(location: Sequence[int | str]) -> str:
    path = ""
    for step in location:
        path += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if path else step
    return path or "the file"
