"""The largest documents that the default limits allow for: memory stays flat, in the reading process and in ours.

Each is read in a parent of its own, so that what other tests left behind in this process does not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc"),
]

_READ = """
import json, re, sys
from pathlib import Path
from rag_assets.readers.base import ReadLimits
from rag_assets.readers.worker import ReadingWorker

def peak_mb(process):
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path(f"/proc/{process}/status").read_text())[1]) // 1024

with ReadingWorker(ReadLimits(memory_mb=int(sys.argv[2]))) as worker:
    asked = Path(sys.argv[1])
    small = asked.with_name("klein" + asked.suffix)
    worker.read(small)
    before = peak_mb("self"), peak_mb(worker.process_id)
    result = worker.read(asked)
    after = peak_mb("self"), peak_mb(worker.process_id)
    print(json.dumps({
        "parent": after[0] - before[0], "worker": after[1] - before[1], "pages": result.page_count,
        "blocks": len(result.blocks), "characters": sum(len(block.text) for block in result.blocks),
        "last": result.blocks[-1].text[:60],
    }))
"""


def measured(path: Path, *, memory_mb: int) -> dict[str, int | str]:
    """What reading the file took beyond a small one, in MiB at the highest, and what came of it."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path), str(memory_mb)], capture_output=True, text=True, check=True
    )
    found: dict[str, int | str] = json.loads(done.stdout)
    return found


def draw(path: Path, pages: int) -> Path:
    """Pages of forty lines, each page with its number."""
    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    for page in range(1, pages + 1):
        text = canvas.beginText(70, 760)
        text.setLeading(16)
        for line in range(40):
            text.textLine(f"Auf Seite {page} steht in Zeile {line} ein Satz, der von Beratung handelt und endet.")
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return path


def test_a_pdf_of_3000_pages(tmp_path: Path) -> None:
    draw(tmp_path / "klein.pdf", 1)
    found = measured(draw(tmp_path / "gross.pdf", 3000), memory_mb=1024)
    assert found["pages"] == 3000
    assert "Auf Seite 3000" in str(found["last"])
    assert int(found["worker"]) < 150
    assert int(found["parent"]) < 80


def test_a_text_of_50_megabytes(tmp_path: Path) -> None:
    paragraph = "Die Beraterin hört zu und stellt Fragen, die weiterführen. " * 8 + "\n\n"
    (tmp_path / "klein.txt").write_text(paragraph, "utf-8")
    text = tmp_path / "gross.txt"
    count = 50_000_000 // len(paragraph.encode("utf-8")) + 1
    text.write_text(paragraph * count, "utf-8")
    assert text.stat().st_size > 50_000_000
    found = measured(text, memory_mb=1024)
    assert found["characters"] == count * len(paragraph.strip())
    assert int(found["worker"]) < 400
    assert int(found["parent"]) < 350
