"""Ways of a tool to an object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.spatial import SE3, SO3
from kinegen.studio.jobs.grasp import _sides, plan_grasp
from kinegen.studio.jobs.gripper import gripper_joints
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project
from kinegen.studio.session.structure import set_entry


def scene(name: str, **at: Any) -> CompiledText:
    mechanism = kg.load(name)
    entry = {"name": "cup", "shape": {"box": [0.04, 0.05, 0.06]}, "at": at}
    set_entry(mechanism, "objects", entry)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def plan(piece: CompiledText, **arguments: Any) -> dict[str, Any]:
    return plan_grasp(piece, piece.start, {"object": "cup", **arguments}, lambda *_: None)


def test_an_arm_takes_the_object_between_its_fingers() -> None:
    piece = scene("amtec-7", xyz=[0.45, 0.1, 0.3])
    found = plan(piece)
    assert found["reached"], found["reason"]
    assert found["gripper"] == ["finger_left", "finger_right"]
    path = [np.array(row) for row in found["path"]]
    there = path[found["grasp_at"]]
    assert np.allclose(kg.pose(piece.model, there, "tool").translation, [0.45, 0.1, 0.3], atol=1e-5)
    # the last part closes the fingers and leaves the arm where it is
    assert len(path) > found["grasp_at"] + 1
    left = piece.model.joint("finger_left").q.start
    assert there[left] == piece.model.upper[piece.model.joint("finger_left").v.start]
    # half of the box's smallest side is left between finger and middle
    assert path[-1][left] == pytest.approx(0.02, abs=1e-3)
    assert np.allclose(path[-1][:7], there[:7])


def test_steps_are_small_and_the_last_leg_is_straight() -> None:
    piece = scene("amtec-7", xyz=[0.45, 0.1, 0.3])
    found = plan(piece, clearance=0.08)
    path = np.array(found["path"])
    assert np.abs(np.diff(path, axis=0)).max() < 0.5
    places = np.array([kg.pose(piece.model, q, "tool").translation for q in path])
    leg = places[found["grasp_at"] - 30 : found["grasp_at"] + 1]
    way = leg[-1] - leg[0]
    across = np.cross(leg - leg[0], way / np.linalg.norm(way))
    assert np.abs(across).max() < 1e-5


def test_loops_stay_closed_on_the_way() -> None:
    start = kg.pose(kg.load("delta").compile())
    place = start.translation + [0.02, 0.0, -0.05]
    piece = scene("delta", xyz=place.tolist())
    found = plan(piece)
    assert found["reached"] and found["gripper"] == []
    for q in found["path"]:
        assert kg.loop_gap(piece.model, np.array(q))[0] < 1e-8


def test_what_is_out_of_reach_is_said() -> None:
    found = plan(scene("puma560", xyz=[5, 0, 0]))
    assert not found["reached"] and "away" in found["reason"]


def test_the_object_may_have_been_moved() -> None:
    piece = scene("amtec-7", xyz=[5, 0, 0])
    assert plan(piece, pose=[1, 0, 0, 0, 0.45, 0.1, 0.3])["reached"]
    with pytest.raises(kg.KinegenError):
        plan(piece, pose=[1, 0, 0])


def test_grippers_are_known_by_the_graph() -> None:
    for name, fingers in (("amtec-7", 2), ("puma560", 0), ("stewart", 0)):
        model = kg.load(name).compile()
        assert len(gripper_joints(model, model.site_names[-1])) == fingers


def test_from_below_is_the_last_resort() -> None:
    below = SE3(SO3.identity(), [0.0, 0.0, 1.0])
    half = np.array([0.1, 0.1, 0.1])
    # the tool is under the object: that side faces it, yet the object stands on something
    names = [name for name, _, _ in _sides(below, half, np.array([0.1, 0.0, 1.0]))]
    assert names[0] == "its −x side" and names[-1] == "below" and "above" in names
