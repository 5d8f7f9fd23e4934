"""Ways of a tool to an object."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.mechanism.shapes.shapes import shapes_from_spec
from kinegen.motion.grasp import Grasp, half_sizes, plan_grasp
from kinegen.motion.grasp.grasp import approach_sides
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

HALF = [0.02, 0.025, 0.03]


def plan(name: str, xyz: list[float], clearance: float | None = None) -> Grasp:
    model = kg.load(name).compile()
    X_WO = SE3(SO3.identity(), xyz)
    return plan_grasp(model, kg.assemble(model).q, None, X_WO, HALF, clearance=clearance)


def test_an_arm_takes_the_object_between_its_fingers() -> None:
    found = plan("amtec-7", [0.45, 0.1, 0.3])
    assert found.reached, found.reason
    assert found.gripper == ("finger_left", "finger_right")
    model, there = found.model, found.path[found.grasp_at]
    assert np.allclose(kg.pose(model, there, "tool").translation, [0.45, 0.1, 0.3], atol=1e-5)
    # the last part closes the fingers and leaves the arm where it is
    assert len(found.path) > found.grasp_at + 1
    left = model.joint("finger_left")
    assert there[left.q.start] == model.upper[left.v.start]
    # half of the box's smallest side is left between finger and middle
    assert found.path[-1][left.q.start] == pytest.approx(0.02, abs=1e-3)
    assert np.allclose(found.path[-1][:7], there[:7])


def test_steps_are_small_and_the_last_leg_is_straight() -> None:
    found = plan("amtec-7", [0.45, 0.1, 0.3], clearance=0.08)
    assert np.abs(np.diff(found.path, axis=0)).max() < 0.5
    places = np.array([kg.pose(found.model, q, "tool").translation for q in found.path])
    leg = places[found.grasp_at - 30 : found.grasp_at + 1]
    way = leg[-1] - leg[0]
    across = np.cross(leg - leg[0], way / np.linalg.norm(way))
    assert np.abs(across).max() < 1e-5


def test_loops_stay_closed_on_the_way() -> None:
    start = kg.pose(kg.load("delta").compile())
    found = plan("delta", (start.translation + [0.02, 0.0, -0.05]).tolist())
    assert found.reached and found.gripper == ()
    assert max(kg.kinematics.loop_gap(found.model, q).distance for q in found.path) < 1e-8


def test_what_is_out_of_reach_is_said() -> None:
    found = plan("puma560", [5, 0, 0])
    assert not found.reached and "away" in found.reason


def test_the_way_is_a_motion() -> None:
    found = plan("amtec-7", [0.45, 0.1, 0.3])
    motion = found.recording(duration=3.0)
    assert motion.duration == pytest.approx(3.0)
    assert np.allclose(motion.at(3.0), found.path[-1])
    with pytest.raises(UsageError, match="must be positive"):
        found.recording(duration=0.0)


def test_from_below_is_the_last_resort() -> None:
    below = SE3(SO3.identity(), [0.0, 0.0, 1.0])
    half = np.array([0.1, 0.1, 0.1])
    # the tool is under the object: that side faces it, yet the object stands on something
    names = [side.name for side in approach_sides(below, half, np.array([0.1, 0.0, 1.0]))]
    assert names[0] == "its −x side" and names[-1] == "below" and "above" in names


@pytest.mark.parametrize(
    ("shape", "half"),
    [
        ({"box": [0.2, 0.4, 0.6]}, [0.1, 0.2, 0.3]),
        ({"sphere": 0.1}, [0.1, 0.1, 0.1]),
        ({"cylinder": [0.1, 0.5]}, [0.1, 0.1, 0.25]),
        ({"capsule": [0.1, 0.5]}, [0.1, 0.1, 0.35]),
        ([{"sphere": 0.1}, {"box": [0.1, 0.1, 0.6]}], [0.1, 0.1, 0.3]),
        ("none", [0.05, 0.05, 0.05]),
    ],
)
def test_bodies_have_half_sizes(shape: object, half: list[float]) -> None:
    assert half_sizes(shapes_from_spec(shape, ())) == pytest.approx(half)


def test_what_makes_no_sense_is_refused() -> None:
    model = kg.load("puma560").compile()
    here = SE3.identity()
    for half, clearance in (([1, 2], None), ([-1, 1, 1], None), (HALF, -1.0), (HALF, np.nan)):
        with pytest.raises(UsageError):
            plan_grasp(model, None, None, here, half, clearance=clearance)
    with pytest.raises(kg.errors.KinegenError, match="claw"):
        plan_grasp(model, None, "claw", here, HALF)
