"""A session: changes, poses carried along, undo, saving."""

from __future__ import annotations

import gc
import random
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, NameNotFoundError, NumberError, UsageError
from kinegen.mechanism.load import library_file
from kinegen.studio.session.compiled_text import TextProblems
from kinegen.studio.session.files.conflicts import ConflictError
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.files.sources import first_source
from kinegen.studio.session.reading.readers import Reader, Readers
from kinegen.studio.session.session import Session
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import encoded
from kinegen.studio.wire.messages import MotionData
from kinegen.studio.wire.parts import ObjectKeys, Shape

ARM = """\
raff: 1
name: arm
parameters: {upper: 300 mm, lower: 0.2}   # kept
joints:
  - {name: A, parent: base, limits: [-90 deg, 90 deg]}
  - {name: B, parent: A, d: upper}
frames:
  - {name: tool, parent: B, xyz: [lower, 0, 0]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def arm(project: Project) -> Session:
    return Session(project, text=ARM)


@pytest.fixture
def bar(project: Project) -> Session:
    return Session.opened(project, "library", "four-bar")


def closed(session: Session) -> bool:
    return kg.kinematics.loop_gap(session.work.model, session.live).distance < 1e-9


def test_a_text_edit_keeps_the_pose_by_joint_names(arm: Session) -> None:
    arm.commit_pose([0.3, 0.7], "drag")
    more = ARM.replace("  - {name: A,", "  - {name: Z, parent: base}\n  - {name: A,")
    arm.edit_text(more.replace("parent: base, limits", "parent: Z, limits"))
    assert [joint.name for joint in arm.work.model.joints] == ["Z", "A", "B"]
    assert arm.live.tolist() == [0.0, 0.3, 0.7]
    assert arm.pose_changed and arm.layout_version == arm.version


def test_an_edit_of_numbers_leaves_an_arm_where_it_is(arm: Session) -> None:
    arm.commit_pose([0.3, 0.7], "drag")
    arm.edit_text(ARM.replace("300 mm", "310 mm"))
    assert arm.live.tolist() == [0.3, 0.7]
    assert not arm.pose_changed and arm.layout_version < arm.version


def test_loops_are_closed_again_after_an_edit(bar: Session) -> None:
    there = kg.assemble(bar.work.model, {"crank": 1.3}, locked=["crank"]).q
    bar.commit_pose(there.tolist(), "drag")
    bar.set_numbers([(None, "coupler", 0.26)])
    assert closed(bar) and bar.pose_changed
    assert float(np.abs(bar.live - there).max()) < 0.3


def test_a_pose_that_fits_the_new_numbers_is_left_to_the_page(bar: Session) -> None:
    """The page moved a slider live and closed the loops itself; its pose came by a frame."""
    fresh = kg.load("four-bar")
    fresh.set_parameter("coupler", 0.26)
    there = kg.assemble(fresh.compile(), bar.live).q
    assert bar.move(bar.version, there)
    bar.set_numbers([(None, "coupler", 0.26)])
    assert not bar.pose_changed and bar.live.tolist() == there.tolist()


def test_live_poses_of_another_model_are_not_taken(arm: Session) -> None:
    version = arm.version
    assert arm.move(version, np.array([0.1, 0.2]))
    assert not arm.move(version, np.zeros(3))
    arm.edit_structure(wire.AddJoint(0, name="C", parent="B"))
    assert not arm.move(version, np.zeros(3))
    assert arm.move(arm.version, np.zeros(3))


def test_loops_that_cannot_be_closed_are_reported(bar: Session) -> None:
    good = "coupler: {value: 250 mm, min: 200 mm, max: 400 mm}"
    assert good in bar.present.text
    bar.edit_text(bar.present.text.replace(good, "coupler: 2 m"))
    assert bar.problems == []
    (notice,) = bar.notices
    assert notice.level == "warning" and "cannot be assembled" in notice.message
    assert bar.work.complaint is not None
    bar.notices.clear()
    bar.edit_text(bar.present.text + "# typed on\n")
    assert bar.notices == []


def test_numbers_are_set_all_or_none(arm: Session) -> None:
    arm.set_numbers([(None, "upper", 0.25), ("A", "limits.1", "80 deg"), ("B", "alpha", 1.5)])
    text = arm.present.text
    assert "upper: 250 mm" in text and "80 deg]" in text and "alpha: 1.5" in text
    assert "# kept" in text and arm.present.label == "change upper, A.limits.1, B.alpha"
    with pytest.raises(NameNotFoundError):
        arm.set_numbers([(None, "upper", 0.1), (None, "uper", 0.1)])
    assert arm.present.text == text
    with pytest.raises(UsageError):
        arm.set_numbers([("B", "d", "3 +")])
    with pytest.raises(UsageError):
        arm.set_numbers([])


def test_coordinates_that_are_left_out_can_be_set(arm: Session) -> None:
    arm.set_numbers([("tool", "xyz.1", 0.05)], "shift tool")
    assert arm.work.model.number("tool", "y") == 0.05
    assert arm.present.label == "shift tool"
    arm.set_numbers([("tool", "rpy.2", "90 deg")])
    assert arm.work.model.number("tool", "yaw") == pytest.approx(np.pi / 2)
    for owner, key in (("tool", "xyz.7"), ("tool", "rpy.x"), ("none", "xyz.0"), ("A", "rpy.9")):
        with pytest.raises(kg.errors.KinegenError):
            arm.set_numbers([(owner, key, 0.1)])


def test_numbers_outside_their_range_are_refused(bar: Session) -> None:
    with pytest.raises(NumberError, match="outside its min and max"):
        bar.set_numbers([(None, "crank", 5.0)])


def test_structure(arm: Session) -> None:
    arm.edit_structure(wire.AddJoint(0, name="C", parent="B", row={"d": "100 mm"}))
    assert arm.present.label == "add joint C"
    arm.edit_structure(wire.Rename(0, old="C", new="wrist"))
    arm.edit_structure(wire.SetValue(0, owner="wrist", key="color", value="teal"))
    assert "color: teal" in arm.present.text
    arm.edit_structure(wire.RemoveJoint(0, name="wrist"))
    with pytest.raises(UsageError, match="carries"):
        arm.edit_structure(wire.RemoveJoint(0, name="B"))
    labels = []
    while arm.snapshot().undo:
        labels.append(arm.snapshot().undo)
        arm.undo()
    assert labels == ["remove joint wrist", "change wrist.color", "rename C", "add joint C"]
    assert arm.present.text == ARM


def test_problems_keep_the_last_good_model(arm: Session) -> None:
    model = arm.work.model
    arm.edit_text(ARM + "joints: 5\n")
    assert arm.problems and arm.work.model is model
    assert arm.snapshot().text.endswith("joints: 5\n")
    with pytest.raises(TextProblems):
        arm.set_numbers([(None, "upper", 0.2)])
    arm.commit_pose([0.1, 0.2], "drag")
    arm.undo()
    assert arm.problems
    arm.undo()
    assert not arm.problems and arm.present.text == ARM


def test_a_compile_error_is_a_problem_without_a_place(arm: Session) -> None:
    arm.edit_text("raff: 1\njoints:\n  - {name: A, parent: B}\n  - {name: B, parent: A}\n")
    assert arm.problems and arm.work.model.name == "arm"


@pytest.mark.parametrize(
    "text",
    [
        ARM + "robots:\n  - {name: r, include: ../outside.raff}\n",
        ARM.replace("lower: 0.2", "lower: sqrt(0 - upper)"),
        ARM.replace("lower: 0.2", "lower: 1/0"),
        ARM.replace("parent: A", "parent: B"),
        "",
        "\0",
        "[" * 5000,
    ],
)
def test_whatever_is_typed_stays_in_the_editor(arm: Session, text: str) -> None:
    arm.edit_text(text)
    assert arm.problems and arm.snapshot().text == text
    assert arm.work.text == ARM


def test_undo_brings_text_pose_and_file_back(arm: Session) -> None:
    arm.commit_pose([0.3, 0.7], "drag")
    arm.save("arm.raff")
    arm.open("library", "stewart")
    assert arm.present.file is None
    arm.undo()
    assert arm.present.file == "arm.raff" and arm.live.tolist() == [0.3, 0.7]
    assert arm.pose_changed and not arm.dirty
    arm.undo()
    assert arm.live.tolist() == [0.0, 0.0]
    arm.redo()
    assert arm.live.tolist() == [0.3, 0.7]


def test_keystrokes_are_one_step(project: Project) -> None:
    now = [0.0]
    arm = Session(project, text=ARM, clock=lambda: now[0])
    for word in ("# a", "# ab", "# abc"):
        now[0] += 0.2
        arm.edit_text(ARM + word)
    arm.undo()
    assert arm.present.text == ARM and arm.snapshot().redo == "edit text"


def test_half_typed_numbers_leave_the_pose(project: Project) -> None:
    now = [0.0]
    text = library_file("five-bar").read_text(encoding="utf-8")
    bar = Session(project, text=text, clock=lambda: now[0])
    before = bar.live.copy()
    for number in ("0.2", "0.", "0.3", "0.25"):
        now[0] += 0.2
        bar.edit_text(text.replace("coupler: 0.25", f"coupler: {number}"))
    assert bar.present.text == text
    np.testing.assert_allclose(bar.live, before, atol=1e-9)


def test_dirty_is_what_no_file_has(project: Project, arm: Session) -> None:
    assert not arm.dirty
    arm.edit_text(ARM + "# more\n")
    assert arm.dirty
    assert arm.save("mine.raff") == "mine.raff" and not arm.dirty
    assert (project.folder / "mine.raff").read_text() == ARM + "# more\n"
    arm.undo()
    assert arm.dirty and arm.present.file == "mine.raff"
    arm.save("mine.raff")
    assert (project.folder / "mine.raff").read_text() == ARM and not arm.dirty
    arm.open("library", "four-bar")
    with pytest.raises(ConflictError, match="already exists") as caught:
        arm.save("mine.raff")
    arm.save("mine.raff", overwrite=caught.value.data.version)
    arm.undo()
    assert arm.dirty, "its file holds something else now"


def test_open_with_a_pose_closes_it(bar: Session) -> None:
    q = bar.work.start.copy()
    q[0] += 0.1
    bar.open("text", bar.present.text, q.tolist())
    assert closed(bar) and bar.dirty


def test_opening_what_is_not_there_changes_nothing(bar: Session) -> None:
    version = bar.version
    for source, value in (("library", "nothing"), ("file", "no.raff"), ("file", "../x.raff")):
        with pytest.raises((NameNotFoundError, UsageError)):
            bar.open(source, value)
    with pytest.raises(TextProblems):
        bar.open("text", "raff: 2")
    assert bar.version == version


def test_poses_of_the_wrong_size_are_refused(bar: Session) -> None:
    for q in ([0.0], [float("nan")] * 4, []):
        with pytest.raises(UsageError):
            bar.commit_pose(q, "drag")


def test_an_impossible_pose_is_refused_for_the_last_one(bar: Session) -> None:
    far = (bar.live + [0, 1.0, 1.0, 0]).tolist()
    bar.commit_pose(far, "drag")
    assert closed(bar) and bar.pose_changed


def test_the_same_pose_is_no_step(bar: Session) -> None:
    version = bar.version
    bar.commit_pose(bar.live.tolist(), "drag")
    assert bar.version == version and bar.snapshot().undo is None


def motion(name: str = "wave") -> MotionData:
    return MotionData(name, ["A", "B"], [0.0, 0.5, 1.0], [[0, 0], [0.5, 1], [0, 0]], "linear", None)


def test_motions_are_kept_in_the_text(arm: Session) -> None:
    arm.store_motion(motion())
    assert arm.snapshot().motions == [motion()]
    assert arm.present.label == "store motion wave"
    arm.change_motion(wire.RenameMotion(0, "wave", new="hello"))
    arm.change_motion(wire.SpeedMotion(0, "hello", factor=2.0))
    (found,) = arm.snapshot().motions
    assert found.name == "hello" and found.times == [0.0, 0.25, 0.5]
    arm.change_motion(wire.TrimMotion(0, "hello", start=0.25, end=0.5))
    (found,) = arm.snapshot().motions
    assert found.times == [0.0, 0.25] and found.values[0] == [0.5, 1.0]
    arm.change_motion(wire.RemoveMotion(0, "hello"))
    assert arm.snapshot().motions == []
    kg.load(arm.present.text)


def test_motions_that_do_not_fit_are_refused(arm: Session) -> None:
    arm.store_motion(motion())
    bad = motion()
    bad.joints = ["A", "X"]
    with pytest.raises(NameNotFoundError):
        arm.store_motion(bad)
    for change in (
        {"values": [[0.0]] * 3},
        {"times": [0.0, 0.0, 1.0]},
        {"times": [], "values": []},
        {"times": [0.0]},
    ):
        bad = motion()
        for key, value in change.items():
            setattr(bad, key, value)
        with pytest.raises(UsageError):
            arm.store_motion(bad)
    for edit in (
        wire.RemoveMotion(0, "none"),
        wire.RenameMotion(0, "wave", new="wave"),
        wire.SpeedMotion(0, "wave", factor=-1.0),
    ):
        with pytest.raises((UsageError, NameNotFoundError)):
            arm.change_motion(edit)
    assert arm.snapshot().motions == [motion()]


def test_objects_are_set_and_removed(arm: Session) -> None:
    shape: Shape = {"box": (0.1, 0.1, 0.2)}
    arm.edit_structure(wire.AddObject(0, "cup", shape, {"xyz": (0.5, 0.0, 0.1)}))
    (cup,) = arm.snapshot().objects
    assert cup.pose == [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.1] and cup.shape == {"box": [0.1, 0.1, 0.2]}
    assert arm.present.label == "Add cup"
    with pytest.raises(UsageError, match="'cup' is in objects already"):
        arm.edit_structure(wire.AddObject(0, "cup", shape, {}))
    moved: ObjectKeys = {"at": {"xyz": (0.4, 0.0, 0.1)}, "color": "teal"}
    arm.edit_structure(wire.UpdateObject(0, "cup", moved))
    (cup,) = arm.snapshot().objects
    assert cup.pose[4] == 0.4 and cup.color == "teal"
    arm.edit_structure(wire.RemoveEntry(0, "objects", "cup"))
    assert arm.snapshot().objects == []


def test_a_restored_session_is_as_it_was(project: Project, arm: Session) -> None:
    arm.save("arm.raff")
    arm.edit_text(ARM + "joints: 5\n")
    arm.commit_pose([0.3, 0.7], "drag")
    back = Session.restored(project, arm.record())
    assert back.present.text == arm.present.text and back.problems
    assert back.live.tolist() == [0.3, 0.7]
    assert back.present.file == "arm.raff" and back.dirty
    # its steps too
    assert back.snapshot().undo == "drag"
    back.undo()
    assert back.live.tolist() == arm.work.start.tolist() and back.problems
    back.undo()
    assert back.present.text == ARM and not back.problems and not back.dirty
    back.redo()
    back.redo()
    assert back.live.tolist() == [0.3, 0.7] and back.snapshot().redo is None
    assert back.id != arm.id


def test_a_text_that_became_unreadable_is_restored_with_its_problems(project: Project) -> None:
    (project.folder / "part.raff").write_text(ARM)
    text = "raff: 1\nname: two\nrobots:\n  - {name: r, include: part.raff}\n"
    session = Session(project, text=text)
    session.edit_text(text + "# more\n")
    (project.folder / "part.raff").unlink()
    back = Session.restored(project, session.record())
    assert back.present.text == text + "# more\n" and back.dirty
    assert "part.raff" in back.problems[0].message
    (project.folder / "part.raff").write_text(ARM)
    back.edit_text(text + "# well\n")
    assert not back.problems and back.work.model.nq == 2


@pytest.mark.parametrize("seed", range(4))
def test_any_walk_through_changes_keeps_its_promises(project: Project, seed: int) -> None:
    """A refused change changes nothing; text, model and pose always belong together."""
    chance = random.Random(seed)
    session = Session.opened(project, "library", chance.choice(["four-bar", "stewart", "puma560"]))
    for step in range(40):
        before = session.present.text, session.version
        try:
            _random_change(session, chance, step)
        except kg.errors.KinegenError:
            assert (session.present.text, session.version) == before
        shown = session.snapshot()
        assert len(shown.q) == session.work.model.nq == len(session.present.q)
        assert session.present.good_text == session.work.text
        assert bool(shown.problems) == (session.present.text != session.present.good_text)
    while session.snapshot().undo:
        session.undo()
        assert session.present.good_text == session.work.text
        assert session.live.tolist() == session.present.q.tolist()


def _random_change(session: Session, chance: random.Random, step: int) -> None:
    text = session.present.text
    match chance.randrange(8):
        case 0:
            shown = orjson.loads(encoded(session.work.data).json)
            keys = [(one["owner"], one["key"]) for one in shown["numbers"]] or [("none", "d")]
            session.set_numbers([(*chance.choice(keys), chance.uniform(-1, 1))])
        case 1:
            shown = orjson.loads(encoded(session.work.data).json)
            parameters = [one["name"] for one in shown["parameters"]] or ["none"]
            session.set_numbers([(None, chance.choice(parameters), chance.uniform(0, 1))])
        case 2:
            shift = [chance.gauss(0, 0.1) for _ in session.live]
            session.commit_pose((session.live + shift).tolist(), "drag")
        case 3:
            at = chance.randrange(len(text))
            session.edit_text(text[:at] + chance.choice("a0 ,{}[]:\n-#") + text[at:])
        case 4:
            session.edit_text(text[: chance.randrange(len(text) // 2, len(text))])
        case 5:
            joint = chance.choice(session.work.model.link_names)
            session.edit_structure(wire.AddJoint(0, name=f"N{step}", parent=joint, row={"d": 0.1}))
        case 6:
            session.undo()
        case _:
            session.redo()


def test_what_a_text_includes_is_read_again_when_it_has_changed(project: Project) -> None:
    part = project.folder / "part.raff"
    part.write_text("raff: 1\njoints: [{name: J, parent: base}]\n")
    text = 'raff: 1\nrobots: [{name: r, "incl\\x75de": part.raff}]\n'
    session = Session(project, text=text)
    first = session.work
    session.edit_text(ARM)
    session.undo()
    assert session.work is first, "nothing has changed: it was at hand"
    session.redo()
    part.write_text("raff: 1\njoints: [{name: K, parent: base}]\n")
    session.undo()
    assert "r.K" in session.work.model.link_names
    note = ARM + "# nothing to include here\n"
    session.open("text", note)
    kept = session._read(note, None)
    assert session._read(note, None) is kept, "a word in a remark costs nothing"


def test_a_file_is_known_by_one_name(project: Project) -> None:
    project.save("parts/arm.raff", ARM, overwrite=False)
    session = Session(project)
    session.open("file", "parts\\arm.raff")
    assert session.present.file == "parts/arm.raff"


def test_work_is_restored_though_its_file_cannot_be_called_so_any_more(project: Project) -> None:
    record = Session(project, text=ARM).record()
    steps = tuple(replace(step, file="a:b.raff") for step in record.steps)
    session = Session.restored(project, replace(record, steps=steps))
    assert session.present.text == ARM and session.present.file is None


def test_plain_numbers_that_are_seldom_meant_are_asked_about(project: Project) -> None:
    session = Session(project, text=ARM)
    session.edit_text("raff: 1\njoints:\n  - {name: A, parent: base, alpha: 90}\n")
    assert [one.message for one in session.notices] == [
        "line 3: alpha is 90 rad; did you mean 90 deg?"
    ]


def test_a_session_takes_little_memory_and_gives_it_back(project: Project) -> None:
    """What it keeps of a mechanism is what it needs to show and move it, for a few states."""

    def worked(name: str) -> Session:
        session = Session.opened(project, "library", name)
        for step in range(6):  # more than are kept at hand
            session.edit_structure(
                wire.AddFrame(0, name=f"f{step}", parent="base", row={"d": 0.1 * step})
            )
        return session

    worked("stewart")  # what is imported and remembered at first use
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        sessions = [worked("stewart") for _ in range(2)]
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
        assert taken / len(sessions) < 1_000_000, f"{taken} bytes for {len(sessions)} sessions"
        del sessions
        gc.collect()
        left = tracemalloc.get_traced_memory()[0] - before
        assert left < 0.1 * taken, f"{left} bytes of {taken} are left"
    finally:
        tracemalloc.stop()


TABLE = "theta, d, a, alpha\nq1, 0, 0.3, 0\nq2, 0, 0.2, 0\n"


def test_files_of_other_formats_are_opened_as_raff(project: Project) -> None:
    (project.folder / "arm.csv").write_text(TABLE)
    for session in (
        Session.opened(project, *first_source("arm.csv")),
        Session.opened(project, "library", "four-bar"),
    ):
        session.open("text", TABLE, name="C:\\theirs\\arm.csv")
        assert session.present.file is None and session.work.model.nq == 2
        assert session.present.text.startswith("raff: 1\n")
    with pytest.raises(UsageError, match=r"must end in \.raff"):
        session.open("file", "arm.stl")


def test_long_texts_of_other_formats_are_read_in_a_process(project: Project) -> None:
    readers = Readers()
    try:
        session = Session.opened(project, "library", "four-bar", Reader(readers))
        session.open("text", TABLE + "# and so on\n" * 5000, name="arm.csv")
        assert session.work.model.nq == 2
        with pytest.raises(KinegenError, match=r"arm\.csv:1"):
            session.open("text", "nothing\n" * 5000, name="arm.csv")
    finally:
        readers.close()
