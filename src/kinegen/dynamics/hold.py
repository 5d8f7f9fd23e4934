"""Hold: which motions of a mechanism its motors can drive, and which motors drive none.

A motor's lever on a motion is the change of its joint, per unit of the motion and as a share of
what the joint could do without loops: 0 in a rigid part of the mechanism and in a dead centre.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.loops import LoopEquations, loop_equations
from kinegen.errors import AssemblyError, LoadError
from kinegen.kernels import Floats
from kinegen.kinematics.assembly import assemble
from kinegen.mechanism.model import Model

__all__ = ["Hold", "refuse_locked"]

HELD = 1e-6
"""Lever below which a motor has no hold: closing loops in a singular pose leaves about 1e-8."""
LOOK = 0.05
"""How far a mechanism is moved to see whether a joint stays locked [rad, sizes]."""


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """The hold of some motors on the free motion of a mechanism."""

    free: Floats
    """Motions of the tree that keep the loops closed, (freedoms, nv)."""
    driven: npt.NDArray[np.bool_]
    """The motors' places in v, (nv,)."""
    power: Floats
    """Power of the motors' unit efforts along the free motions, (freedoms, motors)."""
    levers: Floats
    """Each motor's on the free motion as a whole, (motors,), at most 1."""
    rank: int
    """How many motions the motors hold."""

    @classmethod
    def of(cls, equations: LoopEquations, driven: npt.NDArray[np.bool_]) -> Hold:
        """The hold of the motors at some places of v."""
        free, to_tree = equations.free_motion, equations.generalized[:, driven]
        alone = np.linalg.norm(equations.scale[:, None] * to_tree, axis=0)
        power = free @ to_tree
        # a motor that nothing moves, loops or not, has no lever either
        levers = power / np.where(alone > 0, alone, 1.0)
        values = np.linalg.svd(levers, compute_uv=False)
        return cls(free, driven, power, np.linalg.norm(levers, axis=0), int(np.sum(values > HELD)))

    @property
    def idle(self) -> npt.NDArray[np.bool_]:
        """Motors that move nothing here, (motors,)."""
        return self.levers <= HELD

    def split(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """U, values, V of the motions that motors hold, those they do not, efforts that move none.

        power = U diag(values) V; the last two by rows.
        """
        U, values, Vt = np.linalg.svd(self.power, full_matrices=True)
        rank = self.rank
        return U[:, :rank], values[:rank], Vt[:rank], U[:, rank:].T @ self.free, Vt[rank:]


def refuse_locked(model: Model, q: Floats, hold: Hold) -> None:
    """Refuse motors whose joints the loops lock, here and nearby.

    Raises:
        LoadError: There are such motors; they are named.
    """
    idle = np.flatnonzero(hold.driven)[hold.idle]
    if not len(idle):
        return
    locked = idle[_still_idle(model, q, hold)[hold.idle]]
    names = [j.name for j in model.joints if any(j.v.start <= i < j.v.stop for i in locked)]
    if names:
        motors = (
            f"motor '{names[0]}' moves"
            if len(names) == 1
            else ("motors " + ", ".join(f"'{name}'" for name in names) + " move")
        )
        raise LoadError(
            f"{motors} nothing in mechanism '{model.name}': the loops lock "
            f"{'its joint' if len(names) == 1 else 'their joints'}, so the effort is not "
            "determined; remove the motor, or name other joints to hold"
        )


def _still_idle(model: Model, q: Floats, hold: Hold) -> npt.NDArray[np.bool_]:
    """Whether motors that move nothing at q move nothing nearby either, (motors,)."""
    idle = hold.idle
    if not model.loops:
        return np.zeros_like(idle)
    rng = np.random.default_rng(1)
    for _ in range(2 if len(hold.free) else 0):
        way = rng.normal(size=len(hold.free))
        moved = np.empty(model.nq)
        model.kernels.integrate(q, LOOK * (way / np.linalg.norm(way)) @ hold.free, moved)
        try:
            there = assemble(model, moved, limits=False).q
        except AssemblyError:
            continue
        idle = idle & Hold.of(loop_equations(model, there), hold.driven).idle
    return idle
