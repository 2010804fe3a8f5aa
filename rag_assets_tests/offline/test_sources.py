"""sources.yaml: what it means, what is refused and where; folders named on the command line; finding a file."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from rag_assets.config import PROJECT_FOLDER
from rag_assets.errors import SettingsError
from rag_assets.offline.glob_patterns import GlobPatterns
from rag_assets.offline.sources import ad_hoc_source, load_sources

GOOD = """\
sources:
  - name: campus
    folder: dokumente
    collection: documents
    type: skript
    authority: 0.5
    half_life_years: 5
    audience: [all]
    exclude: ["**/.*", "privat/**"]
    rules:
      - {match: "buecher/**", type: buch, authority: 0.8, half_life_years: 10}
      - {match: "buecher/alt/**", type: altbuch}
      - {match: "akten/**", personal: true, audience: [leitung, team]}
  - name: system
    folder: /srv/system
    collection: system_docs
    type: systemdoku
"""


def load(tmp_path: Path, text: str):
    file = tmp_path / "sources.yaml"
    file.write_text(text, encoding="utf-8")
    return load_sources(file)


def test_what_the_file_says(tmp_path: Path):
    campus, system = load(tmp_path, GOOD)
    assert (campus.name, campus.folder, campus.collection) == ("campus", tmp_path / "dokumente", "documents")
    assert (system.folder, system.placement.authority, system.placement.half_life_years) == (
        Path("/srv/system"),
        0.5,
        5,
    )
    book = campus.placement_of("buecher/alt/rogers.pdf")
    assert (book.type, book.authority, book.half_life_years) == ("buch", 0.8, 10), "the first rule that fits wins"
    file = campus.placement_of("akten/fall.md")
    assert (file.type, file.audience, file.personal) == ("skript", ("leitung", "team"), True)
    assert file.local_only, "what is personal stays local"
    assert not campus.placement_of("fall.md").local_only
    assert campus.takes("a/b.md")
    assert not campus.takes("a/.b.md")
    assert not campus.takes("privat/b.md")
    assert not campus.enters(".git")


def test_the_projects_own_file_is_good():
    names = [source.name for source in load_sources(PROJECT_FOLDER / "sources.yaml")]
    assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        (GOOD.replace("authority: 0.5", "autority: 0.5"), 6, "sources[1].autority"),
        (GOOD.replace("authority: 0.5", "authority: 1.5"), 6, "sources[1].authority"),
        (GOOD.replace("authority: 0.5", "authority: true"), 6, "sources[1].authority"),
        (GOOD.replace("authority: 0.5", "authority: viel"), 6, "sources[1].authority"),
        (GOOD.replace("collection: documents", "collection: docs"), 4, "sources[1].collection"),
        (GOOD.replace("half_life_years: 5", "half_life_years: 0"), 7, "sources[1].half_life_years"),
        (GOOD.replace("audience: [all]", "audience: []"), 8, "sources[1].audience"),
        (GOOD.replace("audience: [all]", "audience: all"), 8, "sources[1].audience"),
        (GOOD.replace('"privat/**"', '"privat/[a"'), 9, "sources[1].exclude"),
        (GOOD.replace('match: "buecher/alt/**", ', ""), 12, "sources[1].rules[2].match"),
        (GOOD.replace("personal: true", "personal: ja"), 13, "sources[1].rules[3].personal"),
        (GOOD.replace("    folder: /srv/system\n", ""), 14, "sources[2].folder"),
        (GOOD.replace("name: system", "name: System"), 14, "sources[2].name"),
        (GOOD.replace("name: system", "name: a/b"), 14, "sources[2].name"),
        (GOOD.replace("name: system", "name: campus"), 14, "campus"),
        (GOOD.replace("    type: skript\n", "    type: skript\n    type: buch\n"), 6, "type"),
        ("sources: []\n", 1, "sources"),
        ("", 1, "the file"),
        ("sources:\n  - name: [\n", 3, ""),
        ("sources:\n\t- name: a\n", 2, ""),
    ],
)
def test_broken_file_names_line_and_key(tmp_path: Path, text: str, line: int, key: str):
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, text)
    assert refused.value.code == "broken_sources"
    assert f"sources.yaml, line {line}: " in str(refused.value)
    assert key in str(refused.value)


def test_file_that_is_missing_or_not_text(tmp_path: Path):
    with pytest.raises(SettingsError) as refused:
        load_sources(tmp_path / "fehlt.yaml")
    assert refused.value.code == "broken_sources"
    (tmp_path / "latin.yaml").write_bytes("name: Prüfung".encode("latin-1"))
    with pytest.raises(SettingsError) as refused:
        load_sources(tmp_path / "latin.yaml")
    assert refused.value.code == "broken_sources"


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("**/*", ["a", "a/b", "a/b/c d.md", "Zeile\num.md"], []),
        ("**/.*", [".git", "a/.DS_Store"], ["a.b", "a/b.c", ".git/config"]),
        ("**/~$*", ["~$a.docx", "x/~$a.docx"], ["a~$b"]),
        ("alt/**", ["alt/a", "alt/b/c"], ["alt", "neu/alt/a"]),
        ("*.md", ["a.md", "ä.md"], ["a/b.md", "a.mdx"]),
        ("?[abc][!x].txt", ["1ay.txt"], ["1dy.txt", "1ax.txt", "/ay.txt"]),
        ("a+(b)/c.md", ["a+(b)/c.md"], ["aa(b)/c.md", "a+(b)/cxmd"]),
        (unicodedata.normalize("NFD", "Übung/*"), ["Übung/a"], []),
        ("a/**/b.md", ["a/b.md", "a/x/b.md", "a/x/y/b.md"], ["ab.md", "a/xb.md"]),
    ],
)
def test_glob_patterns(pattern: str, fits: list[str], fits_not: list[str]):
    globs = GlobPatterns.of([pattern])
    assert [path for path in fits if not globs.match(path)] == []
    assert [path for path in fits_not if globs.match(path)] == []


def test_folder_on_the_command_line(tmp_path: Path):
    folder = tmp_path / "Meine Übungen (2026)"
    folder.mkdir()
    source = ad_hoc_source(folder, "documents")
    assert source == ad_hoc_source(tmp_path / "x" / ".." / "Meine Übungen (2026)", "documents")
    assert source.name.startswith("meine-übungen-2026-")
    assert source.takes("a/b.md")
    assert not source.takes(".git/config") or not source.enters(".git")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / folder.name).mkdir()
    assert ad_hoc_source(tmp_path / "b" / folder.name, "documents").name != source.name
    assert ad_hoc_source(folder, "system_docs").placement.type == "systemdoku"
    with pytest.raises(SettingsError):
        ad_hoc_source(folder, "alles")


def test_folder_that_is_watched_already_is_the_same_source(tmp_path: Path):
    (tmp_path / "dokumente").mkdir()
    sources = load(tmp_path, GOOD)
    assert ad_hoc_source(tmp_path / "dokumente", "documents", sources=sources) is sources[0]
    assert ad_hoc_source(tmp_path / "dokumente", "system_docs", sources=sources).name.startswith("dokumente-")


def test_find_by_the_real_name(tmp_path: Path):
    source = ad_hoc_source(tmp_path, "documents")
    nfd = unicodedata.normalize("NFD", "Übungen/Grüße.md")
    (tmp_path / nfd).parent.mkdir()
    (tmp_path / nfd).write_text("x")
    path = source.source_path(nfd)
    assert unicodedata.is_normalized("NFC", path)
    found = source.find(path)
    assert found is not None
    assert found.read_text() == "x"
    assert source.find(f"{source.name}/Übungen/fehlt.md") is None
    assert source.find("andere/Übungen/Grüße.md") is None
    assert source.find(source.name) is None


def test_find_follows_no_link_and_never_leaves_the_folder(tmp_path: Path):
    (tmp_path / "draussen.md").write_text("x")
    (tmp_path / "ordner").mkdir()
    (tmp_path / "ordner" / "link.md").symlink_to(tmp_path / "draussen.md")
    (tmp_path / "ordner" / "weg").symlink_to(tmp_path)
    source = ad_hoc_source(tmp_path / "ordner", "documents")
    for relative in ("link.md", "weg/draussen.md", "../draussen.md"):
        assert source.find(f"{source.name}/{relative}") is None, relative
