"""Dependencies: what is imported is declared with a reason, and what is declared is used."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rag_assets_tests.architecture.repository import modules, parsed, project, relative
from rag_assets_tests.services import REPOSITORY

# Used without an import of ours.
RUN_NOT_IMPORTED: Final = {
    "dagster-webserver": "make ui",
    "dagster-graphql": "the webserver",
    "dagster-mysql": "deploy/dagster.yaml",
    "pymysql": "SQLAlchemy, by the name in the URL",
}


def _declared(*groups: str) -> set[str]:
    description = project()["project"]
    lines = list(description["dependencies"])
    for group in groups:
        lines += description["optional-dependencies"][group]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def _imported() -> dict[str, set[str]]:
    """Distribution -> our modules that import it."""
    distributions = packages_distributions()
    found: dict[str, set[str]] = {}
    for path in modules():
        for node in ast.walk(parsed(path)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"rag_assets"}:
                for distribution in distributions.get(name, [name]):
                    found.setdefault(canonicalize_name(distribution), set()).add(relative(path))
    return found


def test_what_is_imported_is_declared() -> None:
    """A package that comes along with another one may leave with its next version."""
    extras = [name for name in project()["project"]["optional-dependencies"] if name != "dev"]
    undeclared = {name: sorted(places) for name, places in _imported().items() if name not in _declared(*extras)}
    assert not undeclared


def test_what_is_declared_is_used() -> None:
    unused = _declared() - _imported().keys() - RUN_NOT_IMPORTED.keys()
    assert not unused


def test_every_dependency_says_why() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    block = text[text.index("dependencies = [") : text.index("[dependency-groups]")]
    # Developers' tools are known by their names.
    block = block[: block.index("dev = [")]
    lines = [line for line in block.splitlines() if re.match(r' +"', line)]
    assert len(lines) > 20
    assert [line for line in lines if not re.search(r'", +# \S.{10,}', line)] == []


def test_dagster_moves_as_one() -> None:
    """Looser bounds made pip mix releases that are years apart."""
    versions = {
        requirement.name: str(requirement.specifier)
        for line in project()["project"]["dependencies"]
        if (requirement := Requirement(line)).name.startswith("dagster")
    }
    assert len(versions) >= 3
    assert len(set(versions.values())) == 1
    assert next(iter(versions.values())).startswith("==")


@pytest.mark.parametrize("extra", ["mariadb", "qdrant", "ollama"])
def test_package_works_without_its_extras(extra: str) -> None:
    """A server's library is imported when it is chosen, never on the way to something else."""
    optional = _declared(extra) - _declared()
    distributions = packages_distributions()
    offenders = []
    for path in modules():
        for node in parsed(path).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                owners = {canonicalize_name(owner) for owner in distributions.get(name.partition(".")[0], [])}
                # An adapter of its own name may: the registry imports it when it is chosen.
                if owners & optional and path.stem.partition("_")[0] != extra:
                    offenders.append(f"{relative(path)} imports {name}")
    assert not offenders


def _licences(name: str) -> list[str]:
    """What a package says about its licence; nothing where it is not for this platform."""
    try:
        described = metadata(name)
    except PackageNotFoundError:
        return []
    said = [described[field].partition("\n")[0] for field in ("License-Expression", "License") if field in described]
    return said + [line for line in described.get_all("Classifier") or [] if line.startswith("License ::")]


def test_users_get_no_copyleft() -> None:
    """Who builds on rag_assets may keep what they build. LGPL and MPL, which allow that, may come."""
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)(?:\[.*\])?==", lock, flags=re.MULTILINE)
    licences = {name: _licences(name) for name in names}
    assert sum(map(bool, licences.values())) > 80
    strict = re.compile(r"(?<!L)(?<!Lesser )(?:A?GPL|General Public License)")
    assert {name: said for name, said in licences.items() if any(map(strict.search, said))} == {}
