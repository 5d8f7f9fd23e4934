"""Clouds that are looked at while they are made."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.progressive.cloud import FIRST, KEPT, ProgressiveCloud
from kinegen.workspace.progressive.plan import propose_cloud

LYNX = kg.load("lynx6").compile()
PUMA = kg.load("puma560").compile()
LONG = 60.0
"""[s] Patience that no machine runs out of."""


def test_the_parts_are_the_cloud_a_little_of_all_first() -> None:
    cloud = ProgressiveCloud(propose_cloud(LYNX))
    parts = list(cloud.overview())
    k = len(cloud.plan.frames)
    assert len(parts[0].points) <= FIRST < len(parts[1].points)
    made = kg.cloud(LYNX, factor=15)
    xyz = np.concatenate([part.points for part in parts])
    tags = np.concatenate([part.tags for part in parts])
    assert sorted(tags) == list(range(made.point_count))
    np.testing.assert_allclose(xyz, made.points[tags // k, tags % k], atol=1e-6)
    # the first part goes over the whole cloud
    low, high = cloud.bounds[-1]
    tool = parts[0].points[parts[0].tags % k == k - 1]
    assert (np.ptp(tool, axis=0) > 0.9 * (high - low)).all()
    np.testing.assert_allclose(cloud.bounds, made.bounds, atol=1e-6)
    assert parts[-1].share == 1.0 and cloud.ends is None and cloud.seconds > 0


def test_an_overview_has_no_more_points_than_asked_for() -> None:
    cloud = ProgressiveCloud(propose_cloud(PUMA, count=100_000), most=7_000)
    parts = list(cloud.overview())
    assert sum(len(part.points) for part in parts) == 7_000
    assert cloud.shown == 1_000 and parts[-1].share == 1.0


@pytest.mark.parametrize("keep", [KEPT, 0])
@pytest.mark.parametrize("layer", ["link", "manipulability"])
@pytest.mark.parametrize("how", [{"count": 20_000}, {"factor": 60.0}])
def test_a_look_shows_what_lies_within_the_planes(
    keep: int, layer: str, how: dict[str, float]
) -> None:
    cloud = ProgressiveCloud(propose_cloud(PUMA, layer=layer, **how), keep=keep)
    list(cloud.overview())
    planes = np.array([[1.0, 0.0, 0.0, -0.5], [0.0, 0.0, 1.0, 0.0]])
    look = cloud.look(planes, patience=LONG)
    parts = list(look)
    made = kg.cloud(PUMA, layer=layer, **how)
    k = len(made.frames)
    inside = (made.points[:, :, 0] >= 0.5) & (made.points[:, :, 2] >= 0)
    assert look.next is None and look.sent == np.count_nonzero(inside)
    tags = np.concatenate([part.tags for part in parts])
    xyz = np.concatenate([part.points for part in parts])
    np.testing.assert_allclose(xyz, made.points[tags // k, tags % k], atol=1e-5)
    for part in parts:
        if layer == "link":
            assert part.values is None
        else:
            found = made.values[part.tags // k, part.tags % k]
            np.testing.assert_allclose(part.values, found, rtol=1e-4, atol=1e-6)


def test_looks_continue_where_the_last_one_ended() -> None:
    cloud = ProgressiveCloud(propose_cloud(PUMA, count=60_000), keep=0)
    everywhere = np.array([[1.0, 0.0, 0.0, 10.0]])
    first = cloud.look(everywhere, patience=0.0)
    assert not list(first) and first.next == 0
    enough = cloud.look(everywhere, most=500, patience=LONG)
    assert sum(len(part.points) for part in enough) == 500 and enough.next is None
    total, at = 0, 0
    for _ in range(10):
        look = cloud.look(everywhere, at, 10**9, patience=LONG)
        parts = list(look)
        total += sum(len(part.points) for part in parts)
        if look.next is None:
            break
        at = look.next
    assert total == cloud.plan.point_count


@pytest.mark.parametrize("layer", ["density", "dexterity"])
def test_values_by_place_come_when_all_is_there(layer: str) -> None:
    cloud = ProgressiveCloud(propose_cloud(LYNX, layer=layer))
    for part in cloud.overview():
        assert part.values is not None and np.isnan(part.values).all()
    values = cloud.place_values
    assert values is not None and len(values) == cloud.plan.point_count
    assert cloud.ends == (values.min(), values.max())
    if layer == "density":
        made = kg.cloud(LYNX, factor=15, layer="density")
        assert values.max() == made.values.max()
    else:
        assert 0 <= values.min() < values.max() < 1
    (part,) = cloud.look(np.array([[0.0, 0.0, 1.0, 10.0]]), patience=LONG)
    assert part.values is not None and np.isfinite(part.values).all()


def test_all_points_in_the_sweeps_own_order() -> None:
    found = ProgressiveCloud(propose_cloud(LYNX, factor=45, layer="joint:elbow")).whole()
    made = kg.cloud(LYNX, factor=45, layer="joint:elbow")
    np.testing.assert_allclose(found.points, made.points, atol=1e-6)
    np.testing.assert_allclose(found.values, made.values, atol=1e-6)
    links = ProgressiveCloud(propose_cloud(LYNX, factor=45)).whole()
    assert (links.values == np.arange(len(links.frames))).all()
