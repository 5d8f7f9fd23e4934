"""The IFToMM benchmarks on every engine: error against the references, energy, CPU time.

Run ``python -m bench.dynamics.iftomm [--engine NAME] [--problem ID] [--step S]``. *energy*: largest
error of the energy, work done from outside taken off, as a share of the largest kinetic energy; at
most 0.1 % is asked for. *gap*: widest joint or loop at any time. *CPU*: for the whole run on one
core, setting up not counted; *real time*: how many seconds of the mechanism it simulates in one.
*OpenSim*: CPU time as published for OpenSim 3.2 on a 3.2 GHz desktop, where there is one. Timing
decides nothing.
"""

from __future__ import annotations

import argparse
import time as clock

import numpy as np

import kinegen as kg
from bench.support.iftomm import GOVERNOR, PROBLEMS, SQUEEZER, TORQUE, Problem, pendulum_angle
from bench.support.notes import note
from kinegen.dynamics.engines.registry import engine_names
from kinegen.dynamics.simulation.run import Run
from kinegen.dynamics.simulation.simulation import Simulation

DRIFT = 1e-3
"""Largest error of the energy that is asked for, as a share of the largest kinetic energy."""


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
    simulation.advance(step)
    simulation.reset(v=problem.v)  # what is done at the first step only is done
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
        return f"slider at 10 s {at:.6f} m, off by {abs(at - GOVERNOR):.1e} m"
    back = kg.kinematics.loop_gap(run.model, run.q[-1]).distance
    return f"loop closed to {back:.1e} m at the end"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=engine_names(), action="append")
    parser.add_argument("--problem", choices=PROBLEMS, action="append")
    parser.add_argument("--step", type=float, help="instead of each problem's own [s]")
    options = parser.parse_args()
    print(
        f"{'problem':24} {'engine':8} {'step':>7} {'energy':>9} {'≤ 0.1 %':>7} {'gap':>9} "
        f"{'CPU':>8} {'real time':>9} {'OpenSim':>8}  against the reference"
    )
    for key in options.problem or PROBLEMS:
        problem = PROBLEMS[key]
        for engine in options.engine or engine_names():
            step = options.step or problem.step
            run, cpu = simulate(problem, engine, step, problem.time)
            head = f"{problem.id} {problem.title:20} {engine:8} {step * 1000:4g} ms "
            if not run.complete:
                print(f"{head} not to the end: {run.reason}")
                continue
            note(f"{problem.id}, {engine}", cpu, "s")
            theirs = f"{problem.opensim:.3f} s" if problem.opensim else "–"
            met = "met" if run.energy_drift <= DRIFT else "missed"
            print(
                f"{head}{100 * run.energy_drift:7.0e} % {met:>7} {run.max_gap:7.0e} m {cpu:6.3f} s "
                f"{problem.time / cpu:7,.2f} × {theirs:>8}  {error(problem, run, engine, step)}"
            )


if __name__ == "__main__":
    main()
