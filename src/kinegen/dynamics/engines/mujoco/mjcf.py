"""A system in MuJoCo's terms: bodies, joints, springs as tendons, loops as welds.

A body stands for each link, at its joint's frame F; its frame after the joints is our link frame.
A cut joint becomes a body of its own, moved by the same joints as any other, that is welded to the
link it lands on. That link's mass and inertia are shared out among itself and the bodies welded to
it: together they are exactly the link, and every body has a fair mass. So the variables of cut
joints need no formulas and every joint type can be cut.

What MuJoCo's compiler does not take is written into the compiled model: measured inertia that
breaks the triangle inequality a little, rotors of ball joints by axis, and equations harder than it
makes them, for soft ones let go near singular poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.engines.mujoco.bounds import harden, refuse_joint
from kinegen.dynamics.engines.mujoco.cams import cam_tendon
from kinegen.dynamics.engines.mujoco.geoms import add_geoms, shape_name
from kinegen.dynamics.simulation.system import System
from kinegen.errors import NumberError, UsageError
from kinegen.joint_types import JointType
from kinegen.kernels import Floats, Ints
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["INTEGRATORS", "MujocoModel", "import_mujoco", "mujoco_model"]

INTEGRATORS = ("rk4", "implicitfast", "implicit", "euler")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_FREE_ORDER = (3, 4, 5, 6, 0, 1, 2)
"""Our free joint has the quaternion first, the slides and ball have it last."""
_SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""Equations as hard as MuJoCo makes them."""
_PULL, _GENTLE_PULL = 2.0, 10.0
"""Steps in which an open loop is drawn together: as hard as is stable, or, with RK4, gently. That
opens loops by h⁴ only, and a hard pull would be too fast for its order."""
_FAR = 1e6
"""Where a stop stands that is not there [rad, m]."""
_LEAST_INERTIA = 1e-9
"""Point masses get the inertia of a ball this small, in squares of the mechanism's size."""


@dataclass(frozen=True, slots=True, eq=False)
class MujocoModel:
    """The compiled twin with the maps between its variables and ours."""

    model: Any
    qpos: Ints
    """Where in qpos each number of our q is, (nq,)."""
    dof: Ints
    """Where in qvel each number of our v is, (nv,)."""
    screws: tuple[tuple[int, int, int, float], ...]
    """Screw joints: place of the angle and of the advance in qpos, joint, lead [m/rad]."""
    free: tuple[ModelJoint, ...]
    """Free joints: their linear velocity is in other axes there."""
    bodies: Ints
    """Body of each link, (link_count,)."""
    offset: float
    """Potential energy of bodies that are welded to the ground [J]."""
    geoms: Ints
    """Geom of each shape that touches, (shapes,)."""


def import_mujoco(what: str = "the engine 'mujoco'") -> Any:
    """The package, or an error that says what needs it and how to get it."""
    try:
        import mujoco
    except ImportError:
        raise UsageError(
            f"{what} needs the package mujoco: pip install 'kinegen[dynamics]', or "
            "pip install 'mujoco>=3.2'"
        ) from None
    return mujoco


def mujoco_model(
    system: System,
    step: float,
    integrator: str,
    stops: bool,
    collisions: Collisions | None = None,
) -> MujocoModel:
    """The MuJoCo model of a system with its numbers as they are now; collisions: what touches."""
    if integrator not in INTEGRATORS:
        raise UsageError(f"integrator must be one of {', '.join(INTEGRATORS)}, got '{integrator}'")
    return _Maker(system, step, integrator, stops, collisions).make()


