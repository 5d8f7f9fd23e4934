"""How a page wants its path followed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.jobs.paths.goal import followed, run_of, timed_path
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.questions.curves import EllipseCurve, SegmentCurve
from kinegen.studio.wire.questions.path import PathSpec, TimingData, ToolData

CIRCLE = EllipseCurve("ellipse", "foci", [(0.35, 0.1, 0.3)] * 2, 0.08, (0.0, 0.0, 1.0))


@pytest.fixture(scope="module")
def arm() -> CompiledText:
    return read("ur5e")


def read(name: str) -> CompiledText:
    return CompiledText.read(kg.load(name).to_raff(), Project(Path.cwd()))


def path_of(compiled: CompiledText, **settings: Any) -> Any:
    return followed(
        compiled, compiled.start, PathSpec(**{"curve": CIRCLE, "points": 24, **settings})
    )[1]


def axes(compiled: CompiledText, path: Any) -> Any:
    """The tool's z axis at every point."""
    return np.array([kg.pose(compiled.model, q, path.frame).rotation[:, 2] for q in path.q])


def test_the_tool_points_in_the_given_direction(arm: CompiledText) -> None:
    path = path_of(arm, tool=ToolData("direction", direction=(0, 0, -2)))
    assert path.is_complete and np.allclose(axes(arm, path), [0, 0, -1], atol=1e-6)


def test_the_tool_points_at_the_surface_and_leans(arm: CompiledText) -> None:
    straight = path_of(arm, tool=ToolData("normal"))
    assert straight.is_complete and np.allclose(axes(arm, straight), [0, 0, -1], atol=1e-6)
    leaning = path_of(arm, tool=ToolData("normal", tilt=math.radians(20)))
    assert leaning.is_complete
    assert np.allclose(axes(arm, leaning)[:, 2], -math.cos(math.radians(20)), atol=1e-6)


def test_the_tool_keeps_its_rotation(arm: CompiledText) -> None:
    turned = kg.SO3.from_rpy(math.pi, 0, 0.3)
    w, x, y, z = (2 * turned.quat).tolist()
    path = path_of(arm, tool=ToolData("rotation", quat=(w, x, y, z)))
    for q in path.q[path.reachable]:
        assert np.allclose(kg.pose(arm.model, q, "tool").rotation, turned.matrix, atol=1e-6)
    assert path.reachable.any()


def test_the_wrist_keeps_its_angle_where_an_arm_can() -> None:
    lynx = read("lynx6")
    curve = SegmentCurve("segment", [(0.1, 0.2, 0.1), (0.15, 0.2, 0.1)])
    path = path_of(lynx, curve=curve, tool=ToolData("wrist", wrist=math.radians(-50)))
    assert path.reachable.any()
    with pytest.raises(kg.errors.KinegenError, match="wrist angle"):
        path_of(read("delta"), tool=ToolData("wrist"))


def test_the_longest_stretch_is_timed_unless_another_is_asked_for() -> None:
    five_bar = read("five-bar")
    line = SegmentCurve("segment", [(-0.4, 0.3, 0), (0.5, 0.3, 0)])
    path = path_of(five_bar, curve=line, points=80)
    assert timed_path(path, TimingData()) is None
    longest = run_of(path, TimingData())
    lengths = [run.stop - run.start for run in path.runs]
    assert lengths[longest] == max(lengths)
    assert run_of(path, TimingData(run=0)) == 0
    assert run_of(path, TimingData(run=99)) == longest
    missing = timed_path(path, TimingData("optimal"))
    assert isinstance(missing, str) and "accelerations" in missing
