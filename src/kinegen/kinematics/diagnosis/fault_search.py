"""Fault search: which wrong placement, or which two, keep a mechanism from moving as meant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.diagnosis.faults import (
    Change,
    Fault,
    FaultEffects,
    apply_faults,
    possible_faults,
)
from kinegen.kinematics.loop_system import HeldRotation, LoopSystem
from kinegen.spatial.rotation import SO3

__all__ = ["Repair", "find_repairs"]

_REACH = 0.3
"""Largest scaled step of a trial motion: enough to separate a motion that lasts from one that does
not."""
_LARGEST = {Change.TILT: math.radians(45), Change.SHIFT: 0.3}
"""Repairs beyond 45° or a third of the mechanism's size would make another mechanism of it."""
_LARGEST_STEP = 0.2
_PROMISING = 0.4
"""A repair that by the straight-line forecast leaves more than this share of the misfit is not
tried."""
_FIRST_PROMISING = 0.7
"""The same for the most promising one: straight lines say little of a tilt of 40°."""
_WEAK = (1e-2, 1e-6)
"""Directions of a repair with less effect than this share of the strongest are left alone; the
second is for repairs that cannot do without them."""
_MOST_TRIED = {1: 24, 2: 16}
"""Repairs that are fitted, by how many faults they put right at once: the most promising."""
_MOST_POSES = 14
_ITERATIONS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """A change of one joint, or of two, that lets the wanted motion happen."""

    faults: tuple[Fault, ...]
    amounts: Floats
    """Scaled, one per component of each fault."""
    misfit: float
    """What is left of the gaps on the trial motion, scaled."""
    system: LoopSystem
    """The mechanism with the change made."""
    q: Floats
    """A closed pose of it."""

    @property
    def size(self) -> float:
        """Scaled size of the change."""
        return float(np.linalg.norm(self.amounts))

    @property
    def parts(self) -> Iterator[tuple[Fault, Floats]]:
        """Each fault with its own amounts."""
        return _parts(self.faults, self.amounts)


def find_repairs(
    system: LoopSystem, q: Floats, wanted: Floats, *, together: int = 1
) -> list[Repair]:
    """Changes of one joint each that let a mechanism move as wanted, the smallest first.

    Trial poses are spread over the wanted motion, and the loops closed as well as they get. A
    change explains what is missing if with it all of them close.

    Args:
        system: the loops.
        q: the pose to begin with, closed or as closed as it gets.
        wanted: orthonormal columns of scaled steps that the mechanism should be able to make.
        together: 1, or 2 for tilts of two joints at once.
    """
    search = _Search(system, q, wanted)
    if search.misfit <= SHUT:
        return []
    repairs = [search.fit(faults, weak) for faults, weak in search.promising(together)]
    found = [repair for repair in repairs if repair is not None]
    return sorted(found, key=lambda repair: repair.size)