class _Maker:
    """Builds the MuJoCo specification of one system."""

    def __init__(
        self,
        system: System,
        step: float,
        integrator: str,
        stops: bool,
        collisions: Collisions | None,
    ) -> None:
        self.mj = import_mujoco()
        self.collisions = collisions
        self.system = system
        self.our = system.model
        self.spec = self.mj.MjSpec()
        self.step = step
        self.integrator = integrator
        self.stops = stops
        # before MuJoCo 4 equations did not know that they turn: a hard pull must make up for it
        is_new = int(self.mj.__version__.split(".")[0]) >= 4
        self.pull = _GENTLE_PULL if is_new and integrator == "rk4" else _PULL
        self.bodies: dict[int, Any] = {0: self.spec.worldbody}
        landings = [int(joint.child) for joint in self.our.joints if joint.is_cut]
        self.shares = [1 + landings.count(link) for link in range(self.our.link_count)]
        self.moments: dict[str, Floats] = {}
        self.rotors: dict[str, Floats] = {}
        moving = self.our.inertia[1:, 0]
        self.usual_mass = float(moving.mean()) if len(moving) and moving.mean() > 0 else 1.0

    def make(self) -> MujocoModel:
        self.options()
        self.tree()
        self.loops()
        self.couplings()
        self.springs()
        if self.collisions is not None:
            add_geoms(self.mj, self.spec, self.collisions, self.step, self.bodies)
        try:
            model = self.spec.compile()
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise NumberError(
                f"MuJoCo does not accept mechanism '{self.our.name}': {reason}; moving bodies need "
                "mass and inertia"
            ) from None
        self.write(model)
        return self.mapped(model)

    def write(self, model: Any) -> None:
        """What only the compiled model takes: true moments, rotors by axis, hard equations."""
        for name, moments in self.moments.items():
            model.body(name).inertia[:] = moments
        for name, rotors in self.rotors.items():
            model.dof_armature[_dofs(self.mj, model.joint(name))] = rotors
        if self.moments or self.rotors:
            self.mj.mj_setConst(model, self.mj.MjData(model))
        if self.collisions is None:  # the same numbers make contacts soft
            harden(model, self.our)

    def options(self) -> None:
        """Step, gravity, integrator; equations solved to the end."""
        mj, option = self.mj, self.spec.option
        option.timestep = self.step
        option.gravity = self.our.blocks.real_part("gravity")
        option.integrator = getattr(mj.mjtIntegrator, f"mjINT_{self.integrator.upper()}")
        option.solver = mj.mjtSolver.mjSOL_NEWTON
        option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        option.tolerance = 1e-15
        option.iterations = 100
        # a run that went wrong must show it, not start again by itself
        option.disableflags |= int(mj.mjtDisableBit.mjDSBL_AUTORESET)
        option.enableflags |= int(mj.mjtEnableBit.mjENBL_ENERGY)
        if self.collisions is None:
            option.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT)
        self.spec.compiler.degree = False
        self.spec.compiler.autolimits = False

    def tree(self) -> None:
        """A body per link, parents first."""
        our = self.our
        for index in our.blocks.int_part("tree_order").tolist():
            joint = our.joints[index]
            body = self.body(joint, joint.name)
            self.inertial(body, joint.child, SE3.identity())
            self.bodies[joint.child] = body

    def body(self, joint: ModelJoint, name: str) -> Any:
        """A body carried by a joint of ours, with the joints that make it up."""
        our, mj = self.our, self.mj
        refuse_joint(our, joint)
        X_PF = _pose(our.transforms[joint.placement])
        body = self.bodies[joint.parent].add_body(name=name, pos=X_PF.translation, quat=X_PF.quat)
        part = our.blocks.real_part
        armature = part("gear")[joint.v] ** 2 * part("rotor")[joint.v]
        damping = part("viscous")[joint.v] + part("spring_damping")[joint.v]
        at = 0
        for k, (kind, axis) in enumerate(_parts_of(joint.type)):
            made = body.add_joint(
                name=f"{joint.name}:{k}",
                type=getattr(mj.mjtJoint, f"mjJNT_{kind.upper()}"),
                axis=axis,
            )
            if at >= len(armature):
                break  # the advance of a screw follows its angle
            made.armature = armature[at]
            _coefficient(made, "damping", damping[at])
            made.frictionloss = part("coulomb")[joint.v][at]
            made.solref_friction[:2] = [_PULL * self.step, 1.0]
            made.solimp_friction[:5] = _SOLIMP
            _coefficient(made, "stiffness", part("stiffness")[joint.v][at])
            if kind != "ball":
                made.springref = part("spring_rest")[joint.v][at]
                self.limit(made, our.lower[joint.v][at], our.upper[joint.v][at])
            if kind == "ball":
                self.rotors[made.name] = armature[at : at + 3]
                self.swing(joint, X_PF, body)
            at += 3 if kind == "ball" else 1
        if joint.type.info.has_pitch:
            lead = _lead(our, joint)
            self.equation(
                mj.mjtEq.mjEQ_JOINT, f"{joint.name}:1", f"{joint.name}:0", [0.0, lead, 0, 0, 0]
            )
        return body

    def swing(self, joint: ModelJoint, X_PF: SE3, body: Any) -> None:
        """A stop for the swing of a spherical joint, where it has a limit.

        MuJoCo's own limit of a ball is on its whole turn. A tendon from below the joint to above it
        on its z axis is 2 l cos(swing/2) long, whatever the twist: its least length is the stop.
        """
        most = float(self.our.upper[joint.v.start])
        if not self.stops or not most < np.pi:
            return
        length = self.our.size
        made = self.spec.add_tendon(name=f"swing {joint.name}")
        below = f"swing {joint.name} below", X_PF.apply(np.array([0.0, 0.0, -length]))
        above = f"swing {joint.name} above", [0.0, 0.0, length]
        ends = (self.bodies[joint.parent], *below), (body, *above)
        for on, name, place in ends:
            on.add_site(name=name, pos=place)
            made.wrap_site(name)
        made.limited = True
        made.range = [2 * length * np.cos(most / 2), 3 * length]
        made.solref_limit[:2] = [2.0 * self.step, 1.0]
        made.solimp_limit[:5] = _SOLIMP

    def limit(self, made: Any, lower: float, upper: float) -> None:
        """Stops at both ends of a variable, where there are any."""
        if not self.stops or not (np.isfinite(lower) or np.isfinite(upper)):
            return
        made.limited = True
        made.range = [max(lower, -_FAR), min(upper, _FAR)]
        made.solref_limit[:2] = [2.0 * self.step, 1.0]
        made.solimp_limit[:5] = _SOLIMP

    def inertial(self, body: Any, link: int, X_BL: SE3) -> None:
        """A link's share of its own mass and inertia, for a body B that is part of it."""
        row, share = self.our.inertia[link], 1.0 / self.shares[link]
        mass = float(row[0]) * share
        xx, yy, zz, xy, xz, yz = row[4:] * share
        R = X_BL.rotation
        tensor = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        self.heavy(body, mass, X_BL.apply(row[1:4]), tensor)

    def heavy(self, body: Any, mass: float, centre: Floats, tensor: Floats) -> None:
        """Mass and inertia of a body about its centre.

        A point mass becomes a very small ball. Measured moments that break the triangle inequality
        (by less than a tenth, or the mechanism would have been refused) are raised until the
        compiler takes them; the true ones are written afterwards.
        """
        moments, axes = np.linalg.eigh(tensor)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        moments = np.maximum(moments, _LEAST_INERTIA * mass * self.our.size**2)
        lack = moments[2] - moments[0] - moments[1]
        raised = moments + max(lack, 0.0) * np.array([0.5 + 1e-9, 0.5 + 1e-9, 0.0])
        if lack > 0:
            self.moments[body.name] = moments
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = mass, centre, raised
        body.iquat = SO3.from_matrix(axes).quat

    def loops(self) -> None:
        """A body per cut joint, welded to the link that it lands on."""
        for loop in self.our.loops:
            joint = self.our.joints[loop.joint]
            body = self.body(joint, f"{joint.name}:end")
            X_BK = _pose(self.our.transforms[loop.placement])
            if joint.child == 0:
                size = self.our.size
                inertia = 0.4 * self.usual_mass * (0.1 * size) ** 2 * np.eye(3)
                self.heavy(body, self.usual_mass, np.zeros(3), inertia)
            else:
                self.inertial(body, joint.child, X_BK.inverse())
            body.add_site(name=f"{joint.name}:M")
            self.bodies[joint.child].add_site(
                name=f"{joint.name}:K", pos=X_BK.translation, quat=X_BK.quat
            )
            made = self.equation(
                self.mj.mjtEq.mjEQ_WELD, f"{joint.name}:M", f"{joint.name}:K", None
            )
            made.objtype = self.mj.mjtObj.mjOBJ_SITE

    def couplings(self) -> None:
        """A tendon per coupling, as long as its terms add up to, and held at its offset.

        A cam has another tendon, of the cam itself; :class:`Cams` keeps their equation up to date.
        """
        for coupling in self.our.couplings:
            name, other = f"coupling {coupling.name}", ""
            terms = self.our.coupling_terms(coupling)
            if coupling.kind == "cam":
                other = cam_tendon(coupling.name)
                own = terms.pop()
                self.spec.add_tendon(name=other).wrap_joint(f"{own.joint.name}:{own.variable}", 1)
            made = self.spec.add_tendon(name=name)
            for joint, variable, ratio in terms:
                made.wrap_joint(f"{joint.name}:{variable}", ratio)
            # tendons are 0 long where all joints are 0
            offset = self.our.coupling_offset(coupling)
            held = self.equation(self.mj.mjtEq.mjEQ_TENDON, name, other, [offset, 0, 0, 0, 0])
            held.name = name

    def equation(self, kind: Any, one: str, other: str, data: list[float] | None) -> Any:
        """An equation between two things, as stiff as the step allows."""
        made = self.spec.add_equality(type=kind, name1=one, name2=other)
        made.solref[:2] = [self.pull * self.step, 1.0]
        made.solimp[:5] = _SOLIMP
        if data is not None:
            made.data[: len(data)] = data
        elif kind == self.mj.mjtEq.mjEQ_WELD:
            made.data[:11] = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
        return made

    def springs(self) -> None:
        """Tendons between two sites."""
        springs = self.system.springs
        for i, name in enumerate(springs.names):
            made = self.spec.add_tendon(name=f"spring {name}")
            _coefficient(made, "stiffness", springs.stiffness[i])
            _coefficient(made, "damping", springs.damping[i])
            made.springlength = [float(springs.rest[i])] * 2
            ends = (
                ("a", springs.link_a[i], springs.point_a[i]),
                ("b", springs.link_b[i], springs.point_b[i]),
            )
            for side, link, point in ends:
                site = f"spring {name} {side}"
                self.bodies[int(link)].add_site(name=site, pos=point)
                made.wrap_site(site)

    def mapped(self, model: Any) -> MujocoModel:
        """Where our variables are among MuJoCo's."""
        our = self.our
        qpos, dof = np.zeros(our.nq, np.int32), np.zeros(our.nv, np.int32)
        screws = []
        for index, joint in enumerate(our.joints):
            theirs = [model.joint(f"{joint.name}:{k}") for k in range(len(_parts_of(joint.type)))]
            places = [p for j in theirs for p in range(j.qposadr[0], j.qposadr[0] + len(j.qpos0))]
            speeds = [p for j in theirs for p in _dofs(self.mj, j)]
            if joint.type.info.has_pitch:
                screws.append((places[0], places[1], index, _lead(our, joint)))
                places, speeds = places[:1], speeds[:1]
            if joint.type.info.floats:
                places = [places[k] for k in _FREE_ORDER]
            qpos[joint.q], dof[joint.v] = places, speeds
        gravity = our.blocks.real_part("gravity")
        grounded = [j for j in our.joints if j.is_cut and j.child == 0]
        offset = 0.0
        for loop in our.loops:
            joint = our.joints[loop.joint]
            if joint in grounded:
                offset -= self.usual_mass * float(gravity @ our.transforms[loop.placement][9:])
        bodies = np.array(
            [0, *(model.body(name).id for name in our.link_names[1:])], dtype=np.int32
        )
        free = tuple(joint for joint in our.joints if joint.type.info.floats)
        count = 0 if self.collisions is None else len(self.collisions.bodies)
        geoms = np.array([model.geom(shape_name(i)).id for i in range(count)], dtype=np.int32)
        return MujocoModel(model, qpos, dof, tuple(screws), free, bodies, offset, geoms)


