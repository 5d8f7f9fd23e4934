"""Answers about a mechanism in a pose, to questions as pages send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from tests.unit.studio.workbench import compiled_of, put


def ask(name: str, kind: str, **fields: Any) -> Any:
    return put(compiled_of(name), kind, **fields)[0]


def test_mobility() -> None:
    found = ask("five-bar", "mobility")
    assert found.finite == found.instantaneous == 2 and found.is_closed
    model = kg.load("five-bar").compile()
    J = kg.kinematics.loop_jacobian(model, np.array(found.q))
    for direction in found.directions:
        assert np.abs(J @ direction).max() < 1e-9
    held = ask("five-bar", "mobility", locked=list(kg.kinematics.inputs_of(model)))
    assert held.finite == 0


def test_diagnosis_names_suspects() -> None:
    assert ask("stewart", "diagnosis").is_healthy
    mechanism = kg.load("four-bar")
    mechanism.set_number("coupler", "alpha", "3 deg")
    compiled = CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))
    found, _ = put(compiled, "diagnosis")
    assert not found.is_healthy
    suspects = [one for finding in found.findings for one in finding.suspects]
    assert "coupler" in {one.joint for one in suspects}
    one = next(one for one in suspects if one.joint == "coupler")
    assert len(one.axis) == 3 and one.numbers and all("object at" not in n for n in one.numbers)


def test_modes() -> None:
    modes = ask("four-bar", "modes").modes
    assert [mode.name for mode in modes] == ["mode 1", "mode 2"]
    model = kg.load("four-bar").compile()
    for mode in modes:
        assert kg.kinematics.loop_gap(model, np.array(mode.q)).distance < 1e-9


def test_branches_lead_through_the_singular_pose() -> None:
    found = ask("puma560", "branches_beyond", singularity="task")
    assert found.kind in ("task", "both") and found.text
    assert len(found.branches) >= 2
    for branch in found.branches:
        assert branch.name and len(branch.path) > 2
        assert np.allclose(branch.path[-1], branch.q)


def test_solve_reaches_or_says_why_not() -> None:
    model = kg.load("puma560").compile()
    q = np.array([0.2, -0.6, 0.4, 0.1, 0.5, 0.2])
    goal = kg.pose(model, q)
    frame = model.site_names[-1]
    handle = {"frame": frame, "position": goal.translation.tolist(), "quat": goal.quat.tolist()}
    found = ask("puma560", "solve", handles=[handle])
    assert found.reached and found.reason == "reached"
    assert np.allclose(kg.pose(model, np.array(found.q)).translation, goal.translation, atol=1e-6)
    far = ask("puma560", "solve", handles=[{"frame": frame, "position": [9, 9, 9]}])
    assert not far.reached and "away" in far.reason


def test_solve_all_finds_the_arms_postures() -> None:
    model = kg.load("puma560").compile()
    goal = kg.pose(model, np.array([0.2, -0.6, 0.4, 0.1, 0.5, 0.2]))
    handle = {"position": goal.translation.tolist(), "quat": goal.quat.tolist()}
    found = ask("puma560", "solve_all", handles=[handle], limits=False).solutions
    assert len(found) == 8 and all(one.reached for one in found)


def test_matrices() -> None:
    found = ask("stewart", "matrices")
    model = kg.load("stewart").compile()
    assert set(found.matrices) == set(model.site_names)
    for matrix in found.matrices.values():
        R = np.array(matrix)[:3, :3]
        assert np.allclose(R @ R.T, np.eye(3))
    assert np.shape(found.jacobian) == (6, model.nv)
    assert found.frame == model.site_names[-1] and len(found.singular_values) == 6
    assert np.shape(found.loop_jacobian) == (30, model.nv)
    assert found.singularity.text
    assert ask("puma560", "matrices", frame="base").frame == "base"


HERE = {"position": [0, 0, 0]}


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("solve", {}, "solve lacks handles; it takes: request, q, handles, limits, locked"),
        ("solve", {"handles": []}, r"solve.handles must be a list of 1 to 100, got a list of 0"),
        ("solve", {"handles": [5]}, r"solve.handles\[0\] must be an object, got 5"),
        ("solve", {"handles": [HERE | {"frame": "none"}]}, "'none' is not"),
        (
            "solve",
            {"handles": [HERE | {"frame": 5}]},
            r"handles\[0\].frame must be a string, got 5",
        ),
        (
            "solve",
            {"handles": [{"position": [0, 0]}]},
            "position must be a list of 3, got a list of 2",
        ),
        (
            "solve",
            {"handles": [{"position": ["a", 0, 0]}]},
            r"position\[0\] must be a finite number",
        ),
        ("solve", {"handles": [HERE | {"quat": [1, 0, 0]}]}, "quat must be a list of 4"),
        ("solve", {"handles": [HERE | {"weight": 0}]}, "weight must be a number from 1e-09 to 1e"),
        ("solve", {"handles": [HERE | {"colour": 1}]}, "has no 'colour'; it takes: frame"),
        ("solve", {"handles": [HERE], "locked": "A"}, "solve.locked must be a list"),
        ("solve_all", {"handles": [HERE], "most": "all"}, "a whole number from 1 to 200, got"),
        ("modes", {"attempts": True}, "attempts must be a whole number from 1 to 20000, got true"),
        ("modes", {"attempts": 1.5}, "attempts must be a whole number"),
        (
            "modes",
            {"attempts": 10**6},
            "attempts must be a whole number from 1 to 20000, got 1000000",
        ),
        ("modes", {"inputs": [1]}, r"modes.inputs\[0\] must be a string, got 1"),
        ("branches_beyond", {"singularity": "both"}, 'must be one of task, gain; got "both"'),
        ("matrices", {"frame": "none"}, "'none' is not"),
        ("mobility", {"locked": ["none"]}, "none"),
        ("mobility", {"lokced": []}, "mobility has no 'lokced'; did you mean 'locked'"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(
    kind: str, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(KinegenError, match=words):
        ask("four-bar", kind, **fields)
