"""Ways to solve for masses and loops: matrices, articulated bodies, link by link; one motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from bench.support.ladders import chain, five_bars, forest, four_bars, rails
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Integrator, Method, ReducedReport, RunStatus
from tests.support.mechanisms.dynamic_models import give_masses
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q
from tests.twins.reduced.test_engine import agree, closed, start, twins

GRAPHS = [Method.GRAPH, Method.EARS]
LADDERS = {"four-bars": four_bars, "five-bars": five_bars, "rails": rails, "forest": forest}


def chosen(pair: tuple[Any, Any], method: Method) -> tuple[Any, Any]:
    """The compiled engine of a pair, held to one method."""
    pair[0].choose(method)
    assert pair[0].method == min(method, Method.GRAPH)
    return pair


def loaded(model: kg.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=model.nv), rng.normal(size=(model.link_count, 6))


@pytest.mark.parametrize("method", GRAPHS)
@pytest.mark.parametrize("seed", [1, 9])
def test_loops_of_all_joint_types_move_as_the_twin_s(seed: int, method: Method) -> None:
    model, q, v = closed(seed)
    if method is Method.EARS:
        model.blocks.real_part("rotor")[:] = 0  # else it keeps the file's tree
    pair = chosen(twins(model, springs=True), method)
    start(pair, q, v, Integrator.RK4)
    # the first projection onto the loops, then forces of all kinds
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=1e-8 * (1 + np.abs(v).max()))
    tau, wrenches = loaded(model, seed)
    ours, theirs = (ReducedReport(*twin.run(1, tau, wrenches)) for twin in pair)
    assert ours.status == theirs.status == RunStatus.OK and ours.gap < 1e-12
    np.testing.assert_allclose(pair[0].q, pair[1].q, atol=1e-9)
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=1e-7)
    assert ours.work == pytest.approx(theirs.work, abs=1e-8 * (1 + theirs.kinetic))


def test_ears_cut_joints_of_the_file_s_tree() -> None:
    # else the test above would say nothing about them: more methods, fewer rows open
    model, q, v = closed(9, 3)
    model.blocks.real_part("rotor")[:] = 0
    reports = []
    for method in GRAPHS:
        native, _ = chosen(twins(model), method)
        native.set(Integrator.RK4, 1e-3, 1e-9, False, False, 0.0, 1e9)
        native.start(q, v, 0.0)
        reports.append(ReducedReport(*native.run(1, np.zeros(model.nv), None)))
    assert reports[0].left_out != reports[1].left_out, "other rows"


@pytest.mark.parametrize(
    "integrator", [Integrator.RK4, Integrator.SEMI_IMPLICIT, Integrator.IMPLICIT]
)
@pytest.mark.parametrize("method", [Method.BODIES, Method.GRAPH])
@pytest.mark.parametrize("seed", range(2))
def test_trees_of_all_joint_types_move_as_the_twin_s(
    seed: int, method: Method, integrator: Integrator
) -> None:
    model = give_masses(random_mechanism(seed, loop_count=0).compile(), seed)
    for name in ("coulomb", "breakaway"):
        model.blocks.real_part(name)[:] = 0
    rng = np.random.default_rng(seed)
    pair = chosen(twins(model, springs=integrator != Integrator.IMPLICIT), method)
    start(pair, random_q(model, rng), rng.normal(size=model.nv), integrator)
    agree(pair, 3, rng.normal(size=model.nv))


def test_deep_trees_meet_their_stops() -> None:
    model = give_masses(kg.load("arm-6").compile(), 1)
    for name in ("coulomb", "breakaway"):
        model.blocks.real_part(name)[2:4] = 0
    q = model.start()
    model.lower[:], model.upper[:] = q - 0.004, q + 0.004
    pair = chosen(twins(model), Method.BODIES)
    start(pair, q, 0.5 * np.ones(model.nv), Integrator.RK4, holds=True)
    report = agree(pair, 9, np.zeros(model.nv), atol=1e-6)
    assert report.stops > 0


@pytest.mark.parametrize("count", [2])
@pytest.mark.parametrize("name", LADDERS)
def test_ladders_and_forests_fall_as_the_twin_s(name: str, count: int) -> None:
    model = System.of(LADDERS[name](count), gravity=(0.3, -9.81, 0.0)).model
    assert model.inertia[1:, 0].all()
    q = kg.assemble(model).q
    for method in GRAPHS:
        pair = chosen(twins(model), method)
        start(pair, q, np.zeros(model.nv), Integrator.RK4)
        agree(pair, 1, np.zeros(model.nv))


def fallen(mechanism: kg.Mechanism, method: Method, steps: int, **options: Any) -> ReducedEngine:
    engine = ReducedEngine(System.of(mechanism, gravity=(0.3, -9.81, 0.0)), 1e-3, **options)
    engine._kernel.choose(method)
    engine.reset()
    engine.advance(None, steps)
    return engine


@pytest.mark.parametrize("name", LADDERS)
def test_large_ladders_fall_alike_and_keep_their_energy(name: str) -> None:
    whole = fallen(LADDERS[name](20), Method.AUTO, 0)
    first = whole.advance(None, 0)
    last = whole.advance(None, 100)
    assert last.kinetic > 0.01 * abs(first.potential) or last.kinetic > 0.1
    assert abs(last.energy - first.energy) < 1e-6 * last.kinetic and last.gap < 1e-12
    for method in (Method.MATRICES, Method.GRAPH, Method.EARS):
        other = fallen(LADDERS[name](20), method, 100)
        np.testing.assert_allclose(whole.q, other.q, atol=1e-8)


def test_long_chains_need_four_evaluations_a_step_and_keep_their_energy() -> None:
    engine = fallen(chain(300), Method.AUTO, 0, integrator="rk4")
    assert engine._kernel.method == Method.BODIES
    first = engine.advance(None, 0)
    last = engine.advance(None, 50)
    assert engine.last.evaluations == 4 * 50
    # links of 7 mm whip: 1 ms is long for them
    assert last.kinetic > 0 and abs(last.energy - first.energy) < 1e-4 * last.kinetic
    other = fallen(chain(300), Method.GRAPH, 50, integrator="rk4")
    np.testing.assert_allclose(engine.q, other.q, atol=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "method"),
    [
        (chain(8), Method.MATRICES),
        (chain(40), Method.BODIES),
        (four_bars(3), Method.MATRICES),
        (five_bars(20), Method.GRAPH),
        (rails(20), Method.GRAPH),
        (kg.load("stewart"), Method.MATRICES),
    ],
)
def test_the_cheapest_method_is_taken(mechanism: kg.Mechanism, method: Method) -> None:
    engine = ReducedEngine(System.of(mechanism), 1e-3)
    assert engine._kernel.method == method


def test_rotors_that_appear_later_count() -> None:
    # the tree with short loops cuts joints of the rails, which may get rotors
    ends = []
    for method in (Method.MATRICES, Method.AUTO):
        engine = fallen(rails(20), method, 1)
        part = engine.model.blocks.real_part
        part("rotor")[engine.model.joint("R3").v], part("gear")[:] = 0.01, 2.0
        engine.reset()
        engine.advance(None, 20)
        ends.append(engine.q)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_loads_on_joints_that_are_cut_act() -> None:
    ends = []
    for method in (Method.MATRICES, Method.EARS):
        engine = fallen(rails(6), method, 0)
        tau = np.linspace(-0.2, 0.3, engine.model.nv)
        engine.advance(kg.dynamics.Loads.of(engine.model, efforts=tau), 50)
        ends.append((engine.q, engine.advance(None, 0).work))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-9)
    assert ends[0][1] == pytest.approx(ends[1][1], abs=1e-9) and abs(ends[0][1]) > 1e-3