def _parts_of(kind: JointType) -> list[tuple[str, tuple[float, float, float]]]:
    """The joints of MuJoCo, with their axes, that make up one of ours.

    A free joint is slides and a ball, for MuJoCo's own free joint exists on the ground only.
    """
    info = kind.info
    names = ["slide" if length else "hinge" for length in info.is_length]
    parts = list(zip(names, info.axes, strict=True))
    if info.has_quaternion:
        parts = [part for part in parts if part[0] == "slide"] + [("ball", "z")]
    if info.has_pitch:
        parts.append(("slide", "z"))
    return [(part, _AXES[axis]) for part, axis in parts]


def _dofs(mj: Any, joint: Any) -> range:
    width = 3 if joint.type[0] == mj.mjtJoint.mjJNT_BALL else 1
    return range(joint.dofadr[0], joint.dofadr[0] + width)


def _lead(model: Model, joint: ModelJoint) -> float:
    """Advance of a screw per radian [m]."""
    index = model.joint_index(joint.name)
    return float(model.blocks.real_part("pitch")[index]) / (2 * np.pi)


def _pose(row: Floats) -> SE3:
    return SE3(SO3.from_matrix(row[:9].reshape(3, 3)), row[9:])


def _coefficient(thing: Any, key: str, value: float) -> None:
    """Set a stiffness or damping; since MuJoCo 4 it is the first number of a polynomial."""
    if np.ndim(getattr(thing, key)):
        getattr(thing, key)[0] = float(value)
    else:
        setattr(thing, key, float(value))
