"""Masses from shapes: solids by hand and by random points."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.mechanism.compiling.masses import DEFAULT_DENSITY, solid_of
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Plate,
    Primitive,
    Sphere,
    link_shapes,
)
from kinegen.mechanism.shapes.solid import drawn_outline

TURNED = ((0.0, -1.0, 0.0), (0.6, 0.0, -0.8), (0.8, 0.0, 0.6))
SOLIDS: list[Primitive] = [
    Box(size=(0.3, 0.5, 0.7)),
    Cylinder(radius=0.3, length=0.8),
    Sphere(radius=0.4),
    Capsule(radius=0.2, length=0.6),
    Plate(outline=((0.0, 0.0), (0.8, 0.1), (0.5, 0.9)), thickness=0.2),
]


def inside(shape: Primitive, p: np.ndarray) -> np.ndarray:
    x, y, z = p.T
    match shape:
        case Box(size=size):
            return (np.abs(p) < np.array(size) / 2).all(axis=1)
        case Cylinder(radius=r, length=length):
            return (np.hypot(x, y) < r) & (np.abs(z) < length / 2)
        case Sphere(radius=r):
            return np.linalg.norm(p, axis=1) < r
        case Capsule(radius=r, length=length):
            beyond = np.maximum(np.abs(z) - length / 2, 0)
            return np.hypot(np.hypot(x, y), beyond) < r
        case Plate(outline=outline, thickness=thickness):
            keep = np.abs(z) < thickness / 2
            for a, b in zip(outline, [*outline[1:], outline[0]], strict=True):
                keep &= (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) > 0
            return keep
    raise AssertionError(shape)


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_solids_by_counting_points(shape: Primitive) -> None:
    step = 0.02
    axis = np.arange(-1 + step / 2, 1, step)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(shape, points)]
    volume, centre, tensor = solid_of([shape])
    r = points - points.mean(axis=0)
    counted = ((r * r).sum() * np.eye(3) - r.T @ r) * step**3
    assert volume == pytest.approx(len(points) * step**3, rel=0.02)
    np.testing.assert_allclose(centre, points.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(tensor, counted, atol=0.03 * np.trace(counted))


def test_parts_add_up_where_they_stand() -> None:
    halves = [Box(size=(1, 1, 1), translation=(x, 0, 0)) for x in (-0.5, 0.5)]
    whole = solid_of([Box(size=(2, 1, 1), rotation=TURNED, translation=(1, 2, 3))])
    volume, centre, tensor = solid_of(halves)
    R = np.array(TURNED)
    assert volume == pytest.approx(whole[0])
    np.testing.assert_allclose(whole[1], [1, 2, 3])
    np.testing.assert_allclose(centre, 0, atol=1e-15)
    np.testing.assert_allclose(R @ tensor @ R.T, whole[2])


def link(keys: str) -> kg.Model:
    head = "raff: 1\nname: one\nparameters: {size: 0.2}\njoints:\n"
    return kg.load(f"{head}  - {{name: J, parent: base, {keys}}}\n").compile()


BALL = "shape: {sphere: size, xyz: [0, 0, 0.1]}"


def test_what_a_file_leaves_out() -> None:
    volume = 4 / 3 * math.pi * 0.2**3
    row = link(BALL).inertia[1]
    assert row[0] == pytest.approx(DEFAULT_DENSITY * volume)
    np.testing.assert_allclose(row[1:4], [0, 0, 0.1])
    np.testing.assert_allclose(row[4:], [0.4 * row[0] * 0.04] * 3 + [0] * 3, atol=1e-12)
    assert link(f"{BALL}, density: 7800").inertia[1, 0] == pytest.approx(7800 * volume)
    row = link(f"{BALL}, mass: 5, centre: [1, 2, 3]").inertia[1]
    np.testing.assert_allclose(row, [5, 1, 2, 3, *[0.4 * 5 * 0.04] * 3, 0, 0, 0], atol=1e-12)
    row = link(f"{BALL}, mass: 5, inertia: [1, 1, 1]").inertia[1]
    np.testing.assert_array_equal(row, [5, 0, 0, 0, 1, 1, 1, 0, 0, 0])
    assert not link("shape: none").inertia[1].any()
    assert link("d: 0.3").inertia[1, 0] > 0  # drawn automatically


def test_shapes_follow_parameters_and_given_numbers_stay() -> None:
    model = link(BALL)
    before = model.inertia[1, 0]
    model.parameters["size"] = 0.4
    assert model.inertia[1, 0] == pytest.approx(8 * before)
    model.set_number("J", "mass", 3.0)
    assert model.inertia[1, 0] == 3
    model.parameters["size"] = 0.2
    assert model.inertia[1, 0] == 3
    assert model.inertia[1, 4] == pytest.approx(0.4 * 3 * 0.04)


def test_looks_do_not_weigh() -> None:
    """Round corners are drawn as fine as a picture likes; what they weigh stays what it was."""
    link = kg.load("four-bar").compile()
    plates = [one for own in link_shapes(link)[1:] for one in own if isinstance(one, Plate)]
    assert plates
    for plate in plates:
        fine = drawn_outline(plate, 16)
        assert len(fine) > 2 * len(plate.outline)
        # both go round the same points at the same distance
        points = np.array(plate.points)
        for outline in (fine, plate.outline):
            gaps = np.linalg.norm(np.array(outline)[:, None] - points, axis=2).min(axis=1)
            np.testing.assert_allclose(gaps, plate.radius, atol=1e-9)
        sharp = replace(plate, points=(), radius=0.0)
        for whole, bare in zip(solid_of([plate]), solid_of([sharp]), strict=True):
            np.testing.assert_array_equal(whole, bare)


def test_masses_of_the_library_are_those_of_plain_links() -> None:
    """Drums, necks and rounder discs were added to pictures: no mass, centre or inertia moved."""
    four_bar, arm, human = (
        kg.load(name).compile().inertia for name in ("four-bar", "arm-6", "humanoid-30")
    )
    np.testing.assert_allclose(
        four_bar[1:, 0], [0.123577036444, 0.433093368047, 0.245498911444], rtol=1e-9
    )
    drum, upper, fore = arm[1:4]
    np.testing.assert_allclose(drum[:7], [12, 0, 0, 0, 0.0592, 0.0592, 0.0384], atol=1e-12)
    np.testing.assert_allclose(upper[4:7], 10 / 12 * np.array([0.0208, 0.2089, 0.2169]), rtol=1e-9)
    np.testing.assert_allclose(fore[4:7], 5 / 12 * np.array([0.1664, 0.0128, 0.1664]), rtol=1e-9)
    head = human[kg.load("humanoid-30").compile().link_names.index("neck")]
    radius = 0.065 * kg.load("humanoid-30").compile().parameters["height"]
    np.testing.assert_allclose(head[4:7], 0.4 * head[0] * radius**2, rtol=1e-12)
