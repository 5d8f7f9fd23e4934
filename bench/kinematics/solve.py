"""Solving from random starts: success first, then time; ours beside Pinocchio, PlaCo and PyBullet.

Run ``python -m bench.kinematics.solve [ARM …] [--all] [--poses N] [--ours]``; for PlaCo and
PyBullet see ``kinematics/drag.py``. ``--all --poses 10000 --ours`` tries every arm of the library.
Poses are the tool's at random configurations within the joint limits, so each can be reached;
starts are other such configurations. An answer counts when our forward kinematics puts the tool
there to 1e-6 m and rad with every joint within its limits, whatever the solver says of itself.

*kinegen* is ``kg.solve`` as a user calls it: closed form where the arm allows it, else the search,
and a result with its reasons. *kinegen, kernel* is the compiled search alone, called with arrays
that are there before. Pinocchio is by hand: Levenberg-Marquardt with Chan's damping and new random
starts (the method of the Robotics Toolbox that reaches all poses). PlaCo and PyBullet go from the
one start they are given. EAIK, where it is installed and knows the geometry, gives all branches in
closed form without limits; see ``kinematics/analytic.py``. Each pose counts with its best time of
several rounds, peers with their only one. Timing decides nothing.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import BulletArm, PinocchioTree, PlacoArm, find, lack
from kinegen import JointType
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.chain import serial_chain
from kinegen.kinematics.handles import pack_handles

ARMS = ("puma560", "ur5e", "franka", "irb2400", "pa10", "redundant-7")
BAR_MEDIAN, BAR_P99 = 50.0, 500.0
"""Times of a call at most [µs]."""
MET = 1e-6
"""A pose counts as reached below this error [m and rad]."""
INSIDE = 1e-9
"""Joint values count as within their limits up to this [rad, m]."""
ROUNDS = 3

Solver = Callable[[kg.SE3, Floats], Floats]
"""A target and a start; the answer in our order, right or wrong."""


def library_arms() -> list[str]:
    """Everything in the library that has a tool and stands on the ground."""
    names = []
    for name in kg.library_names():
        mechanism = kg.load(name)
        free = any(joint.type is JointType.FREE for joint in mechanism.joints.values())
        if "tool" in mechanism.frames and not free:
            names.append(name)
    return names


def random_configuration(model: kg.Model, rng: np.random.Generator) -> Floats:
    """Joint values drawn within the limits; the loops closed around the motors' values."""
    while True:
        q = model.start()
        for joint in model.joints:
            if joint.q.stop - joint.q.start != joint.v.stop - joint.v.start:
                continue  # a ball: the loops place it
            if model.loops and not joint.has_motor:
                continue
            low, high = model.lower[joint.v], model.upper[joint.v]
            wide = np.where(np.isfinite(low) & np.isfinite(high), 0.0, np.pi)
            q[joint.q] = rng.uniform(np.where(wide, -wide, low), np.where(wide, wide, high))
        if not model.loops:
            return q
        try:
            motors = kg.kinematics.inputs_of(model)
            return kg.assemble(model, q, locked=motors, attempts=3).q
        except kg.errors.AssemblyError:
            continue


def is_inside(model: kg.Model, q: Floats) -> bool:
    """Whether every joint is within its limits."""
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            value = q[joint.q]
            if (value > model.upper[joint.v] + INSIDE).any():
                return False
            if (value < model.lower[joint.v] - INSIDE).any():
                return False
    return True


# Solvers


def ours(model: kg.Model) -> Solver:
    """The public call."""

    def run(X: kg.SE3, start: Floats) -> Floats:
        return kg.solve(model, kg.Handle.pose("tool", X), start=start).q

    return run


def our_kernel(model: kg.Model) -> Solver:
    """The compiled search alone."""
    ints, reals = pack_handles(model, [kg.Handle.pose("tool", kg.SE3())])
    options = np.array([40, 1.0, 1e-10 / model.size, 1e-8 / model.size, 0.0, 1.0])
    held = np.zeros(model.nv, dtype=np.int32)
    search = model.solver.search

    def run(X: kg.SE3, start: Floats) -> Floats:
        q = start.copy()
        reals[0, 6:9], reals[0, 9:13] = X.translation, X.quat
        search(q, ints, reals, options, None, None, None, 100, 0, held)
        return q

    return run


def pinocchio_by_hand(pin: Any, model: kg.Model) -> Solver:
    """Levenberg-Marquardt with Chan's damping, clipped to the limits, up to 100 random starts."""
    tree = PinocchioTree(pin, model, "tool")
    twin, data, frame = tree.model, tree.data, tree.frame
    low, high = np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi)
    eye = np.eye(model.nv)

    def run(X: kg.SE3, start: Floats) -> Floats:
        rng = np.random.default_rng(0)
        target = pin.SE3(X.rotation, np.array(X.translation))
        q = start
        for _ in range(100):
            for _ in range(30):
                pin.computeJointJacobians(twin, data, q)
                pin.updateFramePlacement(twin, data, frame)
                error = pin.log6(data.oMf[frame].actInv(target)).vector
                if abs(error).max() < MET:
                    q = _unwound(model, q)
                    if is_inside(model, q):
                        return q
                    break
                J = pin.getFrameJacobian(twin, data, frame, pin.LOCAL)
                A = J.T @ J + 0.5 * (error @ error) * eye
                q = q + np.linalg.solve(A, J.T @ error)
            q = rng.uniform(low, high)
        return q

    return run


