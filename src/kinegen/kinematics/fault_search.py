"""Fault search: which single wrong placement keeps a mechanism from moving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.faults import (
    Change,
    Fault,
    FaultEffects,
    apply_fault,
    possible_faults,
)
from kinegen.kinematics.loop_system import CLOSED, HeldRotation, LoopSystem

__all__ = ["Repair", "find_repairs"]

_REACH = 0.3
"""Largest scaled step of a trial motion: enough to tell a motion that lasts from one that does
not."""
_LARGEST = {Change.TILT: 0.35, Change.SHIFT: 0.3}
"""Repairs beyond 20° or a third of the mechanism's size would make another mechanism of it."""
_PROMISING = 0.6
"""A repair that leaves more than this share of the misfit by the straight-line forecast is not
tried."""
_MOST_TRIED = 16
_ITERATIONS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """A change of one joint that lets the wanted motion happen."""

    fault: Fault
    amounts: Floats
    """Scaled, one per component."""
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


def find_repairs(system: LoopSystem, q: Floats, wanted: Floats) -> list[Repair]:
    """Changes of one joint each that let a mechanism move as wanted, the smallest first.

    Trial poses are spread over the wanted motion, and the loops closed as well as they get. A
    change explains what is missing if with it all of them close.

    Args:
        system: the loops.
        q: the pose to begin with, closed or as closed as it gets.
        wanted: orthonormal columns of scaled steps that the mechanism should be able to make.
    """
    space = np.linalg.svd(wanted, full_matrices=True)[0][:, wanted.shape[1] :]
    poses = _trial_poses(system, q, wanted, space)
    phi = np.concatenate([system.residual(pose) for pose in poses])
    misfit = float(np.linalg.norm(phi)) / len(poses) ** 0.5
    if misfit <= CLOSED:
        return []
    effects = FaultEffects(system.model, q)
    faults = possible_faults(system.model)
    promising = _screen(system, effects, faults, poses, space, phi)
    repairs = [_fit(system, effects, fault, q, poses, space) for fault in promising]
    found = [repair for repair in repairs if repair is not None]
    return sorted(found, key=lambda repair: repair.size)


def _trial_poses(system: LoopSystem, q: Floats, wanted: Floats, space: Floats) -> list[Floats]:
    rng = np.random.default_rng(0)
    count = 6 + 2 * wanted.shape[1]
    mixes = rng.normal(size=(count, wanted.shape[1]))
    poses = []
    for mix, reach in zip(mixes, np.linspace(-1, 1, count), strict=True):
        step = wanted @ np.abs(mix) if wanted.shape[1] == 1 else wanted @ mix
        step *= _REACH * reach / np.abs(step).max()
        poses.append(system.close(system.move(q, step), space, iterations=30)[0])
    return poses


def _screen(
    system: LoopSystem,
    effects: FaultEffects,
    faults: list[Fault],
    poses: list[Floats],
    space: Floats,
    phi: Floats,
) -> list[Fault]:
    """The faults that by the straight-line forecast explain most, best first."""
    rows: list[list[Floats]] = []
    for pose in poses:
        Q = np.linalg.qr(system.jacobian(pose) @ space)[0]
        columns = effects.all_columns(system, pose, faults)
        rows.append([A - Q @ (Q.T @ A) for A in columns])
    turned = _turned(system, poses)
    scores = []
    for n in range(len(faults)):
        A = np.hstack([np.vstack([row[n] for row in rows]), turned])
        x = _bounded(A, phi, _LARGEST[faults[n].change])
        scores.append(float(np.linalg.norm(phi + A @ x) / np.linalg.norm(phi)))
    order = np.argsort(scores, kind="stable")
    return [faults[n] for n in order[:_MOST_TRIED] if scores[n] < _PROMISING]


def _turned(system: LoopSystem, poses: list[Floats]) -> Floats:
    """Columns for the unknown rotation in which a held link stays, none when none is held."""
    if system.held is None:
        return np.zeros((sum(len(system.residual(pose)) for pose in poses), 0))
    block = np.zeros((6 * len(system.model.loops) + 3, 3))
    block[-3:] = -np.eye(3)
    return np.vstack([block] * len(poses))


def _bounded(A: Floats, phi: Floats, largest: float) -> Floats:
    """Least squares step, damped until it is no longer than allowed."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    along = U.T @ phi
    damping = (1e-9 * s[0]) ** 2
    while True:
        x = np.asarray(-Vt.T @ (s / (s**2 + damping + 1e-300) * along))
        if np.linalg.norm(x) <= largest:
            return x
        damping = max(damping * 4, 1e-6 * s[0] ** 2)


def _fit(
    system: LoopSystem,
    effects: FaultEffects,
    fault: Fault,
    q: Floats,
    poses: list[Floats],
    space: Floats,
) -> Repair | None:
    """The amounts of a fault with which the loops close in all trial poses, if there are any."""
    trial = system.variant()
    before = system.model.transforms
    X_FM = effects.Xs_FM[fault.joint]
    amounts = np.zeros(len(fault.components))
    history: list[float] = []
    for _ in range(_ITERATIONS):
        apply_fault(trial, before, fault, amounts, X_FM)
        poses = [trial.close(pose, space, iterations=2)[0] for pose in poses]
        phi = np.concatenate([trial.residual(pose) for pose in poses])
        history.append(float(np.linalg.norm(phi)) / len(poses) ** 0.5)
        if _is_done(history):
            break
        if _is_hopeless(history) or np.linalg.norm(amounts) > _LARGEST[fault.change]:
            return None
        rows = []
        for pose in poses:
            Q = np.linalg.qr(trial.jacobian(pose) @ space)[0]
            A = effects.columns(trial, pose, fault)
            rows.append(A - Q @ (Q.T @ A))
        step = _bounded(np.hstack([np.vstack(rows), _turned(trial, poses)]), phi, 0.2)
        amounts = amounts + step[: len(amounts)]
        if trial.held is not None:
            R_WL = trial.held.R_WL.plus(step[len(amounts) :])
            trial.held = HeldRotation(trial.held.link, R_WL)
    misfit = history[-1]
    if misfit > CLOSED:
        return None
    return Repair(fault, amounts, misfit, trial, trial.close(q)[0])


def _is_done(history: list[float]) -> bool:
    """Whether the loops are closed as well as rounding allows."""
    return history[-1] < 1e-13 or (history[-1] < CLOSED and history[-1] > 0.5 * history[-2])


def _is_hopeless(history: list[float]) -> bool:
    """Whether the misfit has stopped falling: with the right fault every step takes most of it."""
    return len(history) > 3 and history[-1] > 0.5 * history[-3]
