"""Searching the embedded index: times and memory, against the least that an exact search must compute.

The rival multiplies the same vectors in NumPy and takes the best by `argpartition`: no words, no filter, no database.
Vectors and words are drawn from a seed; words are as unevenly frequent as in a language (Zipf).
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import PROJECT, percentile, spent_by, temporary_folder
from benchmarks.rows import Row
from rag_assets.stores import migrate
from rag_assets.stores.database import Database
from rag_assets.stores.vectors.base import ModelRef, Query, VectorPoint
from rag_assets.stores.vectors.embedded import EmbeddedIndex

NAME = "search"
COLLECTION = "documents"
DIMENSION = 384
MODEL = ModelRef("bench", "seeded", "0" * 64, DIMENSION)
VOCABULARY, WORDS_A_WINDOW, WORDS_A_QUESTION = 30_000, 60, 6
LIMIT = 8

Vectors = NDArray[np.float32]


def run(*, quick: bool) -> list[Row]:
    """Bases of 10,000 and 100,000 windows (`quick`: 1,000)."""
    sizes, questions = ((1_000,), 5) if quick else ((10_000, 100_000), 200)
    rows = []
    for size in sizes:
        with temporary_folder() as folder:
            rows += _of_size(folder, size, questions)
    return rows


def _of_size(folder: Path, size: int, questions: int) -> list[Row]:
    chance = np.random.default_rng(size)
    vectors = _unit(chance.standard_normal((size, DIMENSION), dtype=np.float32))
    database = Database(f"sqlite:///{folder / 'rag.sqlite'}")
    migrate.upgrade(database)
    index = EmbeddedIndex(database, folder / "index")
    index.ensure(COLLECTION, MODEL)
    filled_ms = _fill(index, _points(vectors, chance))
    queries = list(_queries(questions, chance))
    opened = spent_by(lambda: index.search(COLLECTION, queries[0], limit=LIMIT))
    times = _times(index, vectors, queries)
    index.delete_chunks(COLLECTION, [0])
    caught_up = spent_by(lambda: index.search(COLLECTION, queries[0], limit=LIMIT))
    database.close()
    child = _in_a_fresh_process(folder)
    snapshot_mb = sum(file.stat().st_size for file in (folder / "index").iterdir()) / 1e6
    rival = percentile(times["rival"], 0.5)
    of = f"{size:,} windows"
    rows = [
        Row(NAME, f"filling, a window of {size:,}", filled_ms / size, "ms CPU"),
        Row(NAME, f"first search after it: snapshot written, {of}", opened.cpu_ms, "ms CPU"),
    ]
    for what, label in (("both", "vector and words"), ("vector", "vector alone"), ("words", "words alone")):
        middle = percentile(times[what], 0.5)
        rows.append(Row(NAME, f"{label}, p50, {of}", middle, "ms", middle / rival, "NumPy"))
        rows.append(Row(NAME, f"{label}, p95, {of}", percentile(times[what], 0.95), "ms"))
    rows += [
        Row(NAME, f"NumPy, matmul and argpartition, p50, {of}", rival, "ms"),
        Row(NAME, f"NumPy, p95, {of}", percentile(times["rival"], 0.95), "ms"),
        Row(NAME, f"search after a deletion, {of}", caught_up.wall_ms, "ms", caught_up.wall_ms / rival, "NumPy"),
        Row(NAME, f"first search of a new process, {of}", child["first_ms"], "ms", child["first_ms"] / rival, "NumPy"),
        Row(NAME, f"snapshot file, {of}", snapshot_mb, "MB", snapshot_mb / (vectors.nbytes / 1e6), "the vectors"),
    ]
    if "anonymous" in child:
        rows += [
            Row(NAME, f"memory of its own in a new process, {of}", child["anonymous"], "MB"),
            Row(NAME, f"memory mapped from the snapshot, {of}", child["mapped"], "MB"),
        ]
    return rows


def _times(index: EmbeddedIndex, vectors: Vectors, queries: Sequence[Query]) -> dict[str, list[float]]:
    """Elapsed milliseconds of each search, the kinds in turn."""
    times: dict[str, list[float]] = {"both": [], "vector": [], "words": [], "rival": []}
    for query in queries:
        assert query.vector is not None
        alone, words = Query(vector=query.vector), Query(terms=query.terms)
        for kind, asked in (("both", query), ("vector", alone), ("words", words)):
            times[kind].append(spent_by(partial(index.search, COLLECTION, asked, limit=LIMIT)).wall_ms)
        times["rival"].append(spent_by(partial(_rival, vectors, query.vector)).wall_ms)
    return times


def _rival(vectors: Vectors, query: Vectors) -> NDArray[np.intp]:
    scores = vectors @ query
    best = np.argpartition(scores, -LIMIT)[-LIMIT:]
    return best[np.argsort(-scores[best])]


def _fill(index: EmbeddedIndex, points: Iterator[VectorPoint]) -> float:
    """CPU milliseconds of writing all points, a thousand at a time; drawing them is not counted."""
    cpu_ms = 0.0
    while some := list(islice(points, 1000)):
        cpu_ms += spent_by(partial(index.upsert, COLLECTION, some)).cpu_ms
    return cpu_ms


def _points(vectors: Vectors, chance: np.random.Generator) -> Iterator[VectorPoint]:
    for number, vector in enumerate(vectors):
        yield VectorPoint(
            uid=str(uuid.UUID(bytes=sha256(f"window {number}".encode()).digest()[:16])),
            chunk_id=number // 4,
            document_id=number // 100,
            language="de",
            type="skript",
            text_sha256=sha256(f"text {number}".encode()).hexdigest(),
            vector=vector,
            terms=Counter(_words(chance, WORDS_A_WINDOW)),
        )


def _queries(count: int, chance: np.random.Generator) -> Iterator[Query]:
    for vector in _unit(chance.standard_normal((count, DIMENSION), dtype=np.float32)):
        yield Query(vector=vector, terms=tuple(dict.fromkeys(_words(chance, WORDS_A_QUESTION))))


def _words(chance: np.random.Generator, count: int) -> list[str]:
    numbers = chance.zipf(1.2, size=count)
    return [f"wort{number % VOCABULARY}" for number in numbers]


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _in_a_fresh_process(folder: Path) -> dict[str, Any]:
    """What the first search costs there, and the memory that it takes; see `search_memory`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.search_memory", str(folder)],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found
