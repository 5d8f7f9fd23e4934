"""A worker process: reads jobs as lines of JSON, answers with lines of JSON.

A job is ``{"task": …, "text": …, "folder": …, "file": …, "q": […], "arguments": {…}}``; answers
are ``{"progress": label, "share": number or null}`` and ``{"piece": head, "bytes": n}``, then
n bytes, any number of times; at the end ``{"result": …}`` or ``{"error": text}``.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections import OrderedDict
from typing import IO, Any

import numpy as np
import orjson

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.analyses import ANALYSES, Progress
from kinegen.studio.exports import export
from kinegen.studio.project import Project
from kinegen.studio.workpiece import Workpiece

__all__ = ["main", "work"]

_KEPT = 8
"""Mechanisms that are kept compiled."""

Kept = OrderedDict[tuple[str, str, str | None], Workpiece]


def work(job: dict[str, Any], kept: Kept, report: Progress) -> Any:
    """Do one job."""
    key = (job["folder"], job["text"], job["file"])
    if key not in kept or not kept[key].is_current():
        kept[key] = Workpiece.read(job["text"], Project.again(job["folder"]), job["file"])
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    piece = kept[key]
    q = piece.checked(job["q"])
    task, arguments = job["task"], job["arguments"]
    if task == "export":
        return export(piece, q, arguments["format"], arguments.get("motion")).download()
    if task not in ANALYSES:
        raise UsageError(f"there is no work called '{task}'; works: {', '.join(ANALYSES)}, export")
    return ANALYSES[task](piece, q, arguments, report)


def main() -> None:
    """Serve jobs until the input ends."""
    # Ctrl-C in the terminal is for the studio, which then ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # answers go to the true output; whatever else is printed must not mix with them
    answers: IO[bytes] = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(data: dict[str, Any], more: bytes = b"") -> None:
        answers.write(orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n" + more)
        answers.flush()

    class Report:
        """Progress and pieces, written as answers."""

        def __call__(self, label: str, share: float | None) -> None:
            answer({"progress": label, "share": share})

        def piece(self, head: dict[str, Any], data: bytes) -> None:
            answer({"piece": head, "bytes": len(data)}, data)

    # what shows points at once is not imported only when they are asked for
    for name in ("work_cloud", "work_zone"):
        importlib.import_module(f"kinegen.studio.{name}")
    kept: Kept = OrderedDict()
    for line in sys.stdin.buffer:
        try:
            job = orjson.loads(line)
            answer({"result": work(job, kept, Report())})
        except KinegenError as error:
            answer({"error": str(error)})
        except (np.linalg.LinAlgError, ArithmeticError, RecursionError, MemoryError) as error:
            answer({"error": f"this could not be worked out: {error}"})


if __name__ == "__main__":
    main()
