"""Many threads on one object: they wait for each other, nothing is torn, nothing crashes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError


def at_once(*works: Callable[[], Any], times: int) -> list[BaseException]:
    """Run each work so many times in a thread of its own, all at once; what they raised."""
    raised: list[BaseException] = []
    ready = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> None:
        ready.wait()
        try:
            for _ in range(times):
                work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
        assert not thread.is_alive()
    return raised


@pytest.mark.parametrize("engine", ["reduced", "impulse", "mujoco"])
def test_threads_on_one_simulation_advance_it_in_turn(engine: str, effort: int) -> None:
    if engine == "mujoco":
        pytest.importorskip("mujoco", reason="needs kinegen[mujoco]")
    times = 20 * effort
    simulation = kg.Simulation(kg.load("four-bar"), engine=engine, record=None)
    alone = kg.Simulation(kg.load("four-bar"), engine=engine, record=None)
    advance = lambda: simulation.advance(0.002)  # noqa: E731
    raised = at_once(*[advance] * 4, simulation.run, lambda: simulation.engine.q, times=times)
    assert not raised
    for _ in range(4 * times):
        alone.advance(0.002)
    found, wanted = simulation.run(), alone.run()
    np.testing.assert_array_equal(found.times, wanted.times)
    np.testing.assert_array_equal(found.q, wanted.q)
    np.testing.assert_array_equal(found.work, wanted.work)


@pytest.mark.parametrize("engine", ["reduced", "impulse"])
def test_anything_at_once_is_no_crash(engine: str, effort: int) -> None:
    """Steps, resets, hands, live numbers and copies, on the simulation and on its engine."""
    simulation = kg.Simulation(kg.load("four-bar"), engine=engine)
    model, name = simulation.model, next(iter(simulation.model.parameters))
    usual = model.parameters[name]
    link = model.link_names[-1]
    turns = iter(range(10**9))

    def change() -> None:
        turn = next(turns)
        model.parameters[name] = usual * (1 + 1e-4 * (turn % 3))
        model.set_number(model.joints[1].name, "friction.coulomb", 0.1 * (turn % 2))

    def hand() -> None:
        simulation.release(simulation.pull(link))

    raised = at_once(
        lambda: simulation.advance(0.005), lambda: simulation.advance(0.003), simulation.reset,
        simulation.run, hand, change, lambda: simulation.engine.advance(None, 3),
        simulation.engine.reactions, lambda: (simulation.engine.q, simulation.engine.v),
        times=15 * effort,
    )  # fmt: skip
    # a pose between two lengths may not close: that is said, and nothing else
    assert all(isinstance(error, KinegenError) for error in raised), raised
    model.parameters[name] = usual
    simulation.reset()
    assert np.isfinite(simulation.advance(0.01).energy)


def test_threads_on_one_dragger_and_solver(effort: int) -> None:
    model = kg.load("stewart").compile()
    home = kg.assemble(model).q
    frame = model.site_names[-1]
    at = kg.pose(model, home, frame).translation
    dragger = kg.Dragger(model, home, [kg.Handle(frame, at)])
    near = kg.Handle(frame, at + [0, 0, 0.01])
    name = next(iter(model.parameters))
    random = np.random.default_rng(0).random
    raised = at_once(
        dragger.tick, dragger.tick, lambda: dragger.move(0, at + 0.01 * random(3)),
        lambda: kg.solve(model, near, attempts=3),
        lambda: kg.assembly_modes(model, home, attempts=5),
        lambda: kg.kinematics.assemble_many(
            model, dict.fromkeys(kg.kinematics.inputs_of(model), [0.3] * 4)
        ),
        lambda: model.parameters.__setitem__(name, model.parameters[name]),
        times=20 * effort,
    )  # fmt: skip
    assert not raised
    assert np.isfinite(dragger.q).all()


class WatchedSolver:
    """A solver that says when its kernel begins and ends to enumerate."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.began, self.ended = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    def enumerate(self, *given: Any) -> Any:
        self.began.set()
        try:
            return self.solver.enumerate(*given)
        finally:
            self.ended.set()


def test_other_threads_run_while_modes_are_searched() -> None:
    """Judged by what they got done while the kernel worked, not by a clock."""
    model = kg.load("stewart").compile()
    solver = WatchedSolver(model.solver)
    model._solver = solver  # type: ignore[assignment]
    thread = threading.Thread(target=kg.assembly_modes, args=(model,), kwargs={"attempts": 1500})
    thread.start()
    solver.began.wait()
    turns = 0
    # with the interpreter held for the whole search, this loop would turn once or twice
    while not solver.ended.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 5


ENDED = """
import os, signal, sys, threading, numpy as np, kinegen as kg
signal.signal(signal.SIGINT, signal.default_int_handler)
model = kg.load("stewart").compile()
home = kg.assemble(model).q
def many():
    starts = {name: home[model.joint(name).q.start] for name in kg.kinematics.inputs_of(model)}
    inputs = {name: np.full(1_000_000, start) for name, start in starts.items()}
    kg.kinematics.assemble_many(model, inputs)
calls = {
    "modes": lambda: kg.assembly_modes(model, attempts=10_000_000, most=10_000),
    "many": many,
    "reduced": lambda: kg.Simulation(kg.load("four-bar")).engine.advance(None, 10**12),
    "impulse": lambda: kg.Simulation(
        kg.load("four-bar"), engine="impulse"
    ).engine.advance(None, 10**12),
}
call = calls[sys.argv[1]]
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    call()
except KeyboardInterrupt:
    assert kg.assembly_modes(model, attempts=20)  # it still works
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for others")
@pytest.mark.parametrize("call", ["modes", "many", "reduced", "impulse"])
def test_ctrl_c_ends_a_call_that_would_take_hours(call: str) -> None:
    done = subprocess.run([sys.executable, "-c", ENDED, call], check=False, timeout=120)
    assert done.returncode == 7
