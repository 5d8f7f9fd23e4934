"""Design by goal, as a page asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.studio.jobs.design import design
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project
from tests.unit.motion.design.test_design import FREE
from tests.unit.motion.linkage import FOUR_BAR
from tests.unit.studio.jobs.test_maps import Report

LINKAGE = CompiledText.read(FOUR_BAR, Project(Path.cwd()))
RANGES = {name: list(ends) for name, ends in FREE.items()}


def ask(piece: CompiledText, **arguments: Any) -> tuple[Any, Report]:
    report = Report()
    return design(piece, piece.start, arguments, report), report


def test_curves_to_begin_with() -> None:
    about, _ = ask(LINKAGE, about=True)
    curves = {curve["name"]: curve for curve in about["curves"]}
    assert {"line", "circle", "ellipse", "eight", "published"} <= set(curves)
    assert about["flat"] and about["frame"] == "handle"
    circle = np.array(curves["circle"]["points"])
    middle = circle.mean(axis=0)
    assert np.ptp(np.linalg.norm(circle - middle, axis=1)) < 1e-9
    # near the handle, not at the other end of the world
    assert np.linalg.norm(middle - np.array(about["at"])) < np.ptp(circle, axis=0).max()
    published = np.array(curves["published"]["points"])
    assert published[1] == pytest.approx([0.1766, 0.15142, 0], abs=1e-5)
    spatial = CompiledText.read(kg.load("puma560").to_raff(), Project(Path.cwd()))
    about, _ = ask(spatial, about=True)
    assert not about["flat"] and "published" not in [one["name"] for one in about["curves"]]
    low, high = about["box"]
    assert all(a < b for a, b in zip(low, high, strict=True))


def test_designs_come_as_they_are_found() -> None:
    about, _ = ask(LINKAGE, about=True)
    published = next(one for one in about["curves"] if one["name"] == "published")
    before = dict(LINKAGE.model.parameters)
    found, report = ask(LINKAGE, free=RANGES, points=published["points"], starts=2)
    assert dict(LINKAGE.model.parameters) == before
    designs = [(head, data) for head, data in report.pieces if head["part"] == "design"]
    assert len(designs) == found["designs"] >= 1
    head, data = min(designs, key=lambda one: one[0]["worst"])
    assert head["share"] < 0.01 and head["connected"]
    assert head["worst"] == pytest.approx(head["share"] * found["extent"])
    # the motion that was sent passes the wanted points
    model = kg.load(FOUR_BAR).compile()
    for name, value in head["parameters"].items():
        model.parameters[name] = value
    motion = np.frombuffer(data, "<f8").reshape(-1, model.nq)
    way = np.array([kg.pose(model, np.array(q), "handle").translation for q in motion])
    assert max(kg.loop_gap(model, np.array(q))[0] for q in motion) < 1e-8
    step = np.linalg.norm(np.diff(way, axis=0), axis=1).max()
    wanted = np.array(published["points"])
    far = np.linalg.norm(way[None] - wanted[:, None], axis=2).min(axis=1)
    assert far.max() < step
    parts = {head["part"] for head, _ in report.pieces}
    assert parts == {"step", "best", "design"}
    bests = [head["best"] for head, _ in report.pieces if head["part"] == "step"]
    assert bests == sorted(bests, reverse=True)
    assert all(share is not None and 0 <= share <= 1 for share in report.shares)


def test_a_box_is_covered_away_from_singular_poses() -> None:
    piece = CompiledText.read(kg.load("five-bar").to_raff(), Project(Path.cwd()))
    found, report = ask(
        piece, free={"crank": [0.1, 0.5], "coupler": [0.1, 0.6]}, starts=3, clear=0.1,
        box={"corners": [[0, 0.3, 0], [0.2, 0.45, 0]], "edge": 3},
    )  # fmt: skip
    best = min(
        (head for head, _ in report.pieces if head["part"] == "design"), key=lambda h: h["worst"]
    )
    assert best["worst"] < 1e-6 and best["clearance"] > 0.09
    assert found["seconds"] > 0


def test_the_same_design_is_told_once() -> None:
    piece = CompiledText.read(kg.load("four-bar").to_raff(), Project(Path.cwd()))
    # one number, one best value: all starts lead there
    here = kg.pose(piece.model, piece.start, "handle").translation
    _, report = ask(piece, free={"reach": [0.1, 0.9]}, points=[here.tolist()], starts=5)
    designs = [head for head, _ in report.pieces if head["part"] == "design"]
    values = [head["parameters"]["reach"] for head in designs]
    assert len({round(value, 4) for value in values}) == len(values)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": [[0, 0, 0]]}, "free at least one"),
        ({"free": {}, "points": [[0, 0, 0]]}, "free at least one"),
        ({"free": {"crank": [0.1]}, "points": [[0, 0, 0]]}, "two numbers"),
        ({"free": {"crank": [0.1, 0.1]}, "points": [[0, 0, 0]]}, "two different numbers"),
        ({"free": {"crunk": [0.1, 0.2]}, "points": [[0, 0, 0]]}, "crunk"),
        ({"free": {"crank": [0.1, 0.2]}}, "points is 1 to"),
        ({"free": {"crank": [0.1, 0.2]}, "points": [[0, 0]]}, "rows of 3"),
        ({"free": {"crank": [0.1, 0.2]}, "points": [[0, 0, 0]] * 201}, "1 to 200"),
        ({"free": {"crank": [0.1, 0.2]}, "points": [[0, 0, 0]], "starts": 1000}, "starts"),
        ({"free": {"crank": [0.1, 0.2]}, "points": [[0, 0, 0]], "clear": -1}, "clear"),
        ({"free": {"crank": [0.1, 0.2]}, "box": {"corners": [[0, 0, 0]]}}, "two corners"),
        (
            {"free": {"crank": [1, 2]}, "box": {"corners": [[0, 0, 0], [1, 1, 1]], "edge": 8}},
            "512 points",
        ),
    ],
)
def test_bad_goals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        ask(LINKAGE, **arguments)
