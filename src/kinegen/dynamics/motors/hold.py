"""Hold: which motions of a mechanism its motors can drive, and which motors drive none.

A motor's lever on a motion is the change of its joint, per unit of the motion and as a share of
what the joint could do without loops: 0 in a rigid part of the mechanism and in a dead centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.tree.loops import LoopEquations, loop_equations
from kinegen.errors import AssemblyError, LoadError
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.model import Model

__all__ = ["Hold", "refuse_locked"]

NO_LEVER = 1e-6
"""Lever below which a motor moves nothing: closing loops in a singular pose leaves about 1e-8."""
NEAR = 1e-3
"""Levers and singular values of loops below this may be those of a singular pose: poses around are
looked at."""
AROUND = 1e-2
"""How far these are [rad, sizes]."""
UNSURE = 1e-4
"""A pose this near to a singular one [rad, sizes] counts as singular: where a held joint stands at
the end of its way, loops that close to 1e-10 leave other joints free to its root, some 1e-5, and
efforts, which grow as the distance shrinks, would follow from that error."""
MOST = 8
"""Motions along which poses around are looked at."""
LOOK = 0.05
"""How far a mechanism is moved to see whether a joint stays locked [rad, sizes]."""


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """The hold of some motors on the free motion of a mechanism."""

    free: Floats
    """Motions of the tree that keep the loops closed, (dof, nv)."""
    driven: npt.NDArray[np.bool_]
    """The motors' places in v, (nv,)."""
    power: Floats
    """Power of the motors' unit efforts along the free motions, (dof, motors)."""
    levers: Floats
    """Each motor's on each free motion, (dof, motors), at most 1."""
    values: Floats
    """Singular values of the levers, largest first."""
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
        values: Floats = np.linalg.svd(levers, compute_uv=False).astype(np.float64)
        rank = int(np.sum(values > NO_LEVER))
        return cls(free, driven, power, levers, values, rank)

    @classmethod
    def at(
        cls, model: Model, q: Floats, equations: LoopEquations, driven: npt.NDArray[np.bool_]
    ) -> Hold:
        """The hold in a pose that is as exact as loops are closed: next to a singular one, its."""
        hold = cls.of(equations, driven)
        if not model.constraint_count:
            return hold
        value, motion = equations.weakest
        if value < NEAR:
            around = _around(model, q, np.vstack([motion, hold.free]))
            if _is_unsure(value, [there.weakest[0] for there in around]):
                equations = replace(equations, tolerance=2 * value)
                hold = cls.of(equations, driven)
        while hold.rank and hold.values[hold.rank - 1] < NEAR:
            around = _around(model, q, hold.free)
            others = [cls.of(there, driven).values for there in around]
            weakest = hold.values[hold.rank - 1]
            if not _is_unsure(weakest, [o[hold.rank - 1] for o in others if len(o) >= hold.rank]):
                break
            hold = replace(hold, rank=hold.rank - 1)
        return hold

    @property
    def idle(self) -> npt.NDArray[np.bool_]:
        """Motors that move nothing here, (motors,)."""
        U = np.linalg.svd(self.levers)[0][:, : self.rank]
        return np.asarray(np.linalg.norm(U.T @ self.levers, axis=0) <= NO_LEVER)

    def split(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """U, values, V of the motions that motors hold, those they do not, efforts that move none.

        power = U diag(values) V; the last two by rows.
        """
        U, values, Vt = np.linalg.svd(self.power, full_matrices=True)
        rank = self.rank
        return U[:, :rank], values[:rank], Vt[:rank], U[:, rank:].T @ self.free, Vt[rank:]


def _around(model: Model, q: Floats, motions: Floats) -> list[LoopEquations]:
    """The loops' equations in closed poses a little way off, along motions [scaled] and back."""
    found = []
    for motion in motions[:MOST]:
        for sign in (AROUND, -AROUND):
            moved = np.empty(model.nq)
            model.kernels.integrate(q, sign * motion, moved)
            there, _ = close(model, moved)
            if is_closed(model, there):
                found.append(loop_equations(model, there))
    return found


def _is_unsure(value: float, around: Sequence[float]) -> bool:
    """Whether a value that is 0 in a singular pose is that of a pose next to one.

    It grows in proportion to the distance: how large it is a little way off says how far that is.
    """
    return value * AROUND < UNSURE * max(around, default=0.0)


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
    if not model.constraint_count:
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
