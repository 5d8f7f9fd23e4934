"""Couplings of cut joints: the same mechanism, its loop cut at another joint, moves alike."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.engine import Engine, Loads
from kinegen.dynamics.engines.registry import make_engine

HEAD = """raff: 1
name: five-bar
gravity: [0, -9.81, 0]
parameters: {reach: 0.2}
joints:
  - {name: A, parent: base, start: 120 deg, mass: 1, centre: [0.05, 0, 0],
     inertia: [0.001, 0.002, 0.003]}
  - {name: B, parent: A, d: 0.1, start: -60 deg, mass: 0.5, centre: [0.1, 0.01, 0],
     inertia: [0.001, 0.002, 0.003]}
  - {name: E, parent: base, xyz: [0.15, 0, 0], start: 60 deg, mass: 0.8, centre: [0.05, 0, 0],
     inertia: [0.001, 0.002, 0.003]}
"""
CUT = """  - {name: D, parent: E, d: 0.1, start: 60 deg, mass: 0.7, centre: [0.12, 0.01, 0],
     inertia: [0.001, 0.002, 0.0025]}
  - {name: C, parent: B, d: reach, start: 60 deg, closes: {onto: D, d: reach}}
"""
TREE = """  - {name: C, parent: B, d: reach, start: 60 deg, mass: 0.7,
     centre: [0.12 - reach, 0.01, 0], inertia: [0.001, 0.002, 0.0025]}
  - {name: D, parent: E, d: 0.1, start: 60 deg, closes: {onto: C, xyz: [-reach, 0, 0]}}
"""
COUPLINGS = {
    "relation": "couplings: [{name: tie, relation: {A: 1, C: 0.7}}]\n",
    "cam": "couplings: [{name: tie, cam: A, follower: C, profile: 0.3*sin(2*x)}]\n",
}
GROUND = """raff: 1
name: four-bar
gravity: [0, -9.81, 0]
joints:
  - {name: A, parent: base, start: 100 deg, mass: 1, centre: [0.05, 0, 0],
     inertia: [0.001, 0.002, 0.003]}
  - {name: B, parent: A, d: 0.2, start: -30 deg, mass: 0.5, centre: [0.1, 0.01, 0],
     inertia: [0.001, 0.002, 0.003]}
  - {name: S, type: prismatic, parent: base, axis: y, start: 0.1, mass: 0.3,
     inertia: [0.01, 0.01, 0.01]}
  - {name: C, parent: B, d: 0.25, start: -60 deg, mass: 0.4, centre: [0.1, 0, 0],
     inertia: [0.001, 0.001, 0.001]}
  - {name: P, parent: C, d: 0.2, closes: {onto: base, xyz: [0.3, 0.3, 0]}}
