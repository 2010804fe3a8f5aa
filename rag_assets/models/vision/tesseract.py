"""Text recognition by the program tesseract, one call a page; it needs no server and sends nothing anywhere."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from rag_assets.errors import ModelError
from rag_assets.models.vision.base import PageText

LANGUAGE = "deu"

_ASK_TIMEOUT_S = 10.0
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")
"""No key or password in the environment reaches the program."""

_WORD = "5"
"""The level of words in tesseract's table."""

_SURE_MARK = 70.0
"""Specks of dust become marks like "|" or "." of little confidence, in percent."""


class Tesseract:
    r"""The installed program, with its German model.

    >>> Tesseract().read_page(png).paragraphs  # doctest: +SKIP
    ('Der Gegensatz von Individual- und Sozial- oder\nMassenpsychologie, …',)
    """

    def __init__(self, *, timeout_s: float = 120.0) -> None:
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """Without the version: an update of the system's packages recognises nothing anew."""
        return f"tesseract {LANGUAGE}"

    @property
    def release(self) -> str:
        """Name and version."""
        return _release()

    def read_page(self, png: bytes) -> PageText:
        """The text on the page; see `Vision`."""
        command = ["tesseract", "stdin", "stdout", "-l", LANGUAGE, "--psm", "3", "tsv"]
        try:
            done = _run(command, png, timeout_s=self._timeout_s)
        except subprocess.TimeoutExpired:
            raise ModelError("model_reply", "tesseract took too long", limit_s=self._timeout_s) from None
        except OSError as error:
            raise ModelError("model_reply", "tesseract cannot be started", errno=error.errno) from None
        if done.returncode:
            raise ModelError("model_reply", "tesseract failed", status=done.returncode)
        return parse_table(done.stdout.decode("utf-8", "replace"))


def is_installed() -> bool:
    """Whether the program is there and knows German."""
    return shutil.which("tesseract") is not None and LANGUAGE in _languages()


def parse_table(table: str) -> PageText:
    """What tesseract's table of words says."""
    lines = table.splitlines()
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [row for row in rows if row["level"] == _WORD and _is_word(row["text"] or "", float(row["conf"]))]
    sure = [float(word["conf"]) for word in words]
    return PageText(tuple(_paragraphs(words)), sum(sure) / len(sure) / 100 if sure else 1.0)


def _is_word(text: str, confidence: float) -> bool:
    return bool(text.strip()) and (confidence >= _SURE_MARK or any(character.isalnum() for character in text))


def _paragraphs(words: list[dict[str, str]]) -> Iterator[str]:
    for _, paragraph in groupby(words, key=lambda word: (word["block_num"], word["par_num"])):
        lines = groupby(paragraph, key=lambda word: word["line_num"])
        yield "\n".join(" ".join(word["text"] for word in line) for _, line in lines)


def _run(command: list[str], data: bytes = b"", *, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
    # One thread: a second one makes a page hardly faster, and takes it from another document.
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | {"OMP_THREAD_LIMIT": "1"}
    return subprocess.run(  # noqa: S603 - constant arguments; the page goes in as data
        command, input=data, capture_output=True, env=environment, timeout=timeout_s, check=False
    )


@cache
def _languages() -> frozenset[str]:
    try:
        done = _run(["tesseract", "--list-langs"], timeout_s=_ASK_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset((done.stdout + done.stderr).decode("utf-8", "replace").split())


@cache
def _release() -> str:
    try:
        done = _run(["tesseract", "--version"], timeout_s=_ASK_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return "tesseract"
    return " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split()[:2])
