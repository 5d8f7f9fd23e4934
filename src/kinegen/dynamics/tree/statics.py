"""Efforts of motors for a motion or a load, loops included, and what the joints bear.

Along every motion that the loops allow, the motors' power must be that of inertia and loads
(virtual work): N (B u - g) = 0, where the rows of N span the free motion of the tree, g are the
efforts that inertia, gravity and loads ask of the tree, and B u those that motors give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinegen.dynamics.motors.hold import Hold, refuse_locked
from kinegen.dynamics.simulation.springs import Springs, springs_of
from kinegen.dynamics.simulation.starts import closed_pose, contradiction
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.loops import LoopEquations, least_forces, loop_equations, shared_kernel
from kinegen.dynamics.tree.motion_equations import inverse_dynamics, passive_forces
from kinegen.dynamics.tree.wrenches import Wrenches, wrench_rows
from kinegen.errors import LoadError, UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import RANK
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.configurations import Configuration, Velocity, tangent
from kinegen.kinematics.mobility.mobility import mobility
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion
from kinegen.kinematics.motions import accelerations, velocities
from kinegen.kinematics.positions import forward
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result
from kinegen.spatial.pose import SE3

__all__ = ["MotorEfforts", "motor_efforts", "statics"]

UNLOADED = 1e-9
"""Share of the loads below which a motion that no motor holds is not loaded."""


@dataclass(frozen=True, slots=True, eq=False)
class MotorEfforts(Result):
    """Motor efforts and joint reactions at one state."""

    model: Model = field(repr=False)
    q: Floats
    """Configuration with its loops closed, (nq,) [rad, m]."""
    v: Floats
    """(nv,) [rad/s, m/s]"""
    vdot: Floats
    """(nv,) [rad/s², m/s²]"""
    efforts: Floats
    """Of the motors, (nv,) [N m, N]: the smallest where several ways are possible."""
    internal: Floats
    """Efforts that move nothing and may be added, orthonormal rows, (n, nv): motors against each
    other; none without redundant motors."""
    reactions: Floats
    """Wrenches of parents on children, (joint_count, 6): force [N], moment about the joint's frame
    F [N m], world axes. Along a joint's degree of freedom they hold its effort."""
    redundant: int
    """Number of undetermined forces in the loops: those of cut joints are the smallest possible."""
    loose: int
    """Motions that no motor holds and no load drives."""
    transmitted: Floats
    """What each coupling transmits, (coupling_count,) [N m, N]: its effort on its first member, as
    :attr:`Model.couplings` lists them; on others it acts by their ratios."""

    @property
    def shares(self) -> Floats:
        """Efforts relative to the limits of the motors, (nv,); 0 for motors without a limit."""
        limit = self.model.effort
        return np.where(np.isfinite(limit) & (limit > 0), np.abs(self.efforts) / limit, 0.0)

    def columns(self) -> dict[str, list[str] | list[float]]:
        """A row per variable: its effort, and its share of the motor's limit."""
        owners = [(joint, k) for joint in self.model.joints for k in range(joint.type.info.nv)]
        return {
            "joint": [joint.name for joint, _ in owners],
            "variable": [joint.type.info.variables[k][0] for joint, k in owners],
            "effort": self.efforts.tolist(),
            "unit": ["N" if joint.type.info.is_length[k] else "N m" for joint, k in owners],
            "share of the limit": self.shares.tolist(),
        }

    def effort(self, joint: str) -> Floats:
        """Efforts at a joint, one per variable [N m, N]."""
        return self.efforts[self.model.joint(joint).v]

    def reaction(self, joint: str) -> Floats:
        """The wrench that a joint's parent exerts on its child, (6,)."""
        return np.asarray(self.reactions[self.model.joint_index(joint)])

    def coupling_effort(self, coupling: str) -> float:
        """The effort that a coupling transmits to its first member [N m, N]."""
        names = [one.name for one in self.model.couplings]
        if coupling not in names:
            raise unknown_name("coupling", coupling, f"mechanism '{self.model.name}'", names)
        return float(self.transmitted[names.index(coupling)])


