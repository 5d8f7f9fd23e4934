"""The engine mujoco: the same mechanism in MuJoCo, loops as stiff equations, contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.engines.engine import MOST_STEPS, Loads, StepReport
from kinegen.dynamics.engines.mujoco.bounces import Bounces
from kinegen.dynamics.engines.mujoco.cams import Cams
from kinegen.dynamics.engines.mujoco.geoms import pass_through
from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco, mujoco_model
from kinegen.dynamics.simulation.starts import closed_start, velocity_gap
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError, UsageError, whole_number
from kinegen.kernels import Floats, Ints
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.configurations import Configuration, Velocity
from kinegen.mechanism.model import Model

__all__ = ["MujocoEngine"]

_State = tuple[Floats, Floats, Floats]
"""Positions, velocities, and accelerations to begin with."""

STIFF = 1.0
"""h c / m or h² k / m beyond which explicit steps are not trusted: at 2.8 they fail."""
SUDDEN, FLOOR = 4.0, 1e-4
"""A loop is torn when it must be drawn together by so many times the acceleration of the last step,
and by so much [m/s²]."""
AROUND = (2, 5, 12)
"""How many steps go around a pose that tears a loop, from a step before to a step behind."""


class MujocoEngine:
    """MuJoCo behind the engines' protocol.

    Loops are held by stiff equations: their gap is not zero but shrinks with the step. Steps of RK4
    that a singular pose leads astray are repeated. Dry friction is what it is at a step's start.
    """

    name = "mujoco"
    title = "MuJoCo"
    note = "For many contacts; its loops are slightly soft."
    touches = True

    def __init__(
        self, system: System, step: float, *, integrator: str = "", stops: bool = True
    ) -> None:
        """Compile a system.

        Args:
            system: The system.
            step: [s]
            integrator: 'rk4', 'implicitfast', 'implicit' or 'euler'; when not given, 'rk4', or
                'implicitfast' where bodies touch or springs and dampers are stiff for the step.
            stops: Whether joints stop at their limits.
        """
        self._lock = Turn()
        self.model: Model = system.model
        self.step = step
        self.system = system
        self._mj = import_mujoco()
        self.collisions = Collisions(system, step=step) if system.contacts.enabled else None
        part = system.model.blocks.real_part
        brakes = any(np.any(part(key)) for key in ("viscous", "spring_damping"))
        brakes = brakes or bool(np.any(system.springs.damping))
        first = integrator or ("implicitfast" if system.contacts.enabled else "rk4")
        self._compile(first, stops)
        self.remarks: tuple[str, ...] = ()
        """What a user should know of the set-up."""
        self._sticks = bool(np.any(part("breakaway") > part("coulomb")))
        self._rubs = self._sticks or bool(np.any(part("coulomb")))
        self._is_lossless = not (brakes or self._rubs or system.contacts.enabled)
        self._brakes = brakes
        self._bounces = Bounces.where_needed(self.collisions, step)
        limited = np.isfinite(system.model.lower) | np.isfinite(system.model.upper)
        self._is_lossless = self._is_lossless and not (stops and limited.any())
        self._start = self._smooth = self._taken = self._tear = 0.0
        self._before: _State | None = None
        self._count = 0
        self.reset(None, system.start_v)
        if not integrator and first == "rk4" and self._stiffness() > STIFF:
            self._compile("implicitfast", stops)
            self.reset(None, system.start_v)

    def __getstate__(self) -> dict[str, Any]:
        """All but the module."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_mj"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._mj = import_mujoco()

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._start + self._count * self.step

    @property
    def q(self) -> Floats:
        """Configuration (nq,)."""
        return np.asarray(self._data.qpos[self._twin.qpos])

    @property
    def v(self) -> Floats:
        """Velocity (nv,)."""
        return self._ours(self._data.qvel)

    @in_turn
    def reset(self, q: Configuration = None, v: Velocity | None = None, time: float = 0.0) -> None:
        """Start from q and v, loops closed."""
        closed, speed = closed_start(self.model, q, v)
        self._mj.mj_resetData(self._twin.model, self._data)
        if self.collisions is not None:
            closed = self._stand(self.collisions, closed)
        self._place(closed, speed)
        if self._bounces is not None:
            self._bounces.forget()
        self._start, self._count, self._smooth, self._taken = float(time), 0, 0.0, 0.0
        self._tear = 0.0
        self._before = None

    @in_turn
    def advance(self, loads: Loads | None = None, steps: int = 1) -> StepReport:
        """Run steps under constant loads."""
        steps = whole_number(steps, "steps", 0, MOST_STEPS)
        # MuJoCo would write its warnings into a file; the report says the same
        before = self._mj.get_mju_user_warning()
        self._mj.set_mju_user_warning(_silent)
        try:
            self._steps(loads, steps)
            self._count += steps
            return self._report()
        finally:
            self._mj.set_mju_user_warning(before)

    def _steps(self, loads: Loads | None, steps: int) -> None:
        """Steps, and the work done in them by trapezoids of the power.

        What stops and contacts take does not follow from their forces, which last a step or two: it
        is what the energy lacks after such a step. They may give back what they took, never more.
        """
        mj, twin, data = self._mj, self._twin, self._data
        data.qfrc_applied[:] = 0
        data.xfrc_applied[:] = 0
        if self._is_plain(loads):
            self._plain_steps(loads, steps)
            return
        if loads is None and self._is_lossless:
            if self._may_tear or self._cams:
                for _ in range(steps):
                    self._step()
            elif steps:
                mj.mj_step(twin.model, data, steps)
            return
        before: tuple[float, float, bool] | None = None
        for _ in range(steps):
            if self._bounce():
                before = None
            self._load(loads)
            if self._sticks:
                self._set_friction()
            before = before or self._power(loads)
            self._step()
            after = self._power(loads)
            smooth = 0.5 * self.step * (before[0] + after[0])
            self._smooth += smooth
            if before[2] or after[2]:
                self._taken = min(0.0, self._taken + after[1] - before[1] - smooth)
            before = after

    def _is_plain(self, loads: Loads | None) -> bool:
        """Whether the power in a step is that of dampers and of efforts that do not turn."""
        if self.collisions is None or self._is_rk4 or self._rubs or self._cams:
            return False
        if loads is None:
            return True
        turning = any(np.any(loads.efforts[joint.v][:3]) for joint in self._twin.free)
        return not (turning or len(loads.links))

    def _plain_steps(self, loads: Loads | None, steps: int) -> None:
        """As `_steps`, with the power and energy that each step of MuJoCo finds where it begins."""
        model, data, step = self._twin.model, self._data, self._mj.mj_step
        if loads is not None:
            data.qfrc_applied[self._twin.dof] = loads.efforts
        applied, damper = data.qfrc_applied, data.qfrc_damper
        qvel, energy = data.qvel, data.energy
        drives, brakes = bool(applied.any()), self._brakes
        smooth, taken, half = self._smooth, self._taken, 0.5 * self.step
        power = height = 0.0
        touching, known = False, False
        for k in range(steps + 1):
            if k < steps and self._bounces is not None and self._bounce():
                taken, known = self._taken, False
            if k < steps:
                if brakes or drives:
                    speeds = qvel.copy()
                step(model, data)
                next_power = float(speeds @ damper) if brakes else 0.0
                if drives:
                    next_power += float(speeds @ applied)
                next_height = sum(energy.tolist())
                next_touching = data.nefc > data.ne
            else:
                next_power, next_height, next_touching = self._power(loads)
            if known:
                part = half * (power + next_power)
                smooth += part
                if touching or next_touching:
                    taken = min(0.0, taken + next_height - height - part)
            self._taken = taken
            power, height, touching, known = next_power, next_height, next_touching, True
        self._smooth = smooth

    def _bounce(self) -> bool:
        """Let bodies bounce that are about to meet; whether any did."""
        if self._bounces is None:
            return False
        found = self._bounces.meet(self.q, self.v, self.time)
        if found is None:
            return False
        before = self._power(None)[1]
        self._place(*found)
        self._taken = min(0.0, self._taken + self._power(None)[1] - before)
        return True

    def reactions(self) -> Floats:
        """MuJoCo keeps no wrenches of single joints."""
        raise UsageError(
            "the engine 'mujoco' does not compute joint reactions; use 'reduced' or 'impulse'"
        )

    def contact_forces(self) -> tuple[Ints, Ints, Floats, Floats, Floats]:
        """What contacts did in the last step, n of them.

        Links a and b (n,), 0 for what is fixed; points [m], normals from a to b, and forces on b
        [N], world axes, (n, 3) each.
        """
        data, model = self._data, self._twin.model
        link = np.zeros(model.nbody, np.int32)
        link[self._twin.bodies] = np.arange(len(self._twin.bodies))
        found = data.contact
        links = link[model.geom_bodyid[found.geom]].reshape(-1, 2)
        frames, forces, one = found.frame.reshape(-1, 3, 3), np.zeros((len(links), 3)), np.zeros(6)
        for i in range(len(links)):
            self._mj.mj_contactForce(model, data, i, one)
            forces[i] = frames[i].T @ one[:3]
        pressed = np.any(forces != 0, axis=1)
        points, normals = found.pos[pressed].copy(), frames[pressed, 0].copy()
        return links[pressed, 0], links[pressed, 1], points, normals, forces[pressed]

    @in_turn
    def coupling_efforts(self) -> Floats:
        """What each coupling transmits under the loads of the last advance, (coupling_count,)."""
        if not self.model.couplings:
            return np.zeros(0)
        if self._cams:
            self._cams.follow(self.q, self.v)
        model, probe = self._twin.model, self._look()
        self._mj.mj_forward(model, probe)
        held = probe.efc_type == int(self._mj.mjtConstraint.mjCNSTR_EQUALITY)
        out = []
        for one in self.model.couplings:
            rows = held & (probe.efc_id == model.equality(f"coupling {one.name}").id)
            out.append(float(probe.efc_force[rows].sum()))
        return np.array(out)

    # Inside

    def _stand(self, collisions: Collisions, q: Floats) -> Floats:
        """A start out of the floor; what is held in it passes through: springs would throw it."""
        self._twin.model.geom_conaffinity[:] = self._groups
        q = collisions.lifted(q)
        pairs, found = collisions.standing(q)
        meets = collisions.meets.copy()
        for one, other in pairs:
            meets[one, other] = meets[other, one] = 0
        pass_through(self._twin.model, collisions, meets, self._twin.geoms)
        self.remarks = tuple(dict.fromkeys(collisions.mounted + found))
        return q

    def _set_friction(self) -> None:
        """Dry friction at the present speeds: Coulomb's, more below Stribeck's speed."""
        part = self.model.blocks.real_part
        dry, extra, slow = part("coulomb"), part("breakaway") - part("coulomb"), part("stribeck")
        speed = np.abs(self._data.qvel[self._twin.dof])
        fading = np.exp(-np.square(speed / np.maximum(slow, 1e-9)))
        self._twin.model.dof_frictionloss[self._twin.dof] = dry + np.maximum(extra, 0.0) * fading

    def _step(self) -> None:
        """One step; where it tears a loop, the last one and it again by other steps.

        Exactly in a singular pose the loop forces are undetermined, and near it an open loop is
        drawn together by large ones. A step that begins or has its middle there goes astray. So
        the loops are closed a step before, and it is passed between the ends and middles of steps.
        """
        if not self._may_tear:
            self._mj_step()
            return
        here = self._state()
        tear = self._try([1.0])
        limit = SUDDEN * self._tear + FLOOR
        if self._before is not None and not tear <= limit:
            tear = self._around(self._before, tear, limit)
        self._tear = max(tear, 0.5 * self._tear)
        self._before = here

    def _around(self, before: _State, tear: float, limit: float) -> float:
        """Make the last two steps again, by as few others as will do; how torn loops are then."""
        best = tear, self._state()
        for count in AROUND:
            if not self._close(before):
                break
            # a first one of half the length puts the pose a quarter into another
            length = 2 / (count + 0.5)
            tear = self._try([0.5 * length, *[length] * count])
            if not best[0] <= tear:
                best = tear, self._state()
            if tear <= limit:
                break
        self._restore(best[1])
        return best[0]

    def _close(self, state: _State) -> bool:
        """Go to a state, its loops closed, where they can be."""
        self._restore(state)
        try:
            self._place(*closed_start(self.model, self.q, self.v))
        except KinegenError:
            return False
        return True

    def _place(self, q: Floats, v: Floats) -> None:
        """Write q and v into MuJoCo's variables."""
        twin, data = self._twin, self._data
        data.qpos[twin.qpos] = q
        data.qvel[twin.dof] = self._theirs(q, v)
        for angle, advance, index, lead in twin.screws:
            joint = self.model.joints[index]
            place = int(twin.model.joint(f"{joint.name}:1").dofadr[0])
            data.qpos[advance] = lead * data.qpos[angle]
            data.qvel[place] = lead * data.qvel[twin.dof[joint.v]][0]

    def _try(self, parts: list[float]) -> float:
        """Make steps of these parts of the length; how hard loops had to be drawn [m/s²]."""
        model, data = self._twin.model, self._data
        tear = 0.0
        for part in parts:
            model.opt.timestep = part * self.step
            self._mj_step()
            gaps, speeds = np.abs(data.efc_pos[: data.ne]), np.abs(data.efc_vel[: data.ne])
            tear = float(np.maximum(tear, (gaps / self._pull + 2 * speeds).max() / self._pull))
        model.opt.timestep = self.step
        return tear

    def _mj_step(self) -> None:
        """One step of MuJoCo, its equations as they are now."""
        if self._cams:
            self._cams.follow(self.q, self.v)
        self._mj.mj_step(self._twin.model, self._data)

    def _state(self) -> _State:
        data = self._data
        return data.qpos.copy(), data.qvel.copy(), data.qacc_warmstart.copy()

    def _restore(self, state: _State) -> None:
        data = self._data
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = state

    def _compile(self, integrator: str, stops: bool) -> None:
        self._twin = mujoco_model(self.system, self.step, integrator, stops, self.collisions)
        self._groups = self._twin.model.geom_conaffinity.copy()
        self._cams = Cams(self.model, self._twin.model)
        self._is_rk4 = integrator == "rk4"
        self._may_tear = self._is_rk4 and bool(self._twin.model.neq)
        self._pull = float(self._twin.model.eq_solref[0, 0]) if self._may_tear else 1.0
        self._data = self._mj.MjData(self._twin.model)
        # Reports are made on a copy: looking must not change the run.
        self._probe = self._mj.MjData(self._twin.model)

    def _stiffness(self) -> float:
        """The larger of h c / m and h² k / m over springs and dampers, at the start."""
        mj, model, data = self._mj, self._twin.model, self._look()
        mj.mj_forward(model, data)
        springs = self.system.springs
        J = np.zeros((3, model.nv))
        damping = stiffness = 0.0
        for i, name in enumerate(springs.names):
            ends = [model.site(f"spring {name} {side}").id for side in "ab"]
            a, b = (data.site_xpos[end] for end in ends)
            along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-12)
            row = np.zeros(model.nv)
            for end, sign in zip(ends, (-1, 1), strict=True):
                mj.mj_jacSite(model, data, J, None, end)
                row += sign * (along @ J)
            moved = np.zeros((1, model.nv))
            mj.mj_solveM(model, data, moved, row[None])
            inverse_mass = float(row @ moved[0])
            damping += float(springs.damping[i]) * inverse_mass
            stiffness += float(springs.stiffness[i]) * inverse_mass
        return max(self.step * damping, self.step**2 * stiffness)

    def _ours(self, qvel: Floats) -> Floats:
        """Velocities of MuJoCo as our v."""
        v = np.asarray(qvel[self._twin.dof])
        for joint in self._twin.free:
            v[joint.v.start : joint.v.start + 3] = (
                self._turn(self.q, joint).T @ v[joint.v.start : joint.v.start + 3]
            )
        return v

    def _theirs(self, q: Floats, v: Floats) -> Floats:
        """Our v (or efforts) in MuJoCo's axes, still in our order."""
        out = v.copy()
        for joint in self._twin.free:
            part = slice(joint.v.start, joint.v.start + 3)
            out[part] = self._turn(q, joint) @ v[part]
        return out

    def _turn(self, q: Floats, joint: Any) -> Floats:
        """R_FM of a free joint."""
        R = np.zeros(9)
        self._mj.mju_quat2Mat(R, np.ascontiguousarray(q[joint.q][:4]))
        return R.reshape(3, 3)

    def _load(self, loads: Loads | None) -> None:
        """Write the loads as they are in this pose."""
        if loads is None:
            return
        twin, data = self._twin, self._data
        data.qfrc_applied[twin.dof] = self._theirs(self.q, loads.efforts)
        if not len(loads.links):
            return
        self._mj.mj_kinematics(twin.model, data)
        self._mj.mj_comPos(twin.model, data)
        per_link = loads.per_link(self.model.link_count)
        for link in set(loads.links.tolist()):
            body = twin.bodies[link]
            arm = data.xipos[body] - data.xpos[body]
            force, moment = per_link[link, :3], per_link[link, 3:]
            data.xfrc_applied[body] = [*force, *(moment - np.cross(arm, force))]

    def _power(self, loads: Loads | None) -> tuple[float, float, bool]:
        """Power of loads less friction [W], energy [J], whether anything touches; now."""
        mj, model, probe = self._mj, self._twin.model, self._look()
        mj.mj_forward(model, probe)
        mj.mj_energyPos(model, probe)
        mj.mj_energyVel(model, probe)
        power = float(probe.qfrc_damper @ probe.qvel)
        kinds = probe.efc_type[: probe.nefc]
        rubbing = kinds == int(mj.mjtConstraint.mjCNSTR_FRICTION_DOF)
        touching = ~rubbing & (kinds != int(mj.mjtConstraint.mjCNSTR_EQUALITY))
        if rubbing.any():
            power += float(np.sum((probe.efc_force * probe.efc_vel)[rubbing]))
        if loads is not None:
            power += float(loads.efforts @ self.v)
            if len(loads.links):
                twists = np.zeros((self.model.link_count, 6))
                self.model.kernels.link_twists(self.q, self.v, twists)
                power += float(np.sum(loads.wrenches * twists[loads.links]))
        return power, float(probe.energy.sum()), bool(touching.any())

    def _look(self) -> Any:
        """The copy that is looked at, brought to the present state."""
        data, probe = self._data, self._probe
        probe.qpos[:], probe.qvel[:], probe.time = data.qpos, data.qvel, data.time
        probe.qfrc_applied[:], probe.xfrc_applied[:] = data.qfrc_applied, data.xfrc_applied
        probe.qacc_warmstart[:] = data.qacc_warmstart
        return probe

    def _report(self) -> StepReport:
        mj, model, probe = self._mj, self._twin.model, self._look()
        mj.mj_fwdPosition(model, probe)
        mj.mj_fwdVelocity(model, probe)
        mj.mj_energyPos(model, probe)
        mj.mj_energyVel(model, probe)
        q, v = self.q, self.v
        loops = loop_gap(self.model, q)
        gap = loops.distance
        for turn, advance, _, lead in self._twin.screws:
            gap = max(gap, abs(float(probe.qpos[advance] - lead * probe.qpos[turn])))
        return StepReport(
            self.time,
            gap,
            loops.angle,
            velocity_gap(self.model, q, v),
            float(probe.energy[1]),
            float(probe.energy[0]) - self._twin.offset,
            self._smooth + self._taken,
            int(probe.ncon),
            int(np.max(self._data.solver_niter)),
        )


def _silent(message: Any) -> None:
    """What MuJoCo warns of is seen in the numbers."""
