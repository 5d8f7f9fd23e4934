"""The peers that our benches run beside us: each gets the same mechanism, in its own terms.

A peer that is not installed is left out with one line that says how to get it. Each is called from
Python as its users do, with everything allocated before, and in its most favourable settings: what
is measured is the best that it can do, not its defaults.
"""

from __future__ import annotations

import importlib
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

import kinegen as kg
from kinegen import JointType
from kinegen.kernels import Floats

MET = 1e-6
"""A target counts as met below this error [m and rad]."""
CLOSED = 1e-9
"""A loop counts as closed below this gap [m]."""
ITERATIONS = 60
"""Newton steps after which a loop by hand gives up."""
DAMPING = 1e-6
"""Of damped least squares by hand: small, so that it converges like Newton's method."""

missing: set[str] = set()
"""Peers that were asked for and are not installed."""


def find(name: str, package: str | None = None) -> Any:
    """A peer's module, or None with one line that says how to get it."""
    try:
        with _quiet():
            return importlib.import_module(name)
    except ImportError:
        if name not in missing:
            how = (
                "make bench-peers"
                if name.partition(".")[0] in {"placo", "pybullet", "pylinkage"}
                else f"pip install {package or name}"
            )
            print(f"{name} is not installed: left out ({how})")
            missing.add(name)
        return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Lets no compiled library write its greetings and warnings between our lines."""
    kept = os.dup(1), os.dup(2)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
        try:
            yield
        finally:
            for stream, saved in zip((1, 2), kept, strict=True):
                os.dup2(saved, stream)
                os.close(saved)


def best_times(
    jobs: Mapping[str, tuple[int, Callable[[], object]]], rounds: int
) -> dict[str, float]:
    """Best time of each job per call [µs], taken in turns so that a busy moment hits all alike.

    Time is that of the processor: on a busy machine the clock on the wall would also count the
    moments in which others run, and long jobs are hit by more of those than short ones.

    Args:
        jobs: How many calls a job makes, and the job.
        rounds: How often each runs.
    """
    times = dict.fromkeys(jobs, math.inf)
    for _ in range(rounds):
        for name, (count, run) in jobs.items():
            begin = time.thread_time()
            run()
            times[name] = min(times[name], (time.thread_time() - begin) / count * 1e6)
    return times


# The same mechanism in their terms


def urdf(model: kg.Model) -> str:
    """A tree of hinges and slides as URDF; frames are links on fixed joints."""
    mass = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    parts = [f'<link name="base"><inertial>{mass}</inertial></link>']
    places = [(j.name, j.parent, j.placement, j.v.start, j.type) for j in model.joints] + [
        (f.name, f.link, f.placement, -1, JointType.FIXED) for f in model.frames
    ]
    for name, parent, placement, v, kind in places:
        row = model.transforms[placement]
        numbers = [*row[9:], *_roll_pitch_yaw(row[:9].reshape(3, 3))]
        xyz, rpy = (" ".join(repr(float(n)) for n in part) for part in (numbers[:3], numbers[3:]))
        limits = ""
        word = {JointType.REVOLUTE: "revolute", JointType.PRISMATIC: "prismatic"}.get(kind, "fixed")
        if word != "fixed":
            low, high = float(model.lower[v]), float(model.upper[v])
            if not math.isfinite(low + high):
                low, high = -1e3, 1e3
            limits = f'<limit lower="{low!r}" upper="{high!r}" effort="1e3" velocity="1e3"/>'
        parts.append(
            f'<link name="{name}"><inertial>{mass}</inertial></link>'
            f'<joint name="to-{name}" type="{word}"><parent link="{model.link_names[parent]}"/>'
            f'<child link="{name}"/><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/>{limits}'
            "</joint>"
        )
    return f'<robot name="{model.name}">{"".join(parts)}</robot>'


def _roll_pitch_yaw(R: Floats) -> tuple[float, float, float]:
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    if level < 1e-12:  # pointing up or down: roll and yaw are one
        return math.atan2(-R[1, 2], R[1, 1]), pitch, 0.0
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


@contextmanager
def urdf_file(model: kg.Model) -> Iterator[str]:
    """The URDF in a file, for peers that read nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(urdf(model))
        yield path


