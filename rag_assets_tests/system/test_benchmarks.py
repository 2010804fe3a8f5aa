"""The benchmarks run to their end in miniature. How fast anything is cannot be tested on a machine that others use."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from benchmarks.__main__ import DOCUMENT, NAMES, main

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

# What each must tell, whatever else it does: the beginning of the row's text.
TOLD = {
    "ingest": (
        "library, a document",
        "Dagster's part",
        "library: `embeddings`",
        "write transactions a document, library",
    ),
    "rerun": ("`rag all`, nothing changed", "scan of"),
    "startup": ("`rag --help`", "`rag status`", "`import of rag_assets.definitions`"),
    "search": ("vector and words, p50", "vector and words, p95", "NumPy, matmul", "snapshot file"),
    "reading": ("generated PDF", "a PDF file through the process"),
    "extraction": ("chunks a second",),
}


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_gives_figures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_EMBEDDING", "no such model")
    before = dict(os.environ)
    file = tmp_path / "figures.json"

    assert main([name, "--quick", "--json", str(file)]) == 0

    assert dict(os.environ) == before
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    printed = capsys.readouterr().out
    for beginning in TOLD[name]:
        assert any(row["what"].startswith(beginning) for row in rows), beginning
    for row in rows:
        assert row["benchmark"] == name
        assert row["what"] in printed
        assert math.isfinite(row["value"]), row["what"]
        assert row["value"] >= 0 or "difference" in row["what"], row["what"]
        assert (row["ratio"] is None) == (not row["against"]), row["what"]
        assert row["ratio"] is None or math.isfinite(row["ratio"]), row["what"]


def test_every_benchmark_is_listed() -> None:
    modules = {file.stem for file in BENCHMARKS.glob("*.py") if "def run(" in file.read_text(encoding="utf-8")}
    assert modules == set(NAMES)


def test_the_documentation_tells_every_benchmark() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name in NAMES:
        assert f"### {name}\n" in text, name
        for beginning in TOLD[name]:
            assert f"| {beginning}" in text, beginning


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["speed"])
    assert refused.value.code == 2
    assert "no such benchmark: speed" in capsys.readouterr().err
