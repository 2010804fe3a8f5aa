"""The main job over a folder of real documents that nobody on this project wrote: each ends as the table says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rag_assets_tests.corpora.outcomes import NEEDS_OCR, OUTCOMES
from rag_assets_tests.system.installation import PROJECT, Installation

STAGES = ["documents", "chunks", "embeddings", "entities", "statements"]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_every_document_ends_in_done_or_in_a_named_error(corpora: Path, tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text((PROJECT / "sources.yaml").read_text())
    # The table is that of a machine without text recognition; what tesseract makes of scans is tested in test_scans.
    installation = Installation(tmp_path, embedding="hashing", vision="none")
    result = installation.process("all", "--source", str(corpora / "docs"), "--json", expect=1)
    assert "Traceback" not in result.err
    failed = {name: code for name, code in OUTCOMES.items() if code != "done"}

    built = result.json
    assert len(built["documents"]) == len(OUTCOMES) == 57
    assert len(built["scan"]["added"]) == 57
    assert {_name(entry): entry["error_code"] for entry in built["failed"]} == failed

    status = installation.process("status", "--json").json
    documents = {_name(entry): entry for entry in status["documents"]}
    assert {name: entry["error_code"] or entry["status"] for name, entry in documents.items()} == OUTCOMES
    for name, entry in documents.items():
        # What fails fails in reading; what was read goes all the way.
        wanted = {"documents": "error"} if name in failed else dict.fromkeys(STAGES, "done")
        assert entry["stages"] == wanted, name
        assert (entry["chunks"] > 0) is (name not in failed), name
        assert entry["needs_ocr_pages"] == NEEDS_OCR.get(name, 0), name

    _assert_adds_up(status, installation)
    again = installation.rag("all", "--source", str(corpora / "docs"), "--json", "--quiet", expect=1).json
    assert (again["documents"], again["runs"], again["scan"]["unchanged"]) == ([], [], 57)


def _assert_adds_up(status: dict[str, Any], installation: Installation) -> None:
    """The counts of `rag status` are sums over its documents, and those are what the tables say."""
    counts, documents = status["counts"], status["documents"]
    by_status = Counter(entry["status"] for entry in documents)
    assert counts["documents"] == len(documents) == sum(by_status.values())
    assert {name: counts[name] for name in ("pending", "processing", "done", "error")} == {
        name: by_status[name] for name in ("pending", "processing", "done", "error")
    }
    assert counts["chunks"] == sum(entry["chunks"] for entry in documents)
    assert [(counts["chunks"],)] == installation.query("SELECT count(*) FROM chunks WHERE status <> 'deprecated'")
    stages = Counter((stage, state) for entry in documents for stage, state in entry["stages"].items())
    assert stages == {
        (stage, state): count
        for stage, state, count in installation.query(
            "SELECT stage, status, count(*) FROM document_stages GROUP BY stage, status"
        )
    }
    codes = Counter(entry["error_code"] for entry in documents if entry["error_code"])
    assert codes == dict(
        installation.query(
            "SELECT error_code, count(*) FROM document_stages WHERE status = 'error' GROUP BY error_code"
        )
    )
    assert counts["entities"] == len(
        installation.query("SELECT uid FROM entities WHERE status NOT IN ('merged', 'deprecated')")
    )
    for name in ("relations", "statements"):
        (living,) = installation.query(f"SELECT count(*) FROM {name} WHERE status IN ('proposed', 'validated')")
        assert living == (counts[name],)


def _name(entry: dict[str, Any]) -> str:
    return str(entry["source_path"]).rpartition("/")[2]
