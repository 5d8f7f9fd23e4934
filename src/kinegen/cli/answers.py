"""What a command answers a program: one JSON document, in one shape for success and failure."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TextIO

from kinegen.cli.terminal import has_unicode

__all__ = ["Document", "failure", "one_document", "print_json", "print_rows"]


def print_json(result: Mapping[str, Any], *, error: str = "", at_once: bool = False) -> None:
    """Answer in JSON: ``ok``, ``error`` and ``problems``, then what was found.

    Numbers keep all their digits; infinite ones and those that are none become null.

    Args:
        result: What was found.
        error: Why the exit code is not 0, in one sentence.
        at_once: Whether it is printed now, not when the command has ended: for those that run on.
    """
    document = _document.get()
    if document is None:
        _write(sys.stdout, failure(error, result=result) if error else _success(result))
        return
    document.content = failure(error, result=result) if error else _success(result)
    if at_once:
        document.print()


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Answer at once in lines, an object each: for commands that run on.

    They are the whole answer; only an error may follow.
    """
    document = _document.get()
    stream = sys.stdout if document is None else document.stream
    for row in rows:
        escaped = not has_unicode(stream)
        text = json.dumps(_plain({**row, **_success({})}), ensure_ascii=escaped, allow_nan=False)
        print(text, file=stream)
    stream.flush()
    if document is not None:
        document.is_printed = True


def failure(
    error: str,
    problems: Sequence[Mapping[str, Any]] = (),
    *,
    result: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document of a command that failed; what it found all the same is in ``result``."""
    sentence = " ".join(error.split())
    listed = list(problems) or [{"message": sentence}]
    return {"ok": False, "error": sentence, "problems": listed, **(result or {})}


def _success(result: Mapping[str, Any]) -> dict[str, Any]:
    return {"ok": True, "error": None, "problems": [], **result}


class Document:
    """The one document of a command: the last answer given before it is printed."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.content: dict[str, Any] | None = None
        self.is_printed = False

    def print(self) -> None:
        """Print the answer, once."""
        if not self.is_printed and self.content is not None:
            self.is_printed = True
            _write(self.stream, self.content)

    def end(self, code: int, stopped: int) -> None:
        """Print the answer of a command that ended with an exit code."""
        if self.content is None:
            self.content = _success({})
        if code and self.content["ok"]:
            reason = "stopped" if code == stopped else f"it ended with exit code {code}"
            self.content = {**self.content, **failure(reason)}
        self.print()


_document: ContextVar[Document | None] = ContextVar("document", default=None)


@contextlib.contextmanager
def one_document(stream: TextIO) -> Iterator[Document]:
    """Keep a stream for one document: whatever else is printed goes to standard error."""
    document = Document(stream)
    before = _document.set(document)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield document
    finally:
        _document.reset(before)


def _write(stream: TextIO, content: dict[str, Any]) -> None:
    escaped = not has_unicode(stream)
    text = json.dumps(_plain(content), indent=2, ensure_ascii=escaped, allow_nan=False)
    print(text, file=stream, flush=True)


def _plain(value: Any) -> Any:
    """A value that JSON knows; arrays are recognised by what they can do: NumPy is not imported."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        # -0.0 would only puzzle the reader
        return value + 0.0 if math.isfinite(value) else None
    return value
