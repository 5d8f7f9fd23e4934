"""A worker process for analyses and exports; ``job_loop.py`` says how it is spoken to.

A job is ``{"task": …, "text": …, "folder": …, "file": …, "q": […], "arguments": {…}}``.
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.studio.jobs.analyses import ANALYSES, Progress
from kinegen.studio.jobs.exports import export
from kinegen.studio.jobs.loop import Report, serve
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project

__all__ = ["main", "work"]

_KEPT = 8
"""Mechanisms that are kept compiled."""

Kept = OrderedDict[tuple[str, str, str | None], CompiledText]


def work(job: dict[str, Any], kept: Kept, report: Progress) -> Any:
    """Do one job."""
    key = (job["folder"], job["text"], job["file"])
    if key not in kept or not kept[key].is_current():
        kept[key] = CompiledText.read(job["text"], Project.again(job["folder"]), job["file"])
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
    # numbers that are far too large are a page's doing, and nothing for the log
    np.seterr(all="ignore")
    # what shows points at once is not imported only when they are asked for
    for name in ("cloud", "zone"):
        importlib.import_module(f"kinegen.studio.jobs.{name}")
    kept: Kept = OrderedDict()

    def do(job: dict[str, Any], report: Report) -> Any:
        try:
            return work(job, kept, report)
        except np.linalg.LinAlgError as error:
            raise ArithmeticError(str(error)) from error

    serve(do)


if __name__ == "__main__":
    main()
