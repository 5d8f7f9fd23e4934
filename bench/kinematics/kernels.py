"""Pose and 6 × N Jacobian of a 6R arm's tool in one call: ours beside MuJoCo and Pinocchio.

Public functions check what they are given, in each call; the bench times some of them beside the
kernels that do their work.

Run ``python -m bench.kinematics.kernels [--rounds N]``. All get the same PUMA 560 and the same
configurations; results are first checked on each other. Each is called from Python in the fewest
calls that give both results, everything allocated before. Timing decides nothing: the bars are
printed as met or missed.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import PinocchioTree, best_times, find
from bench.support.scenes import arm, mjcf
from kinegen.kernels import Floats

FRAME = "tool"
CALLS = 2000
BAR_TIME, BAR_RATIO = 1.0, 2.0
"""A call at most [µs]; times as fast as the best peer at least."""
BAR_CHECKED = 2.0
"""A checked call of a public function at most [µs]."""
CHECKED = "kinegen, checked"
SAME = 1e-9
"""Largest difference of two results [m, rad]: the XML carries all digits."""

Evaluate = Callable[[Floats], tuple[Floats, Floats]]
Loop = Callable[[Sequence[Floats]], None]


def by_mujoco(model: kg.Model) -> tuple[Evaluate, Loop]:
    """One evaluation to check, and the loop to time."""
    mujoco = find("mujoco")
    twin = mujoco.MjModel.from_xml_string(mjcf(model))
    data = mujoco.MjData(twin)
    site = twin.site(FRAME).id
    linear, angular = np.zeros((3, twin.nv)), np.zeros((3, twin.nv))
    qpos, move, centre, jacobian = (
        data.qpos,
        mujoco.mj_kinematics,
        mujoco.mj_comPos,
        mujoco.mj_jacSite,
    )

    def evaluate(q: Floats) -> tuple[Floats, Floats]:
        loop([q])
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = data.site_xmat[site].reshape(3, 3), data.site_xpos[site]
        return matrix, np.vstack([linear, angular])

    def loop(qs: Sequence[Floats]) -> None:
        for q in qs:
            qpos[:] = q
            move(twin, data)
            centre(twin, data)
            jacobian(twin, data, linear, angular, site)

    return evaluate, loop


def by_pinocchio(model: kg.Model, *, pose: bool) -> tuple[Evaluate, Loop]:
    """The same; ``computeFrameJacobian`` also places the frame, reading the pose is extra."""
    pin = find("pinocchio", "pin")
    tree = PinocchioTree(pin, model, FRAME)
    twin, data, frame = tree.model, tree.data, tree.frame
    jacobian, axes, poses = pin.computeFrameJacobian, pin.LOCAL_WORLD_ALIGNED, data.oMf

    def evaluate(q: Floats) -> tuple[Floats, Floats]:
        J = jacobian(twin, data, q, frame, axes)
        return poses[frame].homogeneous, J

    def loop(qs: Sequence[Floats]) -> None:
        for q in qs:
            jacobian(twin, data, q, frame, axes)

    def full_loop(qs: Sequence[Floats]) -> None:
        for q in qs:
            jacobian(twin, data, q, frame, axes)
            place = poses[frame]
            place.rotation, place.translation  # noqa: B018 - fetching them is the work

    return evaluate, full_loop if pose else loop


def by_us(model: kg.Model) -> tuple[Evaluate, Loop]:
    """Our evaluator: both results come back in the same two arrays."""
    ours = kg.kinematics.evaluator(model, FRAME)

    def evaluate(q: Floats) -> tuple[Floats, Floats]:
        at = ours(q)
        return kg.SE3.from_pose(at.pose).matrix, at.J

    def loop(qs: Sequence[Floats]) -> None:
        fill = ours.fill
        for q in qs:
            fill(q)

    return evaluate, loop


def by_function(function: Callable[[Floats], Any]) -> Loop:
    """A loop over one of our plain functions."""

    def loop(qs: Sequence[Floats]) -> None:
        for q in qs:
            function(q)

    return loop


def checked_calls(model: kg.Model) -> dict[str, Loop]:
    """Public functions with their checks, each beside the kernel that does its work."""
    bound, v = model.kernels, np.ones(model.nv)
    place, moved, way = np.empty(7), np.empty(model.nq), v.copy()
    places = np.empty((len(model.site_names), 7))
    site, origin, J = model.site(FRAME), np.zeros(3), np.empty((6, model.nv))
    tree, loop = model.dynamics, kg.load("four-bar").compile()
    closed, phi = loop.start(), np.empty(6)
    pairs: dict[str, tuple[Callable[[Floats], Any], Callable[[Floats], Any]]] = {
        "jacobian": (
            lambda q: bound.site_jacobian(q, site, origin, -1, place, J),
            lambda q: kg.jacobian(model, q, FRAME),
        ),
        "pose": (lambda q: bound.site_pose(q, site, place), lambda q: kg.pose(model, q, FRAME)),
        "forward": (lambda q: bound.forward_poses(q, places), lambda q: kg.forward(model, q)),
        "integrate": (
            lambda q: bound.integrate(q, v, moved),
            lambda q: kg.kinematics.integrate(model, q, v, dt=0.1),
        ),
        "difference": (
            lambda q: bound.difference(q, q, way),
            lambda q: kg.kinematics.difference(model, q, q),
        ),
        "jacobian_dot": (
            lambda q: bound.site_jacobian_dot(q, v, site, origin, -1, J),
            lambda q: kg.kinematics.jacobian_dot(model, q, FRAME, v),
        ),
        "loop_gap": (
            lambda q: loop.kernels.loop_residual(closed, phi),
            lambda q: kg.kinematics.loop_gap(loop, closed),
        ),
        "centre_of_mass": (
            lambda q: tree.measures(q, v),
            lambda q: kg.dynamics.centre_of_mass(model, q),
        ),
        "energy": (lambda q: tree.measures(q, v), lambda q: kg.dynamics.energy(model, q, v)),
        "momentum": (lambda q: tree.measures(q, v), lambda q: kg.dynamics.momentum(model, q, v)),
        "mass_solve": (
            lambda q: tree.inverse_mass(q, v),
            lambda q: kg.dynamics.mass_solve(model, q, v),
        ),
    }
    return {
        f"({what}: {name})": by_function(function)
        for name, pair in pairs.items()
        for what, function in zip(("kernel", CHECKED), pair, strict=True)
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Pose and Jacobian in one call.")
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    model = arm()
    qs = list(np.random.default_rng(0).uniform(-2.5, 2.5, (CALLS, model.nq)))

    ours, our_loop = by_us(model)
    peers: dict[str, tuple[Evaluate, Loop]] = {}
    if find("mujoco"):
        peers["mujoco: kinematics, comPos, jacSite"] = by_mujoco(model)
    if find("pinocchio", "pin"):
        peers["pinocchio: computeFrameJacobian, oMf"] = by_pinocchio(model, pose=True)
    for name, (evaluate, _) in peers.items():
        for q in qs[:50]:
            for our, their in zip(ours(q), evaluate(q), strict=True):
                if np.abs(our - their).max() > SAME:
                    raise SystemExit(f"{name} gives another result: nothing to compare")

    loops = {"kinegen: evaluator": our_loop, **{name: loop for name, (_, loop) in peers.items()}}
    if find("pinocchio", "pin"):
        loops["(pinocchio: Jacobian alone)"] = by_pinocchio(model, pose=False)[1]
    loops |= checked_calls(model)
    times = best_times({name: (CALLS, partial(loop, qs)) for name, loop in loops.items()}, rounds)

    mine = times["kinegen: evaluator"]
    print(f"\n6R (PUMA 560), Python {platform.python_version()}, best of {rounds} rounds\n")
    print(f"{'pose and Jacobian, one call':44}{'µs':>8}{'ratio':>9}")
    for name, spent in times.items():
        note(name, spent, "µs")
        print(f"{name:44}{spent:8.2f}{spent / mine:8.1f}×")
    print(f"\n{verdict(mine, BAR_TIME, f'µs, at most {BAR_TIME}', least=False)}")
    if peers:
        best = min(times[name] for name in peers)
        print(verdict(best / mine, BAR_RATIO, f"× the best peer, at least {BAR_RATIO:.0f}"))
    for name, spent in times.items():
        if CHECKED in name:
            words = f"µs {name}, at most {BAR_CHECKED}"
            print(verdict(spent, BAR_CHECKED, words, least=False))


if __name__ == "__main__":
    main()
