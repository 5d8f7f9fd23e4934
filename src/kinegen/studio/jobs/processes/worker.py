"""A worker process for questions; ``loop.py`` says how it is spoken to."""

from __future__ import annotations

import importlib
from collections import OrderedDict

import numpy as np

from kinegen.errors import UsageError
from kinegen.kinematics.collisions.meshes import report_dividing
from kinegen.studio.jobs.answers import Progress, answer
from kinegen.studio.jobs.processes.loop import Report, serve
from kinegen.studio.jobs.processes.protocol import Job, MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import decode
from kinegen.studio.wire.message import Question, Result

__all__ = ["main", "work"]

_KEPT = 8
"""Mechanisms that are kept compiled."""

Kept = OrderedDict[tuple[str, str, str | None], CompiledText]


def work(job: Job, kept: Kept, report: Progress) -> Result | MadeFile:
    """Do one job."""
    key = (job.folder, job.text, job.file)
    if key not in kept or not kept[key].is_current():
        kept[key] = CompiledText.read(job.text, Project.again(job.folder), job.file)
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    compiled = kept[key]
    message = decode(job.message)
    if isinstance(message, Question):
        with report_dividing(lambda what: report(what, None)):
            return answer(compiled, compiled.checked(message.q), message, report)
    raise UsageError(f"'{message.KIND}' is not a job for this process")


def main() -> None:
    """Serve jobs until the input ends."""
    # numbers that are far too large are a page's doing, and nothing for the log
    np.seterr(all="ignore")
    # what shows points at once is not imported only when they are asked for
    for name in ("cloud", "zone"):
        importlib.import_module(f"kinegen.studio.jobs.{name}")
    kept: Kept = OrderedDict()

    def do(job: Job, report: Report) -> Result | MadeFile:
        try:
            return work(job, kept, report)
        except np.linalg.LinAlgError as error:
            raise ArithmeticError(str(error)) from error

    serve(Job, do)


if __name__ == "__main__":
    main()
