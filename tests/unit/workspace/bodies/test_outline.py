"""Outlines: corners on the exact boundary, against circles in closed form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.bodies.outline import exact_outline
from kinegen.workspace.bodies.voxels import voxels_inside

GROUND, CRANK, ROD = 0.2, 0.15, 0.25
FIVE_BAR = f"""raff: 1
name: symmetric
joints:
  - {{name: A, parent: base, motor: true, start: 110 deg}}
  - {{name: B, parent: A, d: {CRANK}, start: -60 deg}}
  - {{name: E, parent: base, d: {GROUND}, motor: true, start: 70 deg}}
  - {{name: D, parent: E, d: {CRANK}, start: 60 deg}}
  - {{name: C, parent: B, d: {ROD}, closes: {{onto: D, d: {ROD}}}}}
frames:
  - {{name: handle, parent: B, d: {ROD}}}
"""


def test_a_disc_with_a_hole() -> None:
    def inside(points: np.ndarray) -> np.ndarray:
        r = np.hypot(*points.T)
        return (r <= 1) & (r >= 0.3)

    voxels = voxels_inside(inside, [-1.1, -1.1], [1.1, 1.1], 0.07)
    vertices, pieces = exact_outline(lambda points, _: inside(points.T), voxels)
    r = np.hypot(*vertices.T)
    assert np.minimum(np.abs(r - 1), np.abs(r - 0.3)).max() < 1e-9
    # closed lines, the inside on the left: their area is that of the set
    assert (np.bincount(pieces[:, 0]) == 1).all() and (np.bincount(pieces[:, 1]) == 1).all()
    (x0, y0), (x1, y1) = vertices[pieces[:, 0]].T, vertices[pieces[:, 1]].T
    area = float((x0 * y1 - x1 * y0).sum()) / 2
    assert area == pytest.approx(math.pi * (1 - 0.09), rel=0.01)


@pytest.mark.parametrize("step", [10.0, 4.0])
def test_the_outline_of_a_five_bar_lies_on_its_circles(step: float) -> None:
    model = kg.load(FIVE_BAR).compile()
    zone = kg.zone(model, frame="handle", step=math.radians(step))
    assert zone.method == "triangles"
    body = kg.workspace.boundary(zone)
    x, y = body.vertices.T
    centres, radii = (0.0, GROUND), (ROD - CRANK, ROD + CRANK)
    off = [np.abs(np.hypot(x - c, y) - r) for c, r in itertools.product(centres, radii)]
    assert np.min(off, axis=0).max() < 1e-6 * model.size
    # all corners are reachable: within both rings
    for centre in centres:
        r = np.hypot(x - centre, y)
        assert (r > radii[0] - 1e-6 * model.size).all()
        assert (r < radii[1] + 1e-6 * model.size).all()
    # the zone's own points are inside
    assert zone.exact is not None
    assert zone.exact.inside(zone.exact.down(zone.points.T)).all()


def test_corners_of_an_outline_can_be_reached_and_what_is_beyond_cannot() -> None:
    model = kg.load(FIVE_BAR).compile()
    zone = kg.zone(
        model, frame="handle", step=math.radians(8), ranges={"A": (1.0, 2.5), "E": (0.3, 2.0)}
    )
    body = kg.workspace.boundary(zone)
    assert zone.exact is not None
    inside = zone.exact.inside
    assert inside(body.vertices.T).all()
    start, end = (body.vertices[body.triangles[:, k]] for k in (0, 1))
    along = end - start
    out = np.column_stack([along[:, 1], -along[:, 0]]) / np.hypot(*along.T)[:, None]
    beyond = inside((start + 0.05 * body.voxels.cell * out).T)
    assert beyond.mean() < 0.05  # some at inner corners
    for place in zone.exact.up(body.vertices[::40].T).T:
        found = kg.solve(model, kg.Handle("handle", place), limits=False, start=zone.modes[0].qs)
        assert found.handles[0].distance < 1e-6 * model.size


def test_an_exact_zone_by_mode_is_part_of_the_whole() -> None:
    model = kg.load("eight-bar").compile()
    zone = kg.zone(model, step=math.radians(5))
    assert zone.exact is not None
    home = next(mode for mode in zone.modes if mode.name == "home")
    assert zone.exact.inside(zone.exact.down(home.points.T), ("home",)).all()
    whole = kg.workspace.boundary(zone).measure.value
    part = kg.workspace.zone_boundary(zone, modes=("home",)).measure.value
    assert 0 < part < whole
