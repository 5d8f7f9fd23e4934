"""Terminals that cannot show every character: what they get instead."""

from __future__ import annotations

import codecs
import io
import sys

__all__ = ["as_shown", "has_unicode", "prepare_streams"]

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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=_HANDLER)


def as_shown(text: str) -> str:
    """A text as standard output will show it, so that columns line up."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text if text.isascii() else text.encode(encoding, _HANDLER).decode(encoding)


def has_unicode() -> bool:
    """Whether standard output takes every character."""
    return codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name.startswith("utf")


def _degrade(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    plain = (_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lost)
    return "".join(plain), error.end


codecs.register_error(_HANDLER, _degrade)
