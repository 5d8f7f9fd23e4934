"""The IFToMM benchmarks on every engine: error against the references, energy, CPU time."""

from __future__ import annotations

import argparse
import time as clock

import numpy as np
from iftomm import GOVERNOR, PROBLEMS, SQUEEZER, TORQUE, Problem, pendulum_angle

import kinegen as kg
from kinegen.dynamics.engines import engine_names
from kinegen.dynamics.run import Run
from kinegen.dynamics.simulation import Simulation


def simulate(problem: Problem, engine: str, step: float, time: float) -> tuple[Run, float]:
    """One benchmark's run and the CPU time it took [s], setting up not counted."""
    torque = {"K1": TORQUE} if problem.id == "A03" else None
    simulation = Simulation(
        problem.load(),
        engine=engine,
        step=step,
        v=problem.v,
        control=(lambda t, q, v: torque) if torque else None,
        control_step=time if torque else None,
        record=1 / (time / 100),
    )
    began = clock.process_time()
    simulation.advance(time)
    return simulation.run(), clock.process_time() - began


def error(problem: Problem, run: Run, engine: str, step: float) -> str:
    """How far it is from the reference, in words."""
    if problem.id == "A01":
        wrong = np.abs(run.joint("hinge") - pendulum_angle(run.times)).max()
        return f"angle off by {wrong:.1e} rad"
    if problem.id == "A02":
        spread = max(
            float(np.abs(run.joint(j.name) - run.joint("V0")).max())
            for j in run.model.joints
            if j.name.startswith("V")
        )
        return f"windows stay parallelograms to {spread:.1e} rad"
    if problem.id == "A03":
        at, _ = simulate(problem, engine, step, 0.03)
        wrong = max(abs(at.joint(name)[-1] - ref) for name, (ref, _) in SQUEEZER.items())
        return f"angles at 0.03 s off by {wrong:.1e} rad"
    if problem.id == "A05":
        at = run.joint("slider")[-1]
        return f"s(10 s) = {at:.6f} m, off by {abs(at - GOVERNOR):.1e} m"
    back = kg.loop_gap(run.model, run.q[-1])[0]
    return f"closed to {back:.1e} m"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=engine_names(), action="append")
    parser.add_argument("--problem", choices=PROBLEMS, action="append")
    parser.add_argument("--step", type=float, help="instead of each problem's own [s]")
    options = parser.parse_args()
    print(f"{'problem':24} {'engine':8} {'step':>7} {'drift':>8} {'gap':>8} {'CPU':>8}  OpenSim")
    for key in options.problem or PROBLEMS:
        problem = PROBLEMS[key]
        for engine in options.engine or engine_names():
            step = options.step or problem.step
            run, cpu = simulate(problem, engine, step, problem.time)
            theirs = f"{problem.opensim:.3f} s" if problem.opensim else "      –"
            print(
                f"{problem.id} {problem.title:20} {engine:8} {step * 1000:4g} ms "
                f"{run.energy_drift:8.1e} {run.max_gap:8.1e} {cpu:6.3f} s  {theirs}  "
                f"{error(problem, run, engine, step) if run.complete else run.reason}"
            )


if __name__ == "__main__":
    main()
