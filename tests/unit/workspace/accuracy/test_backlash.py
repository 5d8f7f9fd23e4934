from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import kinegen as kg
import kinegen.workspace.accuracy.sources as backlash_sources
from kinegen.errors import UsageError
from kinegen.workspace.accuracy.backlash import Backlash, backlash

THREE = math.radians(3)
FIVE = kg.load("five-bar").compile()
CHAIN = """
raff: 1
joints:
  - {name: a, parent: base, start: 20 deg}
  - {name: b, parent: a, d: 1, start: 50 deg}
  - {name: c, parent: b, d: 0.7, start: -30 deg}
frames: [{name: tip, parent: c, d: 0.4}]
"""


def contains(found: Backlash, where: np.ndarray, cloud: np.ndarray) -> None:
    """The cloud (3, n) of all combinations lies within what was found."""
    away = cloud - where[:, None]
    assert (away.max(axis=1) <= found.upper + 1e-9).all()
    assert (-away.min(axis=1) <= found.lower + 1e-9).all()
    assert np.linalg.norm(away, axis=0).max() <= found.worst * 1.001
    ways = np.random.default_rng(0).normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    ours = (ways @ (found.points - where).T).max(axis=1)
    theirs = (ways @ away).max(axis=1)
    assert (theirs <= ours + 0.01 * found.worst).all()  # between two directions that were tried


def test_it_contains_all_combinations_of_a_chain() -> None:
    model = kg.load(CHAIN).compile()
    found = backlash(model, angle=THREE, directions=80)
    turns = np.linspace(-THREE, THREE, 11)
    qs = model.start()[:, None] + np.array(list(itertools.product(turns, repeat=3))).T
    cloud = kg.kinematics.forward_many(model, qs.T, ["tip"])[:, 0].T
    contains(found, kg.pose(model, None, "tip").translation, cloud)
    # and is not much larger: what it found are poses within the backlash
    assert (found.upper <= (cloud - cloud.mean(axis=1)[:, None]).max(axis=1) * 1.2 + 1e-6).all()


def test_it_contains_all_combinations_of_a_five_bar() -> None:
    found = backlash(FIVE, angle=THREE, directions=80)
    home = found.q
    turns = np.linspace(-THREE, THREE, 31)
    A, E = (grid.ravel() for grid in np.meshgrid(home[0] + turns, home[2] + turns))
    many = kg.kinematics.assemble_many(FIVE, {"A": A, "E": E}, start=home)
    qs, gaps = many.q, many.gap
    within = (gaps < 1e-9) & (np.abs(qs - home).max(axis=1) <= THREE + 1e-12)
    assert 100 < within.sum() < len(A)  # the joints in the middle have backlash too, and no more
    cloud = kg.kinematics.forward_many(FIVE, qs[within], ["handle"])[:, 0].T
    contains(found, kg.pose(FIVE, home, "handle").translation, cloud)
    np.testing.assert_allclose(found.bound[:2], (found.upper + found.lower)[:2] / 2, rtol=0.01)
    assert found.bound[2] == 0


def test_motors_alone_may_have_backlash() -> None:
    found = backlash(FIVE, joints={"A": THREE, "E": THREE})
    home = found.q
    turns = np.linspace(-THREE, THREE, 9)
    A, E = (grid.ravel() for grid in np.meshgrid(home[0] + turns, home[2] + turns))
    many = kg.kinematics.assemble_many(FIVE, {"A": A, "E": E}, start=home)
    qs = many.q
    cloud = kg.kinematics.forward_many(FIVE, qs, ["handle"])[:, 0].T
    contains(found, kg.pose(FIVE, home, "handle").translation, cloud)


def test_the_spatial_five_bar_leaves_its_plane() -> None:
    model = kg.load("five-bar-spatial").compile()
    found = backlash(model, angle=THREE, directions=30, fill=50)
    assert (found.upper > 1e-3).all() and (found.lower > 1e-3).all()
    assert found.poses.shape == (len(found.points), 7)
    assert kg.kinematics.loop_gap(model, found.worst_q).distance < 1e-9


def test_poses_between_fill_the_cloud_up_to_its_edge() -> None:
    model = kg.load("five-bar-spatial").compile()
    bare = backlash(model, angle=THREE, directions=30, fill=0).points
    found = backlash(model, angle=THREE, directions=30, fill=300)
    away = (found.points[len(bare) :] - kg.pose(model, found.q, "handle").translation).T
    # draws of all joints apart stay near the middle: their shares seldom add up
    assert (np.abs(away).max(axis=1) > 0.6 * found.upper).all()
    assert np.linalg.norm(away, axis=0).max() <= found.worst


def test_lengths_stretch_an_arm_along_itself() -> None:
    text = "raff: 1\njoints: [{name: a, parent: base}]\nframes: [{name: tip, parent: a, d: 2}]\n"
    model = kg.load(text).compile()
    found = backlash(model, angle=0.0, length=0.01)
    np.testing.assert_allclose(found.upper, [0.01, 0, 0], rtol=2e-4, atol=1e-9)
    assert found.shares == {"tip.length": pytest.approx(0.01)}
    tilted = backlash(model, wobble=0.01)
    assert tilted.upper[2] == pytest.approx(2 * math.sin(0.01), rel=1e-3)


def test_shares_add_up_to_the_largest_bound() -> None:
    found = backlash(kg.load("lynx6").compile(), angle=0.01, directions=0, fill=0)
    assert sum(found.shares.values()) == pytest.approx(found.bound.max())
    assert next(iter(found.shares)) == "shoulder"


def test_poses_tried_do_not_grow_with_the_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    moves: list[int] = []
    move = backlash_sources.LooseModel.move

    def counted(self: backlash_sources.LooseModel, off: np.ndarray) -> object:
        moves[-1] += 1
        return move(self, off)

    monkeypatch.setattr(backlash_sources.LooseModel, "move", counted)
    for joints in (3, 6, 12):
        rows = "".join(
            f"  - {{name: j{k}, parent: {f'j{k - 1}' if k else 'base'}, d: 1, start: 0.3}}\n"
            for k in range(joints)
        )
        text = f"raff: 1\njoints:\n{rows}frames: [{{name: tip, parent: j{joints - 1}, d: 1}}]\n"
        moves.append(0)
        backlash(kg.load(text).compile(), angle=0.01, directions=20, fill=30)
    assert max(moves) <= (6 + 20) * 3 * 4 + 30 * 4 + 1
    assert max(moves) < 2 * min(moves)


def test_what_has_no_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no backlash"):
        backlash(FIVE)
    spatial = kg.load("five-bar-spatial").compile()
    with pytest.raises(UsageError, match="is not held in some direction"):
        backlash(spatial, joints={"O": 0.01})