def statics(
    model: AnyModel | System,
    q: Configuration = None,
    *,
    loads: Wrenches = None,
    motors: Sequence[str] | None = None,
) -> MotorEfforts:
    """Motor efforts and joint reactions of a mechanism at rest under gravity and loads.

    Args:
        model: A model, a mechanism or a system; springs between points count.
        q: Configuration; its loops are closed first, and joints given by name keep their values.
        loads: Wrenches on links or frames: by name (force [N], moment [N m]; world axes), or
            (link_count, 6).
        motors: Joints that hold the mechanism; None: those with motors.

    Raises:
        LoadError: No motor holds a loaded motion (there are too few motors, or the pose is
            singular), or the loops lock the joint of a motor, so its effort is not determined.
    """
    model, springs = _parts(model)
    here = closed_pose(model, q)
    still = np.zeros(model.nv)
    rows = _all_wrenches(model, springs, here, still, loads)
    return _solve(model, here, still, still, rows, motors)


def motor_efforts(
    model: AnyModel | System,
    q: Configuration,
    v: Velocity | None = None,
    vdot: Velocity | None = None,
    *,
    loads: Wrenches = None,
    motors: Sequence[str] | None = None,
) -> MotorEfforts:
    """Motor efforts for a motion: inverse dynamics of a mechanism with loops.

    Args:
        model: A model, a mechanism or a system; springs between points count.
        q: Configuration; its loops are closed first, and joints given by name keep their values.
        v: Velocities by joint name, with the others determined by the loops; or all velocities.
            None: at rest.
        vdot: Accelerations, in the same form. None: 0 for the joints named in v, or else for the
            motors.
        loads: Wrenches on links or frames, as in :func:`statics`.
        motors: Joints that drive; None: those with motors.

    Raises:
        LoadError: No motor drives the requested motion, or a motor cannot move at all.
    """
    model, springs = _parts(model)
    here = closed_pose(model, q)
    still = np.zeros(model.nv)
    if not model.constraint_count:
        speed = still if v is None else tangent(model, v, "v")
        rate = still if vdot is None else tangent(model, vdot, "vdot")
        rows = _all_wrenches(model, springs, here, speed, loads)
        return _solve(model, here, speed, rate, rows, motors)
    speed = still
    if isinstance(v, Mapping):
        state = velocities(model, here, v)
        if not state.is_consistent:
            raise UsageError(f"these velocities open the loops: {contradiction(state.reason)}")
        speed = state.v
    elif v is not None:
        speed = tangent(model, v, "v")
    if vdot is None and v is None:
        rate = still
    elif isinstance(vdot, Mapping) or vdot is None:
        named = vdot
        if named is None:
            steady = v if isinstance(v, Mapping) else inputs_of(model) if motors is None else motors
            named = {name: [0.0] * len(still[model.joint(name).v]) for name in steady}
        moved = accelerations(model, here, speed, named)
        if not moved.is_consistent:
            raise UsageError(f"these accelerations open the loops: {contradiction(moved.reason)}")
        rate = moved.vdot
    else:
        rate = tangent(model, vdot, "vdot")
    rows = _all_wrenches(model, springs, here, speed, loads)
    return _solve(model, here, speed, rate, rows, motors)


def _parts(given: AnyModel | System) -> tuple[Model, Springs]:
    """A model and the springs between its points."""
    if isinstance(given, System):
        return given.model, given.springs
    model = model_of(given)
    return model, springs_of(model)


def _all_wrenches(
    model: Model, springs: Springs, q: Floats, v: Floats, loads: Wrenches
) -> Floats | None:
    """Loads, and what springs between points do at q and v, (link_count, 6)."""
    rows = wrench_rows(model, q, loads)
    pull = springs.wrenches_at(model, q, v)
    return rows if pull is None else pull if rows is None else rows + pull


