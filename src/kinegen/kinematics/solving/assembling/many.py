"""Loops closed for many values of the inputs at once, all on the branch of the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, thread_count
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.solving.assembling.assembly import assemble, closing_options
from kinegen.kinematics.solving.assembling.order import FINEST, FURTHEST, LEAP, STRIDE
from kinegen.kinematics.solving.locking import locked_variables
from kinegen.kinematics.tolerances import variable_scale
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["Assemblies", "assemble_many"]

FIRST = 0.3
"""How far the inputs go in a first step, which is tried before smaller ones [rad, sizes]."""


@dataclass(frozen=True, slots=True, eq=False)
class Assemblies(Result):
    """A mechanism with its loops closed for many values of its inputs."""

    model: Model
    q: Floats
    """Configurations, (n, nq)."""
    gap: Floats
    """Widest gap of each [m], (n,); one that is open cannot be closed on the branch."""

    def columns(self) -> Columns:
        """A row per configuration."""
        return q_columns(self.model, self.q) | {"gap [m]": self.gap}


def assemble_many(
    model: AnyModel,
    inputs: Mapping[str, npt.ArrayLike],
    *,
    start: Configuration = None,
    threads: int | None = None,
) -> Assemblies:
    """Close the loops for many values of the inputs at once.

    All poses are on the branch of the start: each is reached from there in small steps of the
    inputs, and no angle wraps on the way.

    Args:
        model: The compiled mechanism.
        inputs: Values of the driven joints by name, each of shape (n,).
        start: Configuration at which all searches begin; it is assembled first.
        threads: Default: one per core.
    """
    model = model_of(model)
    workers = thread_count(0 if threads is None else threads) or os.cpu_count() or 1
    columns = {name: np.asarray(values, dtype=float) for name, values in inputs.items()}
    sizes = {values.shape for values in columns.values()}
    if len(sizes) != 1 or len(next(iter(sizes))) != 1:
        raise UsageError("assemble_many takes the same number of values for every input")
    for name in columns:
        if model.joint(name).q.stop - model.joint(name).q.start != 1:
            raise UsageError(f"input '{name}' must be a joint of one variable")
    wanted = np.stack(list(columns.values()), axis=1)
    home = assemble(model, start).q
    return Assemblies(model, *_Sweep(model, list(columns), home, workers).closed(wanted))


class _Sweep:
    """Poses on the branch of one pose, for many values of its inputs."""

    def __init__(self, model: Model, names: list[str], home: Floats, workers: int) -> None:
        self.model = model
        self.home = home
        self.workers = workers
        self.held = locked_variables(model, names)
        self.q = [model.joint(name).q.start for name in names]
        self.scale = variable_scale(model)
        self.units = self.scale[[model.joint(name).v.start for name in names]]
        self.options = closing_options(model)

    def closed(self, wanted: Floats) -> tuple[Floats, Floats]:
        """Configurations and gaps [m] for rows of values."""
        homes = np.repeat(self.home[None], len(wanted), axis=0)
        qs, there, _ = self._followed(homes, wanted, most=1)
        # what is further away than a step: one row of each cell goes first, others begin there
        rest = np.flatnonzero(~there)
        cells = np.floor(
            np.clip((wanted[rest] - self.home[self.q]) / self.units, -1e6, 1e6) / FIRST
        )
        _, firsts, cell_of = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        leading = rest[firsts]
        found, _, slopes = self._followed(homes[leading], wanted[leading])
        own = cell_of.reshape(-1)
        qs[rest], there[rest], _ = self._followed(found[own], wanted[rest], slopes[own])
        gaps = np.empty(len(wanted))
        still = np.ones(self.model.nv, dtype=np.int32)
        qs[:, self.q] = wanted
        self.model.solver.close_many(qs.copy(), self.options, still, gaps, self.workers)
        return qs, gaps * self.model.size

    def _followed(
        self,
        starts: Floats,
        wanted: Floats,
        slopes: Floats | None = None,
        *,
        most: int | None = None,
    ) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
        """Poses reached when the inputs go from closed poses to wanted values, all side by side.

        As :meth:`Closing.follow` does it: every step is short enough that no joint leaps. Rows that
        get no further stay where they are. The joints that are not inputs continue as they moved:
        at a flat pose, where branches meet, that keeps to one.

        Returns:
            The poses, which of them are there, and how each changed with a single input.
        """
        here = starts.copy()
        way = wanted - here[:, self.q]
        drift = np.zeros_like(here)  # change of a pose over the whole way
        if slopes is not None:
            drift = slopes * way[:, :1]
        far = np.abs(way / self.units).max(axis=1, initial=0.0)
        first = FIRST / np.maximum(far, FIRST)
        step, done = first.copy(), np.zeros(len(here))
        active = far < FURTHEST
        if most is not None:
            active &= far <= FIRST
        count = 0
        while active.any() and (most is None or count < most):
            count += 1
            rows = np.flatnonzero(active)
            share = np.minimum(done[rows] + step[rows], 1.0)
            length = (share - done[rows])[:, None]
            qs = here[rows] + length * drift[rows]
            qs[:, self.q] = wanted[rows] - (1.0 - share[:, None]) * way[rows]
            good = self._close(qs, here[rows])
            went, stayed = rows[good], rows[~good]
            if not self.model.quaternion_joints:
                drift[went] = (qs[good] - here[went]) / length[good]
            here[went], done[went] = qs[good], share[good]
            step[went] = np.minimum(1.5 * step[went], STRIDE / np.maximum(far[went], STRIDE))
            step[stayed] /= 4
            active = (done < 1.0) & active & (step * np.maximum(1.0, far) >= FINEST)
        slopes = np.zeros_like(here)
        if len(self.q) == 1:
            np.divide(drift, way, out=slopes, where=way != 0)
        return here, done >= 1.0, slopes

    def _close(self, qs: Floats, before: Floats) -> npt.NDArray[np.bool_]:
        """Close poses in place, inputs held; which of them are closed and on the branch."""
        gaps = np.empty(len(qs))
        self.model.solver.close_many(qs, self.options, self.held, gaps, self.workers)
        if self.model.quaternion_joints:
            ways = np.empty((len(qs), self.model.nv))
            for i, way in enumerate(ways):
                self.model.kernels.difference(before[i], qs[i], way)
        else:
            ways = qs - before
        leaps = np.abs(ways / self.scale).max(axis=1, initial=0.0)
        return np.asarray((gaps <= SHUT) & (leaps <= LEAP))
