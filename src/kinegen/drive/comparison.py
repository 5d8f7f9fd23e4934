"""Comparison: a real robot and its simulated twin under the same commands."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

import numpy as np

from kinegen.bridges.bridge import Bridge
from kinegen.drive.robot_drive import Drive
from kinegen.kernels import Floats
from kinegen.results import Columns, Result

__all__ = ["Comparison", "Differences"]

NO_SWITCH = 3600.0
"""A simulated robot needs no dead man's switch: the real one has it [s]."""


class Comparison:
    """Sends the goals of a real robot to a simulated one too, over the same kind of wire.

    ``drive.move(q, each=comparison)`` calls it in every cycle. Use it in a ``with`` block.
    """

    def __init__(self, drive: Drive) -> None:
        """Start the simulated robot in the pose of the real one, motors on."""
        self._names, self._units = drive.joints, drive.travel.units
        self.bridge = Bridge(drive.mechanism, [drive.kind], hold=True, q=_by_joint(drive))
        try:
            self.twin = Drive(
                drive.mechanism, self.bridge.endpoints[drive.kind], drive.kind, speed=1.0,
                torque=drive.torque, patience=NO_SWITCH, at=drive.positions,
            )  # fmt: skip
        except BaseException:
            self.bridge.close()
            raise
        self._begin = time.monotonic()
        self._times: list[float] = []
        self._rows: list[tuple[Floats, Floats, Floats]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the simulated robot."""
        self.twin.close()
        self.bridge.close()

    def __call__(self, drive: Drive) -> None:
        """Pass the goals on, and note where both robots are."""
        self.pass_on(drive)
        self._times.append(time.monotonic() - self._begin)
        goals = np.array(list(drive.goals.values()))
        self._rows.append((goals, drive.reading.positions, self.twin.reading.positions))

    def pass_on(self, drive: Drive) -> None:
        """Pass on the goals without recording anything."""
        if drive.state == "on":
            if self.twin.state == "off":
                self.twin.start()
            self.twin.track(drive.goals)

    def result(self) -> Differences:
        """All rows so far."""
        goals, real, twin = (np.array([row[i] for row in self._rows]) for i in range(3))
        shape = (len(self._times), len(self._names))
        return Differences(
            self._names, self._units, np.array(self._times), goals.reshape(shape),
            real.reshape(shape), twin.reshape(shape),
        )  # fmt: skip


def _by_joint(drive: Drive) -> dict[str, list[float]]:
    """The measured configuration, of joints that move."""
    q, joints = drive.q, drive.model.joints
    return {one.name: q[one.q].tolist() for one in joints if one.q.stop > one.q.start}


@dataclass(frozen=True, slots=True, eq=False)
class Differences(Result):
    """Positions of a real robot and its simulated twin, under the same goals."""

    joints: tuple[str, ...]
    units: tuple[str, ...]
    """Units of the joints: 'rad' or 'm'."""
    times: Floats
    """[s], (n,)"""
    goals: Floats
    """(n, joints)"""
    real: Floats
    """Measured positions, (n, joints)."""
    virtual: Floats
    """Simulated positions, (n, joints)."""

    @property
    def largest(self) -> dict[str, float]:
        """Largest difference of every joint [rad, m]."""
        gaps = np.abs(self.real - self.virtual)
        return dict(zip(self.joints, np.max(gaps, axis=0, initial=0.0).tolist(), strict=True))

    def columns(self) -> Columns:
        """Time, then for every joint: goal, real, virtual, difference."""
        found: dict[str, Floats] = {"time [s]": self.times}
        for i, (name, unit) in enumerate(zip(self.joints, self.units, strict=True)):
            found |= {
                f"goal of {name} [{unit}]": self.goals[:, i],
                f"real {name} [{unit}]": self.real[:, i],
                f"virtual {name} [{unit}]": self.virtual[:, i],
                f"difference of {name} [{unit}]": self.real[:, i] - self.virtual[:, i],
            }
        return found
