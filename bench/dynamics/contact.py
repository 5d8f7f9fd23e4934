"""Steps of a six-axis arm that is touched: a push with its collision query, and a wall it leans on.

Run ``python -m bench.dynamics.contact [--rounds N]``. *push*: which body a tip of 10 mm is in and
how deep, the force of its spring on that link, one step of 1 ms. *block*: the arm lies on a block;
each step asks for all contacts and solves their impulses. *cart*: eight contacts of four wheels
that stand. Beside them MuJoCo's own step of the same, work and energy counted. Times are of one
step from Python, best of some rounds of 300.

*runs of the cart*, *of the crawler* and *of 200 boxes*, each on the ground or in stacks of ten:
some steps in one call of each engine, beside as many of MuJoCo's bare ``mj_step`` of the same scene
in the same round, as ratios by the processor's clock. Timing decides nothing: the bars are printed
as met or missed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.scenes import boxes_text
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.engines.engine import Engine, Loads
from kinegen.dynamics.engines.mujoco.engine import MujocoEngine
from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco
from kinegen.dynamics.engines.registry import make_engine

BAR = 200.0
"""At most [µs] for a push step with its collision query."""
RATIOS = {"reduced": 1.0, "mujoco": 1.5, "impulse": math.inf}
"""Engines, and how many times a bare step of MuJoCo theirs may take."""
PUSH = "push with its collision query, kinegen"
STEPS = 300
PUSHES = [0, 0]
"""Steps in which the tip was in the arm, and all steps."""
STIFFNESS = 2000.0
"""Of the tip [N/m]."""


def push() -> tuple[Callable[[], None], str]:
    """A tip in the forearm of an arm that gives way."""
    system = kg.dynamics.System.of(kg.load("arm-6"), floor=0.0)
    engine = make_engine(
        kg.dynamics.System.of(kg.load("arm-6"), gravity=(0, 0, 0)), "reduced", 1e-3
    )
    collisions = Collisions(system)
    model = engine.model
    start = engine.q.copy()
    tip = kg.poses(system.model, start)["elbow"].apply(np.array([0.0, -0.2, 0.045]))

    def step() -> None:
        q = engine.q
        if PUSHES[1] % 20 == 0:  # the arm gives way: begin again, that no step is without a push
            engine.reset(start)
            q = start
        PUSHES[1] += 1
        found = collisions.nearest(q, tip, radius=0.01)
        loads = None
        if found is not None and found.distance < 0:
            force = STIFFNESS * found.distance * found.normal
            arm = found.point - _origin(model, q, found.link)
            row = np.concatenate([force, np.cross(arm, force)])
            loads = Loads(np.zeros(model.nv), row[None], np.array([found.link], np.int32))
            PUSHES[0] += 1
        engine.advance(loads, 1)

    return step, PUSH


def _origin(model: kg.Model, q: np.ndarray, link: int) -> np.ndarray:
    links = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, links)
    return links[link, 9:]


def block(engine: str) -> tuple[Callable[[], None], str]:
    """The arm falls onto a block and stays there."""
    text = kg.load("arm-6").to_raff()
    box = "shape: {box: [2, 2, 0.2]}, at: {xyz: [0, 0, 0.2]}, fixed: true"
    text += f"objects:\n  - {{name: block, {box}}}\n"
    system = kg.dynamics.System.of(kg.load(text), objects=True, contacts=True)
    made = make_engine(system, engine, 1e-3)
    made.advance(None, 1500)
    return _steps(made), f"arm lying on a block, {_maker(engine)}"


def cart(engine: str) -> tuple[Callable[[], None], str]:
    """Four wheels on the ground."""
    made = make_engine(kg.dynamics.System.of(kg.load("cart"), floor=0.0), engine, 1e-3)
    made.advance(None, 100)
    return _steps(made), f"cart on four wheels, {_maker(engine)}"


def _maker(engine: str) -> str:
    return "mujoco" if engine == "mujoco" else f"kinegen {engine}"


def humanoid(hold: bool) -> tuple[Callable[[], None], str]:
    """30 joints that stand by their motors, or lie on the ground."""
    simulation = kg.Simulation(kg.load("humanoid-30"), floor=0.0, hold=hold, record=0)
    simulation.advance(0.1 if hold else 1.5)

    def step() -> None:
        simulation.advance(1e-3)

    return step, f"humanoid {'stands' if hold else 'lies'} on a floor, kinegen reduced"


def _steps(engine: Engine) -> Callable[[], None]:
    def step() -> None:
        engine.advance(None, 1)

    return step


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    engines = ("reduced", "impulse", "mujoco")
    cases = [push(), *map(block, engines), *map(cart, engines), humanoid(True), humanoid(False)]
    for step, name in cases:
        best = min(_time(step) for _ in range(rounds))
        note(name, best, "µs")
        print(f"{name:44s} {best:8.1f} µs per step")
        if name == PUSH:
            print(f"  the tip was in the arm in {PUSHES[0]} of {PUSHES[1]} steps")
            print("  " + verdict(best, BAR, f"µs, at most {BAR:g}", least=False))
    for name in ("cart", "crawler"):
        runs(name, kg.load(name), 4 * rounds, STEPS)
    runs("200 boxes", kg.load(boxes_text(200)), rounds, 20)
    runs("20 stacks of ten boxes", kg.load(boxes_text(200, height=10)), rounds, 20)


def runs(name: str, scene: kg.Mechanism, rounds: int, steps: int) -> None:
    """Steps of each engine in one call against MuJoCo's own of the same scene."""
    mujoco = import_mujoco()
    system = kg.dynamics.System.of(scene, objects=True, floor=0.0)
    made = {engine: make_engine(system, engine, 1e-3) for engine in RATIOS}
    bare = make_engine(system, "mujoco", 1e-3)
    assert isinstance(bare, MujocoEngine)
    model, data = bare._twin.model, bare._data

    def raw() -> None:
        mujoco.mj_step(model, data, steps)

    for engine in (*made.values(), bare):
        engine.advance(None, min(200, 5 * steps))
    best = dict.fromkeys((*RATIOS, "mj_step"), math.inf)
    for _ in range(rounds):
        best["mj_step"] = min(best["mj_step"], _processor_time(raw, steps))
        for engine_name, engine in made.items():
            spent = _processor_time(partial(engine.advance, None, steps), steps)
            best[engine_name] = min(best[engine_name], spent)
    part = 1e-3 / (best["reduced"] * 1e-6)
    note(f"{name}, reduced: real-time factor", part, "times")
    print(f"{name}, reduced: {part:.2f} times real time at steps of 1 ms")
    print(f"{name}, {int(data.ncon)} contacts: mj_step {best['mj_step']:.1f} µs per step")
    for engine_name, bar in RATIOS.items():
        ratio = best[engine_name] / best["mj_step"]
        note(f"{name}, {engine_name} against mj_step", ratio, "times")
        print(f"  {engine_name}: {best[engine_name]:.1f} µs, {ratio:.2f} times mj_step")
        if bar < math.inf:
            print("  " + verdict(ratio, bar, f"times, at most {bar:g}", least=False))


def _processor_time(work: Callable[[], object], steps: int) -> float:
    start = time.thread_time()
    work()
    return (time.thread_time() - start) / steps * 1e6


def _time(step: Callable[[], None]) -> float:
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    return (time.perf_counter() - start) / STEPS * 1e6


if __name__ == "__main__":
    main()
