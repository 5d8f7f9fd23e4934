"""Outlines and surfaces of zones that the solver finds: on the boundary of what is reached."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import Floats
from kinegen.workspace.bodies.body import Boundary, boundary
from kinegen.workspace.bodies.plane import Plane
from kinegen.workspace.zones.result import Zone
from kinegen.workspace.zones.zone import zone, zone_slice


def outwards(body: Boundary) -> Floats:
    """Unit normals of the corners."""
    places = [body.vertices[column] for column in body.triangles.T]
    if len(places) == 2:
        normals = (places[1] - places[0])[:, ::-1] * [1, -1]
    else:
        normals = np.cross(places[1] - places[0], places[2] - places[0])
    out = np.zeros_like(body.vertices)
    for column in body.triangles.T:
        np.add.at(out, column, normals)
    return np.asarray(out / np.linalg.norm(out, axis=1)[:, None])


def reached(made: Zone, places: Floats) -> float:
    """The share of places (n, d) of a zone's plane that the solver gets to from nearby points."""
    assert made.reach is not None
    plane = Plane(made.points.T)
    qs = np.concatenate([mode.qs for mode in made.modes if mode.qs is not None]).T
    flat = plane.down(made.points.T)
    near = np.argsort(((flat[:, None, :] - places.T[:, :, None]) ** 2).sum(axis=0), axis=1)
    found = np.zeros(len(places), dtype=bool)
    for k in range(4):
        found |= made.reach.poses(qs[:, near[:, k]], plane.up(places.T))[1]
    return float(found.mean())


RING = """raff: 1
joints:
  - {name: A, parent: base, motor: true}
  - {name: B, parent: A, d: 0.4, start: 60 deg, motor: true}
frames: [{name: tool, parent: B, d: 0.2}]
"""
ZONES: dict[str, tuple[str, Callable[[kg.Model], Zone]]] = {
    "five-bar": ("five-bar", lambda m: zone(m, poses=True, method="solver")),
    "3-rrr": ("3-rrr", lambda m: zone(m, poses=True, step=math.radians(8), method="solver")),
    "3-rrr held": ("3-rrr", lambda m: zone_slice(m, step=0.05 * m.size, poses=True)),
    "ring": (RING, lambda m: zone_slice(m, step=0.1 * m.size, poses=True)),
}


@pytest.mark.parametrize("case", ZONES)
def test_outlines_of_solved_zones_lie_on_the_boundary(case: str) -> None:
    name, make = ZONES[case]
    made = make(kg.load(name).compile())
    body = boundary(made)
    assert body.voids == (1 if case in {"five-bar", "ring"} else 0)
    way = 0.02 * body.voxels.cell * outwards(body)
    assert reached(made, body.vertices - way) == 1.0
    # but for corners that point inwards, where both sides are within
    assert reached(made, body.vertices + way) < 0.06


def test_surfaces_of_solved_zones_lie_on_the_boundary() -> None:
    model = kg.load("delta").compile()
    made = zone_slice(model, step=0.15 * model.size, poses=True)
    body = boundary(made)
    cell = body.voxels.cell
    some = slice(None, None, 5)
    assert reached(made, (body.vertices - 0.02 * cell * outwards(body))[some]) > 0.98
    assert reached(made, (body.vertices + 0.05 * cell * outwards(body))[some]) < 0.15
