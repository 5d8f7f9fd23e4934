"""All branches of an arm in closed form: ours beside EAIK, in correctness and in time.

Run ``python -m bench.kinematics.analytic``. EAIK (D. Ostermeier and others, RA-L 2025) is not a
dependency: without it the comparison is skipped with the reason, and our own times are printed.
Every branch that one of the two finds must be found by the other; times are the best of several
rounds, taken in turns so that a busy moment hits both alike. *Raw* is the compiled call as Python
sees it: a pose in, all branches out; EAIK's then turns its answer into arrays when ``Q`` is read.

Why EAIK is not the part we build on: it knows more geometries of six joints, but it has no
WebAssembly build (the page must solve by itself); with it come Eigen to build, SciPy, urchin and
trimesh to install; it knows no joint limits, no seed at singular poses and no position with a wrist
angle; and its raw call is not faster.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kinegen as kg
from bench.support.notes import note
from kinegen.kernels import Floats
from kinegen.kinematics.analytic.chain import Chain, serial_chain
from kinegen.kinematics.analytic.closed_form import AnalyticGeometry, analytic_geometry

ARMS = ("puma560", "irb2400", "arm-6", "ur5e", "lynx6", "rhino-xr3", "so101", "pioneer2")
OTHERS = ("bionic-3",)
"""Three joints are asked for a position, which EAIK does not answer."""
ROUNDS, POSES = 15, 200
BAR_RATIO = 2.0
"""Our raw call over EAIK's, at most."""
SAME = 1e-6
"""Two solutions are one when no joint differs by more [rad]: both lose digits when singular."""


def peer(chain: Chain) -> Any:
    """The same arm in EAIK."""
    homogeneous = importlib.import_module("eaik.IK_Homogeneous")
    frames, X = [], np.eye(4)
    for fixed in chain.fixed:
        X = X @ fixed
        frames.append(X)
    return homogeneous.HomogeneousRobot(np.array(frames))


def same(one: Floats, many: Floats) -> bool:
    """Whether a solution is among others, whole turns left aside."""
    if not len(many):
        return False
    return bool(np.abs(np.angle(np.exp(1j * (many - one)))).max(axis=1).min() < SAME)


def compare(geometry: AnalyticGeometry, robot: Any, targets: list[kg.SE3]) -> tuple[int, int, int]:
    """Solutions in all, those that only we found, those that only EAIK found."""
    total = only_ours = only_theirs = 0
    for target in targets:
        ours = np.array([s.q[geometry.q_index] for s in geometry.solve(target) if s.exact])
        answer = robot.IK(target.matrix)
        # what it calls exact it must also reach
        theirs = np.array(
            [
                q
                for q, least in zip(answer.Q, answer.is_LS, strict=True)
                if not least and _reaches(robot, q, target)
            ]
        ).reshape(-1, len(geometry.joints))
        total += len(ours)
        only_ours += sum(not same(q, theirs) for q in ours)
        only_theirs += sum(not same(q, ours) for q in theirs)
    return total, only_ours, only_theirs


def _reaches(robot: Any, q: Floats, target: kg.SE3) -> bool:
    return float(np.abs(robot.fwdKin(q) - target.matrix).max()) < 1e-6


def microseconds(call: Callable[[Any], object], inputs: list[Any]) -> float:
    """Mean time of a call over all inputs [µs]."""
    begin = time.perf_counter()
    for one in inputs:
        call(one)
    return (time.perf_counter() - begin) / len(inputs) * 1e6


def best(jobs: dict[str, tuple[Callable[[Any], object], list[Any]]]) -> dict[str, float]:
    """Best mean time of each job [µs], in turns."""
    times = {name: float("inf") for name in jobs}
    for _ in range(ROUNDS):
        for name, (call, inputs) in jobs.items():
            times[name] = min(times[name], microseconds(call, inputs))
    return times


def random_targets(model: kg.Model, count: int) -> list[kg.SE3]:
    """Reachable poses of the tool, from joint values within the limits."""
    rng = np.random.default_rng(5)
    return [kg.pose(model, rng.uniform(model.lower, model.upper), "tool") for _ in range(count)]


def our_jobs(geometry: AnalyticGeometry, targets: list[kg.SE3], seed: Floats) -> dict[str, Any]:
    """The raw kernel, and the call with named results."""
    on_chain, near = seed[geometry.q_index], np.zeros(len(geometry.joints))
    solve = geometry.kernel.solve_pose
    poses = [np.array(target.pose) for target in targets]
    return {
        "ours raw": (lambda pose: solve(pose, on_chain, near), poses),
        "ours named": (geometry.solve, targets),
    }


def main() -> int:
    """Print the table; 1 when a branch is missing or the bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--poses", type=int, default=POSES)
    count = parser.parse_args().poses
    try:
        importlib.import_module("eaik.IK_Homogeneous")
        reason = ""
    except ImportError as error:
        reason = f"EAIK is not installed ({error}): no comparison"
        print(reason)
    kernel, failed = "", False
    for name in (*ARMS, *OTHERS):
        model = kg.load(name).compile()
        geometry, chain = analytic_geometry(model, "tool"), serial_chain(model, "tool")
        if geometry is None or isinstance(chain, str):
            print(f"{name}: not recognised")
            return 1
        kernel = type(geometry.kernel).__module__
        targets = random_targets(model, count)
        jobs = our_jobs(geometry, targets, model.start())
        words = ""
        if name in ARMS and not reason:
            robot = peer(chain)
            total, only_ours, only_theirs = compare(geometry, robot, targets)
            failed |= only_ours > 0 or only_theirs > 0
            words = f", {total} branches, only ours {only_ours}, only EAIK's {only_theirs}"
            matrices = [target.matrix for target in targets]
            jobs["EAIK raw"] = (robot._robot.calculate_IK, matrices)
            jobs["EAIK Q"] = (lambda X, ask=robot.IK: ask(X).Q, matrices)
        times = best(jobs)
        for job, value in times.items():
            note(f"{name}, {job}", value, "µs")
        listed = ", ".join(f"{job} {value:.2f}" for job, value in times.items())
        if "EAIK raw" in times:
            ratio = times["ours raw"] / times["EAIK raw"]
            failed |= ratio > BAR_RATIO
            words += f", ours/EAIK raw {ratio:.2f} (bar {BAR_RATIO})"
        print(f"{name:10} {geometry.kind.name:16} µs: {listed}{words}")
    print(f"kernel: {kernel}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
