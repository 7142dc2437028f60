"""The explorer as a process of its own, and what the system tells of processes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator


@contextlib.contextmanager
def explorer(*flags) -> Iterator[tuple[subprocess.Popen, dict]]:
    """The command on a free port, and the document that it prints."""
    command = [
        sys.executable,
        "-m",
        "hermite_analytics",
        "explore",
        "--port",
        "0",
        "--workers",
        "1",
        "--json",
        *flags,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            text = ""
            while not text.endswith("\n}\n"):
                text += process.stdout.readline()
            yield process, json.loads(text)
        finally:
            process.kill()


def children(pid):
    """Processes that a process has started, and those of these; none where the system does not tell."""
    parents = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        with contextlib.suppress(OSError):
            if name.isdigit():
                with open(f"/proc/{name}/stat", encoding="ascii") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
    found = [pid]
    for parent in found:
        found += [child for child, its in parents.items() if its == parent]
    return found[1:]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_end(pids, seconds=30.0):
    """Whether processes end within a time: a tracker of resources notices the end of its parent by itself."""
    stop = time.monotonic() + seconds
    while any(is_running(pid) for pid in pids) and time.monotonic() < stop:
        time.sleep(0.1)
    return not any(is_running(pid) for pid in pids)
