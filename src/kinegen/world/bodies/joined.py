"""JoinedSimulations: what several engines move, in the joint order of one model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kinegen.dynamics.engines.engine import StepReport
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.world.bodies.touching import has_touching, touching

__all__ = ["JoinedSimulations"]


class JoinedSimulations:
    """Several simulations, each with some joints of a model, or one with all of them."""

    def __init__(self, model: Model, simulations: Callable[[], Sequence[Simulation]]) -> None:
        """Find the joints of a model.

        Args:
            model: Whose order of joints and couplings everything here has.
            simulations: What moves them now; the first has all that has no engine of its own.
        """
        self.model = model
        self._simulations = simulations
        owners = [
            {joint.name: (i, k, joint) for k, joint in enumerate(one.model.joints)}
            for i, one in enumerate(simulations())
        ]
        self._joints = [
            (joint, *next(found[joint.name] for found in owners if joint.name in found))
            for joint in model.joints
        ]
        """Each joint; which simulation moves it, its number there, and the same joint there."""

    def owner(self, site: str) -> Simulation:
        """What moves a link, frame or object."""
        first, *others = self._simulations()
        return next((one for one in others if site in one.model.site_names[1:]), first)

    @property
    def report(self) -> StepReport:
        """Of all that moves together."""
        return StepReport.of_all([one.report for one in self._simulations()])

    @property
    def q(self) -> Floats:
        """The configuration, (nq,)."""
        q = np.zeros(self.model.nq)
        simulations = self._simulations()
        for own, i, _, joint in self._joints:
            q[own.q] = simulations[i].last.q[joint.q]
        return q

    @property
    def efforts(self) -> Floats:
        """Efforts of motors and controllers over the last step, (nv,) [N m, N]."""
        given = []
        for one in self._simulations():
            last = None if one.servos is None else one.servos.report
            given.append(one.efforts if last is None else last.efforts)
        return self._by_v(given)

    @property
    def saturated(self) -> Floats:
        """1 where a motor is at its limit, (nv,)."""
        found = []
        for one in self._simulations():
            last = None if one.servos is None else one.servos.report
            found.append(np.zeros(one.model.nv) if last is None else last.saturated.astype(float))
        return self._by_v(found)

    @property
    def velocities(self) -> dict[str, Floats]:
        """By name of the joint or free object [rad/s, m/s]."""
        return {
            joint.name: one.last.v[joint.v].copy()
            for one in self._simulations()
            for joint in one.model.joints
            if joint.v.stop > joint.v.start
        }

    @property
    def object_poses(self) -> dict[str, Floats]:
        """Of objects that move by themselves, wxyz xyz, by name."""
        return {
            name: one.last.q[one.model.joint(name).q].copy()
            for one in self._simulations()
            for name in one.system.object_names
        }

    def contact_forces(self, most: int) -> Floats:
        """Where bodies press on each other, and how hard, (n, 6) [m, N].

        Empty where the engines do not know.

        Args:
            most: Rows at most.
        """
        found = [touching(one) for one in self._simulations() if has_touching(one)]
        rows = [np.hstack([one.points, one.forces]) for one in found]
        return np.concatenate([np.zeros((0, 6)), *rows])[:most]

    def reactions(self) -> Floats:
        """Wrenches in the joints, (joint_count, 6); see :meth:`Engine.reactions`.

        Raises:
            KinegenError: One of the engines does not know them.
        """
        known = [np.asarray(one.engine.reactions()) for one in self._simulations()]
        return np.array([known[i][k] for _, i, k, _ in self._joints]).reshape(-1, 6)

    def coupling_efforts(self) -> Floats:
        """What couplings transmit to their first members [N m, N]; empty if no engine knows."""
        simulations = self._simulations()
        asked = [getattr(one.engine, "coupling_efforts", None) for one in simulations]
        rows = [np.asarray(one()) for one in asked if one is not None]
        found = np.concatenate([np.zeros(0), *rows])
        names = [coupling.name for one in simulations for coupling in one.model.couplings]
        if len(simulations) > 1 and len(names) == len(found):
            found = found[[names.index(coupling.name) for coupling in self.model.couplings]]
        return found

    def _by_v(self, parts: Sequence[Floats]) -> Floats:
        """Numbers of each simulation's v in the order of the model's."""
        made = np.zeros(self.model.nv)
        for own, i, _, joint in self._joints:
            made[own.v] = parts[i][joint.v]
        return made
