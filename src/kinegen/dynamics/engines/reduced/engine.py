"""The engine reduced: coordinates of the tree, loops closed exactly after every step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kinegen.dynamics.contact.contacts import MARGIN, Collisions, Contacts
from kinegen.dynamics.engines.engine import MOST_STEPS, Loads, StepReport
from kinegen.dynamics.simulation.springs import Springs
from kinegen.dynamics.simulation.starts import closed_start
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.loops import bind_reduced, least_forces
from kinegen.errors import AssemblyError, NumberError, UsageError, whole_number
from kinegen.kernels import BoundReduced, Floats, Integrator, ReducedReport, RunStatus, ServoState
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.configurations import Configuration, Velocity
from kinegen.mechanism.model import Model

__all__ = ["INTEGRATORS", "ReducedEngine"]

INTEGRATORS = {
    "rk4": Integrator.RK4,
    "semi-implicit": Integrator.SEMI_IMPLICIT,
    "implicit": Integrator.IMPLICIT,
    "adaptive": Integrator.ADAPTIVE,
}
"""Ways to make a step, by name."""
REFINE = {
    Integrator.RK4: 1e-8,
    Integrator.SEMI_IMPLICIT: 1e-5,
    Integrator.IMPLICIT: 1e-4,
    Integrator.ADAPTIVE: math.inf,
}
"""Opening of the loops by a step, against the mechanism's size, at which it is made in halves: far
above what the method errs by in calm motion, far below what would show."""
STIFF = 1.0
"""h c / m or h² k / m of a spring beyond which explicit steps are not trusted: at 2.8 they fail."""


class ReducedEngine:
    """Moves the tree of a mechanism under masses and loop forces, and closes its loops each step.

    Loops are closed to rounding in place and speed. Rank decides which of their equations count, so
    over-constrained linkages and singular places are no special cases.
    """

    name = "reduced"
    title = "Reduced"
    note = "Joint angles; loops closed exactly."
    touches = True
    drives_servos = True

    def __init__(
        self,
        system: System,
        step: float,
        *,
        integrator: str = "auto",
        tolerance: float = 1e-9,
        stops: bool = True,
        friction: bool = True,
        restitution: float = 0.0,
        refine: float | None = None,
    ) -> None:
        """Set up a system at its start.

        Args:
            system: The system.
            step: [s]
            integrator: 'rk4' (order 4), 'semi-implicit' (order 2, half the work), 'implicit'
                (order 2, for stiff springs and dampers), 'adaptive' (to a tolerance), or 'auto':
                rk4, or implicit where a spring or damper is stiff for the step; semi-implicit in
                calm steps that begin with bodies pressing on each other.
            tolerance: Error per step of the adaptive one, of speeds against 1 + their size.
            stops: Whether joints stop at their limits.
            friction: Whether dry friction counts.
            restitution: Of the stops: 0 inelastic, 1 elastic.
            refine: Opening of the loops by a step, as a share of the mechanism's size, at which
                the step is repeated in halves; None: what suits the integrator. Loops are closed
                after every step all the same.
        """
        if integrator != "auto" and integrator not in INTEGRATORS:
            raise UsageError(
                f"integrator '{integrator}' is unknown; integrators: auto, "
                + ", ".join(INTEGRATORS)
            )
        if not 0 <= restitution <= 1:
            raise UsageError(f"the restitution of stops must be from 0 to 1, got {restitution!r}")
        if not 0 < tolerance < math.inf:
            raise UsageError(f"the tolerance must be positive, got {tolerance!r}")
        if refine is not None and not 0 < refine < math.inf:
            raise UsageError(f"refine must be positive, got {refine!r}")
        self._refine = refine
        self._lock = Turn()
        self.system = system
        self.model: Model = system.model
        self.step = step
        self._asked = integrator
        self._options = tolerance, stops, friction, restitution
        self._still = np.zeros(self.model.nv)
        self._kernel = bind_reduced(self.model, system.springs)
        self.collisions = Collisions(system, step=step) if system.contacts.enabled else None
        self._let_touch()
        self.integrator = ""
        """The one that makes the steps."""
        self.last: ReducedReport
        """The kernel's own report of the last advance."""
        self._loads: Loads | None = None
        self._time = 0.0
        self.reset(None, system.start_v if system.start_v.any() else None)

    def __getstate__(self) -> dict[str, Any]:
        """All but the kernel, and what that is at."""
        with self._lock:
            return {**vars(self), "_kernel": self._kernel.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._kernel = bind_reduced(self.model, self.system.springs)
        self._let_touch()
        self._choose(INTEGRATORS[self.integrator])
        self._ease()
        self._kernel.resume(*state["_kernel"])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know of the set-up."""
        return () if self.collisions is None else self.collisions.mounted

    @property
    def kernel(self) -> BoundReduced:
        """What makes the steps."""
        return self._kernel

    @property
    def contacts(self) -> Contacts | None:
        """Where bodies touched or nearly did at the end of the last step; None: they cannot."""
        if self.collisions is None:
            return None
        return self.collisions.described(self._kernel.contacts[:4])

    @property
    def impulses(self) -> Floats:
        """What contacts did to links b over the last step, world axes, (n, 3) [N s]."""
        return self._kernel.contacts[4][:, :3]

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._time

    @property
    def q(self) -> Floats:
        """Configuration (nq,), loops closed."""
        return self._kernel.q

    @property
    def v(self) -> Floats:
        """Velocity (nv,), cut joints included."""
        return self._kernel.v

    @in_turn
    def reset(self, q: Configuration = None, v: Velocity | None = None, time: float = 0.0) -> None:
        """Start from q and v: closes the loops and projects v; AssemblyError if that fails."""
        _ = self.model.inertia
        closed, speed = closed_start(self.model, q, v)
        if self.collisions is not None:
            closed = self.collisions.lifted(closed)
        self._kernel.set_springs(_numbers(self.system.springs))
        self._choose(Integrator.RK4)
        is_closed, gap, angle = self._kernel.start(closed, speed, time)
        if not is_closed:
            raise AssemblyError(
                f"the loops of mechanism '{self.model.name}' stay open by {gap * 1000:.3g} mm and "
                f"{math.degrees(angle):.3g} deg at this start",
                gap=gap,
            )
        name = self._asked
        if name == "auto":
            name = "implicit" if self._kernel.stiffness() > STIFF else "rk4"
        self.integrator = name
        self._choose(INTEGRATORS[name])
        self._ease()
        self._time = time
        self._loads = None
        self.advance(None, 0)

    @in_turn
    def begin(self, q: Floats, v: Floats) -> None:
        """Start from a closed configuration again, at time 0.

        Faster than :meth:`reset`: nothing is searched for, and the way to make steps stays.
        """
        _ = self.model.inertia
        self._kernel.start(q, v, 0.0)
        self._time, self._loads = 0.0, None

    @in_turn
    def advance(self, loads: Loads | None = None, steps: int = 1) -> StepReport:
        """Run steps under constant loads (None: no loads); with steps = 0, only report."""
        steps = whole_number(steps, "steps", 0, MOST_STEPS)
        if loads is not None and steps > 0:
            self._loads = loads
        elif steps > 0:
            self._loads = None
        _ = self.model.inertia
        tau, wrenches = self._forces(loads)
        servos = None if loads is None else loads.servos
        last = ReducedReport(*self._kernel.run(steps, tau, wrenches, servos))
        if last.status == RunStatus.MASSLESS:
            owner = next(j for j in self.model.joints if last.culprit < j.v.stop)
            raise NumberError(
                f"joint '{owner.name}' of mechanism '{self.model.name}' has no mass to move: "
                "specify "
                "the mass and inertia of its link, or its shape, or the rotor inertia of its motor"
            )
        self.last = last
        self._time = last.time
        if last.status == RunStatus.OPEN:
            raise AssemblyError(
                f"the loops of mechanism '{self.model.name}' opened by {last.gap * 1000:.3g} mm at "
                f"{last.time:g} s and cannot be closed: the step of {self.step:g} s is too large",
                gap=last.gap,
            )
        if last.status == RunStatus.SMALL:
            raise UsageError(
                f"adaptive steps became too short at {last.time:g} s: the motion is not smooth "
                "there, or the tolerance is smaller than rounding errors"
            )
        return StepReport(
            last.time,
            last.gap,
            last.angle_gap,
            last.velocity_gap,
            last.kinetic,
            last.potential,
            last.work,
            last.stops,
            last.closings,
        )

    @in_turn
    def accelerations(self, loads: Loads | None = None) -> Floats:
        """Accelerations of the tree's joints in the present state under loads, (nv,)."""
        return self._kernel.accelerations(*self._forces(loads))[0]

    @in_turn
    def reactions(self) -> Floats:
        """Wrenches that parents exert on children through the joints, (joint_count, 6).

        Force [N] and moment about the joint's frame F [N m], world axes, under the loads of the
        last advance and what stops, dry friction and contacts gave in its last step. Of an
        over-constrained loop, the smallest of those that are possible.
        """
        vdot, forces, tau, wrenches = self._loop_forces()
        rows = self._kernel.reactions(self.q, self.v, vdot, forces, tau, wrenches)
        return rows[: len(self.model.joints)]

    @in_turn
    def coupling_efforts(self) -> Floats:
        """What each coupling transmits as :meth:`reactions` are, (coupling_count,) [N m, N]."""
        if not self.model.couplings:
            return np.zeros(0)
        forces, loop = self._loop_forces()[1], self._kernel.rows(self.q)[3]
        return np.array([forces[loop == one.loop].sum() for one in self.model.couplings])

    def _loop_forces(self) -> tuple[Floats, Floats, Floats, Floats | None]:
        """Accelerations, the smallest forces of the loops' rows, efforts and wrenches."""
        tau, wrenches = self._forces(self._loads)
        tau = tau + self._kernel.held
        if self._loads is not None and self._loads.servos is not None:
            tau += self._loads.servos.state[ServoState.EFFORT]
        pushed = self._contact_wrenches()
        if pushed is not None:
            wrenches = pushed if wrenches is None else wrenches + pushed
        vdot, forces = self._kernel.accelerations(tau, wrenches)
        J = self._kernel.rows(self.q)[0]
        return vdot, least_forces(J, J.T @ forces), tau, wrenches

    def _contact_wrenches(self) -> Floats | None:
        """Mean wrenches of contacts on the links over the last step, (link_count, 6)."""
        found = self.contacts
        if found is None or not len(found):
            return None
        X = np.empty((self.model.link_count, 12))
        self.model.kernels.forward_links(self.q, X)
        out, mean = np.zeros((self.model.link_count, 6)), self._kernel.contacts[4] / self.step
        for links, push in ((found.link_a, -mean), (found.link_b, mean)):
            moments = np.cross(found.points - X[links, 9:], push[:, :3]) + push[:, 3:]
            np.add.at(out, links, np.hstack([push[:, :3], moments]))
        out[0] = 0.0
        return out

    def _ease(self) -> None:
        """Where nobody chose the steps, contacts, which are of second order, take such ones."""
        eases = self._asked == "auto" and self.integrator == "rk4"
        self._kernel.ease(eases, REFINE[Integrator.SEMI_IMPLICIT] * self.model.size)

    def _let_touch(self) -> None:
        """Give the kernel what touches, if anything does."""
        if self.collisions is not None:
            self._kernel.touch(self.collisions.arrays, self.collisions.reach, MARGIN)

    def _forces(self, loads: Loads | None) -> tuple[Floats, Floats | None]:
        """Efforts and wrenches per link as the kernels take them."""
        if loads is None:
            return self._still, None
        wrenches = loads.per_link(self.model.link_count) if len(loads.links) else None
        return np.ascontiguousarray(loads.efforts, dtype=np.float64), wrenches

    def _choose(self, integrator: Integrator) -> None:
        share = REFINE[integrator] if self._refine is None else self._refine
        self._kernel.set(int(integrator), self.step, *self._options, share * self.model.size)


def _numbers(springs: Springs) -> Floats:
    """Stiffness, damping and rest length, (3, n)."""
    return np.ascontiguousarray(np.stack([springs.stiffness, springs.damping, springs.rest]))
