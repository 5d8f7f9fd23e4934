"""Design by goal, as a page asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.questions.design import (
    DesignBestPiece,
    DesignFoundPiece,
    DesignStepPiece,
)
from tests.unit.motion.design.test_design import FREE
from tests.unit.motion.linkage import FOUR_BAR
from tests.unit.studio.workbench import compiled_of, put

LINKAGE = CompiledText.read(FOUR_BAR, Project(Path.cwd()))
RANGES = {name: list(ends) for name, ends in FREE.items()}
CRANK = {"free": {"crank": [0.1, 0.2]}}


def test_goals_to_begin_with() -> None:
    goals, _ = put(LINKAGE, "design_goals")
    assert goals.flat and goals.frame == "handle" and goals.normal == (0, 0, 1)
    published = next(one for one in goals.curves if one.name == "published")
    assert published.note and published.points[1] == pytest.approx((0.1766, 0.15142, 0), abs=1e-5)


def test_designs_come_as_they_are_found() -> None:
    goals, _ = put(LINKAGE, "design_goals")
    points = next(one for one in goals.curves if one.name == "published").points
    before = dict(LINKAGE.model.parameters)
    found, pieces = put(LINKAGE, "design", free=RANGES, points=points, starts=2)
    assert dict(LINKAGE.model.parameters) == before
    designs = pieces.kind(DesignFoundPiece)
    assert len(designs) == found.designs >= 1 and pieces.kind(DesignBestPiece)
    head, data = min(designs, key=lambda one: one[0].worst)
    assert head.share is not None and head.share < 0.01 and head.connected
    assert head.worst == pytest.approx(head.share * found.extent)
    # the motion that was sent passes the wanted points
    model = kg.load(FOUR_BAR).compile()
    for name, value in head.parameters.items():
        model.parameters[name] = value
    motion = np.frombuffer(data, "<f8").reshape(-1, model.nq)
    way = np.array([kg.pose(model, np.array(q), "handle").translation for q in motion])
    assert max(kg.kinematics.loop_gap(model, np.array(q)).distance for q in motion) < 1e-8
    step = np.linalg.norm(np.diff(way, axis=0), axis=1).max()
    far = np.linalg.norm(way[None] - np.array(points)[:, None], axis=2).min(axis=1)
    assert far.max() < step
    bests = [head.best for head, _ in pieces.kind(DesignStepPiece)]
    assert bests == sorted(bests, reverse=True)


def test_a_box_is_covered_away_from_singular_poses() -> None:
    found, pieces = put(
        compiled_of("five-bar"), "design", free={"crank": [0.1, 0.5], "coupler": [0.1, 0.6]},
        starts=3, clear=0.1, box={"corners": [[0, 0.3, 0], [0.2, 0.45, 0]], "edge": 3},
    )  # fmt: skip
    best = min((head for head, _ in pieces.kind(DesignFoundPiece)), key=lambda one: one.worst)
    assert best.worst < 1e-6 and best.clearance is not None and best.clearance > 0.09
    assert found.seconds > 0


def test_the_same_design_is_sent_once() -> None:
    compiled = compiled_of("four-bar")
    # one number, one best value: all starts lead there
    here = kg.pose(compiled.model, compiled.start, "handle").translation
    _, pieces = put(
        compiled, "design", free={"reach": [0.1, 0.9]}, points=[here.tolist()], starts=5
    )
    values = [head.parameters["reach"] for head, _ in pieces.kind(DesignFoundPiece)]
    assert len({round(value, 4) for value in values}) == len(values)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"points": [[0, 0, 0]]}, "lacks free"),
        ({"free": {}, "points": [[0, 0, 0]]}, "free at least one"),
        ({"free": {"crank": [0.1]}, "points": [[0, 0, 0]]}, "list of 2"),
        ({"free": {"crank": [0.1, 0.1]}, "points": [[0, 0, 0]]}, "two different numbers"),
        ({"free": {"crunk": [0.1, 0.2]}, "points": [[0, 0, 0]]}, "crunk"),
        (CRANK, "specify points"),
        ({**CRANK, "points": [[0, 0]]}, "list of 3"),
        ({**CRANK, "points": [[0, 0, 0]] * 201}, "0 to 200"),
        ({**CRANK, "points": [[0, 0, 0]], "starts": 1000}, "starts"),
        ({**CRANK, "points": [[0, 0, 0]], "clear": -1}, "clear"),
        ({**CRANK, "box": {"corners": [[0, 0, 0]]}}, "list of 2"),
        ({**CRANK, "box": {"corners": [[0, 0, 0], [1, 1, 1]], "edge": 8}}, "512 points"),
    ],
)
def test_bad_goals(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        put(LINKAGE, "design", **fields)
