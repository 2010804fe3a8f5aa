"""Makes the PDF, DOCX and PPTX files of the example campus from `sources/`, byte for byte the same every time.

`sources/<collection folder>/…/name.pdf.md` becomes `<collection folder>/…/name.pdf`; the last-but-one suffix names the
format. The sources are a small, strict subset of Markdown (see making/source.py). The other example documents (HTML, Markdown,
TXT) are kept by hand and are not touched. Nothing here is part of the product: the product only reads the results.

    python examples/build.py            # write what differs
    python examples/build.py --check    # exit 1 if a committed file is not what this script makes
    python examples/build.py --list     # format, words and path of every example document

The bytes do not depend on the clock or the platform. They depend on the versions of reportlab, python-docx and
python-pptx in the developers' lock. PDFs are written without page compression, and `--check` compares the members of
the zipped formats, so that another zlib than ours makes no difference there.
"""

import argparse
import html
import io
import re
import sys
import zipfile
from pathlib import Path

from making.office import make_docx, make_pptx
from making.pdf import make_pdf
from making.source import parse

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "sources"
FOLDERS = ("documents", "system_docs")
MAKERS = {".pdf": make_pdf, ".docx": make_docx, ".pptx": make_pptx}


def build() -> dict[Path, bytes]:
    """The bytes of every generated document by its path."""
    made = {}
    for path in sorted(SOURCES.rglob("*.md")):
        target = ROOT / path.relative_to(SOURCES).with_suffix("")
        made[target] = MAKERS[target.suffix](parse(path.read_text(encoding="utf-8")))
    return made


def same(path: Path, data: bytes) -> bool:
    """Whether the file holds this document: equal bytes, or a zip of equal members."""
    if not path.exists():
        return False
    if path.suffix == ".pdf" or path.read_bytes() == data:
        return path.read_bytes() == data
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(io.BytesIO(data)) as new:
        members = [[(i.filename, i.date_time, i.CRC) for i in z.infolist()] for z in (old, new)]
    return members[0] == members[1]


def words(path: Path) -> int:
    """Words of prose in a document's hand-kept text: tags, front matter, table lines and markers do not count."""
    source = SOURCES / path.relative_to(ROOT).with_suffix(path.suffix + ".md")
    text = (source if source.exists() else path).read_text(encoding="utf-8")
    text = re.sub(r"(?s)\A---\n.*?---\n|<style>.*?</style>|<[^>]+>", " ", text)
    return len(re.findall(r"[^\W\d_][\w’'-]*", html.unescape(text)))


def main() -> int:
    """Read the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Make the generated example documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("--list", action="store_true", help="list all documents with their words")
    options = parser.parse_args()
    if options.list:
        paths = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.is_file())
        for path in paths:
            print(f"{path.suffix[1:]:5}{words(path):6}  {path.relative_to(ROOT)}")
        print(f"{len(paths)} documents, {sum(map(words, paths))} words")
        return 0
    stale = {path: data for path, data in build().items() if not same(path, data)}
    for path, data in stale.items():
        print(("differs: " if options.check else "wrote ") + str(path.relative_to(ROOT)))
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
