"""Motor torques for motions and motions for torques, of trees and of mechanisms with loops.

Motions that keep the loops closed are a0 + Nᵀ z; along them N (H vdot + bias) = N G tau, where G
brings efforts at cut joints to the tree.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.motors.hold import Hold
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.loops import loop_equations
from kinegen.dynamics.tree.motion_equations import (
    bias,
    inverse_dynamics,
    mass_matrix,
    passive_forces,
)
from kinegen.kernels import Floats

__all__ = ["MotionTorques"]


class MotionTorques:
    """The equations of motion of one mechanism, solved for its motors."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.model = system.model

    def for_motion(
        self,
        q: Floats,
        v: Floats,
        vdot: Floats,
        which: npt.NDArray[np.bool_],
        efforts: Floats,
    ) -> Floats:
        """Efforts with those of some motors replaced by what gives them accelerations vdot.

        Motors that are too many share the load with the least sum of squares. A motor that has no
        hold here, in a dead centre, gives nothing.

        Args:
            q: Closed configuration.
            v: Velocity.
            vdot: Wanted accelerations (nv,), of the motors in ``which``.
            which: Motors to compute, (nv,).
            efforts: Of the other motors, (nv,).
        """
        model = self.model
        if not model.constraint_count and which.all():
            pull = self._pull(q, v)
            return inverse_dynamics(model, q, v, vdot, wrenches=pull) - passive_forces(model, q, v)
        H, rest, N, G, a0, hold = self._equations(q, v, which)
        known = np.where(which, 0.0, efforts)
        # motions that the motors hold: power = U diag(values) V; of others, nothing can be asked
        U, values, V, _, _ = hold.split()
        mass = N @ H @ N.T
        # z = M⁻¹ (r + power efforts), and the motors' joints accelerate by powerᵀ z
        r = N @ (G @ known + rest - H @ a0)
        wanted = V @ (vdot[which] - (G.T @ a0)[which]) / values
        inverse = np.linalg.solve(mass, np.column_stack([U, r]))
        found = np.linalg.solve(U.T @ inverse[:, :-1], wanted - U.T @ inverse[:, -1])
        out = known
        out[which] = V.T @ (found / values)
        return out

    def motion_for(self, q: Floats, v: Floats, efforts: Floats, stiffening: Floats) -> Floats:
        """Accelerations (nv,) under efforts less ``stiffening`` times the accelerations."""
        if not self.model.constraint_count:
            S = mass_matrix(self.model, q)
            S.flat[:: len(S) + 1] += stiffening
            asked = bias(self.model, q, v, wrenches=self._pull(q, v))
            rest = passive_forces(self.model, q, v) - asked
            return np.asarray(np.linalg.solve(S, efforts + rest))
        H, rest, N, G, a0, _ = self._equations(q, v, np.zeros(self.model.nv, dtype=bool))
        S = H + G @ (stiffening[:, None] * G.T)
        z = np.linalg.solve(N @ S @ N.T, N @ (G @ efforts + rest - S @ a0))
        return np.asarray(G.T @ (a0 + N.T @ z))

    def _pull(self, q: Floats, v: Floats) -> Floats | None:
        """What springs between points do to the links."""
        return self.system.springs.wrenches_at(self.model, q, v)

    def _equations(
        self, q: Floats, v: Floats, which: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats, Floats, Floats, Floats, Hold]:
        """H, all efforts but the motors' (tree), N, G, a motion a0 that the loops ask for, hold."""
        model = self.model
        equations = loop_equations(model, q, v)
        G, a0 = equations.generalized, np.zeros(model.nv)
        passive = G @ passive_forces(model, q, v)
        asked = bias(model, q, v, wrenches=self._pull(q, v))
        if model.constraint_count:
            a0 = np.linalg.lstsq(equations.J, equations.targets, rcond=1e-9)[0].astype(np.float64)
        hold = Hold.at(model, q, equations, which)
        return mass_matrix(model, q), passive - asked, hold.free, G, a0, hold
