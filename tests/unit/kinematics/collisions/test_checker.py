"""Which bodies touch: what is checked, what is left out, and in which form it is answered."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from kinegen.kinematics.collisions.checker import CollisionChecker, checker_of, depth_text

ARM = """raff: 1
name: arm
parameters: {r: 0.05, reach: 0.3}
joints:
  - {name: A, parent: base, shape: {box: [0.1, 0.02, 0.02], xyz: [0.1, 0, 0]}}
  - {name: B, parent: A, xyz: [0.3, 0, 0], shape: {sphere: 0.05}}
  - {name: C, parent: B, xyz: [reach, 0, 0], shape: {sphere: r}}
objects:
  - {name: table, shape: {box: [1, 0.1, 1]}, at: {xyz: [0.9, -0.3, 0]}, fixed: true}
  - {name: ball, shape: {sphere: 0.1}, at: {xyz: [0.6, 0.5, 0]}}
"""


@pytest.fixture(scope="module")
def arm() -> kg.Model:
    return kg.load(ARM).compile()


def pairs(found: kg.kinematics.Clearances) -> set[tuple[str, str]]:
    return set(zip(found.a, found.b, strict=True))


def test_links_meet_objects_the_floor_and_each_other_but_not_their_neighbours(
    arm: kg.Model,
) -> None:
    found = kg.collisions(arm, margin=10, floor=-1)
    around = {(link, thing) for link in "ABC" for thing in ("table", "ball", "floor")}
    assert pairs(found) == around | {("A", "C")}
    by_pair = dict(zip(zip(found.a, found.b, strict=True), found.distances, strict=True))
    assert by_pair["C", "ball"] == pytest.approx(0.5 - 0.1 - 0.05)
    assert by_pair["C", "table"] == pytest.approx(0.3 - 0.05 - 0.05)
    assert by_pair["B", "floor"] == pytest.approx(1 - 0.05)
    assert pairs(kg.collisions(arm, margin=10, objects=False)) == {("A", "C")}


def test_nothing_collides_at_the_start_and_what_is_deep_is_measured(arm: kg.Model) -> None:
    assert len(kg.collisions(arm)) == 0
    found = kg.collisions(arm, {"A": -0.6})
    assert pairs(found) == {("C", "table")} and found.touching.all()
    assert depth_text(found.distances[0]).endswith("mm deep")


def test_many_configurations(arm: kg.Model) -> None:
    qs = np.zeros((40, arm.nq))
    qs[:, 0] = np.linspace(-1, 1, 40)
    many = kg.collisions(arm, qs, margin=0.2, threads=2)
    assert many.pose_count == 40 and many.least.shape == (40,)
    for i in (0, 20, 29, 39):
        one = kg.collisions(arm, qs[i], margin=0.2)
        rows = many.poses == i
        np.testing.assert_array_equal(many.distances[rows], one.distances)
        assert many.colliding[i] == one.touching.any()
    assert 0 < many.colliding.sum() < 40


def test_results_are_saved(arm: kg.Model, tmp_path: Path) -> None:
    found = kg.collisions(arm, margin=1.0)
    found.save(tmp_path / "pairs.csv")
    head, first, *_ = (tmp_path / "pairs.csv").read_text().splitlines()
    assert head.startswith("pose,a,b,distance [m]") and first.startswith("0,A,C,")
    found.save(tmp_path / "pairs.json")
    assert json.loads((tmp_path / "pairs.json").read_text())["a"] == list(found.a)


def test_bodies_are_prepared_once_and_again_when_numbers_change() -> None:
    model = kg.load(ARM).compile()
    checker = checker_of(model)
    assert checker_of(model) is checker
    before = kg.collisions(model, margin=1.0)
    model.parameters["r"] = 0.06
    after = kg.collisions(model, margin=1.0)
    row = list(zip(before.a, before.b, strict=True)).index(("C", "table"))
    assert after.distances[row] == pytest.approx(before.distances[row] - 0.01)


@pytest.mark.parametrize("name", ["so101", "stewart", "humanoid-30", "delta", "arm-and-wall"])
def test_library_mechanisms_collide_with_nothing_at_the_start(name: str) -> None:
    model = kg.load(name).compile()
    assert len(kg.collisions(model, kg.assemble(model).q)) == 0


def test_links_that_overlap_by_construction_are_named() -> None:
    checker = CollisionChecker(kg.load(ARM.replace("reach: 0.3", "reach: -0.2")))
    assert checker.remarks == ("A and C overlap at the start, so they are not checked",)
    assert ("A", "C") not in pairs(checker.measure(margin=10))


def test_bars_of_plane_linkages_pass_each_other_unless_the_file_says_otherwise() -> None:
    four_bar = kg.load("four-bar")
    assert len(kg.collisions(four_bar, margin=1.0)) == 0
    assert len(kg.collisions(kg.load("stewart"), margin=1.0)) > 0


def test_a_checker_can_be_pickled(arm: kg.Model) -> None:
    checker = CollisionChecker(arm, floor=-1.0)
    again = pickle.loads(pickle.dumps(checker))
    np.testing.assert_array_equal(
        again.measure(margin=5).distances, checker.measure(margin=5).distances
    )


def test_objects_may_be_elsewhere(arm: kg.Model) -> None:
    at = kg.SE3(kg.SO3.identity(), np.array([0.6, 0.1, 0.0]))
    found = CollisionChecker(arm, places={"ball": at}).measure()
    # what overlaps at the start is not checked: the arm's own start counts, wherever the ball is
    assert len(found) == 0
    far = kg.SE3(kg.SO3.identity(), np.array([0.6, -0.2, 0.0]))
    moved = CollisionChecker(arm, places={"ball": far}).measure({"A": -0.2}, margin=1.0)
    assert ("C", "ball") in pairs(moved)
    with pytest.raises(KinegenError, match="did you mean 'ball'"):
        CollisionChecker(arm, places={"bal": at})


@pytest.mark.parametrize(
    ("keywords", "message"),
    [({"margin": -1}, "margin"), ({"margin": np.nan}, "margin"), ({"floor": np.inf}, "floor")],
)
def test_bad_input_is_named(arm: kg.Model, keywords: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        kg.collisions(arm, **keywords)
    with pytest.raises(UsageError, match=r"\(n, 3\)"):
        kg.collisions(arm, np.zeros((2, 7)))
    with pytest.raises(UsageError, match="not finite"):
        kg.collisions(arm, np.full((2, 3), np.nan))


def test_the_floor_of_the_file_counts_unless_another_is_given() -> None:
    text = (
        "raff: 1\nparameters: {h: 0.2}\nworld: {floor: h}\njoints:\n"
        "  - {name: lift, type: prismatic, parent: base, start: 1, shape: {box: [0.2, 0.2, 0.2]}}\n"
    )
    lift = kg.load(text).compile()
    low = kg.collisions(lift, {"lift": 0.25})
    assert low.b == ("floor",) and low.distances == pytest.approx([-0.05])
    assert not kg.collisions(lift, {"lift": 0.25}, floor=-1.0).a
    lift.parameters["h"] = 0.0
    assert not kg.collisions(lift, {"lift": 0.25}).a
