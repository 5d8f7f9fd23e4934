"""A text read and compiled; poses carried over and closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.errors import UsageError
from kinegen.studio.session import compiled_text
from kinegen.studio.session.compiled_text import CompiledText, TextProblems
from kinegen.studio.session.files.project import LARGEST_TEXT, Project
from kinegen.studio.wire.codec import Encoded

ARM = "raff: 1\nname: arm\njoints:\n  - {name: A, parent: base, d: 0.1}\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_problems_have_their_places(project: Project) -> None:
    with pytest.raises(TextProblems) as caught:
        CompiledText.read("raff: 1\njoints:\n  - {name: A, parnt: base}\n", project)
    problem = caught.value.problems[0]
    assert (problem.line, problem.column) == (3, 15) and "parnt" in problem.message
    assert "line 3" in str(caught.value)


def test_problems_of_included_files_name_the_file(project: Project) -> None:
    (project.folder / "part.raff").write_text("raff: 1\njoints: 5\n")
    text = "raff: 1\nrobots:\n  - {name: a, include: part.raff}\n"
    with pytest.raises(TextProblems) as caught:
        CompiledText.read(text, project)
    assert any("part.raff" in problem.message for problem in caught.value.problems)


def test_files_outside_are_not_included(project: Project) -> None:
    (project.folder.parent / "secret.raff").write_text("secret")
    with pytest.raises(TextProblems, match="leads out of the project folder"):
        CompiledText.read("raff: 1\nrobots:\n  - {name: a, include: ../secret.raff}\n", project)


def test_a_file_gives_a_name_and_a_folder(project: Project) -> None:
    (project.folder / "sub").mkdir()
    (project.folder / "sub/part.raff").write_text("raff: 1\njoints: [{name: J, parent: base}]\n")
    text = "raff: 1\nrobots:\n  - {name: a, include: part.raff}\n"
    compiled = CompiledText.read(text, project, "sub/my arm.raff")
    assert compiled.mechanism.name == "my-arm" and "a.J" in compiled.mechanism.joints
    assert CompiledText.read("raff: 1\n", project).mechanism.name == "mechanism"


def test_long_texts_are_refused(project: Project) -> None:
    with pytest.raises(UsageError, match="at most"):
        CompiledText.read("#" * (LARGEST_TEXT + 1), project)


def test_poses_are_carried_by_name_and_type(project: Project) -> None:
    old = CompiledText.read(
        "raff: 1\njoints:\n  - {name: A, parent: base}\n  - {name: B, parent: A}\n", project
    )
    new = CompiledText.read(
        "raff: 1\njoints:\n  - {name: B, parent: base, start: 9 deg}\n"
        "  - {name: A, type: prismatic, parent: B}\n",
        project,
    )
    found = new.carry(old, np.array([0.5, 0.7]))
    assert found.q.tolist() == [0.7, 0.0] and found.complaint is None
    assert not new.same_joints(old) and new.same_joints(new)


def test_quaternions_are_brought_to_length_one(project: Project) -> None:
    text = "raff: 1\njoints: [{name: S, type: spherical, parent: base}]\n"
    compiled = CompiledText.read(text, project)
    assert compiled.checked([2.0, 0, 0, 0]).tolist() == [1.0, 0, 0, 0]
    with pytest.raises(UsageError):
        compiled.checked([0.0, 0, 0, 0])


@pytest.mark.parametrize("name", ["four-bar", "stewart", "delta", "peaucellier"])
def test_open_poses_are_closed_nearby(project: Project, name: str) -> None:
    compiled = CompiledText.read(kg.load(name).to_raff(), project)
    crooked = compiled.start + 0.01
    found = compiled.close(compiled.checked(crooked))
    pose = found.q
    assert found.complaint is None
    assert kg.kinematics.loop_gap(compiled.model, pose).distance < 1e-8
    assert np.abs(pose - crooked).max() < 0.5


CRANK = """raff: 1
parameters: {crank: 0.1, coupler: 0.3}
joints:
  - {name: A, parent: base, start: 30 deg, motor: true}
  - {name: B, parent: A, d: crank, start: -20 deg}
  - {name: D, parent: base, d: 0.3, start: 60 deg}
  - {name: C, parent: B, d: coupler, closes: {onto: D, d: 0.2}}
