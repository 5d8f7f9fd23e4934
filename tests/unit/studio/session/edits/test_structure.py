"""Changes of structure by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, RaffError, UsageError
from kinegen.studio.session.edits.structure import apply_structure, describe, set_entry
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.session import Session
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import WireError, decode
from kinegen.studio.wire.parts import PlacementData
from tests.support.messages import sample


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "add_joint", "name": "x"}, "add_joint lacks parent; it takes: request, name"),
        ({"kind": "remove_joint", "name": "x", "why": 1}, "remove_joint has no 'why'"),
        ({"kind": "rename", "old": "crank", "new": 5}, "rename.new must be a string, got 5"),
        (
            {"kind": "add_object", "name": "x", "shape": 5, "at": {}},
            "shape must be a string, got 5",
        ),
        (
            {"kind": "remove_entry", "section": "joints", "name": "x"},
            "section must be one of objects, ",
        ),
        ({"kind": "update_object", "name": "x", "keys": {"mass": 1}}, "keys has no 'mass'"),
        ({"kind": "rename_motion", "name": "wave"}, "rename_motion lacks new"),
        (
            {"kind": "speed_motion", "name": "wave", "factor": "fast"},
            "factor must be a finite number",
        ),
    ],
)
def test_what_is_wrong_with_an_edit_is_said(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(WireError, match=words):
        decode(json.dumps({"request": 1, **fields}))


def test_entries_and_rows_are_checked() -> None:
    mechanism = kg.load("four-bar")
    for edit, words in (
        (wire.RemoveEntry(0, "objects", "x"), "'x' is not in objects"),
        (wire.PlaceRobot(0, "x", {}), "'x' is not in robots"),
    ):
        with pytest.raises(UsageError, match=words):
            apply_structure(mechanism, edit)
    with pytest.raises(UsageError, match="an object with a name"):
        set_entry(mechanism, "motions", {"times": [0]})
    with pytest.raises(RaffError):
        apply_structure(mechanism, wire.AddObject(0, "x", {"sphere": -1.0}, {}))
    with pytest.raises(UsageError, match="'parent' is given beside the row"):
        row = {"parent": "crank"}
        apply_structure(mechanism, wire.AddJoint(0, name="x", parent="base", row=row))
    assert "objects" not in mechanism.to_raff()


def test_every_edit_of_the_wire_is_known() -> None:
    """None falls through to the words for what is not a change of structure."""
    for cls in wire.FROM_PAGE:
        if issubclass(cls, wire.StructureEdit):
            edit = decode(json.dumps(sample(cls)))
            assert isinstance(edit, wire.StructureEdit) and describe(edit)
            try:
                apply_structure(kg.load("four-bar"), edit)
            except KinegenError as error:
                assert "no change of structure" not in str(error)


def test_words_for_undo() -> None:
    assert describe(wire.AddJoint(0, name="D", parent="C")) == "add joint D"
    assert describe(wire.SetValue(0, "D", "parent", "C")) == "change D.parent"
    assert describe(wire.RenameParameter(0, old="a", new="b")) == "rename parameter a"
    assert describe(wire.AddDevice(0, "pad", "gamepad", [])) == "Declare pad"
    assert describe(wire.RemoveEntry(0, "robots", "left")) == "Remove left"
    assert describe(wire.CloseLoop(0, "D", None)) == "open the loop at D"


def test_an_entry_is_updated_where_it_stands() -> None:
    mechanism = kg.load("four-bar")
    cup = {"name": "cup", "shape": {"sphere": "3 cm"}, "color": "teal", "mass": 0.2}
    set_entry(mechanism, "objects", cup)
    edit = wire.UpdateObject(0, "cup", {"at": {"xyz": (0, 0, 1)}, "color": None, "fixed": None})
    apply_structure(mechanism, edit)
    line = next(row for row in mechanism.to_raff().splitlines() if "name: cup" in row)
    assert "shape: {sphere: 3 cm}" in line and "mass: 0.2" in line and "xyz: [0, 0, 1]" in line
    assert "color" not in line and "fixed" not in line
    with pytest.raises(UsageError, match="'jug' is not in objects"):
        apply_structure(mechanism, wire.UpdateObject(0, "jug", {"color": "red"}))


def test_robots_come_and_go() -> None:
    mechanism = kg.load("four-bar")
    at: PlacementData = {"xyz": (0.0, 1.0, 0.0)}
    apply_structure(mechanism, wire.AddRobot(0, "left", "five-bar", at))
    assert "left.A" in mechanism.joints
    apply_structure(mechanism, wire.PlaceRobot(0, "left", {"xyz": (0.0, 2.0, 0.0)}))
    assert "include: five-bar" in mechanism.to_raff() and "[0, 2, 0]" in mechanism.to_raff()
    apply_structure(mechanism, wire.RemoveEntry(0, "robots", "left"))
    assert "left.A" not in mechanism.joints


def test_devices_are_declared() -> None:
    mechanism = kg.load("four-bar")
    apply_structure(mechanism, wire.AddDevice(0, "pad", "gamepad", ["crank"]))
    apply_structure(mechanism, wire.AddDevice(0, "box", "sliders", ["crank", "rocker"], "absolute"))
    pad, box = mechanism.scene["devices"]
    assert pad["moves"] == "crank" and "mode" not in pad
    assert list(box["moves"]) == ["crank", "rocker"] and box["mode"] == "absolute"


def test_loops_are_opened_and_closed_again() -> None:
    mechanism = kg.load("four-bar")
    (cut,) = [name for name, joint in mechanism.joints.items() if joint.closes is not None]
    text = mechanism.to_raff()
    onto = mechanism.joints[cut].closes.onto  # type: ignore[union-attr]
    apply_structure(mechanism, wire.CloseLoop(0, cut, onto))
    assert mechanism.to_raff() == text, "where it lands on that link stays"
    apply_structure(mechanism, wire.CloseLoop(0, cut, None))
    assert mechanism.joints[cut].closes is None
    apply_structure(mechanism, wire.CloseLoop(0, cut, onto))
    assert mechanism.joints[cut].closes.onto == onto  # type: ignore[union-attr]


def test_a_change_of_an_object_may_have_words_of_its_own() -> None:
    edit = wire.UpdateObject(0, "cup", {}, "Release cup")
    assert describe(edit) == "Release cup"
    assert describe(replace(edit, label="")) == "Change cup"


OPEN_START = """raff: 1
joints:
  - {name: A, parent: base, start: 60 deg, motor: true}
  - {name: B, parent: A, d: 0.2, start: -40 deg}  # nearly
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
mode: "-"
"""


def test_a_pose_is_written_as_start_in_one_step(tmp_path: Path) -> None:
    session = Session(Project(tmp_path), text=OPEN_START)
    pose = session.live.copy()
    assert pose[3] < 0, "the mode that the text names"
    session.edit_structure(wire.WritePose(0, q=pose.tolist()))
    assert session.snapshot().undo == "write the pose as start"
    assert "# nearly" in session.present.text and "mode" not in session.present.text
    np.testing.assert_allclose(session.work.start, pose, atol=1e-9)
    np.testing.assert_allclose(session.work.model.start(), pose, atol=1e-9)
    np.testing.assert_allclose(session.live, pose, atol=1e-9)
    with pytest.raises(UsageError, match="already the start"):
        session.edit_structure(wire.WritePose(0, q=session.work.model.start().tolist()))
    session.undo()
    assert session.present.text == OPEN_START
    opened = pose.copy()
    opened[1] += 0.1
    for wrong, words in (([0.0], "4 numbers"), (opened.tolist(), "loops of this pose are open")):
        with pytest.raises(UsageError, match=words):
            session.edit_structure(wire.WritePose(0, q=wrong))
    assert session.present.text == OPEN_START


def test_a_start_that_had_to_be_assembled_is_remarked_once(tmp_path: Path) -> None:
    text = OPEN_START.replace('mode: "-"\n', "")
    session = Session(Project(tmp_path), text=text)
    (notice,) = session.notices
    assert "assembling moves B by -3.28°; D by -16.08°" in notice.message
    assert "Save as start pose" in notice.message
    session.notices.clear()
    session.edit_text(text.replace("0.2", "0.21"))
    assert not session.notices, "typing does not repeat it"
    session.edit_structure(wire.WritePose(0, q=session.live.tolist()))
    session.open("text", session.present.text)
    assert not session.notices


def test_a_mode_named_in_the_text_is_shown_at_once(tmp_path: Path) -> None:
    session = Session(Project(tmp_path), text=OPEN_START.replace('mode: "-"', 'mode: "+"'))
    assert session.live[3] > 0
    session.edit_text(OPEN_START)
    assert session.live[3] < 0
    session.edit_text(OPEN_START.replace('mode: "-"', "mode: 9"))
    assert session.work.gap(session.live) < 1e-9, "what is shown stays a closed pose"
    assert "does not have" in session.notices[-1].message
