"""Point clouds: positions of a 6R tool per second, ours beside MuJoCo, Pinocchio and NumPy.

Run ``python -m bench.workspace.cloud [--points N]``. All get the same PUMA 560 with the same tool;
its point lies off the last axis, so that every joint matters. They are first checked on each other.
Peers are called from Python as their users do, with everything allocated before. Ours runs with the
best instruction set and once more with ``KINEGEN_ISA=plain``. Rates are the best of several rounds,
taken in turns so that a busy moment hits all alike; the cores that a run got say whether it had the
machine for itself.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

import kinegen as kg
from bench.support.notes import note
from kinegen.kernels import Floats
from kinegen.mechanism.load import library_file

ROUNDS = 7
BAR_AVX2, BAR_PLAIN, BAR_RATIO = 100.0, 15.0, 40.0
"""Million points per second on two cores with AVX2, without it, and times the best peer."""
TOOL = (0.05, 0.03, 0.12)
"""The tool's point in the last link [m]."""
CHUNK = 4096
"""Columns that NumPy works on at a time: its temporaries then stay in the cache."""

Job = tuple[int, Callable[[], None]]


def puma() -> kg.Model:
    """The library's PUMA 560 with a tool."""
    text = library_file("puma560").read_text(encoding="utf-8")
    last = list(kg.load("puma560").joints)[-1]
    tool = f"  - {{name: bench-tool, parent: {last}, xyz: {list(TOOL)}}}\n"
    head, key, tail = text.partition("\nframes:\n")
    text = head + key + tool + tail if key else f"{text}\nframes:\n{tool}"
    return kg.load(text).compile()


def measure(job: Job) -> tuple[float, float]:
    """Million points per second of one run, and how many cores it got on average."""
    points, run = job
    begin, busy = time.perf_counter(), time.process_time()
    run()
    seconds = time.perf_counter() - begin
    return points / seconds / 1e6, (time.process_time() - busy) / seconds


# Ours


def native() -> ModuleType:
    """The compiled kernels."""
    return importlib.import_module("kinegen.kernels._native")


def our_jobs(model: kg.Model, points: int) -> dict[str, Job]:
    """Named jobs of ours; results go to arrays that are there before."""
    kernels = native()
    blocks = (model.ints, model.reals)
    site = model.site("bench-tool")
    sites = np.array([site], dtype=np.int32)
    lower, upper = np.full(6, -2.5), np.full(6, 2.5)
    side = round(points ** (1 / 6))
    axes = (np.arange(6, dtype=np.int32), lower, upper, np.full(6, side, dtype=np.int32))
    held = np.zeros(6)
    cores = os.cpu_count() or 1
    jobs: dict[str, Job] = {}
    for dtype in (np.float64, np.float32):
        name = np.dtype(dtype).name
        out, poses = np.zeros((1, 3, points), dtype), np.zeros((1, 7, points), dtype)
        qs = np.zeros((6, points), dtype)
        kernels.batch_random(*blocks, lower, upper, 1, 0, site, out[0], qs)
        grid = np.zeros((1, 3, side**6), dtype)
        for threads in (1, cores):
            where = f"{name}, {threads} thread{'s' * (threads > 1)}"

            cloud = partial(
                kernels.batch_random, *blocks, lower, upper, 1, 0, site, out[0], None, threads
            )
            positions = partial(kernels.batch_forward, *blocks, qs, sites, out, threads)
            all_poses = partial(kernels.batch_forward, *blocks, qs, sites, poses, threads)
            sweep = partial(kernels.batch_grid, *blocks, *axes, held, sites, grid, threads)
            jobs[f"cloud of drawn q, {where}"] = (points, cloud)
            jobs[f"positions of given q, {where}"] = (points, positions)
            jobs[f"poses of given q, {where}"] = (points, all_poses)
            jobs[f"grid of {side}^6, {where}"] = (side**6, sweep)
    return jobs


def plain_rates(points: int) -> dict[str, float]:
    """Ours without AVX, measured in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.workspace.cloud", "--points", str(points), "--ours-as-json"],
        env={**os.environ, "KINEGEN_ISA": "plain"},
        capture_output=True,
        text=True,
        check=True,
    )
    rates: dict[str, float] = json.loads(done.stdout)
    return rates


# The others: each a function that turns qs (6, N) into points (N, 3)


def peers(model: kg.Model) -> dict[str, Callable[[Floats, Floats], None]]:
    """The peers that are installed."""
    found: dict[str, Callable[[Floats, Floats], None]] = {"numpy by hand": by_hand(model)}
    for name, make in (("mujoco", by_mujoco), ("pinocchio", by_pinocchio)):
        try:
            found[name] = make(model)
        except ImportError:
            print(f"{name} is not installed: left out")
    return found


def placements(model: kg.Model) -> list[tuple[Floats, Floats]]:
    """Rotation and translation of each joint on the link before it, then of the tool."""
    rows = [model.transforms[joint.placement] for joint in model.joints]
    return [(row[:9].reshape(3, 3), row[9:]) for row in rows] + [(np.eye(3), np.array(TOOL))]


def by_hand(model: kg.Model) -> Callable[[Floats, Floats], None]:
    """Whole columns at a time, the point carried from the tool to the base."""
    *joints, tool = placements(model)

    def run(qs: Floats, out: Floats) -> None:
        for first in range(0, qs.shape[1], CHUNK):
            columns = slice(first, first + CHUNK)
            q = qs[:, columns]
            x, y, z = (np.full(q.shape[1], p) for p in tool[1])
            for angle, (R, p) in zip(q[::-1], joints[::-1], strict=True):
                c, s = np.cos(angle), np.sin(angle)
                x, y = c * x - s * y, s * x + c * y
                x, y, z = (R[i, 0] * x + R[i, 1] * y + R[i, 2] * z + p[i] for i in range(3))
            out[columns, 0], out[columns, 1], out[columns, 2] = x, y, z

    return run


def by_mujoco(model: kg.Model) -> Callable[[Floats, Floats], None]:
    """MuJoCo's mj_kinematics, one configuration after the other."""
    import mujoco

    def text(numbers: npt.ArrayLike) -> str:
        return " ".join(repr(float(n)) for n in np.ravel(numbers))

    *joints, tool = placements(model)
    inside = f'<site name="tool" pos="{text(tool[1])}"/>'
    for R, p in joints[::-1]:
        place = f'pos="{text(p)}" xyaxes="{text(R[:, :2].T)}"'
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        inside = f'<body {place}>{mass}<joint type="hinge" axis="0 0 1"/>{inside}</body>'
    compiled = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" autolimits="false"/><worldbody>{inside}</worldbody>'
        "</mujoco>"
    )
    data = mujoco.MjData(compiled)
    qpos, point, step = data.qpos, data.site_xpos[0], mujoco.mj_kinematics

    def run(qs: Floats, out: Floats) -> None:
        for i, q in enumerate(qs.T):
            qpos[:] = q
            step(compiled, data)
            out[i] = point

    return run


