"""Grippers of mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.motion.grasp import closing_path, gripper_joints, opening_path


def test_grippers_are_known_by_the_graph() -> None:
    for name, fingers in (("amtec-7", 2), ("puma560", 0), ("stewart", 0)):
        model = kg.load(name).compile()
        assert len(gripper_joints(model, model.site_names[-1])) == fingers


def test_fingers_open_and_shut_on_what_is_between_them() -> None:
    model = kg.load("amtec-7").compile()
    fingers = gripper_joints(model, "tool")
    columns = [model.joint(name).q.start for name in fingers]
    wide = opening_path(model, model.start(), "tool", fingers)[-1]
    assert np.allclose(wide[columns], model.upper[[model.joint(f).v.start for f in fingers]])
    assert len(opening_path(model, wide, "tool", fingers)) == 0
    shut = closing_path(model, wide, "tool", fingers, 0.02)[-1]
    assert np.allclose(shut[columns], 0.02, atol=1e-3)
    rest = [k for k in range(model.nq) if k not in columns]
    assert np.array_equal(shut[rest], wide[rest])


COUPLED = """raff: 1
name: jaws
joints:
  - {name: turn, parent: base, r: 0.3}
  - {name: left, parent: turn, xyz: [20 mm, 0, 0], rpy: [-90 deg, 0, 0], limits: [-20 deg, 50 deg]}
  - {name: left_pad, parent: left, xyz: [0, -40 mm, 0], rpy: [0, 0, 0],
     follows: {joint: left, ratio: -1}}
  - {name: right, parent: turn, xyz: [-20 mm, 0, 0], rpy: [-90 deg, 0, 0],
     limits: [-40 deg, 60 deg], follows: {joint: left, ratio: -1}}
frames:
  - {name: left_tip, parent: left_pad, xyz: [0, -20 mm, 0]}
  - {name: right_tip, parent: right, xyz: [0, -40 mm, 0]}
  - {name: tool, parent: turn, xyz: [0, 0, 60 mm]}
"""


def test_coupled_fingers_turn_together() -> None:
    model = kg.load(COUPLED).compile()
    fingers = gripper_joints(model, "tool")
    assert fingers == ["left", "right"]
    wide = opening_path(model, model.start(), "tool", fingers)
    # the right finger's limit of -40 degrees comes first
    assert np.degrees(wide[-1, 1:4]) == pytest.approx([40, -40, -40], abs=1e-9)
    path = closing_path(model, wide[-1], "tool", fingers, 0.015)
    tips = [kg.pose(model, path[-1], name).translation[0] for name in ("left_tip", "right_tip")]
    assert tips == pytest.approx([0.015, -0.015], abs=4e-4)  # a two-hundredth of the way
    for q in (*wide, *path):
        assert kg.kinematics.loop_gap(model, q).largest < 1e-14


@pytest.mark.parametrize(
    ("name", "fingers", "tips"),
    [
        ("franka-hand", ["finger_left", "finger_right"], ("finger_left", "finger_right")),
        ("teachmover-hand", ["left", "right"], ("left_tip", "right_tip")),
        ("so101", ["gripper"], ("jaw_tip",)),
    ],
)
def test_real_grippers_shut_on_an_object(
    name: str, fingers: list[str], tips: tuple[str, ...]
) -> None:
    model = kg.load(name).compile()
    assert gripper_joints(model, "tool") == fingers
    wide = opening_path(model, model.start(), "tool", fingers)[-1]
    shut = closing_path(model, wide, "tool", fingers, 0.01)[-1]

    def beside(q: np.ndarray) -> list[float]:
        X_TW = kg.pose(model, q, "tool").inverse()
        return [
            float(np.hypot(*X_TW.apply(kg.pose(model, q, tip).translation)[:2])) for tip in tips
        ]

    assert min(beside(wide)) > 0.035  # half of 3 in, 80 mm, and a jaw that swings away
    # the last of 200 steps that still leaves 10 mm to the axis
    np.testing.assert_allclose(beside(shut), 0.01, atol=8e-4)
    for q in (wide, shut):
        assert kg.kinematics.loop_gap(model, q).largest < 1e-12
