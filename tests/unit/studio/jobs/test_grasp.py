"""Grasps as a page asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.edits.structure import set_entry
from kinegen.studio.session.files.project import Project
from tests.unit.studio.workbench import put


def scene(name: str, **at: Any) -> CompiledText:
    mechanism = kg.load(name)
    entry = {"name": "cup", "shape": {"box": [0.04, 0.05, 0.06]}, "at": at}
    set_entry(mechanism, "objects", entry)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def test_a_grasp_is_answered_as_plain_data() -> None:
    compiled = scene("amtec-7", xyz=[0.45, 0.1, 0.3])
    found, _ = put(compiled, "grasp", object="cup", clearance=0.08)
    assert found.reached and found.gripper == ["finger_left", "finger_right"]
    there = np.array(found.path[found.grasp_at])
    assert np.allclose(
        kg.pose(compiled.model, there, "tool").translation, [0.45, 0.1, 0.3], atol=1e-5
    )


def test_the_object_may_have_been_moved() -> None:
    compiled = scene("amtec-7", xyz=[5, 0, 0])
    moved, _ = put(compiled, "grasp", object="cup", pose=[1, 0, 0, 0, 0.45, 0.1, 0.3])
    assert moved.reached
    for wrong in ({"pose": [1, 0, 0]}, {"object": "spoon"}, {"frame": "claw"}):
        with pytest.raises(kg.errors.KinegenError):
            put(compiled, "grasp", **{"object": "cup", **wrong})
