"""Joint maps as a page asks for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.wire.questions.maps import MapBeyondPiece, MapLampsPiece, MapValuesPiece
from tests.unit.studio.workbench import compiled_of, put

LYNX = compiled_of("lynx6")
FIVE = compiled_of("five-bar")
SMALL = {"x": [0.05, 0.15, 5], "y": [0.25, 0.35, 5], "z": [0, 0, 1]}


def test_a_proposal_is_answered() -> None:
    about, _ = put(LYNX, "map_proposal")
    assert about.holds == ["wrist"] and about.frame == "tool" and about.wrist_angle is not None
    flat, _ = put(FIVE, "map_proposal")
    assert flat.box.z == (0.0, 0.0, 1) and flat.box.x[2] == 21


def test_the_map_comes_in_pieces() -> None:
    box = {"x": [0.05, 0.2, 7], "y": [0.1, 0.2, 5], "z": [0.1, 0.1, 1]}
    found, pieces = put(LYNX, "joint_map", box=box, hold="wrist", wrist_angle=0.0)
    count = math.prod(found.shape)
    values = dict(((head.branch, data) for head, data in pieces.kind(MapValuesPiece)))
    lamps = dict(((head.branch, data) for head, data in pieces.kind(MapLampsPiece)))
    assert len(values) == len(lamps) == len(found.branches)
    present = found.branches[found.present]
    qs = np.frombuffer(values[found.present], "<f8").reshape(LYNX.model.nq, count)
    lit = np.frombuffer(lamps[found.present], np.uint8).reshape(-1, count)
    reached = np.isfinite(qs).all(axis=0)
    assert reached.sum() == present.reached
    assert (reached & ~lit.any(axis=0)).sum() == present.within
    i = int(np.flatnonzero(reached)[0])
    x, y, z = np.unravel_index(i, found.shape)
    made = kg.pose(LYNX.model, np.ascontiguousarray(qs[:, i]), "tool").translation
    place = [found.axes[0][x], found.axes[1][y], found.axes[2][z]]
    np.testing.assert_allclose(made, place, atol=1e-9)
    ((_, beyond),) = pieces.kind(MapBeyondPiece)
    assert len(beyond) == 4 * count


def test_loops_have_branches_and_no_length_test() -> None:
    found, pieces = put(FIVE, "joint_map", box=SMALL)
    assert len(found.branches) == 4 and not pieces.kind(MapBeyondPiece)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "lacks box"),
        ({"box": {**SMALL, "x": [0, 1]}}, "list of 3"),
        ({"box": {**SMALL, "x": [1, 0, 2]}}, "reversed"),
        ({"box": {**SMALL, "x": [0, 1, 0]}}, "at least 1"),
        ({"box": {**SMALL, "x": [0, 1, 2.5]}}, "whole number"),
        ({"box": [1, 2]}, "an object"),
        ({"box": {"x": [0, 1, 1000], "y": [0, 1, 1000], "z": [0, 0, 1]}}, "1,000,000 places"),
        ({"box": SMALL, "hold": "hands"}, "hold must be one of"),
        ({"box": SMALL, "hold": "wrist"}, "specify wrist_angle"),
        ({"box": SMALL, "hold": "wrist", "wrist_angle": "up"}, "wrist_angle"),
        ({"box": SMALL, "frame": "claw"}, "claw"),
    ],
)
def test_bad_questions_about_maps(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        put(LYNX, "joint_map", **fields)
