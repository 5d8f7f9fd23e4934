"""Recorder: rows of a run, added while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.engines.engine import StepReport
from kinegen.dynamics.simulation.run import Run
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["Recorder"]

_REPORTED = ("kinetic", "potential", "work", "gap", "angle_gap", "velocity_gap")
_COUNTED = ("contacts", "iterations")


class Recorder:
    """Collects the moments of a run in one table that grows by doubling."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._width = 1 + model.nq + 2 * model.nv + len(_REPORTED) + len(_COUNTED)
        self._rows = np.empty((64, self._width))
        self._count = 0

    def add(self, report: StepReport, q: Floats, v: Floats, efforts: Floats) -> None:
        """One more moment."""
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        numbers = [getattr(report, name) for name in (*_REPORTED, *_COUNTED)]
        self._rows[self._count] = np.concatenate([[report.time], q, v, efforts, numbers])
        self._count += 1

    def keep(self, report: StepReport, q: Floats, v: Floats, efforts: Floats) -> None:
        """The last moment, unless it is there already."""
        if not self._count or self._rows[self._count - 1, 0] != report.time:
            self.add(report, q, v, efforts)

    def run(self, **how: Any) -> Run:
        """The rows as a run."""
        rows = self._rows[: self._count].copy()
        nq, nv = self.model.nq, self.model.nv
        at = 1 + nq + 2 * nv
        kept: dict[str, Any] = {name: rows[:, at + i].copy() for i, name in enumerate(_REPORTED)}
        at += len(_REPORTED)
        counted: dict[str, Any] = {
            name: rows[:, at + i].astype(np.int32) for i, name in enumerate(_COUNTED)
        }
        return Run(
            model=self.model,
            times=rows[:, 0].copy(),
            q=rows[:, 1 : 1 + nq].copy(),
            v=rows[:, 1 + nq : 1 + nq + nv].copy(),
            efforts=rows[:, 1 + nq + nv : 1 + nq + 2 * nv].copy(),
            **kept,
            **counted,
            **how,
        )
