"""Backlash as a page asks for it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.wire.questions.backlash import BacklashPointsPiece
from tests.unit.studio.workbench import compiled_of, put

LYNX = compiled_of("lynx6")
FIVE = compiled_of("five-bar")


def test_backlash_is_answered_with_its_cloud() -> None:
    found, pieces = put(FIVE, "backlash", joints={j.name: 0.02 for j in FIVE.model.joints})
    ((_, data),) = pieces.kind(BacklashPointsPiece)
    cloud = np.frombuffer(data, "<f4").reshape(-1, 3)
    assert len(cloud) == found.points
    # the cloud lies in the box that is reported, and fills it
    for k in range(2):
        assert cloud[:, k].max() == pytest.approx(found.upper[k], rel=1e-3)
        assert -cloud[:, k].min() == pytest.approx(found.lower[k], rel=1e-3)
    assert np.linalg.norm(cloud, axis=1).max() == pytest.approx(found.worst, rel=1e-3)
    shares = [one.share for one in found.shares]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0


def test_backlash_of_one_joint_alone() -> None:
    found, _ = put(LYNX, "backlash", joints={"waist": 0.01})
    assert [one.name for one in found.shares] == ["waist"]
    away = np.linalg.norm(kg.pose(LYNX.model, LYNX.start, "tool").translation[:2])
    assert found.worst == pytest.approx(2 * away * math.sin(0.005), rel=1e-3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "no backlash"),
        ({"joints": {"waist": -0.1}}, "waist must be a number from 0"),
        ({"joints": {"waist": "loose"}}, "waist must be a number"),
        ({"joints": {"wrong": 0.1}}, "wrong"),
        ({"joints": 3}, "an object"),
        ({"length": -1}, "length must be a number"),
        ({"wobble": 9}, "wobble must be a number"),
        ({"frame": "claw", "length": 1e-4}, "claw"),
    ],
)
def test_bad_questions_about_backlash(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        put(LYNX, "backlash", **fields)
