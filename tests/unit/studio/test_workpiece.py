"""A text read and compiled; poses carried over and closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.studio.project import LARGEST_TEXT, Project
from kinegen.studio.workpiece import TextProblems, Workpiece


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_problems_have_their_places(project: Project) -> None:
    with pytest.raises(TextProblems) as caught:
        Workpiece.read("raff: 1\njoints:\n  - {name: A, parnt: base}\n", project)
    problem = caught.value.problems[0]
    assert (problem.line, problem.column) == (3, 15) and "parnt" in problem.message
    assert "line 3" in str(caught.value)


def test_problems_of_included_files_name_the_file(project: Project) -> None:
    (project.folder / "part.raff").write_text("raff: 1\njoints: 5\n")
    text = "raff: 1\nrobots:\n  - {name: a, include: part.raff}\n"
    with pytest.raises(TextProblems) as caught:
        Workpiece.read(text, project)
    assert any("part.raff" in problem.message for problem in caught.value.problems)


def test_files_outside_are_not_included(project: Project) -> None:
    (project.folder.parent / "secret.raff").write_text("secret")
    with pytest.raises(TextProblems, match="leads out of the project folder"):
        Workpiece.read("raff: 1\nrobots:\n  - {name: a, include: ../secret.raff}\n", project)


def test_a_file_gives_a_name_and_a_folder(project: Project) -> None:
    (project.folder / "sub").mkdir()
    (project.folder / "sub/part.raff").write_text("raff: 1\njoints: [{name: J, parent: base}]\n")
    text = "raff: 1\nrobots:\n  - {name: a, include: part.raff}\n"
    piece = Workpiece.read(text, project, "sub/my arm.raff")
    assert piece.mechanism.name == "my-arm" and "a.J" in piece.mechanism.joints
    assert Workpiece.read("raff: 1\n", project).mechanism.name == "mechanism"


def test_long_texts_are_refused(project: Project) -> None:
    with pytest.raises(UsageError, match="at most"):
        Workpiece.read("#" * (LARGEST_TEXT + 1), project)


def test_poses_are_carried_by_name_and_type(project: Project) -> None:
    old = Workpiece.read(
        "raff: 1\njoints:\n  - {name: A, parent: base}\n  - {name: B, parent: A}\n", project
    )
    new = Workpiece.read(
        "raff: 1\njoints:\n  - {name: B, parent: base, start: 9 deg}\n"
        "  - {name: A, type: prismatic, parent: B}\n",
        project,
    )
    pose, why = new.carry(old, np.array([0.5, 0.7]))
    assert pose.tolist() == [0.7, 0.0] and why is None
    assert not new.same_joints(old) and new.same_joints(new)


def test_quaternions_are_brought_to_length_one(project: Project) -> None:
    text = "raff: 1\njoints: [{name: S, type: spherical, parent: base}]\n"
    piece = Workpiece.read(text, project)
    assert piece.checked([2.0, 0, 0, 0]).tolist() == [1.0, 0, 0, 0]
    with pytest.raises(UsageError):
        piece.checked([0.0, 0, 0, 0])


@pytest.mark.parametrize("name", ["four-bar", "stewart", "delta", "peaucellier"])
def test_open_poses_are_closed_nearby(project: Project, name: str) -> None:
    piece = Workpiece.read(kg.load(name).to_raff(), project)
    crooked = piece.start + 0.01
    pose, why = piece.close(piece.checked(crooked))
    assert why is None and kg.loop_gap(piece.model, pose)[0] < 1e-8
    assert np.abs(pose - crooked).max() < 0.5
