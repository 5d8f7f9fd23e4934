"""Objects of a scene."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.scene import object_poses, placement_pose, scene_object

SCENE = """raff: 1
name: arm
parameters: {L: 0.3}
joints: [{name: A, parent: base, motor: {}}]
frames: [{name: tool, parent: A, d: L}]
objects:
  - {name: cup, shape: {box: [0.1, L, 0.2]}, at: {parent: tool, xyz: [0.1, 0, 0]}}
  - {name: table, shape: {sphere: 0.5}, at: {d: 1, theta: 90 deg}}
"""


def test_objects_hang_on_frames_or_stand_in_the_world() -> None:
    mechanism = kg.load(SCENE)
    model = mechanism.compile()
    places = object_poses(mechanism, model, [np.pi / 2])
    assert places["cup"].translation == pytest.approx([0, 0.4, 0])
    assert places["table"].translation == pytest.approx([1, 0, 0])
    assert places["table"].rotation[:, 0] == pytest.approx([0, 1, 0])
    cup = scene_object(mechanism, model, "cup")
    assert cup.X_WO.translation == pytest.approx([0.4, 0, 0])
    assert cup.shapes[0].size == pytest.approx((0.1, 0.3, 0.2))
    with pytest.raises(kg.errors.KinegenError, match="did you mean 'cup'"):
        scene_object(mechanism, model, "cap")


def test_a_placement_has_numbers_of_either_kind() -> None:
    at = {"xyz": [1, 2, 3], "rpy": [0, 0, np.pi / 2]}
    X = placement_pose(at, {})
    assert X.translation == pytest.approx([1, 2, 3])
    assert X.rotation[:, 0] == pytest.approx([0, 1, 0])
    assert placement_pose({"r": 0.5}, {}).translation == pytest.approx([0, 0, 0.5])
