"""Gaps of clouds: what is empty by chance is filled, what is out of reach stays empty."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.bodies.gaps import Reach
from kinegen.workspace.clouds.ranges import joint_ranges
from kinegen.workspace.clouds.sweep import random_sweep

SCARA = """raff: 1
name: scara
joints:
  - {name: J1, parent: base, r: 0.4, limits: [-180 deg, 180 deg], motor: true}
  - {name: J2, parent: J1, d: 0.25, limits: [-145 deg, 145 deg], motor: true}
  - {name: J3, type: prismatic, parent: J2, d: 0.2, limits: [-0.15, 0], motor: true}
frames:
  - {name: tool, parent: J3}
"""
INNER = math.sqrt(0.25**2 + 0.2**2 + 2 * 0.25 * 0.2 * math.cos(math.radians(145)))
RING = math.pi * (0.45**2 - INNER**2)


@pytest.mark.parametrize("count", [30_000, 60_000])
def test_a_scara_has_a_ring_without_voids(count: int) -> None:
    cloud = kg.cloud(kg.load(SCARA).compile(), frames=["tool"], count=count)
    body = kg.workspace.boundary(cloud)
    assert (body.pieces, body.voids, body.tunnels) == (1, 0, 1)
    assert body.measure.value == pytest.approx(0.15 * RING, abs=body.measure.error)
    # the points alone leave cells empty
    assert kg.workspace.boundary(cloud.points[:, -1]).voids > 0


@pytest.mark.parametrize("options", [{"count": 20_000}, {"factor": 10.0}])
def test_a_ring_in_a_plane_has_an_area_and_one_hole(options: dict[str, float]) -> None:
    model = kg.load(SCARA).compile()
    cloud = kg.cloud(model, frames=["tool"], ranges={"J3": (-0.1, -0.1)}, **options)
    body = kg.workspace.boundary(cloud)
    assert body.measure.unit == "m²"
    assert (body.pieces, body.voids, body.tunnels) == (1, 1, 0)
    assert body.measure.value == pytest.approx(RING, abs=body.measure.error)


def test_reach_keeps_the_ranges_of_the_sweep() -> None:
    model = kg.load(SCARA).compile()
    ranges = joint_ranges(model, {"J1": (-0.5, 0.5), "J3": (-0.1, 0.0)})
    sweep = random_sweep(model, ranges, 10)
    points = np.array([[0.4, 0, 0.35], [0.4, 0, 0.27], [-0.4, 0, 0.35], [0.6, 0, 0.35]]).T
    starts = np.repeat(sweep.chunk(0, 1), 4, axis=1)
    qs, reached = Reach.of_sweep(sweep, "tool").poses(starts, points)
    assert reached.tolist() == [True, False, False, False]
    found = kg.pose(model, qs[:, 0], "tool").translation
    np.testing.assert_allclose(found, points[:, 0], atol=1e-7)


def test_points_in_a_line_have_no_body() -> None:
    with pytest.raises(UsageError, match="lie on a line"):
        kg.workspace.boundary(np.outer(np.linspace(0, 1, 50), [1, 2, 3]))


def test_cells_of_a_delta_count_by_their_middle() -> None:
    """A single point at the edge fills no cell: such cells are spikes of a section."""
    model = kg.load("delta").compile()
    zone = kg.zone(model, step=math.radians(8), poses=True)
    body = kg.workspace.boundary(zone)
    assert (body.pieces, body.voids) == (1, 0)

    def reached(places: np.ndarray) -> list[bool]:
        some = np.random.default_rng(0).permutation(places)[:60]
        handles = [kg.Handle(zone.frame, place) for place in some]
        return [kg.solve(model, handle, attempts=20).reached for handle in handles]

    assert all(reached(body.voxels.centres()))
    by_points = kg.workspace.boundary(dataclasses.replace(zone, reach=None)).voxels
    assert not all(reached(by_points.centres()))
