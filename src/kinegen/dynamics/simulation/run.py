"""Run: what a simulation recorded, and how it ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats, Ints
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import effort_headings, q_headings, v_headings
from kinegen.mechanism.model import Model
from kinegen.results import Result, plain

__all__ = ["Run"]

_REST = 1e-6
"""Share of what a fall by the mechanism's own size would give below which nothing moves."""

_PLACE = 1e-3
"""Change of a joint's value [rad, m] below which it stands still."""


@dataclass(frozen=True, slots=True, eq=False)
class Run(Result):
    """A simulated motion: one row per recorded moment, the start and the end included."""

    model: Model
    engine: str
    step: float
    """[s]"""
    times: Floats
    """[s], (n,)."""
    q: Floats
    """Configurations, (n, nq)."""
    v: Floats
    """Velocities, (n, nv)."""
    efforts: Floats
    """Of motors and controllers in the steps before, (n, nv) [N m, N]."""
    kinetic: Floats
    """[J], (n,)."""
    potential: Floats
    """Of gravity and springs [J], (n,)."""
    work: Floats
    """Work done from outside since the start, minus the losses by friction [J], (n,)."""
    gap: Floats
    """Widest opening of any loop [m], (n,)."""
    angle_gap: Floats
    """[rad], (n,)."""
    velocity_gap: Floats
    """[m/s], (n,)."""
    contacts: Ints
    """(n,)"""
    iterations: Ints
    """Of the engine's last step, (n,)."""
    steps: int
    """Number of steps."""
    complete: bool
    """Whether the run reached the requested end."""
    reason: str
    """Why it ended, in words."""
    remarks: tuple[str, ...] = ()
    """Remarks on doubtful masses of the mechanism."""

    def __repr__(self) -> str:
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        return f"Run('{self.model.name}', engine '{self.engine}', {rows}, {self.reason})"

    def __len__(self) -> int:
        return len(self.times)

    @property
    def duration(self) -> float:
        """Time simulated [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def final(self) -> dict[str, float | list[float]]:
        """The last configuration by joint name [rad, m; quaternions wxyz]."""
        return _by_name(self.model, self.q[-1])

    @property
    def energy(self) -> Floats:
        """Kinetic plus potential energy [J], (n,)."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> Floats:
        """Kinetic + potential - work [J], (n,): constant for an exact engine."""
        return self.kinetic + self.potential - self.work

    @property
    def energy_scale(self) -> float:
        """The energy scale of the motion [J]: the largest kinetic energy, or the work done.

        If nothing moves, a millionth of the energy of a fall by the mechanism's own size.
        """
        return max(self._moving, self._still, 1e-300)

    @property
    def is_still(self) -> bool:
        """Whether nothing moved, apart from rounding."""
        return self._moving <= self._still and bool(np.all(np.ptp(self.q, axis=0) < _PLACE))

    @property
    def _moving(self) -> float:
        return max(float(self.kinetic.max()), float(np.abs(self.work).max()))

    @property
    def _still(self) -> float:
        model = self.model
        fall = float(model.inertia[1:, 0].sum() * np.linalg.norm(model.gravity)) * model.size
        return max(_REST * fall, 1e-9 * float(np.abs(self.potential).max()))

    @property
    def energy_drift(self) -> float:
        """Largest change of the balance as a share of the energy scale: 0.001 is 0.1 %."""
        return float(np.abs(self.balance - self.balance[0]).max()) / self.energy_scale

    @property
    def max_gap(self) -> float:
        """Largest gap of any loop in the whole run [m]."""
        return float(self.gap.max())

    @property
    def max_velocity_gap(self) -> float:
        """Largest opening speed of any loop in the whole run [m/s]."""
        return float(self.velocity_gap.max())

    def joint(self, name: str) -> Floats:
        """The values of one joint over time, (n,) or (n, numbers)."""
        values = self.q[:, self.model.joint(name).q]
        return values[:, 0] if values.shape[1] == 1 else values

    def at(self, time: float) -> Floats:
        """The recorded configuration nearest to a time [s]."""
        return np.asarray(self.q[int(np.abs(self.times - time).argmin())])

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as ``kinegen simulate --json`` prints them."""
        return {
            "mechanism": self.model.name,
            "engine": self.engine,
            "step": self.step,
            "steps": self.steps,
            "seconds": self.duration,
            "complete": self.complete,
            "reason": self.reason,
            "max_gap": self.max_gap,
            "max_angle_gap": float(self.angle_gap.max()),
            "max_velocity_gap": self.max_velocity_gap,
            "energy_start": float(self.energy[0]),
            "energy_end": float(self.energy[-1]),
            "work": float(self.work[-1]),
            "energy_drift": self.energy_drift,
            "energy_scale": self.energy_scale,
            "contacts": int(self.contacts.max()),
            "q": self.final,
            "remarks": list(self.remarks),
        }

    def to_dict(self) -> dict[str, Any]:
        """The summary, and every row."""
        heads = {"columns": q_headings(self.model), "v_columns": v_headings(self.model)}
        return {key: plain(value) for key, value in (self.summary() | heads).items()} | {
            "rows": plain(rows_of(self))
        }

    def columns(self) -> dict[str, Floats | Ints]:
        """A row per recorded moment: time, joints, speeds, efforts, energies, gaps, contacts."""
        heads = [f"speed of {head}" for head in v_headings(self.model)]
        heads += [f"effort on {head}" for head in effort_headings(self.model)]
        wide = np.concatenate([self.q, self.v, self.efforts], axis=1)
        table = dict(zip([*q_headings(self.model), *heads], wide.T, strict=True))
        return {
            "time [s]": self.times,
            **table,
            "kinetic [J]": self.kinetic,
            "potential [J]": self.potential,
            "work [J]": self.work,
            "gap [m]": self.gap,
            "angle gap [rad]": self.angle_gap,
            "velocity gap [m/s]": self.velocity_gap,
            "contacts": self.contacts,
            "iterations": self.iterations,
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Every row, and everything else as arrays of texts and numbers."""
        facts = {
            "mechanism": self.model.name,
            "engine": self.engine,
            "reason": self.reason,
            "columns": q_headings(self.model),
            "v_columns": v_headings(self.model),
            "step": self.step,
            "steps": self.steps,
            "complete": self.complete,
        }
        remarks = np.array(self.remarks, dtype=str)
        return {
            **rows_of(self),
            **{key: np.array(value) for key, value in facts.items()},
            "remarks": remarks,
        }

    @classmethod
    def load(cls, model: AnyModel, path: str | os.PathLike[str]) -> Run:
        """A run from its .npz or .json file; the model must be the one that was simulated."""
        from kinegen.dynamics.simulation.run_files import read_run

        return read_run(os.fspath(path), model_of(model))


def _by_name(model: Model, q: Floats) -> dict[str, float | list[float]]:
    found: dict[str, float | list[float]] = {}
    for joint in model.joints:
        numbers = q[joint.q].tolist()
        if numbers:
            found[joint.name] = numbers[0] if len(numbers) == 1 else numbers
    return found


def rows_of(run: Run) -> Mapping[str, Floats | Ints]:
    """Every array of a run by name."""
    names = (
        "times q v efforts kinetic potential work gap angle_gap velocity_gap contacts iterations"
    )
    return {name: getattr(run, name) for name in names.split()}
