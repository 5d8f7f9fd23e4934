"""Askew axes: how a mechanism moves whose axes are all slightly wrong, as those of real parts."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.diagnosis.faults import (
    Fault,
    FaultEffects,
    Place,
    apply_faults,
    possible_faults,
)
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.kinematics.mobility.free_motion import finite_mobility, free_motion
from kinegen.kinematics.mobility.visible_motion import seen_motions

__all__ = ["askew_mobility"]

_SLIGHT = 0.02
"""How far axes are tilted and moved [rad, share of the mechanism's size]: about 1°, far above what
counts as rounding and far below what would make another mechanism of it."""
_SEEDS = 3


def askew_mobility(system: LoopSystem, q: Floats) -> int:
    """Degrees of freedom that last when every axis is slightly tilted and moved, idle ones apart.

    Links stay where they are at q, so that the loops remain closed there. Of a few random tries the
    largest count is kept.
    """
    faults = [
        fault for fault in possible_faults(system.model, system.group) if fault.place is Place.AXIS
    ]
    effects = FaultEffects(system.model, q)
    return max(_tried(system, q, faults, effects, seed) for seed in range(_SEEDS))


def _tried(
    system: LoopSystem, q: Floats, faults: list[Fault], effects: FaultEffects, seed: int
) -> int:
    rng = np.random.default_rng(seed)
    trial = system.variant()
    amounts = [_SLIGHT * rng.normal(size=len(fault.components)) for fault in faults]
    apply_faults(trial, system.model.transforms, zip(faults, amounts, strict=True), effects)
    motion = free_motion(trial, q)
    seen = seen_motions(trial.model, q, trial.velocities(motion.basis))
    return finite_mobility(trial, q, motion) - (motion.count - seen)
