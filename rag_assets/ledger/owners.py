"""Names for living processes, by which another process can tell whether the owner of a claim still lives."""

from __future__ import annotations

import os
import socket
from functools import cache
from pathlib import Path


def of_this_process() -> str:
    """`host:boot:pid:start`, by which another process on this host can tell whether this one still lives."""
    return of_process(os.getpid())


def of_process(pid: int) -> str:
    """The name of a process of this host."""
    return f"{socket.gethostname()}:{_boot_id()}:{pid}:{_start_ticks(pid)}"


def is_alive(owner: str) -> bool:
    """Whether the owner may still be at work: unknown hosts count as alive, only their lease ends their claim."""
    host, boot, pid, started = owner.rsplit(":", 3)
    if host != socket.gethostname():
        return True
    return boot == _boot_id() and _start_ticks(int(pid)) == started


@cache
def _boot_id() -> str:
    file = Path("/proc/sys/kernel/random/boot_id")
    return file.read_text().strip()[:8] if file.exists() else "-"


def _start_ticks(pid: int) -> str:
    # Field 22 of /proc/PID/stat; pids are reused, the pair of pid and start is not. Empty = no such process.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return "" if Path("/proc/self").exists() else _probe(pid)


def _probe(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "-"
