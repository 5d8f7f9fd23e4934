"""Grippers of mechanisms."""

from __future__ import annotations

import numpy as np

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
