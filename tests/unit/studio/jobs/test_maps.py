"""Joint-space maps and backlash, as a page asks for them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from kinegen.studio.jobs.maps import backlash, joint_map
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project


class Report:
    """Keeps what is told."""

    def __init__(self) -> None:
        self.shares: list[float | None] = []
        self.pieces: list[tuple[dict[str, Any], bytes]] = []

    def __call__(self, label: str, share: float | None) -> None:
        self.shares.append(share)

    def piece(self, head: dict[str, Any], data: bytes) -> None:
        self.pieces.append((head, data))


def piece_of(name: str) -> CompiledText:
    return CompiledText.read(kg.load(name).to_raff(), Project(Path.cwd()))


LYNX, FIVE = piece_of("lynx6"), piece_of("five-bar")


def ask(piece: CompiledText, **arguments: Any) -> tuple[Any, Report]:
    report = Report()
    return joint_map(piece, piece.start, arguments, report), report


def test_a_box_is_proposed_around_the_tool() -> None:
    about, _ = ask(LYNX, about=True)
    here = kg.pose(LYNX.model, LYNX.start, "tool").translation
    for k, axis in enumerate("xyz"):
        low, high, count = about["box"][axis]
        assert low < here[k] < high and count == 11
    assert about["holds"] == ["wrist"]
    # with the angle that it tells, the arm as it stands is among the answers
    found = kg.solve_wrist_angle(LYNX.model, "tool", here, about["wrist_angle"], seed=LYNX.start)
    assert min(np.abs(one.q - LYNX.start).max() for one in found) < 1e-5


@pytest.mark.parametrize(
    ("name", "holds", "freedom"),
    [("five-bar", ["free"], 2), ("puma560", ["rotation"], 3), ("bionic-3", ["free"], 3),
     ("3-rrr", ["rotation", "free"], 2), ("delta", ["rotation"], 3), ("four-bar", None, 1)],
)  # fmt: skip
def test_what_can_be_held(name: str, holds: list[str] | None, freedom: int) -> None:
    about, _ = ask(piece_of(name), about=True)
    assert about["freedom"] == freedom
    assert holds is None or about["holds"] == holds


def test_planar_boxes_are_flat() -> None:
    about, _ = ask(FIVE, about=True)
    assert about["box"]["z"] == [0.0, 0.0, 1] and about["box"]["x"][2] == 21


def test_the_map_comes_in_pieces() -> None:
    about, _ = ask(LYNX, about=True)
    found, report = ask(LYNX, box=about["box"], hold="wrist", wrist_angle=about["wrist_angle"])
    count = math.prod(found["shape"])
    parts = {(head["part"], head.get("branch")): data for head, data in report.pieces}
    assert len(parts) == 2 * len(found["branches"]) + 1
    assert found["branches"][found["present"]]["name"] == "front, elbow up"
    qs = np.frombuffer(parts["qs", found["present"]], "<f8").reshape(LYNX.model.nq, count)
    lamps = np.frombuffer(parts["lamps", found["present"]], np.uint8).reshape(-1, count)
    reached = np.isfinite(qs).all(axis=0)
    assert reached.sum() == found["branches"][found["present"]]["reached"]
    within = reached & ~lamps.any(axis=0)
    assert within.sum() == found["branches"][found["present"]]["within"]
    i = int(np.flatnonzero(within)[5])
    x, y, z = np.unravel_index(i, found["shape"])
    place = [found["axes"][0][x], found["axes"][1][y], found["axes"][2][z]]
    made = kg.pose(LYNX.model, np.ascontiguousarray(qs[:, i]), "tool").translation
    np.testing.assert_allclose(made, place, atol=1e-9)
    assert len(parts["beyond", None]) == 4 * count
    assert report.shares and all(share is not None and 0 <= share <= 1 for share in report.shares)


def test_an_arm_of_three_joints_needs_no_rotation() -> None:
    arm = piece_of("bionic-3")
    about, _ = ask(arm, about=True)
    found, _ = ask(arm, box=about["box"], hold="free")
    assert any("elbow" in branch["name"] for branch in found["branches"])


def test_loops_have_branches_and_no_length_test() -> None:
    found, report = ask(FIVE, box={"x": [0.05, 0.15, 5], "y": [0.25, 0.35, 5]})
    assert len(found["branches"]) == 4
    assert found["branches"][found["present"]]["name"] == "current"
    assert all(head["part"] != "beyond" for head, _ in report.pieces)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "a box gives"),
        ({"box": {"x": [0, 1]}}, "3 numbers"),
        ({"box": {"x": [1, 0, 2]}}, "ends before it begins"),
        ({"box": {"x": [0, 1, 0]}}, "whole number"),
        ({"box": {"x": [0, 1, 2.5]}}, "whole number"),
        ({"box": {"x": [0, math.nan, 2]}}, "3 numbers"),
        ({"box": [1, 2]}, "an object"),
        ({"box": {"x": [0, 1, 1000], "y": [0, 1, 1000]}}, "1,000,000 places"),
        ({"box": {"x": [0, 0.1, 3]}, "hold": "hands"}, "hold is one of"),
        ({"box": {"x": [0, 0.1, 3]}, "hold": "wrist"}, "give wrist_angle"),
        ({"box": {"x": [0, 0.1, 3]}, "hold": "wrist", "wrist_angle": "up"}, "wrist_angle"),
        ({"box": {"x": [5, 6, 3]}, "hold": "wrist", "wrist_angle": 0}, "reaches no place"),
        ({"about": True, "frame": "claw"}, "claw"),
        ({"about": True, "frame": 3}, "a word"),
    ],
)
def test_bad_questions_about_maps(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        ask(LYNX, **arguments)


def test_backlash_is_told_with_its_cloud() -> None:
    report = Report()
    angles = {joint.name: 0.02 for joint in FIVE.model.joints}
    found = backlash(FIVE, FIVE.start, {"joints": angles}, report)
    ((head, data),) = report.pieces
    assert head == {"part": "points"}
    cloud = np.frombuffer(data, "<f4").reshape(-1, 3)
    assert len(cloud) == found["points"]
    # the cloud lies in the box that is told, and fills it
    for k in range(2):
        assert cloud[:, k].max() == pytest.approx(found["upper"][k], rel=1e-3)
        assert -cloud[:, k].min() == pytest.approx(found["lower"][k], rel=1e-3)
    assert np.linalg.norm(cloud, axis=1).max() == pytest.approx(found["worst"], rel=1e-3)
    shares = [one["share"] for one in found["shares"]]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0


def test_backlash_of_one_joint_alone() -> None:
    report = Report()
    found = backlash(LYNX, LYNX.start, {"joints": {"waist": 0.01}}, report)
    assert [one["name"] for one in found["shares"]] == ["waist"]
    away = np.linalg.norm(kg.pose(LYNX.model, LYNX.start, "tool").translation[:2])
    assert found["worst"] == pytest.approx(2 * away * math.sin(0.005), rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing is loose"),
        ({"joints": {"waist": -0.1}}, "waist is a number from 0"),
        ({"joints": {"waist": "loose"}}, "waist is a number"),
        ({"joints": 3}, "an object"),
        ({"length": -1}, "length is a number"),
        ({"wobble": 9}, "wobble is a number"),
        ({"frame": "claw", "length": 1e-4}, "claw"),
    ],
)
def test_bad_questions_about_backlash(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, KinegenError), match=message):
        backlash(LYNX, LYNX.start, arguments, Report())