"""


def test_a_complaint_has_the_gap_of_the_pose_that_people_see(project: Project) -> None:
    compiled = CompiledText.read(CRANK.replace("name: B,", "name: B, r: 2 mm,"), project)
    assert compiled.complaint is not None
    assert "open at 'C' by 2 mm along the hinges' common axis" in compiled.complaint
    assert "most likely 'B' is placed wrongly" in compiled.complaint
    gap = kg.kinematics.loop_gap(compiled.model, compiled.start)
    assert (gap.distance, gap.angle) == (pytest.approx(2e-3), pytest.approx(0))
    found = compiled.close(compiled.start)
    assert found.complaint is not None
    assert "most likely 'B' is placed wrongly" in found.complaint
    assert kg.kinematics.loop_gap(compiled.model, found.q).distance == pytest.approx(2e-3)


def test_a_packed_text_shows_and_moves_the_same(project: Project) -> None:
    whole = CompiledText.read(ARM, project)
    packed = whole.packed()
    assert isinstance(packed.data, Encoded) and packed.packed().data is packed.data
    assert orjson.loads(packed.data.json)["name"] == whole.model.name
    assert packed.names() == whole.names() and packed.data.link_shapes
    with pytest.raises(AssertionError, match="packed"):
        _ = packed.mechanism


def test_a_mechanism_too_large_for_a_page_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_text, "LARGEST_MODEL", 1000)
    with pytest.raises(TextProblems, match="too large for the studio"):
        CompiledText.read(ARM, project).packed()


def test_a_trial_leaves_the_text_alone(project: Project) -> None:
    text = "raff: 1\nparameters: {a: 1}\njoints:\n  - {name: A, parent: base, d: a}\n"
    compiled = CompiledText.read(text, project)
    trial = compiled.trial()
    trial.set_parameter("a", 2.0)
    trial.set_number("A", "r", 3.0)
    trial.add_frame("f", "A")
    assert "a: 2" in trial.to_raff() and "r: 3" in trial.to_raff() and "f" in trial.frames
    again = CompiledText.read(text, project)
    assert compiled.mechanism == again.mechanism and compiled.trial().to_raff() == text


FOUR_BAR = """raff: 1
parameters: {{s: {scale}, crank: {crank}}}
joints:
  - {{name: A, parent: base, start: 90 deg, motor: true}}
  - {{name: B, parent: A, d: crank, start: -50 deg}}
  - {{name: D, parent: base, d: 0.2*s, start: 90 deg}}
  - {{name: C, parent: B, d: 0.25*s, closes: {{onto: D, d: 0.25*s}}}}
frames:
  - {{name: handle, parent: B, d: 0.5*s}}
"""


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e8])
def test_sizes_make_no_difference(scale: float, project: Project) -> None:
    """Gaps were measured in metres: those of a tiny linkage always counted as closed."""
    text = FOUR_BAR.format(scale=scale, crank=0.1 * scale)
    (project.folder / "scaled.raff").write_text(text)
    assert main(["check", str(project.folder / "scaled.raff")]) == 0
    work = CompiledText.read(text, project)
    assert work.complaint is None and work.gap(work.start) < 1e-9
    opened = work.start.copy()
    opened[1] += 0.1
    opened[3] -= 0.1
    assert work.gap(opened) > 0.01
    again = work.close(opened)
    closed = again.q
    assert again.complaint is None and work.gap(closed) < 1e-9
    assert closed[0] == pytest.approx(opened[0], abs=1e-9), "the motor stays"
    away = kg.Handle("handle", [0.3 * scale, 0.5 * scale, 0])
    found = kg.drag(work.model, closed, away)
    assert work.gap(found.q) < 1e-9 and not found.reached
    work.model.parameters["crank"] = 5 * scale  # longer than the rest together
    assert work.close(closed).complaint is not None
