"""Answers about a mechanism in a pose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.studio.jobs.analyses import ANALYSES
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project


def ask(name: str, what: str, q: Any = None, **arguments: Any) -> Any:
    text = kg.load(name).to_raff()
    piece = CompiledText.read(text, Project(Path.cwd()))
    pose = piece.start if q is None else piece.checked(q)
    return ANALYSES[what](piece, pose, arguments, lambda *_: None)


def test_every_analysis_of_the_wire_is_there() -> None:
    import typing

    from kinegen.studio.wire.messages import Analyse

    assert set(typing.get_args(typing.get_type_hints(Analyse)["what"])) == set(ANALYSES)


def test_mobility() -> None:
    found = ask("five-bar", "mobility")
    assert found["finite"] == found["instantaneous"] == 2 and found["is_closed"]
    model = kg.load("five-bar").compile()
    J = kg.loop_jacobian(model, np.array(found["q"]))
    for direction in found["directions"]:
        assert np.abs(J @ direction).max() < 1e-9
    held = ask("five-bar", "mobility", locked=list(kg.inputs_of(model)))
    assert held["finite"] == 0


def test_diagnosis_names_suspects() -> None:
    mechanism = kg.load("stewart")
    assert ask("stewart", "diagnosis")["is_healthy"]
    mechanism = kg.load("four-bar")
    mechanism.set_number("coupler", "alpha", "3 deg")
    piece = CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))
    found = ANALYSES["diagnosis"](piece, piece.start, {}, lambda *_: None)
    assert not found["is_healthy"]
    suspects = [one for finding in found["findings"] for one in finding["suspects"]]
    assert "coupler" in {one["joint"] for one in suspects}
    one = next(one for one in suspects if one["joint"] == "coupler")
    assert (
        len(one["axis"]) == 3
        and one["numbers"]
        and all("object at" not in n for n in one["numbers"])
    )


def test_modes() -> None:
    modes = ask("four-bar", "modes")
    assert [mode["name"] for mode in modes] == ["mode 1", "mode 2"]
    model = kg.load("four-bar").compile()
    for mode in modes:
        assert kg.loop_gap(model, np.array(mode["q"]))[0] < 1e-9


def test_branches_lead_through_the_singular_pose() -> None:
    found = ask("puma560", "branches_beyond", kind="task")
    assert found["kind"] in ("task", "both") and found["text"]
    assert len(found["branches"]) >= 2
    for side in found["branches"]:
        assert side["name"] and len(side["path"]) > 2
        assert np.allclose(side["path"][-1], side["q"])


def test_solve_reaches_or_says_why_not() -> None:
    model = kg.load("puma560").compile()
    q = np.array([0.2, -0.6, 0.4, 0.1, 0.5, 0.2])
    goal = kg.pose(model, q)
    frame = model.site_names[-1]
    found = ask(
        "puma560", "solve", frame=frame, position=goal.translation.tolist(), quat=goal.quat.tolist()
    )
    assert found["reached"] and found["reason"] == "reached"
    assert np.allclose(
        kg.pose(model, np.array(found["q"])).translation, goal.translation, atol=1e-6
    )
    far = ask("puma560", "solve", handles=[{"frame": frame, "position": [9, 9, 9]}])
    assert not far["reached"] and "away" in far["reason"]


def test_solve_all_finds_the_arms_postures() -> None:
    model = kg.load("puma560").compile()
    goal = kg.pose(model, np.array([0.2, -0.6, 0.4, 0.1, 0.5, 0.2]))
    found = ask(
        "puma560", "solve_all", position=goal.translation.tolist(), quat=goal.quat.tolist(),
        limits=False,
    )  # fmt: skip
    assert len(found) == 8 and all(one["reached"] for one in found)


def test_matrices() -> None:
    found = ask("stewart", "matrices")
    model = kg.load("stewart").compile()
    assert set(found["matrices"]) == set(model.site_names)
    for matrix in found["matrices"].values():
        R = np.array(matrix)[:3, :3]
        assert np.allclose(R @ R.T, np.eye(3))
    assert np.shape(found["jacobian"]) == (6, model.nv)
    assert found["frame"] == model.site_names[-1] and len(found["singular_values"]) == 6
    assert np.shape(found["loop_jacobian"]) == (30, model.nv)
    assert found["singularity"]["text"]
    assert ask("puma560", "matrices", frame="base")["frame"] == "base"


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("solve", {}),
        ("solve", {"handles": []}),
        ("solve", {"handles": [5]}),
        ("solve", {"handles": [{"frame": "none", "position": [0, 0, 0]}]}),
        ("solve", {"handles": [{"frame": 5, "position": [0, 0, 0]}]}),
        ("solve", {"position": [0, 0]}),
        ("solve", {"position": ["a", 0, 0]}),
        ("solve", {"position": [0, 0, 0], "quat": [1, 0, 0]}),
        ("solve", {"position": [0, 0, 0], "colour": 1}),
        ("solve", {"position": [0, 0, 0], "locked": "A"}),
        ("solve_all", {"position": [0, 0, 0], "most": "all"}),
        ("modes", {"attempts": True}),
        ("modes", {"inputs": [1]}),
        ("matrices", {"frame": "none"}),
        ("grasp", {"object": "none"}),
        ("mobility", {"locked": ["none"]}),
    ],
)
def test_wrong_arguments_are_said(what: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(KinegenError):
        ask("four-bar", what, **arguments)
