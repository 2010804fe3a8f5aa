"""Where the snapshots of the graph lie: one JSON file for each knowledge version, the newest few are kept.

What is in a snapshot is made by `ledger.graph`. No dagster here.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from rag_assets.config import Settings
from rag_assets.errors import ServiceError, StoreError, UsageError

KEPT: Final = 5


def folder(settings: Settings) -> Path:
    """The folder of the snapshots."""
    return settings.home / "graph"


def path(settings: Settings, version: str) -> Path:
    """The file of a knowledge version."""
    return folder(settings) / f"{version}.json"


def write(settings: Settings, version: str, snapshot: Mapping[str, Any]) -> Path:
    """Write a version's snapshot, whole or not at all, and drop the oldest beyond those that are kept."""
    target = path(settings, version)
    write_atomically(target, snapshot)
    kept = sorted(folder(settings).glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for old in kept[KEPT:]:
        old.unlink(missing_ok=True)
    return target


def write_atomically(target: Path, value: Mapping[str, Any]) -> None:
    """Write JSON beside the target and move it there: no reader ever sees half of it.

    Raises:
        UsageError: `usage`, the target is a folder, a device or a pipe: the move would put a file in its place.
        StoreError: `no_permission`, the file cannot be made there.
        ServiceError: `disk_full`.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}") if target.name else target
    try:
        if target.exists() and not target.is_file():
            raise UsageError("usage", "is not a file to write to", hint="Name a file.", file=target)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("w", encoding="utf-8") as file:
                json.dump(value, file, ensure_ascii=False, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        except OSError:
            with suppress(OSError):
                draft.unlink()
            raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            hint = "Free space on the disk that holds it, then run again."
            raise ServiceError("disk_full", "the graph could not be written", hint=hint, file=target) from error
        hint = "Name a file in a folder that the user who runs this may write to."
        problem = f"the graph could not be written: {error.strerror}"
        raise StoreError("no_permission", problem, hint=hint, file=target) from error