class PinocchioTree:
    """A mechanism's tree in Pinocchio, loops cut open, with the frames that are asked for."""

    def __init__(self, pin: Any, model: kg.Model, frame: str) -> None:
        self.pin = pin
        self.source = model
        self.model = pin.Model()
        joints = [0] * model.link_count
        offsets = [pin.SE3.Identity()] * model.link_count
        for index in model.blocks.int_part("tree_order"):
            joint = model.joints[index]
            parent, place = joints[joint.parent], offsets[joint.parent] * self._place(joint)
            if joint.type is JointType.FIXED:
                joints[joint.child], offsets[joint.child] = parent, place
                continue
            for n, kind in enumerate(_pinocchio_joints(pin, joint.type)):
                parent = self.model.addJoint(parent, kind, place, f"{joint.name}:{n}")
                place = pin.SE3.Identity()
            joints[joint.child] = parent
        self._joints, self._offsets = joints, offsets
        site = model.site(frame)
        if site < model.link_count:
            self.frame = self._add_frame(frame, site, pin.SE3.Identity())
        else:
            named = model.frames[site - model.link_count]
            self.frame = self._add_frame(frame, named.link, self._place(named))
        # both ends of each cut joint
        self.loops = [
            (
                self._add_frame(f"{cut.name}:M", cut.parent, self._place(cut)),
                self._add_frame(f"{cut.name}:K", cut.child, self._place(loop)),
            )
            for loop in model.loops
            for cut in [model.joints[loop.joint]]
        ]
        self.data = self.model.createData()

    def _place(self, owner: Any) -> Any:
        row = self.source.transforms[owner.placement]
        return self.pin.SE3(row[:9].reshape(3, 3).copy(), row[9:].copy())

    def _add_frame(self, name: str, link: int, place: Any) -> int:
        pin = self.pin
        at = self._offsets[link] * place
        frame = pin.Frame(name, self._joints[link], at, pin.FrameType.OP_FRAME)
        return int(self.model.addFrame(frame))

    def q_from(self, q: Floats) -> Floats:
        """Our configuration in Pinocchio's order; what belongs to cut joints is left out."""
        out = np.zeros(self.model.nq)
        for joint in self.source.joints:
            if joint.is_cut or joint.type is JointType.FIXED:
                continue
            part = q[joint.q]
            if joint.type is JointType.SPHERICAL:
                part = np.roll(part, -1)  # Pinocchio writes x y z w
            first = self.model.idx_qs[self.model.getJointId(f"{joint.name}:0")]
            out[first : first + len(part)] = part
        return out


def _pinocchio_joints(pin: Any, kind: JointType) -> Sequence[Any]:
    return {
        JointType.REVOLUTE: lambda: [pin.JointModelRZ()],
        JointType.PRISMATIC: lambda: [pin.JointModelPZ()],
        JointType.UNIVERSAL: lambda: [pin.JointModelRZ(), pin.JointModelRX()],
        JointType.SPHERICAL: lambda: [pin.JointModelSpherical()],
    }[kind]()


# Drag steps: each moves from where it stands to a target nearby