def _solve(
    model: Model,
    q: Floats,
    v: Floats,
    vdot: Floats,
    wrenches: Floats | None,
    motors: Sequence[str] | None,
) -> MotorEfforts:
    equations = loop_equations(model, q, v)
    passive = passive_forces(model, q, v)
    to_tree = equations.generalized
    asked = inverse_dynamics(model, q, v, vdot, wrenches=wrenches) - to_tree @ passive
    driven = np.zeros(model.nv, dtype=bool)
    held = [motors] if isinstance(motors, str) else motors
    for name in inputs_of(model) if held is None else held:
        driven[model.joint(name).v] = True

    # virtual work along the free motion
    hold = Hold.at(model, q, equations, driven)
    refuse_locked(model, q, hold)
    free = hold.free
    U, values, Vt, loose, internal_part = hold.split()
    along = loose @ asked
    scale = np.abs(free @ asked).max(initial=0.0) + np.abs(asked * equations.scale).max(initial=0.0)
    if np.abs(along).max(initial=0.0) > UNLOADED * max(scale, 1e-300) and scale > 1e-12:
        most = int(np.abs(along).argmax())
        _refuse(model, q, loose[most] / equations.scale, len(free), hold)
    efforts = np.zeros(model.nv)
    efforts[driven] = Vt.T @ ((U.T @ (free @ asked)) / values)
    internal = np.zeros((len(internal_part), model.nv))
    internal[:, driven] = internal_part

    # what is left is the loops' to bear
    forces = least_forces(equations.J, asked - to_tree @ efforts)
    reactions = shared_kernel(model).reactions(q, v, vdot, forces, efforts, wrenches)
    reactions = reactions[: len(model.joints)]
    redundant = max(_redundant(equations), _undetermined(model, q, reactions))
    transmitted = [forces[equations.loop == one.loop].sum() for one in model.couplings]
    return MotorEfforts(
        model, q, v, vdot, efforts, internal, reactions, redundant, len(loose),
        np.array(transmitted, dtype=np.float64),
    )  # fmt: skip


def _redundant(equations: LoopEquations) -> int:
    """Rows of the loops that follow from the others."""
    J = equations.J[:, equations.tree]
    return int(len(J) - (J.shape[1] - len(equations.free_motion)))


def _undetermined(model: Model, q: Floats, reactions: Floats) -> int:
    """Forces that loops may hold in themselves, if what the joints bear has a share of any.

    Across the plane of a linkage, or in a second bearing of a shaft, loops can be under any stress:
    where loads act that way, nothing says which joint bears how much of them.
    """
    if not model.loops:
        return 0
    rows, size = ScaledMotion(model).loops(q), model.size
    used = np.ones(len(rows), dtype=bool)
    used[6 * len(model.loops) :] = False
    used[[coupling.row for coupling in model.couplings]] = True
    values, directions = np.linalg.eigh(rows[used] @ rows[used].T)
    stresses = np.zeros((len(rows), int((values < RANK**2 * values.max(initial=1.0)).sum())))
    stresses[used] = directions[:, : stresses.shape[1]]  # the smallest come first
    if not stresses.size:
        return 0
    links, places = forward(model, q), model.transforms
    origins = [
        SE3.from_pose(links[joint.parent]).apply(places[joint.placement, 9:])
        for joint in model.joints
    ]
    bears, most = 0.0, float(np.abs(reactions * [size, size, size, 1, 1, 1]).max(initial=0.0))
    for number, (_, landing) in enumerate(loop_poses(model, q)[: len(model.loops)]):
        X, own = SE3.from_pose(landing), slice(6 * number, 6 * number + 6)
        turn, moves = X.so3.matrix.T, np.abs(rows[own]).max(axis=0)
        for index, joint in enumerate(model.joints):
            if joint.is_cut or not moves[joint.v].any():
                continue
            force = reactions[index, :3]
            moment = np.cross(origins[index] - X.translation, force) + reactions[index, 3:]
            wrench = np.concatenate([size * turn @ force, turn @ moment])
            bears = max(bears, float(np.abs(wrench @ stresses[own]).max()))
    return int(stresses.shape[1]) if bears > UNLOADED * most else 0


def _refuse(model: Model, q: Floats, motion: Floats, dof: int, hold: Hold) -> None:
    """Say which motion no motor holds, and why."""
    held, motors = hold.rank, hold.levers.shape[1]
    sizes = {joint.name: float(np.abs(motion[joint.v]).max(initial=0.0)) for joint in model.joints}
    most = max(sizes.values())
    moving = [name for name, size in sizes.items() if size > 0.3 * most][:4]
    names = "joint " + moving[0] if len(moving) == 1 else "joints " + ", ".join(moving)
    usual = mobility(model, q).finite if model.constraint_count else dof
    if dof > usual and held >= usual:
        raise LoadError(
            f"mechanism '{model.name}' cannot hold this load here: the pose is singular: its loops "
            f"let {names} move while all motors stand still"
        )
    if model.constraint_count and motors >= dof:
        raise LoadError(
            f"mechanism '{model.name}' cannot hold this load here: the pose is singular (a dead "
            f"centre): its motors have no control of {names}"
        )
    raise LoadError(
        f"no motor of mechanism '{model.name}' holds {names}: it has {dof} "
        f"degree{'' if dof == 1 else 's'} of freedom, and its motors hold {held}; add "
        "a motor to a joint, or name joints to hold"
    )
