from __future__ import annotations

import dataclasses
import io
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.cloud import (
    MOST_POINTS,
    CloudBeginPiece,
    CloudDetailResult,
    CloudSpec,
)
from kinegen.workspace.progressive.cloud import FIRST
from kinegen.workspace.progressive.plan import SPREAD
from tests.unit.studio.workbench import Pieces, compiled_of, points_of, put, values_of

LYNX = compiled_of("lynx6")
PUMA = compiled_of("puma560")


SPEC = {field.name for field in dataclasses.fields(CloudSpec)}


def ask(compiled: CompiledText, kind: str, **fields: Any) -> tuple[Any, Pieces]:
    """The answer to a question about a cloud, whose own settings are among the fields."""
    spec = {name: value for name, value in fields.items() if name in SPEC}
    more = {name: value for name, value in fields.items() if name not in SPEC}
    return put(compiled, kind, cloud=spec, **more)


def test_the_plan_of_the_papers_arm_is_the_papers() -> None:
    plan, pieces = ask(LYNX, "cloud_plan")
    assert [one.count for one in plan.ranges] == [12, 6, 6, 12]
    assert (plan.poses, plan.factor) == (5184, 15.0)
    assert plan.frames[-1] == "tool" and plan.points == 5184 * len(plan.frames)
    assert plan.palettes["paper"][0] == (255, 165, 0)
    assert not pieces.sent


def test_a_grid_that_would_be_coarse_gives_way_to_spread_poses() -> None:
    plan, _ = ask(PUMA, "cloud_plan")
    assert plan.factor is None and plan.poses == SPREAD
    assert ask(PUMA, "cloud_plan", how="grid")[0].factor is not None
    assert ask(LYNX, "cloud_plan", how="spread")[0].factor is None


def test_joints_without_a_range_are_named() -> None:
    plan, _ = ask(compiled_of("humanoid-30"), "cloud_plan")
    assert "right_shoulder" in plan.held