couplings: [{name: mesh, rack: S, pinion: P, radius: 50 mm}]
"""


def both(coupling: str, engine: str = "reduced") -> list[Engine]:
    texts = (HEAD + part + COUPLINGS[coupling] for part in (CUT, TREE))
    return [make_engine(kg.dynamics.System.of(kg.load(text)), engine, 1e-3) for text in texts]


def order(engine: Engine) -> list[int]:
    return [engine.model.joint_index(name) for name in "ABCDE"]


def efforts(engine: Engine) -> Loads:
    tau = np.zeros(engine.model.nv)
    tau[engine.model.joint("C").v] = 0.1
    return Loads.of(engine.model, efforts=tau, wrenches={"E": [1.0, 2, 0, 0, 0, 0.1]})


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_the_cut_does_not_matter(coupling: str) -> None:
    made = both(coupling)
    starts = [one.advance(None, 0) for one in made]
    ends = [one.advance(efforts(one), 200) for one in made]
    q, v = ([getattr(one, key)[order(one)] for one in made] for key in "qv")
    np.testing.assert_allclose(*q, atol=1e-9)
    np.testing.assert_allclose(*v, atol=1e-8)
    np.testing.assert_allclose(*[one.reactions()[order(one)] for one in made], atol=1e-6)
    np.testing.assert_allclose(*[one.coupling_efforts() for one in made], atol=1e-6)
    for start, end in zip(starts, ends, strict=True):
        assert max(end.gap, end.angle_gap) < 1e-12
        assert end.balance == pytest.approx(start.balance, abs=1e-8)
        assert end.kinetic > 0.1


def test_other_engines_agree() -> None:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    ends = []
    for name in ("reduced", "impulse", "mujoco"):
        made = both("relation", name)[0]
        made.advance(efforts(made), 200)
        ends.append(made.q)
    # both err by 1e-4 at this step
    np.testing.assert_allclose(ends[1], ends[0], atol=3e-4)
    np.testing.assert_allclose(ends[2], ends[0], atol=3e-4)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_statics(coupling: str) -> None:
    texts = [HEAD + part + COUPLINGS[coupling] for part in (CUT, TREE)]
    found = [kg.dynamics.statics(kg.load(text), motors=["A"]) for text in texts]
    assert found[0].effort("A")[0] == pytest.approx(found[1].effort("A")[0])
    assert found[0].coupling_effort("tie") == pytest.approx(found[1].coupling_effort("tie"))
    for name in "ABCDE":
        np.testing.assert_allclose(*[one.reaction(name) for one in found], atol=1e-6)


def test_a_pinion_that_lands_on_the_ground() -> None:
    """Its shaft bears the rack's weight times the radius; resting ground has no energy."""
    mechanism = kg.load(GROUND)
    found = kg.dynamics.statics(mechanism, motors=["A"])
    assert found.coupling_effort("mesh") == pytest.approx(0.3 * 9.81)
    assert found.reaction("P")[5] == pytest.approx(-0.05 * 0.3 * 9.81)
    system = kg.dynamics.System.of(mechanism)
    ends = []
    for name in ("reduced", "impulse"):
        made = make_engine(system, name, 2e-4)
        start = made.advance(None, 0)
        report = made.advance(None, 500)
        ends.append(made.q)
        assert report.balance == pytest.approx(start.balance, abs=1e-5)
    assert made.model.nv == 5
    np.testing.assert_allclose(*ends, atol=1e-5)


def test_numbers_that_change_are_taken_over() -> None:
    made, _ = both("relation")
    made.model.parameters["reach"] = 0.22
    made.reset()
    made.advance(None, 50)
    text = HEAD.replace("reach: 0.2", "reach: 0.22") + CUT + COUPLINGS["relation"]
    fresh = make_engine(kg.dynamics.System.of(kg.load(text)), "reduced", 1e-3)
    fresh.advance(None, 50)
    np.testing.assert_allclose(made.q, fresh.q, atol=1e-10)


def test_a_pickled_run_continues() -> None:
    made, _ = both("cam")
    made.advance(None, 20)
    other = pickle.loads(pickle.dumps(made))
    for one in (made, other):
        one.advance(None, 20)
    assert made.q.tobytes() == other.q.tobytes()


def test_motors_hold_alike_alone_and_in_batches() -> None:
    ends = []
    for part in (CUT, TREE):
        text = (HEAD + part + COUPLINGS["relation"]).replace("name: E,", "name: E, motor: true,")
        model = kg.load(text).compile()
        names = [model.joint(name).q.start for name in "ABCDE"]
        start = kg.simulate(model, time=1e-3).q[0]
        target = start[names[-1]] + 0.1
        run = kg.simulate(model, start, time=0.1, targets={"E": target})
        assert run.complete and run.q[-1, names[-1]] > start[names[-1]] + 0.01
        batch = kg.dynamics.SimulationBatch(model, start, count=2)
        batch.targets[:, names[-1]] = target
        batch.advance(100)
        assert batch.reasons == ["", ""]
        np.testing.assert_allclose(batch.q[1], run.q[-1], atol=1e-9)
        ends.append(run.q[-1, names])
    np.testing.assert_allclose(*ends, atol=1e-8)
