"""Answers: who works on which question of a page, and how it reports meanwhile."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from kinegen.kernels import Floats
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import PieceHead, Question, Result

__all__ = ["JOBS", "Answer", "Progress", "answer", "job_of"]


class Progress(Protocol):
    """Where a job says how far it is, and sends what it has so far."""

    def __call__(self, label: str, share: float | None) -> None:
        """Report a label and a share of 0 … 1, None where it is not known."""

    def piece(self, head: PieceHead | dict[str, Any], data: bytes) -> None:
        """Send a piece of the result: what it is, and its numbers (little endian)."""


Answer = Callable[[CompiledText, Floats, Question, Progress], Result]

JOBS: dict[str, str] = {
    "mobility": "mobility",
    "diagnosis": "mobility",
    "modes": "solving",
    "solve": "solving",
    "solve_all": "solving",
    "branches_beyond": "singular",
    "matrices": "singular",
    "grasp": "grasp",
    "map_proposal": "maps",
    "joint_map": "maps",
    "backlash": "backlash",
    "design_goals": "design",
    "design": "design",
}
"""The module of each question, which has a function ``answer_KIND``; imported at first use."""


def job_of(kind: str) -> Answer:
    """What works on a kind of question."""
    module = importlib.import_module(f"kinegen.studio.jobs.{JOBS[kind]}")
    found: Answer = getattr(module, f"answer_{kind}")
    return found


def answer(piece: CompiledText, q: Floats, question: Question, report: Progress) -> Result:
    """Work on a question."""
    return job_of(question.KIND)(piece, q, question, report)
