"""Start repairs: tilts of one joint with which the loops close in the very pose that a file states.

The starts of a file are those of the mechanism as it was meant. A joint that was placed askew
afterwards leaves its loops open there by many numbers, and the three of its own tilt close them
all. That is hardly ever a coincidence, so it holds for tilts of any size: other searches follow the
mechanism to poses where it closes in spite of its fault, and lose sight of large ones.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.joint_types import JointType
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.diagnosis.fault_search import Repair
from kinegen.kinematics.diagnosis.faults import (
    Change,
    Fault,
    FaultEffects,
    Place,
    apply_fault,
    tilt_components,
)
from kinegen.kinematics.loop_system import LoopSystem

__all__ = ["start_repairs"]

_TURNS = (3, 4, 5)
_LARGEST = math.radians(75)
"""A tilt beyond is rather another way to set up the same joint: most right angles have two."""
_LARGEST_STEP = 0.6
_ITERATIONS = 25
_ROUNDED = 1e-5
"""Starts are written with few digits: gaps below this [rad, sizes] are theirs."""
_NO_TILT = 1e-4
"""Smaller changes [rad] put nothing right that could be seen."""


def start_repairs(system: LoopSystem, q: Floats) -> list[Repair]:
    """Tilts of one joint each that close the loops at q, the smallest first.

    Cut joints whose start is not stated may move while they are closed, all others stay.
    """
    if float(np.linalg.norm(system.residual(q))) < 10 * _ROUNDED:
        return []
    model = system.model
    effects = FaultEffects(model, q)
    follow = {
        i
        for joint in model.joints
        if joint.is_cut and not joint.has_start
        for i in range(joint.v.start, joint.v.stop)
    }
    moving = np.array([int(i) in follow for i in system.variables], dtype=bool)
    found = []
    for index in system.group.joints:
        joint = model.joints[index]
        if joint.type in {JointType.SPHERICAL, JointType.FREE}:
            continue
        for place in (Place.PLACEMENT, Place.LANDING) if joint.is_cut else (Place.PLACEMENT,):
            # a turn about its own axis, which its start may make up for, only where it takes one
            for components in dict.fromkeys((tilt_components(joint.type, place), _TURNS)):
                fault = Fault(index, place, Change.TILT, components)
                repair = _fitted(system, q, fault, effects, moving)
                if repair is not None:
                    found.append(repair)
                    break
    return sorted(found, key=lambda repair: repair.size)


def _fitted(
    system: LoopSystem, q: Floats, fault: Fault, effects: FaultEffects, moving: np.ndarray
) -> Repair | None:
    """The tilt of a joint that closes the loops at q, if one does."""
    trial, here = system.variant(), q
    amounts = np.zeros(len(fault.components))
    whole = Fault(fault.joint, fault.place, fault.change, _TURNS)
    chosen = [i - _TURNS[0] for i in fault.components]
    gaps: list[float] = []
    for _ in range(_ITERATIONS):
        apply_fault(trial, system.model.transforms, fault, amounts, effects.Xs_FM[fault.joint])
        phi = trial.residual(here)
        gaps.append(float(np.linalg.norm(phi)))
        stands = len(gaps) > 1 and gaps[-1] > 0.5 * gaps[-2]
        hopeless = len(gaps) > 8 and gaps[-1] > 0.7 * gaps[-4]
        if gaps[-1] < 1e-13 or (gaps[-1] < SHUT and stands) or hopeless:
            break
        turn = np.zeros(3)
        turn[chosen] = amounts
        (columns,) = effects.columns(trial, here, [whole])
        A = np.hstack(
            [(columns @ _right_jacobian(turn))[:, chosen], trial.jacobian(here)[:, moving]]
        )
        step = -np.linalg.lstsq(A, phi, rcond=1e-9)[0]
        step *= min(1.0, _LARGEST_STEP / (float(np.linalg.norm(step)) + 1e-300))
        amounts = amounts + step[: len(chosen)]
        way = np.zeros(len(system.variables))
        way[moving] = step[len(chosen) :]
        here = trial.move(here, way)
    size = float(np.linalg.norm(amounts))
    if gaps[-1] > min(_ROUNDED, 1e-2 * gaps[0]) or not _NO_TILT < size < _LARGEST:
        return None
    return Repair((fault,), amounts, gaps[-1], trial, trial.close(here)[0])


def _right_jacobian(w: Floats) -> Floats:
    """From changes of a rotation vector to turns in the frame that it turned, (3, 3)."""
    angle = float(np.linalg.norm(w))
    W = np.cross(w, np.eye(3))  # W @ a is a × w
    if angle < 1e-6:
        return np.asarray(np.eye(3) + W / 2)
    first = (1 - math.cos(angle)) / angle**2
    second = (angle - math.sin(angle)) / angle**3
    return np.asarray(np.eye(3) + first * W + second * W @ W)
