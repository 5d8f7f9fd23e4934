"""Streams that cannot take what is printed: old terminals, closed pipes, full disks."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

__all__ = ["Output", "as_shown", "complain", "drop", "has_unicode", "prepare_streams"]

_HANDLER = "kinegen"
_PLAIN = {
    "─": "-",
    "…": "...",
    "°": " deg",
    "∞": "inf",
    "µ": "u",
    "→": "->",
    "×": "x",
    "·": "*",
    "²": "2",
    "³": "3",
}
"""What our own texts use, in ASCII."""


def prepare_streams() -> None:
    """Let output degrade where it would fail: old terminals, pipes, file names that are no text."""
    _open_missing()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=_HANDLER)


def _open_missing() -> None:
    """Fill in streams that were closed (``>&-``), where Python has none at all.

    Their numbers are taken, too: the next file opened would get them, and what is printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


class _ClosedOutput(io.StringIO):
    """Standard output that was closed: printing fails as it does on a full disk."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise OSError(errno.EBADF, "standard output is closed")


class Output:
    """Standard output, which notes why it failed: a closed pipe, a full disk."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Write, as streams do."""
        with self._noting():
            return self.stream.write(text)

    def flush(self) -> None:
        """Flush, as streams do."""
        with self._noting():
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failure = error
            raise


def drop(stream: TextIO) -> None:
    """Stop writing to an output that is gone or full, or the interpreter tries again at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def complain(text: str) -> None:
    """Print a line to standard error, if it takes one."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        drop(sys.stderr)


def as_shown(text: str) -> str:
    """A text as standard output will show it, so that columns line up."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text if text.isascii() else text.encode(encoding, _HANDLER).decode(encoding)


def has_unicode(stream: TextIO) -> bool:
    """Whether a stream takes every character."""
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name.startswith("utf")


def _degrade(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    plain = (_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lost)
    return "".join(plain), error.end


codecs.register_error(_HANDLER, _degrade)