def test_the_pieces_are_the_cloud_a_little_of_all_first() -> None:
    result, pieces = ask(LYNX, "cloud")
    begin, _ = pieces.sent[0]
    assert isinstance(begin, CloudBeginPiece) and begin.shown == result.plan.points
    parts = [points_of(*one) for one in pieces.of("points")]
    k = len(result.plan.frames)
    assert len(parts[0][0]) <= FIRST < len(parts[1][0])
    made = kg.cloud(LYNX.model, factor=15, q=LYNX.start)
    xyz = np.concatenate([part[0] for part in parts])
    tags = np.concatenate([part[1] for part in parts])
    assert sorted(tags) == list(range(made.point_count))
    np.testing.assert_allclose(xyz, made.points[tags // k, tags % k], atol=1e-6)
    # the first piece goes over the whole cloud
    low, high = np.array(result.bounds[-1])
    tool = parts[0][0][parts[0][1] % k == k - 1]
    assert ((np.ptp(tool, axis=0)) > 0.9 * (high - low)).all()
    np.testing.assert_allclose([low, high], made.bounds[-1], atol=1e-6)
    assert pieces.of("points")[-1][0].share == 1.0


def test_never_all_points_are_sent() -> None:
    result, pieces = ask(PUMA, "cloud", count=100_000)
    sent = sum(head.count for head, _ in pieces.of("points"))
    assert sent == result.shown <= MOST_POINTS < result.plan.points == 700_000
    assert pieces.of("progress")[-1][0].share == 1.0


@pytest.mark.parametrize("layer", ["link", "manipulability"])
def test_detail_is_what_lies_within_the_planes(layer: str) -> None:
    goal = {"count": 40_000, "layer": layer}
    ask(PUMA, "cloud", **goal)
    planes = [[1.0, 0.0, 0.0, -0.5], [0.0, 0.0, 1.0, 0.0]]
    xyz, tags, values = [], [], []
    first: int | None = 0
    while first is not None:
        result, pieces = ask(PUMA, "cloud_detail", **goal, planes=planes, first=first)
        first = result.next
        assert result.sent == sum(head.count for head, _ in pieces.sent)
        for one in pieces.of("detail"):
            place, tag = points_of(*one)
            xyz.append(place)
            tags.append(tag)
            if layer != "link":
                values.append(values_of(*one))
    made = kg.cloud(PUMA.model, count=40_000, q=PUMA.start, layer=layer)
    k = len(made.frames)
    inside = (made.points[:, :, 0] >= 0.5) & (made.points[:, :, 2] >= 0)
    assert sum(map(len, tags)) == np.count_nonzero(inside)
    tag = np.concatenate(tags)
    np.testing.assert_allclose(np.concatenate(xyz), made.points[tag // k, tag % k], atol=1e-5)
    if values:
        found = made.values[tag // k, tag % k]
        np.testing.assert_allclose(np.concatenate(values), found, rtol=1e-4, atol=1e-6)


def test_a_look_ends_when_there_are_enough_points() -> None:
    result, pieces = ask(PUMA, "cloud_detail", count=40_000, planes=[[1.0, 0, 0, 10.0]], most=500)
    assert result == CloudDetailResult(next=None, sent=500)
    assert pieces.sent[0][0].count == 500


def test_a_point_leads_back_to_its_pose() -> None:
    for compiled, goal in ((LYNX, {"factor": 30.0}), (PUMA, {"count": 3000})):
        result, pieces = ask(compiled, "cloud", **goal)
        xyz, tags = points_of(*pieces.of("points")[0])
        k = len(result.plan.frames)
        pose, frame = divmod(int(tags[20 * k - 1]), k)
        q = ask(compiled, "cloud_pose", **goal, pose=pose)[0].q
        place = kg.pose(compiled.model, np.array(q), result.plan.frames[frame]).translation
        np.testing.assert_allclose(place, xyz[20 * k - 1], atol=1e-6)


def test_home_counts_rather_than_where_it_is_now() -> None:
    home = LYNX.start.copy()
    home[0] = 1.0
    goal = {"home": home.tolist(), "ranges": {"waist": [1.0, 1.0]}, "factor": 30.0}
    result, _ = ask(LYNX, "cloud", **goal)
    # the waist holds at 1 rad: elbows lie in one half plane
    high = result.bounds[result.plan.frames.index("elbow")][1]
    assert high[1] == pytest.approx(np.tan(1.0) * high[0], rel=1e-5)
    with pytest.raises(UsageError, match="6 numbers"):
        ask(LYNX, "cloud", home=[0.0])


@pytest.mark.parametrize("layer", ["density", "dexterity"])
def test_values_by_place_come_when_all_is_there(layer: str) -> None:
    result, pieces = ask(LYNX, "cloud", layer=layer)
    for one in pieces.of("points"):
        assert np.isnan(values_of(*one)).all()
    head, data = pieces.of("values")[0]
    values = np.frombuffer(data, "<f4")
    assert len(values) == head.count == result.shown
    assert result.ends == (values.min(), values.max())
    if layer == "density":
        made = kg.cloud(LYNX.model, factor=15, q=LYNX.start, layer="density")
        assert values.max() == made.values.max()
    else:
        assert result.plan.frames == ["tool"] and 0 <= values.min() < values.max() < 1
    near, more = ask(LYNX, "cloud_detail", layer=layer, planes=[[0.0, 0.0, 1.0, 10.0]])
    again = np.concatenate([values_of(*one) for one in more.sent])
    assert near.sent == result.plan.points and np.isfinite(again).all()


@pytest.mark.parametrize("kind", ["csv", "npz", "ply"])
def test_all_points_as_a_file(kind: str) -> None:
    found, _ = ask(LYNX, "cloud_file", factor=45.0, layer="joint:elbow", format=kind)
    made = kg.cloud(LYNX.model, factor=45, q=LYNX.start, layer="joint:elbow")
    data = found.data
    assert found.name == f"lynx6-cloud.{kind}"
    if kind == "csv":
        assert data.count(b"\n") == made.point_count + 1
    elif kind == "npz":
        table = np.load(io.BytesIO(data))
        np.testing.assert_allclose(table["points"], made.points, atol=1e-6)
        np.testing.assert_allclose(table["values"], made.values, atol=1e-6)
    else:
        assert data.startswith(b"ply")


@pytest.mark.parametrize(
    ("kind", "goal", "words"),
    [
        ("cloud", {"factor": 0.1}, "more than the studio computes"),
        ("cloud", {"factor": -1}, "factor must be a number"),
        ("cloud", {"count": 10**12}, "count must be a whole number"),
        ("cloud", {"frames": ["nobody"]}, "nobody"),
        ("cloud_plan", {"layer": "beauty"}, "no layer"),
        ("cloud", {"ranges": {"waist": [1, 0]}}, "reversed"),
        ("cloud_pose", {"pose": 10**9}, "pose must be a whole number"),
        ("cloud_pose", {"pose": 10**6}, "not 1000000"),
        ("cloud_detail", {"planes": [[1, 2, 3]]}, r"planes\[0\] must be a list of 4"),
        ("cloud_detail", {"planes": []}, "planes must be a list of 1 to 8"),
        ("cloud_file", {"format": "exe"}, "one of csv"),
        ("cloud_file", {"count": 2_000_000, "format": "csv"}, "too many for a download"),
    ],
)
def test_bad_goals_are_refused(kind: str, goal: dict[str, Any], words: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=words):
        ask(LYNX, kind, **goal)


def test_loops_have_zones_instead() -> None:
    with pytest.raises(UsageError, match="zone"):
        ask(compiled_of("five-bar"), "cloud")
