"""``kinegen ik``, ``drag``, ``assemble`` and what ``info`` says of the solver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli import main

MOBILITY = {
    "four-bar": 1, "five-bar": 2, "slider-crank": 1, "peaucellier": 1, "bricard": 1, "3-rrr": 3,
    "delta": 3, "stewart": 6, "tricept": 3,
}  # fmt: skip


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("name", "dof"), MOBILITY.items())
def test_info_reports_the_mobility(capsys: pytest.CaptureFixture[str], name: str, dof: int) -> None:
    about = answer(capsys, "info", name)
    assert about["mobility"] == dof
    assert about["gap"] <= 1e-9
    assert about["redundant"] == dof - about["mobility_gruebler"]
    assert len(about["singular_values"]) >= 1


def test_info_of_a_bricard_linkage(capsys: pytest.CaptureFixture[str]) -> None:
    about = answer(capsys, "info", "bricard")
    assert (about["mobility"], about["mobility_gruebler"], about["redundant"]) == (1, 0, 1)
    assert about["assembly_modes"] is None  # no motor: nothing is held


def test_info_names_the_modes(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "info", "five-bar")["assembly_modes"] == ["mode 1", "mode 2"]


def test_info_of_what_cannot_be_assembled(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    file = tmp_path / "short.raff"
    file.write_text(
        "raff: 1\nname: short\njoints:\n"
        "  - {name: A, parent: base}\n  - {name: B, parent: A, d: 1}\n"
        "  - {name: D, parent: base, d: 0.1}\n"
        "  - {name: C, parent: B, d: 0.2, closes: {onto: D, d: 0.2}}\n"
    )
    about = answer(capsys, "info", str(file))
    assert about["assembled"] is False
    assert "mm too short" in about["reason"]
    assert main(["info", str(file)]) == 0
    assert "cannot be assembled" in capsys.readouterr().out


def test_ik_gives_joint_values_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    model = kg.load("puma560").compile()
    X = kg.pose(model, {"waist": 0.3, "shoulder": 0.7, "elbow": -2.2, "wrist_2": 0.6}, "tool")
    xyz, quat = (" ".join(map(repr, map(float, v))) for v in (X.translation, X.quat))
    found = answer(
        capsys, "ik", "puma560", "--frame", "tool", "--xyz", xyz, "--quat", quat, "--all"
    )
    assert found["reached"]
    assert len(found["solutions"]) >= 1
    for solution in found["solutions"]:
        assert list(solution) == [joint.name for joint in model.joints]
        assert kg.pose(model, solution, "tool").is_close(X, tolerance=1e-6)


def test_ik_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "ik", "puma560", "--xyz", "9 0 0", code=1)
    assert found["solutions"] == []
    assert "out of reach" in found["reason"] or "held by" in found["reason"]
    assert found["residual"]["distance"] > 7
    assert main(["ik", "puma560", "--xyz", "9 0 0"]) == 1
    assert "Not reached" in capsys.readouterr().out


def test_drag_keeps_loops_closed(capsys: pytest.CaptureFixture[str]) -> None:
    done = answer(capsys, "drag", "five-bar", "--frame", "handle", "--to", "0.05 0.3 0")
    assert done["reached"]
    np.testing.assert_allclose(done["xyz"], [0.05, 0.3, 0], atol=1e-8)
    assert done["gap"] <= 1e-9
    far = answer(capsys, "drag", "five-bar", "--to", "0.1 2 0")
    assert not far["reached"]
    assert "mm away" in far["reason"]


def test_drag_closes_a_flat_start_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "flat.raff"
    file.write_text(
        "raff: 1\nname: flat\njoints:\n"
        "  - {name: A, parent: base, motor: true}\n  - {name: B, parent: A, d: 0.15}\n"
        "  - {name: E, parent: base, d: 0.2, motor: true}\n  - {name: D, parent: E, d: 0.15}\n"
        "  - {name: C, parent: B, d: 0.25, closes: {onto: D, d: 0.25}}\n"
        "frames: [{name: pen, parent: B, d: 0.25}]\n"
    )
    done = answer(capsys, "drag", str(file), "--to", "0.1 0.3 0")
    assert done["reached"] and done["gap"] <= 1e-9


def test_assemble_lists_modes(capsys: pytest.CaptureFixture[str]) -> None:
    done = answer(capsys, "assemble", "four-bar", "--modes")
    assert [mode["name"] for mode in done["assembly_modes"]] == ["mode 1", "mode 2"]
    assert main(["assemble", "four-bar", "--modes"]) == 0
    assert "2 assembly modes with" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ik", "puma560", "--xyz", "1 2"), "takes 3 numbers"),
        (("ik", "puma560", "--xyz", "nan 0 0"), "is not a number"),
        (("ik", "puma560", "--xyz", "0 0 10deg"), "length"),
        (("ik", "puma560", "--frame", "tol", "--xyz", "0 0 1"), "did you mean 'tool'"),
        (("ik", "puma560", "--xyz", "0 0 1", "--quat", "0 0 0 0"), "length 0"),
        (("drag", "five-bar", "--to", "0 0 0", "--lock", "Q"), "joint 'Q'"),
        (("drag", "five-bar", "--to", "0 0 0", "--ticks", "0"), "1 or more"),
        (("assemble", "bricard", "--modes"), "name more inputs"),
    ],
)
def test_bad_requests_are_named(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert main(list(words)) == 1
    assert said in capsys.readouterr().err
