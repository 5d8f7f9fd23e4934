"""Exactness: how exact a run has been so far, report by report, without a recording."""

from __future__ import annotations

from kinegen.dynamics.engines.engine import StepReport

__all__ = ["Exactness"]


class Exactness:
    """Energy drift and widest gap of a run that is not recorded."""

    def __init__(self, start: StepReport) -> None:
        self.energy_scale = 0.0
        """What the drift is compared with: the largest kinetic energy, work or fall so far [J]."""
        self.widest_gap = 0.0
        """[m]"""
        self.begin_at(start)

    def begin_at(self, start: StepReport) -> None:
        """Count the drift from here: an engine that was reset counts its work from zero."""
        self._start = start
        self.drift = 0.0
        """Largest change of the energy balance since then [J]."""

    def add(self, report: StepReport) -> None:
        """Look at the report of the steps that were made."""
        self.widest_gap = max(self.widest_gap, report.gap)
        self.drift = max(self.drift, abs(report.balance - self._start.balance))
        fallen = abs(report.potential - self._start.potential)
        self.energy_scale = max(self.energy_scale, report.kinetic, abs(report.work), fallen)
