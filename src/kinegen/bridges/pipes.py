"""Pipes: objects to and from a process that Kinegen has started itself."""

from __future__ import annotations

import contextlib
import pickle
import struct
import subprocess
import sys
from typing import IO, Any

__all__ = ["end", "receive", "send", "start"]

_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], what: Any) -> None:
    """Send one object."""
    body = pickle.dumps(what)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Wait for one object; EOFError when the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(head)
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)


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
