"""Answers: who works on which question of a page, and how it reports meanwhile."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Protocol

from kinegen.kernels import Floats
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import PieceHead, Question, Result

__all__ = ["Answer", "Progress", "answer", "job_of"]


class Progress(Protocol):
    """Where a job says how far it is, and sends what it has so far."""

    def __call__(self, label: str, share: float | None) -> None:
        """Report a label and a share of 0 … 1, None where it is not known."""

    def piece(self, head: PieceHead, data: bytes) -> None:
        """Send a piece of the result: what it is, and its numbers (little endian)."""


Answer = Callable[[CompiledText, Floats, Question, Progress], Result | MadeFile]


def job_of(kind: type[Question]) -> Answer:
    """What works on a question: ``answer_KIND`` of the job with its module's name."""
    room = kind.__module__.rpartition(".")[2]
    module = importlib.import_module(f"kinegen.studio.jobs.{room}")
    found: Answer = getattr(module, f"answer_{kind.KIND}")
    return found


def answer(
    compiled: CompiledText, q: Floats, question: Question, report: Progress
) -> Result | MadeFile:
    """Work on a question; a file is made where its result is a link to one."""
    return job_of(type(question))(compiled, q, question, report)