class _Search:
    """Trial poses and what the faults do there."""

    def __init__(self, system: LoopSystem, q: Floats, wanted: Floats) -> None:
        self.system = system
        self.q = q
        self.effects = FaultEffects(system.model, q)
        # closing must not undo the wanted motion
        self.space = np.linalg.svd(wanted, full_matrices=True)[0][:, wanted.shape[1] :]
        self.poses = self._trial_poses(wanted)
        self.phi = np.concatenate([system.residual(pose) for pose in self.poses])
        self.misfit = float(np.linalg.norm(self.phi)) / len(self.poses) ** 0.5

    def _trial_poses(self, wanted: Floats) -> list[Floats]:
        """Poses on all sides along the wanted motion, closed as well as they get."""
        dof = wanted.shape[1]
        count = min(6 + 2 * dof, _MOST_POSES)
        # mixed by their shadows on the motion: its basis differs from processor to processor
        mixes = np.random.default_rng(0).normal(size=(count, len(wanted))) @ wanted
        poses = []
        for mix, reach in zip(mixes, np.linspace(-_REACH, _REACH, count), strict=True):
            step = wanted @ (mix if dof > 1 else np.ones(1))
            start = self.system.move(self.q, step * reach / np.abs(step).max())
            poses.append(self.system.close(start, self.space, iterations=30)[0])
        return poses

    def promising(self, together: int) -> list[tuple[tuple[Fault, ...], float]]:
        """Faults that by the straight-line forecast explain most, each with its weakest effect."""
        faults = possible_faults(self.system.model, self.system.group)
        if together > 1:
            faults = [fault for fault in faults if fault.change is Change.TILT]
        columns, held = self._columns(self.system, faults, self.poses)
        before = float(np.linalg.norm(self.phi))
        scored: list[tuple[float, int, tuple[Fault, ...], float]] = []
        for chosen in itertools.combinations(range(len(faults)), together):
            of = tuple(faults[i] for i in chosen)
            if len({fault.joint for fault in of}) < together:
                continue
            A = np.hstack([columns[i] for i in chosen])
            left = []
            for weak in _WEAK:
                x, turn = _step(A, held, self.phi, np.zeros(A.shape[1]), weak, _largest(of))
                left.append(float(np.linalg.norm(self.phi + A @ x + held @ turn)) / before)
            # most repairs can do without the directions in which they hardly matter
            weak = _WEAK[0] if left[0] < max(2 * left[1], 0.2) else _WEAK[1]
            scored.append((min(left), len(scored), of, weak))
        scored.sort(key=lambda row: row[:2])
        return [
            row[2:]
            for n, row in enumerate(scored[: _MOST_TRIED[together]])
            if row[0] < (_PROMISING if n else _FIRST_PROMISING)
        ]

    def _columns(
        self, system: LoopSystem, faults: list[Fault], poses: list[Floats]
    ) -> tuple[list[Floats], Floats]:
        """What each fault does to all residuals, as far as closing cannot undo it.

        The second is the same for the rotation in which a link is held, which is not known.
        """
        rows: list[list[Floats]] = []
        for pose in poses:
            Q = np.linalg.qr(system.jacobian(pose) @ self.space)[0]
            held = np.zeros((len(Q), 3 if system.held else 0))
            held[len(Q) - held.shape[1] :] = -np.eye(held.shape[1])
            columns = [*self.effects.columns(system, pose, faults), held]
            every = np.hstack(columns)
            every -= Q @ (Q.T @ every)
            rows.append(np.split(every, np.cumsum([A.shape[1] for A in columns])[:-1], axis=1))
        *stacked, held = (np.vstack(blocks) for blocks in zip(*rows, strict=True))
        return stacked, held

    def fit(self, faults: tuple[Fault, ...], weak: float) -> Repair | None:
        """The amounts of faults with which the loops close in all trial poses, if any do."""
        trial = self.system.variant()
        amounts = np.zeros(sum(len(fault.components) for fault in faults))
        poses = self.poses
        history: list[float] = []
        bounded = False
        for _ in range(_ITERATIONS):
            apply_faults(trial, self.system.model.transforms, _parts(faults, amounts), self.effects)
            poses = [trial.close(pose, self.space, iterations=2)[0] for pose in poses]
            phi = np.concatenate([trial.residual(pose) for pose in poses])
            history.append(float(np.linalg.norm(phi)) / len(poses) ** 0.5)
            if _is_done(history):
                break
            # a step that was cut short takes less of the misfit than the next ones will
            if not bounded and _is_hopeless(history):
                if weak == _WEAK[-1] or history[-1] > 0.1 * self.misfit:
                    return None
                weak, history = _WEAK[-1], []
            if np.linalg.norm(amounts) > _largest(faults):
                return None
            columns, held = self._columns(trial, list(faults), poses)
            step, turn = _step(np.hstack(columns), held, phi, amounts, weak, _LARGEST_STEP)
            bounded = float(np.linalg.norm(step)) > 0.99 * _LARGEST_STEP
            amounts = amounts + step
            if trial.held is not None:
                trial.held = HeldRotation(trial.held.link, trial.held.R_WL @ SO3.exp(turn).matrix)
        if not history or history[-1] > SHUT:
            return None
        return Repair(faults, amounts, history[-1], trial, trial.close(self.q)[0])


def _parts(faults: Iterable[Fault], amounts: Floats) -> Iterator[tuple[Fault, Floats]]:
    """Each fault with its own amounts."""
    first = 0
    for fault in faults:
        last = first + len(fault.components)
        yield fault, amounts[first:last]
        first = last


def _largest(faults: tuple[Fault, ...]) -> float:
    return _LARGEST[faults[0].change]


def _step(
    A: Floats, held: Floats, phi: Floats, amounts: Floats, weak: float, largest: float
) -> tuple[Floats, Floats]:
    """Gauss-Newton step of a fault's amounts and of the held rotation.

    Of all amounts that explain phi as well, the smallest are chosen.
    """
    Q = np.linalg.qr(held)[0]
    U, s, Vt = np.linalg.svd(A - Q @ (Q.T @ A), full_matrices=False)
    strong = s > max(weak * s[0], 1e-12)
    along = U[:, strong].T @ (phi - Q @ (Q.T @ phi))
    x = -Vt[strong].T @ (along / s[strong]) - Vt[~strong].T @ (Vt[~strong] @ amounts)
    x *= min(1.0, largest / (float(np.linalg.norm(x)) + 1e-300))
    turn, _, _, _ = np.linalg.lstsq(held, -(phi + A @ x), rcond=None)
    return x, turn


def _is_done(history: list[float]) -> bool:
    """Whether the loops are closed as well as rounding allows."""
    standing = len(history) > 1 and history[-1] > 0.5 * history[-2]
    return history[-1] < 1e-13 or (history[-1] < SHUT and standing)


def _is_hopeless(history: list[float]) -> bool:
    """Whether the misfit has stopped falling: with the right fault every step takes most of it.

    The first steps towards a large tilt may not: they are cut short, and go round the bend.
    """
    return len(history) > 4 and history[-1] > 0.5 * history[-2]
