"""Curves as pages describe them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.jobs.paths.curves import Made, made_curve
from kinegen.studio.jobs.paths.formulas import CurveProblem
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.edits.structure import set_entry
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import WireError, decode
from kinegen.studio.wire.questions.path import PathPlanRequest

PLACED = {"scale": 1.0, "offset": [0, 0, 0]}
FORMULA = {"kind": "formula", "x": "t", "y": "crank", "z": "0", "t": ["0", "10 cm"], **PLACED}
ELLIPSE = {"kind": "ellipse", "by": "corners", "radius": 0.3, "normal": [0, 0, 1]}
SURFACE = {"kind": "surface", "name": None, "formula": "20 cm", "gives": "z", "x1": ["0", "1"],
           "x2": ["0", "1"], "curves": 20, "index": 0, **PLACED}  # fmt: skip
SEAM = {"kind": "seam", "of": "objects", "objects": ["block", "rod"], "radii": [0.1, 0.2],
        "at": [0, 0, 0], "index": 0, "facing": "between"}  # fmt: skip


@pytest.fixture(scope="module")
def compiled() -> CompiledText:
    mechanism = kg.load("five-bar")
    block = {"name": "block", "shape": {"box": [0.1, 0.1, 0.1]}, "at": {"xyz": [0, 0, 0]}}
    rod = {"name": "rod", "shape": {"cylinder": [0.02, 0.3]}, "at": {"xyz": [0.01, 0.01, 0]}}
    far = {"name": "far", "shape": {"sphere": 0.02}, "at": {"xyz": [1, 0, 0]}}
    for entry in (block, rod, far):
        set_entry(mechanism, "objects", entry)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def made(compiled: CompiledText, lift: float = 0.0, poses: Any = None, **data: Any) -> Made:
    """The curve of data as a page sends them."""
    path = {"curve": data, "lift": lift, "poses": poses or {}}
    request = {"kind": "path_plan", "request": 1, "q": [], "path": path}
    question = decode(json.dumps(request))
    assert isinstance(question, PathPlanRequest)
    spec = question.path
    return made_curve(compiled, spec.curve, lift=spec.lift, poses=spec.poses)


def points(compiled: CompiledText, **data: Any) -> Any:
    return made(compiled, **data).curve.sample(9).xyz


def problem(compiled: CompiledText, **data: Any) -> CurveProblem:
    with pytest.raises(CurveProblem) as caught:
        made(compiled, **data)
    return caught.value


def test_ellipses_are_as_by_the_kernel(compiled: CompiledText) -> None:
    corners = [[0.0, 0.1, 0.2], [0.3, 0.2, 0.2]]
    inside = points(compiled, **ELLIPSE, points=corners)
    assert np.allclose(inside, kg.curves.ellipse_by_corners(corners[0], corners[1]).sample(9).xyz)
    foci = points(compiled, **{**ELLIPSE, "by": "foci", "points": corners})
    assert np.allclose(foci, kg.curves.ellipse_by_foci(corners[0], corners[1], 0.3).sample(9).xyz)
    upright = points(compiled, **{**ELLIPSE, "points": [[0, 1, 0], [1, 1, 1]], "normal": [0, 1, 0]})
    assert np.allclose(upright[:, 1], 1)
    assert "not span a rectangle" in str(
        problem(compiled, **ELLIPSE, points=[[0, 0, 0], [1, 0, 0]])
    )


def test_curves_are_scaled_shifted_and_lifted(compiled: CompiledText) -> None:
    moved = points(compiled, **{**FORMULA, "scale": 2.0, "offset": [1, 2, 3]})
    crank = compiled.model.parameters["crank"]
    assert np.allclose(moved[-1], [1.2, 2 + 2 * crank, 3])
    assert np.allclose(points(compiled, **SURFACE, lift=0.01)[:, 2], 0.21)
    assert "no normals" in str(problem(compiled, **FORMULA, lift=0.01))


@pytest.mark.parametrize(
    ("change", "field", "offset"),
    [
        ({"x": "1 + sinn(t)"}, "x", 4),
        ({"y": "2*"}, "y", 2),
        ({"z": "nobody + t"}, "z", 0),
        ({"x": ""}, "x", 0),
        ({"x": "3 s"}, "x", None),
        ({"t": ["0", "1 +"]}, "t.1", 3),
        ({"t": ["crank", "1"]}, "t.0", 0),
    ],
)
def test_formulas_say_where_they_are_wrong(
    compiled: CompiledText, change: dict[str, Any], field: str, offset: int | None
) -> None:
    found = problem(compiled, **{**FORMULA, **change})
    assert (found.field, found.offset) == (field, offset)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "knot"},
        {"kind": "segment", "points": "here"},
        {"kind": "segment", "points": [[0, 0, 0]]},
        {"kind": "spline", "points": [[0, 0, 0], [0, float("inf"), 0]]},
        {"kind": "spline", "points": [[0, 0, 0], [1, "x", 0]]},
        {"kind": "bezier", "points": [[0, 0, 0]] * 10_000},
        {"kind": "picks", "points": [[0, 0, 0]]},
        {**FORMULA, "scale": 0},
        {**FORMULA, "scale": "large"},
        {**FORMULA, "offset": [1, 2]},
        {**FORMULA, "t": ["0"]},
        {**SURFACE, "gives": "w"},
        {**SURFACE, "curves": 10**9},
        {**SURFACE, "index": 20},
        {**SEAM, "of": "pipes", "radii": [0.2, 0.1]},
        {**SEAM, "of": "pipes", "radii": [0.1]},
        {**SEAM, "facing": "away"},
        {**SEAM, "objects": ["block", "block"]},
        {**SEAM, "objects": ["block", "nobody"]},
        {**SEAM, "objects": ["block", "far"]},
        {**SEAM, "poses": {"rod": [1]}},
    ],
)
def test_what_makes_no_sense_is_refused_in_words(compiled: CompiledText, data: Any) -> None:
    with pytest.raises((CurveProblem, WireError)):
        made(compiled, **data)


def test_objects_are_cut_where_they_are(compiled: CompiledText) -> None:
    found = made(compiled, **SEAM)
    assert found.choices == 2  # in at one side, out at the other
    ring = found.curve.sample(40).xyz
    assert np.allclose(np.abs(ring[:, 2]), 0.05, atol=1e-9)
    assert np.allclose(np.hypot(*(ring[:, :2] - 0.01).T), 0.02, atol=1e-4)
    # moved on the page, and not yet in the text
    moved = made(compiled, **SEAM, poses={"rod": [1, 0, 0, 0, -0.02, 0, 0]})
    assert moved.curve.sample(40).xyz[:, 0].mean() == pytest.approx(-0.02, abs=1e-3)