class Stepper(Protocol):
    """A peer that holds a mechanism by one frame."""

    def place(self, q: Floats) -> None:
        """Stand at our configuration q."""
        ...

    def target(self, X: kg.SE3) -> Any:
        """A target in the peer's own terms, made before the time runs."""
        ...

    def step(self, target: Any) -> int:
        """Move until the target is met; the Newton steps it took, 0 if unknown."""
        ...

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing to a pose [m and rad] and the widest gap of a loop [m]."""
        ...


class PinocchioArm:
    """Damped least squares by hand on an arm, as in Pinocchio's own example."""

    def __init__(self, pin: Any, model: kg.Model, frame: str) -> None:
        self.pin, self._model, self._frame = pin, model, frame
        self.tree = PinocchioTree(pin, model, frame)
        self.q = np.zeros(self.tree.model.nq)
        self._damping = DAMPING * np.eye(6)

    def place(self, q: Floats) -> None:
        """Stand at our configuration q."""
        self.q = self.tree.q_from(q)

    def target(self, X: kg.SE3) -> Any:
        """A target as Pinocchio's SE3."""
        return self.pin.SE3(X.rotation, np.array(X.translation))

    def step(self, target: Any) -> int:
        """Newton steps until the target is met."""
        pin, model, data, frame = self.pin, self.tree.model, self.tree.data, self.tree.frame
        q, n = self.q, 0
        while n < ITERATIONS:
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacement(model, data, frame)
            error = pin.log6(data.oMf[frame].actInv(target)).vector
            if abs(error).max() < MET:
                break
            J = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
            q = pin.integrate(model, q, J.T @ np.linalg.solve(J @ J.T + self._damping, error))
            n += 1
        self.q = q
        return n

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing, by our kinematics."""
        return lack(self._model, self.q, self._frame, X), 0.0


class PlacoArm:
    """PlaCo's frame task; joint limits kept or not; a fixed number of steps, or a check of each."""

    def __init__(
        self, placo: Any, model: kg.Model, frame: str, *, steps: int, limits: bool = True
    ) -> None:
        self._model, self._frame, self.steps = model, frame, steps
        with urdf_file(model) as path:
            self.robot = placo.RobotWrapper(path, placo.Flags.ignore_collisions)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(limits)
        self.task = self.solver.add_frame_task(frame, np.eye(4))
        self.task.configure(frame, "soft", 1.0, 1.0)

    def place(self, q: Floats) -> None:
        """Stand at our configuration q."""
        for joint in self._model.joints:
            self.robot.set_joint(f"to-{joint.name}", float(q[joint.q.start]))
        self.robot.update_kinematics()

    def target(self, X: kg.SE3) -> Any:
        """A target as a homogeneous matrix."""
        return X.matrix

    def step(self, target: Any) -> int:
        """As many steps as were asked for, or (0) until the target is met."""
        solver, robot, task = self.solver, self.robot, self.task
        task.T_world_frame = target
        if self.steps:
            for _ in range(self.steps):
                solver.solve(True)
                robot.update_kinematics()
            return self.steps
        place, turn, n = task.position(), task.orientation(), 0
        while n < ITERATIONS:
            solver.solve(True)
            robot.update_kinematics()
            n += 1
            # its errors are those before the step
            if place.error_norm() < MET and turn.error_norm() < MET:
                break
        return n

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing, by our kinematics."""
        q = [self.robot.get_joint(f"to-{joint.name}") for joint in self._model.joints]
        return lack(self._model, np.array(q), self._frame, X), 0.0


class BulletArm:
    """PyBullet's damped inverse kinematics; it knows no joint limits in this form."""

    def __init__(self, bullet: Any, model: kg.Model, frame: str, *, damping: float = 1e-4) -> None:
        self._bullet, self._model, self._frame = bullet, model, frame
        with urdf_file(model) as path, _quiet():
            self._client = bullet.connect(bullet.DIRECT)
            self._body = bullet.loadURDF(path, useFixedBase=True, physicsClientId=self._client)
        count = bullet.getNumJoints(self._body, physicsClientId=self._client)
        names = [
            bullet.getJointInfo(self._body, i, physicsClientId=self._client)[12].decode()
            for i in range(count)
        ]
        self._link = names.index(frame)
        self._damping = [damping] * model.nv
        self.q: Sequence[float] = ()

    def place(self, q: Floats) -> None:
        """Stand at our configuration q."""
        self.q = q.tolist()

    def target(self, X: kg.SE3) -> Any:
        """A target as two lists; quaternions are x y z w there."""
        return X.translation.tolist(), np.roll(X.quat, -1).tolist()

    def step(self, target: Any) -> int:
        """One call, which iterates inside until its residual is small."""
        position, quat = target
        self.q = self._bullet.calculateInverseKinematics(
            self._body, self._link, position, quat, currentPositions=self.q,
            jointDamping=self._damping, maxNumIterations=ITERATIONS, residualThreshold=MET,
            physicsClientId=self._client,
        )  # fmt: skip
        return 0

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing, by our kinematics."""
        return lack(self._model, np.array(self.q), self._frame, X), 0.0


class PinocchioLoops:
    """Newton's method by hand on the rows of loops and task together, for closed mechanisms.

    Args:
        pin: The module.
        model: The mechanism; loops whose cut joint is a ball, or planar loops.
        frame: The dragged frame.
        loop_rows: Rows of each loop's offset that count: x, y in the plane, x, y, z in space.
        task_rows: Rows of the frame's error that count: linear 0 to 2, angular 3 to 5.
        solve: How a linear system is solved: by lstsq, or faster while it is square and regular.
    """

    def __init__(
        self,
        pin: Any,
        model: kg.Model,
        frame: str,
        *,
        loop_rows: Sequence[int],
        task_rows: Sequence[int],
        solve: Callable[[Floats, Floats], Floats],
    ) -> None:
        self.pin = pin
        self.tree = PinocchioTree(pin, model, frame)
        self.q = np.zeros(self.tree.model.nq)
        self._loop_rows, self._task_rows = list(loop_rows), list(task_rows)
        self._turns = max(task_rows) > 2
        self._solve = solve

    def place(self, q: Floats) -> None:
        """Stand at our configuration q."""
        self.q = self.tree.q_from(q)

    def target(self, X: kg.SE3) -> Any:
        """Place and rotation."""
        return np.array(X.translation), X.rotation

    def step(self, target: Any) -> int:
        """Newton steps until the loops are closed and the target is met."""
        pin, model, data, frame = self.pin, self.tree.model, self.tree.data, self.tree.frame
        rows, task_rows, axes = self._loop_rows, self._task_rows, pin.LOCAL_WORLD_ALIGNED
        open_rows = len(rows) * len(self.tree.loops)
        error = np.zeros(open_rows + len(task_rows))
        A = np.zeros((len(error), model.nv))
        q, n = self.q, 0
        while n < ITERATIONS:
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacements(model, data)
            error[open_rows:] = self._task_error(target)[task_rows]
            at = 0
            for M, K in self.tree.loops:
                gap = data.oMf[K].translation - data.oMf[M].translation
                error[at : at + len(rows)] = gap[rows]
                at += len(rows)
            if (abs(error[:open_rows]) < CLOSED / 2).all() and abs(error).max() < MET:
                break
            at = 0
            for M, K in self.tree.loops:
                J_M = pin.getFrameJacobian(model, data, M, axes)
                J_K = pin.getFrameJacobian(model, data, K, axes)
                A[at : at + len(rows)] = J_M[rows] - J_K[rows]
                at += len(rows)
            A[open_rows:] = pin.getFrameJacobian(model, data, frame, axes)[task_rows]
            q = pin.integrate(model, q, self._solve(A, error))
            n += 1
        self.q = q
        return n

    def _task_error(self, target: Any) -> Floats:
        here = self.tree.data.oMf[self.tree.frame]
        position, R = target
        error = np.zeros(6)
        error[:3] = position - here.translation
        if self._turns:
            error[3:] = self.pin.log3(R @ here.rotation.T)
        return error

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing and the widest gap, by Pinocchio's own kinematics."""
        model, data = self.tree.model, self.tree.data
        self.pin.framesForwardKinematics(model, data, self.q)
        error = self._task_error(self.target(X))[self._task_rows]
        gaps = [data.oMf[M].translation - data.oMf[K].translation for M, K in self.tree.loops]
        return float(abs(error).max()), float(np.linalg.norm(gaps, axis=1).max())


def lack(model: kg.Model, q: Floats, frame: str, X: kg.SE3) -> float:
    """Largest component of what is missing to a pose [m and rad]."""
    return float(abs(kg.pose(model, q, frame).minus(X)).max())
