"""``kinegen tour``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.commands.tour import DEFAULT
from tests.unit.cli.conftest import Run


def test_the_tour_shows_the_default_mechanism_and_leaves_a_picture(
    run: Run, tmp_path: Path
) -> None:
    code, out, err = run("tour")
    assert (code, err) == (0, "")
    assert f"{DEFAULT}: " in out
    stops = [line for line in out.splitlines() if line[:1].isdigit()]
    assert [line[:2] for line in stops] == [f"{i}." for i in range(1, len(stops) + 1)]
    assert len(stops) >= 5
    ET.parse(tmp_path / "tour.svg")


def test_json_is_the_path_of_the_frame(run: Run) -> None:
    data = run("tour", "four-bar", "--json").data
    model = kg.load("four-bar").compile()
    assert (data["name"], data["frame"], data["picture"]) == ("four-bar", "handle", "tour.svg")
    part = model.joint(data["joint"]).q.start
    for step in data["path"]:
        q = model.start()
        q[part] += step["moved"]
        np.testing.assert_allclose(step["xyz"], kg.pose(model, q, "handle").translation, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "raff: 1\n",
        "raff: 1\nframes: [{name: F, parent: base, r: 1}]\n",
        "raff: 1\njoints: [{name: A, type: fixed, parent: base}]\n",
        "raff: 1\njoints: [{name: A, type: free, parent: base}]\n",
        "raff: 1\njoints: [{name: A, type: spherical, parent: base}]\n",
        "raff: 1\njoints: [{name: A, type: prismatic, parent: base, limits: [0.2, 0.2]}]\n",
        "raff: 1\nparameters: {a: 1, b: acos(a)}\njoints: [{name: A, parent: base, theta: b}]\n",
    ],
    ids=["empty", "frame", "fixed", "free", "ball", "pinned", "edge"],
)
def test_any_mechanism_can_be_toured(run: Run, file: Callable[[str], Path], text: str) -> None:
    path = file(text)
    code, out, err = run("tour", path)
    assert (code, err) == (0, "")
    assert "nan" not in out
    assert "inf" not in out
    assert run("tour", path, "--json").data["picture"] == "tour.svg"


def test_the_picture_goes_where_it_is_wanted(run: Run, tmp_path: Path) -> None:
    assert run("tour", "four-bar", "--out", "other.svg").code == 0
    assert (tmp_path / "other.svg").exists()
    code, _, err = run("tour", "four-bar", "--out", tmp_path)
    assert (code, err) == (
        1,
        f"kinegen: --out {tmp_path}: this is a folder; specify the name of a file\n",
    )