def placo_once(placo: Any, model: kg.Model) -> Solver:
    """PlaCo's frame task within limits, up to 100 steps from the start."""
    arm = PlacoArm(placo, model, "tool", steps=0)
    solver, robot, task = arm.solver, arm.robot, arm.task
    place, turn = task.position(), task.orientation()
    names = [f"to-{joint.name}" for joint in model.joints]

    def run(X: kg.SE3, start: Floats) -> Floats:
        for name, value in zip(names, start.tolist(), strict=True):
            robot.set_joint(name, value)
        robot.update_kinematics()
        task.T_world_frame = X.matrix
        for _ in range(100):
            solver.solve(True)
            robot.update_kinematics()
            if place.error_norm() < MET and turn.error_norm() < MET:
                break
        return np.array([robot.get_joint(name) for name in names])

    return run


def bullet_once(bullet: Any, model: kg.Model) -> Solver:
    """PyBullet from the start; angles brought back by whole turns, for it knows no limits here."""
    arm = BulletArm(bullet, model, "tool", damping=1e-2)

    def run(X: kg.SE3, start: Floats) -> Floats:
        arm.place(start)
        arm.step(arm.target(X))
        return _unwound(model, np.array(arm.q))

    return run


def _unwound(model: kg.Model, q: Floats) -> Floats:
    """Angles beyond their limits brought back by whole turns."""
    return np.where((q < model.lower) | (q > model.upper), (q + np.pi) % (2 * np.pi) - np.pi, q)


def peers_of(model: kg.Model) -> dict[str, Solver]:
    """The peers that can do this arm; they start from one-variable joints and no loops."""
    found: dict[str, Solver] = {}
    if model.loops:
        return found
    if (pin := find("pinocchio", "pin")) is not None:
        found["pinocchio, restarts by hand"] = pinocchio_by_hand(pin, model)
    if (placo := find("placo")) is not None:
        found["placo, one start"] = placo_once(placo, model)
    if (bullet := find("pybullet")) is not None:
        found["pybullet, one start"] = bullet_once(bullet, model)
    return found


def eaik_microseconds(model: kg.Model, targets: Sequence[kg.SE3]) -> float | None:
    """EAIK's raw call, all branches without limits [µs], or None where it cannot be had."""
    try:
        importlib.import_module("eaik.IK_Homogeneous")
        from bench.kinematics.analytic import peer
    except ImportError:
        return None
    chain = serial_chain(model, "tool")
    if isinstance(chain, str) or model.nv != 6:
        return None
    call = peer(chain)._robot.calculate_IK
    times = []
    for X in targets:
        begin = time.thread_time()
        call(X.matrix)
        times.append(time.thread_time() - begin)
    return float(np.median(times)) * 1e6


# The comparison


def measure(
    model: kg.Model,
    solver: Solver,
    targets: Sequence[kg.SE3],
    starts: Sequence[Floats],
    rounds: int,
) -> tuple[float, Floats]:
    """Share of right answers, and the best time of each call [µs]."""
    times = np.full(len(targets), np.inf)
    right = 0
    for number in range(rounds):
        for i, (X, start) in enumerate(zip(targets, starts, strict=True)):
            begin = time.thread_time()
            q = solver(X, start)
            times[i] = min(times[i], time.thread_time() - begin)
            if number == 0:
                right += bool(
                    np.isfinite(q).all()
                    and lack(model, q, "tool", X) < MET
                    and is_inside(model, q)
                    and kg.kinematics.loop_gap(model, q).distance < 1e-9
                )
    return right / len(targets), times * 1e6


def compare(name: str, poses: int, rounds: int, *, peers: bool) -> bool:
    """One arm; whether all poses were solved."""
    model = kg.load(name).compile()
    rng = np.random.default_rng(3)
    targets = [kg.pose(model, random_configuration(model, rng), "tool") for _ in range(poses)]
    starts = [random_configuration(model, rng) for _ in range(poses)]
    solvers = {"kinegen": ours(model), "kinegen, kernel": our_kernel(model)}
    if peers:
        solvers |= peers_of(model)
    print(f"{name} (nv {model.nv}, {len(model.loops)} loops), {poses} poses")
    solved = False
    for solver_name, solver in solvers.items():
        mine = solver_name.startswith("kinegen")
        share, times = measure(model, solver, targets, starts, rounds if mine else 1)
        median, p99 = np.median(times), np.percentile(times, 99)
        words = ""
        if solver_name == "kinegen":
            solved = share == 1.0
            words = "  bars: " + "; ".join(
                [
                    "100 %: met" if solved else f"100 %: missed by {100 * (1 - share):.2g} %",
                    verdict(median, BAR_MEDIAN, f"µs of {BAR_MEDIAN:g}", least=False),
                    verdict(p99, BAR_P99, f"µs of {BAR_P99:g}", least=False),
                ]
            )
        note(f"{name}, {solver_name}, median", median, "µs")
        note(f"{name}, {solver_name}, solved", 100 * share, "%", more_is_better=True)
        print(
            f"  {solver_name:28} {100 * share:6.2f} %  median {median:8.1f} µs  p99 {p99:9.1f} µs"
            f"{words}",
            flush=True,
        )
    raw = eaik_microseconds(model, targets) if peers else None
    if raw is not None:
        print(f"  {'EAIK raw, all branches':28}           median {raw:8.1f} µs")
    return solved


def main() -> int:
    """Print the table; always 0 unless something does not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("arms", nargs="*", metavar="ARM", help="names of the library")
    parser.add_argument("--all", action="store_true", help="every arm of the library")
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--ours", action="store_true", help="leave the peers out")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    names = library_arms() if given.all else given.arms or ARMS
    solved = [compare(name, given.poses, given.rounds, peers=not given.ours) for name in names]
    print(f"{sum(solved)} of {len(solved)} arms with every pose solved within the limits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
