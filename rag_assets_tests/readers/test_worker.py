"""The reading process: one for many documents, limits, replacement, and no process left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.wire import decode_result, encode_result, frame, parse
from rag_assets.readers.worker import ReadingWorker
from rag_assets_tests.readers.helpers import LIMITS, draw_pdf, write
from rag_assets_tests.readers.packages import odf

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux's process descriptors")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "notiz.md"
    path.write_text("# Titel\n\nEin Satz mit Öl.[^1]\n\n[^1]: Fußnote.\n", "utf-8")
    return path


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """Takes some seconds and some hundred megabytes to read."""
    path = tmp_path / "gross.html"
    path.write_text("<html><body>" + "<p>Ein <b>Absatz</b> mit <i>Text</i>.</p>" * 400_000 + "</body></html>", "utf-8")
    return path


def running(worker: ReadingWorker) -> int | None:
    return worker.process_id


def gone(process_id: int) -> bool:
    """Whether a process is not even a zombie of ours any more."""
    return not Path(f"/proc/{process_id}").exists()


def test_one_process_reads_many_documents_as_the_readers_do(note: Path, tmp_path: Path) -> None:
    pdf = draw_pdf(tmp_path / "a.pdf", [lambda c: write(c, ["Eine Zeile Text im PDF."])])
    with ReadingWorker(LIMITS) as worker:
        assert running(worker) is None
        used: int | None = None
        for path in (note, pdf, note):
            assert worker.read(path) == registry.read(path, LIMITS)
            used = worker.process_id
        assert used is not None
        assert worker.process_id == used
    assert gone(used)


def test_a_refusal_keeps_its_code_and_the_process(note: Path, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"kein PDF")
    with ReadingWorker(LIMITS) as worker:
        worker.read(note)
        used = worker.process_id
        with pytest.raises(DocumentError) as refusal:
            worker.read(tmp_path / "a.pdf")
        assert refusal.value.code == "damaged"
        assert worker.read(note).title == "Titel"
        assert worker.process_id == used


def test_a_document_that_takes_too_long_costs_its_process_only(note: Path, huge: Path) -> None:
    with ReadingWorker(ReadLimits(timeout_s=0.2)) as worker:
        with pytest.raises(DocumentError) as refusal:
            worker.read(huge)
        assert refusal.value.code == "timeout"
        assert worker.process_id is None
    with ReadingWorker(LIMITS) as worker:
        assert worker.read(note).title == "Titel"


def test_a_process_that_hangs_is_killed_and_the_next_document_is_read(note: Path) -> None:
    with ReadingWorker(ReadLimits(timeout_s=2)) as worker:
        worker.read(note)
        first = worker.process_id
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        with pytest.raises(DocumentError) as refusal:
            worker.read(note)
        assert refusal.value.code == "timeout"
        assert gone(first)
        assert worker.read(note).title == "Titel"
        assert worker.process_id not in (None, first)


def test_limits_of_size_pages_and_expansion_refuse_without_the_loss_of_the_process(note: Path, tmp_path: Path) -> None:
    long = draw_pdf(tmp_path / "lang.pdf", [lambda c: write(c, ["Eine Seite."])] * 4)
    large = tmp_path / "gross.txt"
    large.write_text("Wort " * 2_000, "utf-8")
    blown = odf(tmp_path / "blase.odt", "<text:p>Text</text:p>" + " " * 3_000_000)
    limits = ReadLimits(max_pages=3, max_bytes=9_000, max_expanded_bytes=2_000_000, max_expansion_ratio=10**9)
    for path in (long, blown):
        assert path.stat().st_size < limits.max_bytes
    with ReadingWorker(limits) as worker:
        worker.read(note)
        first = worker.process_id
        for path, code in ((long, "too_large"), (large, "too_large"), (blown, "unsafe_archive")):
            with pytest.raises(DocumentError) as refusal:
                worker.read(path)
            assert refusal.value.code == code
            assert worker.read(note).title == "Titel"
        assert worker.process_id == first
    with ReadingWorker(replace(limits, max_expanded_bytes=10**9, max_expansion_ratio=200)) as worker:
        with pytest.raises(DocumentError) as refusal:
            worker.read(blown)
        assert refusal.value.code == "unsafe_archive"
        assert "ratio" in refusal.value.ids


def test_a_document_that_eats_memory_is_stopped_and_the_next_is_read(note: Path, huge: Path) -> None:
    with ReadingWorker(ReadLimits(memory_mb=160)) as worker:
        with pytest.raises(DocumentError) as refusal:
            worker.read(huge)
        assert refusal.value.code == "out_of_memory"
        assert worker.read(note).title == "Titel"


def test_a_process_that_dies_between_documents_is_replaced(note: Path) -> None:
    with ReadingWorker(LIMITS) as worker:
        worker.read(note)
        first = worker.process_id
        assert first is not None
        os.kill(first, signal.SIGKILL)
        select.select([os.pidfd_open(first)], [], [], 10)
        assert worker.read(note).title == "Titel"
        assert worker.process_id not in (None, first)
        assert gone(first)


def test_large_and_missing_files_are_refused_without_a_process(tmp_path: Path) -> None:
    sparse = tmp_path / "riesig.txt"
    with sparse.open("wb") as file:
        file.truncate(4 * 1024**3)
    worker = ReadingWorker(LIMITS)
    for path, code in ((sparse, "too_large"), (tmp_path / "nicht-da.txt", "vanished")):
        with pytest.raises(DocumentError) as refusal:
            worker.read(path)
        assert refusal.value.code == code
    assert worker.process_id is None


def test_the_reading_process_ends_with_its_parent_however_that_ends(note: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag_assets.readers.base import ReadLimits;"
        "from rag_assets.readers.worker import ReadingWorker; w = ReadingWorker(ReadLimits());"
        "w.read(Path(sys.argv[1])); print(w.process_id, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(note)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    ended, _, _ = select.select([child], [], [], 20)
    os.close(child)
    parent.stdout.close()
    parent.stdin.close()
    assert ended, "the reading process outlived its parent"


def test_no_secret_of_the_environment_reaches_the_process(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "streng-geheim")
    with ReadingWorker(LIMITS) as worker:
        worker.read(note)
        assert b"streng-geheim" not in Path(f"/proc/{worker.process_id}/environ").read_bytes()


def test_results_cross_the_wire_unchanged(note: Path, tmp_path: Path) -> None:
    pages = [
        lambda c: write(c, ["Ein Satz, der über die Seite", "hinausgeht und auf der"]),
        lambda c: write(c, ["zweiten endet."]),
    ]
    for path in (note, draw_pdf(tmp_path / "a.pdf", pages)):
        result = registry.read(path, LIMITS)
        assert decode_result(parse(frame(encode_result(result))[8:])) == result