def by_pinocchio(model: kg.Model) -> Callable[[Floats, Floats], None]:
    """Pinocchio's forwardKinematics, one configuration after the other."""
    import pinocchio as pin

    *joints, tool = placements(model)
    built = pin.Model()
    parent = 0
    for i, (R, p) in enumerate(joints):
        parent = built.addJoint(parent, pin.JointModelRZ(), pin.SE3(R, p), f"joint{i}")
    place = pin.SE3(np.eye(3), tool[1])
    frame = built.addFrame(pin.Frame("tool", parent, 0, place, pin.FrameType.OP_FRAME))
    data = built.createData()
    forward, update, poses = pin.forwardKinematics, pin.updateFramePlacement, data.oMf

    def run(qs: Floats, out: Floats) -> None:
        for i, q in enumerate(np.ascontiguousarray(qs.T)):
            forward(built, data, q)
            update(built, data, frame)
            out[i] = poses[frame].translation

    return run


# The comparison


def check(model: kg.Model, others: dict[str, Callable[[Floats, Floats], None]]) -> None:
    """All must give the same points: else there is nothing to compare."""
    lower, upper = np.full(6, -2.5), np.full(6, 2.5)
    out, qs = np.zeros((3, 500)), np.zeros((6, 500))
    native().batch_random(
        model.ints, model.reals, lower, upper, 1, 0, model.site("bench-tool"), out, qs
    )
    for name, run in others.items():
        theirs = np.zeros((500, 3))
        run(qs, theirs)
        error = float(np.abs(theirs.T - out).max())
        if error > 1e-9:
            raise SystemExit(f"{name} gives other points: {error:.1e} m apart")


def best_of(jobs: dict[str, Job]) -> dict[str, tuple[float, float]]:
    """The best run of each job, all taken in turns: its rate and its cores."""
    best = dict.fromkeys(jobs, (0.0, 0.0))
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            best[name] = max(best[name], measure(job))
    return best


def processor() -> str:
    """The processor's name, where the system reports it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Point clouds, ours and the peers'.")
    parser.add_argument("--points", type=int, default=4_000_000)
    parser.add_argument("--ours-as-json", action="store_true", help="only ours, for programs")
    options = parser.parse_args()
    model = puma()
    if options.ours_as_json:
        best = best_of(our_jobs(model, options.points))
        print(json.dumps({name: rate for name, (rate, _) in best.items()}))
        return

    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"6R (PUMA 560), {options.points:,} points, best of {ROUNDS} rounds; M points/s\n")
    others = peers(model)
    check(model, others)
    qs = np.random.default_rng(0).uniform(-2.5, 2.5, (6, 200_000))
    jobs: dict[str, Job] = {}
    for name, run in others.items():
        count = 200_000 if name == "numpy by hand" else 20_000
        part, out = np.ascontiguousarray(qs[:, :count]), np.zeros((count, 3))
        jobs[name] = (count, partial(run, part, out))
    mine = our_jobs(model, options.points)
    best = best_of({**jobs, **mine})
    rates = {name: rate for name, (rate, _) in best.items()}
    plain = plain_rates(options.points)

    best_peer = max(jobs, key=lambda name: rates[name])
    isa = native().batch_isa()
    print(f"{'':42}{isa:>8}{'× best peer':>13}{'cores':>7}{'plain':>8}{'× best peer':>13}")
    for name, rate in rates.items():
        note(name, rate, "M points/s", more_is_better=True)
    for name in jobs:
        print(f"{name:42}{rates[name]:8.2f}{'':13}{best[name][1]:7.1f}")
    for name in mine:
        with_isa, without = rates[name], plain[name]
        print(
            f"{name:42}{with_isa:8.1f}{with_isa / rates[best_peer]:13.0f}{best[name][1]:7.1f}"
            f"{without:8.1f}{without / rates[best_peer]:13.0f}"
        )

    print()
    for kind in ("float64", "float32"):
        ours = next(n for n in reversed(mine) if n.startswith("cloud") and kind in n)
        for what, got, bar in (
            (f"{isa} M points/s", rates[ours], BAR_AVX2),
            ("plain M points/s", plain[ours], BAR_PLAIN),
            (f"times the best peer ({best_peer})", rates[ours] / rates[best_peer], BAR_RATIO),
        ):
            verdict = "reached" if got >= bar else "MISSED"
            print(f"{kind} cloud, {what}: {got:.0f}, bar {bar:.0f}: {verdict}")


if __name__ == "__main__":
    main()
