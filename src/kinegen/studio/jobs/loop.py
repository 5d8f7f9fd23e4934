"""The loop of a worker process: jobs come as lines of JSON, answers go out as lines of JSON.

Answers are ``{"progress": label, "share": 0 … 1 or null}`` and ``{"piece": head, "bytes": n}`` with
n bytes after it, any number of times; then ``{"result": …}`` or ``{"error": text}``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import IO, Any

import orjson

from kinegen.errors import KinegenError
from kinegen.studio.wire.codec import tagged
from kinegen.studio.wire.message import PieceHead

__all__ = ["Report", "serve"]


class Report:
    """What a job tells while it runs, written as answers."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers

    def __call__(self, label: str, share: float | None) -> None:
        """Say how far it is, 0 … 1, None where it cannot be told."""
        self.answer({"progress": label, "share": share})

    def piece(self, head: PieceHead | dict[str, Any], data: bytes) -> None:
        """Send a part of the result."""
        told = tagged(head) if isinstance(head, PieceHead) else head
        self.answer({"piece": told, "bytes": len(data)}, data)

    def answer(self, data: dict[str, Any], more: bytes = b"") -> None:
        """Write one answer."""
        line = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)
        self._answers.write(line + b"\n" + more)
        self._answers.flush()


def serve(work: Callable[[dict[str, Any], Report], Any]) -> None:
    """Do jobs until the input ends."""
    # Ctrl-C in the terminal is for the studio, which then ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # answers go to the true output; whatever else is printed must not mix with them
    answers: IO[bytes] = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    report = Report(answers)
    try:
        for line in sys.stdin.buffer:
            try:
                report.answer({"result": work(orjson.loads(line), report)})
            except KinegenError as error:
                report.answer({"error": str(error)})
            except BrokenPipeError:
                raise
            except (ArithmeticError, RecursionError, MemoryError) as error:
                report.answer({"error": f"this could not be computed: {error}"})
            except Exception as error:
                # a defect: the next job finds this process as if nothing had been
                words = f"the studio failed to compute this ({type(error).__name__}: {error})"
                report.answer({"error": words})
    except BrokenPipeError:
        # the studio is gone: nobody is left to tell, and nothing to be written at the end
        os._exit(0)
