"""Bodies to look at."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.bodies.voxels import voxels_inside
from kinegen.workspace.progressive.body import DETAILS, smooth_surface, sweep_body, zone_body
from kinegen.workspace.progressive.plan import propose_cloud
from kinegen.workspace.progressive.zone import propose_zone

LYNX = kg.load("lynx6").compile()
FIVE_BAR = kg.load("five-bar").compile()


def test_the_body_of_an_arm_has_no_holes_by_chance() -> None:
    shares: list[float] = []
    made = sweep_body(propose_cloud(LYNX), count=DETAILS["quick"], progress=shares.append)
    found = made.boundary
    assert (found.pieces, found.voids, found.tunnels) == (1, 0, 0)
    assert shares == sorted(shares) and shares[-1] == 1.0 and not made.is_exact
    cell = found.voxels.cell
    body = kg.workspace.boundary(kg.cloud(LYNX, count=200_000, frames=["tool"]).points[:, 0], cell)
    assert abs(found.measure.value - body.measure.value) < body.measure.error
    # smoothing moves no corner further than a cell, and the size stays
    corners = made.surface
    bounds = np.array([corners.min(axis=0), corners.max(axis=0)])
    ends = [body.vertices.min(axis=0), body.vertices.max(axis=0)]
    assert np.abs(bounds - ends).max() < 2 * cell
    a, b, c = corners[found.triangles.T]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(found.measure.value + found.measure.error, rel=0.1)


def test_a_zone_in_a_plane_has_an_outline() -> None:
    plan = propose_zone(FIVE_BAR, step=0.05)
    made = plan.finest()
    body = zone_body(plan, made)
    assert body.is_exact and body.boundary.triangles.shape[1] == 2
    assert body.boundary.measure.value == pytest.approx(made.measure.value, abs=made.measure.error)
    assert body.surface.shape[1] == 3 and np.abs(body.surface[:, 2]).max() < 1e-9
    home = zone_body(plan, made, modes=["home"])
    assert home.boundary.measure.value < body.boundary.measure.value


def test_a_zone_of_places_is_made_again_with_other_cells() -> None:
    model = kg.load("stewart").compile()
    plan = propose_zone(model, step=0.8)
    made = plan.finest()
    assert zone_body(plan, made).boundary.voxels.cell == 0.8
    assert zone_body(plan, made, cell=1.0).boundary.voxels.cell == 1.0


def test_what_has_no_body_is_refused() -> None:
    line = propose_zone(kg.load("slider-crank").compile(), step=0.3)
    with pytest.raises(UsageError, match="only along a line"):
        zone_body(line, line.finest())
    turn = propose_zone(kg.load("stewart").compile(), kind="turn", step=0.5)
    with pytest.raises(UsageError, match="no volume"):
        zone_body(turn, turn.finest())
    plan = propose_zone(FIVE_BAR, step=0.3)
    with pytest.raises(UsageError, match="two points"):
        zone_body(plan, plan.finest(), modes=["nobody"])


def test_smoothing_takes_the_steps_of_cells_and_keeps_the_size() -> None:
    disc = voxels_inside(lambda p: np.linalg.norm(p, axis=1) < 1, [-1, -1], [1, 1], 0.05)
    steps = kg.workspace.boundary(disc)
    smooth = smooth_surface(steps.vertices, steps.triangles)
    (ax, ay), (bx, by) = (smooth[end].T for end in steps.triangles.T)
    assert 0.5 * np.sum(ax * by - bx * ay) == pytest.approx(np.pi, rel=0.02)
    before, after = (np.linalg.norm(corners, axis=1) for corners in (steps.vertices, smooth))
    assert np.abs(after - 1).std() < 0.7 * np.abs(before - 1).std()
