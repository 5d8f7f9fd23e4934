"""Pipes: objects to and from a process that Kinegen has started itself."""

from __future__ import annotations

import contextlib
import subprocess
import sys

from kinegen.pipes import receive, send

__all__ = ["end", "receive", "send", "start"]


def start(module: str) -> subprocess.Popen[bytes]:
    """Start a module of Kinegen in a process of its own, with pipes to and from it."""
    return subprocess.Popen(
        # -P: nothing that lies in the present folder is taken for a module
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is for whoever started it
    )  # fmt: skip


def end(process: subprocess.Popen[bytes], patience: float = 5.0) -> None:
    """Close the pipe to a process, which ends it; one that does not end is killed."""
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
