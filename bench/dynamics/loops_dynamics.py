"""Mechanisms with loops falling for 10 s by steps of 1 ms: ours beside MuJoCo's RK4.

Run ``python -m bench.dynamics.loops_dynamics [--rounds N] [--time S]``. Both get the same masses
(from the links' shapes), the same gravity and the same start; joint limits are removed from the
model itself, so that neither meets a stop. Planar mechanisms stand upright, the Stewart
platform's legs are on springs, else it would fall without end. MuJoCo steps inside its own loop
(``mj_step`` with a count), ours too; its loops are as stiff as our engine 'mujoco' makes them,
other settings are faster and open further. *gap*: widest loop; *energy*: largest error as a share
of the largest kinetic energy. Falls of the five-bar are chaotic after its first whip: from there on
energies are those of different motions. Times are those of the processor.
Timing decides nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import best_times, find
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.simulation.system import System

STEP = 1e-3
BARS = {"five-bar": 8.0, "stewart": 30.0, "3-rrr": 10.0}
"""At most [µs per step]."""
GAP, ENERGY = 1e-9, 1e-4
"""Widest gap [m]; change of energy against the largest kinetic energy."""


def scene(name: str) -> System:
    """A mechanism that falls."""
    down = (0.0, 0.0, -9.81) if name == "stewart" else (0.0, -9.81, 0.0)
    system = System.of(kg.load(name), gravity=down)
    system.model.lower[:], system.model.upper[:] = -np.inf, np.inf
    for joint in system.model.joints:
        if joint.name.startswith("leg"):
            part = system.model.blocks.real_part
            part("stiffness")[joint.v] = 2e5
            # not all alike: the platform turns as well
            part("spring_rest")[joint.v] = 3.15 + 0.02 * int(joint.name[3:])
    return system


class Fall:
    """One engine's fall, as its worst figures."""

    def __init__(self, engine: Any, steps: int) -> None:
        self.engine, self.steps = engine, steps
        self.gap = self.drift = self.kinetic = 0.0

    def run(self) -> None:
        """All steps, in one call: what is timed."""
        self.engine.reset()
        self.engine.advance(None, self.steps)

    def run_mujoco(self) -> None:
        """The same without what our engine looks after."""
        self.engine.reset()
        mujoco = self.engine._mj
        mujoco.mj_step(self.engine._twin.model, self.engine._data, self.steps)

    def look(self) -> None:
        """The same in a hundred calls, watched."""
        self.engine.reset()
        start = self.engine.advance(None, 0)
        for _ in range(100):
            report = self.engine.advance(None, self.steps // 100)
            self.gap = max(self.gap, report.gap)
            self.kinetic = max(self.kinetic, report.kinetic)
            self.drift = max(self.drift, abs(report.energy - start.energy))


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--time", type=float, default=10.0, help="[s]")
    options = parser.parse_args()
    steps = round(options.time / STEP / 100) * 100
    mujoco = find("mujoco")
    for name, bar in BARS.items():
        falls = {
            integrator: Fall(
                ReducedEngine(
                    scene(name), STEP, integrator=integrator, stops=False, friction=False
                ),
                steps,
            )
            for integrator in ("rk4", "semi-implicit")
        }
        if mujoco is not None:
            from kinegen.dynamics.engines.mujoco.engine import MujocoEngine

            falls["mujoco rk4"] = Fall(MujocoEngine(scene(name), STEP, integrator="rk4"), steps)
        for fall in falls.values():
            fall.look()
        calls = {key: (steps, fall.run) for key, fall in falls.items()}
        if mujoco is not None:
            calls["mujoco rk4"] = steps, falls["mujoco rk4"].run_mujoco
        times = best_times(calls, options.rounds)
        print(f"\n{name}: {steps} steps of {STEP * 1000:g} ms")
        for key, fall in falls.items():
            maker = "" if key.startswith("mujoco") else "kinegen "
            note(f"{name}, {maker}{key}", times[key], "µs")
            print(
                f"  {maker + key:22} {times[key]:8.2f} µs/step   gap {fall.gap:.0e} m   "
                f"energy off by {100 * fall.drift / fall.kinetic:.0e} %"
            )
        ours = falls["rk4"]
        print("  " + verdict(times["rk4"], bar, f"µs per step, at most {bar:g}", least=False))
        good = ours.gap <= GAP and ours.drift <= ENERGY * ours.kinetic
        good_words = "met" if good else "missed"
        print(f"  gap at most {GAP:g} m, energy off by at most {ENERGY:.2%}: {good_words}")
        if "mujoco rk4" in times:
            print(f"  {times['mujoco rk4'] / times['rk4']:.1f} × as fast as MuJoCo")


if __name__ == "__main__":
    main()
