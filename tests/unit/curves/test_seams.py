"""Seams of solids and of meshes."""

import math

import numpy as np
import pytest

from kinegen.curves import (
    Cylinder,
    Plane,
    Sphere,
    TriangleMesh,
    mesh_seams,
    pipe_lines,
    pipe_seam,
    seams,
)
from kinegen.curves.solids import value_of
from kinegen.errors import UsageError

SOLIDS = [
    (Cylinder((0, 0, 0), (0, 0, 1), 0.08), Cylinder((0, 0, 0), (1, 0, 0), 0.09), 2),
    (Cylinder((0, 0, 0), (0, 0, 1), 0.09), Cylinder((0, 0.05, 0), (1, 0.3, 0), 0.08), 1),
    (Cylinder((0.03, 0, 0), (0, 1, 1), 0.05), Sphere((0, 0, 0), 0.1), 2),
    (Cylinder((0.08, 0, 0), (0, 1, 1), 0.05), Sphere((0, 0, 0), 0.1), 1),
    (Cylinder((0, 0, 0.1), (0.2, 0, 1), 0.05), Plane((0, 0, 0.2), (0, 1, 1)), 1),
    (Sphere((0, 0, 0), 0.1), Sphere((0.1, 0.05, 0), 0.08), 1),
    (Plane((0, 0, 0.05), (0, 1, 1)), Sphere((0, 0, 0), 0.1), 1),
    (Sphere((0, 0, 0), 0.1), Sphere((1, 0, 0), 0.1), 0),
    (Cylinder((0, 0, 0), (0, 0, 1), 0.1), Cylinder((1, 0, 0), (0, 1, 0), 0.1), 0),
]


@pytest.mark.parametrize(("first", "second", "count"), SOLIDS)
def test_seams_lie_on_both_and_close(first, second, count: int) -> None:  # type: ignore[no-untyped-def]
    found = seams(first, second)
    assert len(found) == count
    for curve in found:
        points = curve.sample(60)
        assert np.abs(value_of(first, points.xyz)).max() < 1e-12
        assert np.abs(value_of(second, points.xyz)).max() < 1e-12
        assert curve.gap() < 1e-9
        steps = np.linalg.norm(np.diff(points.xyz, axis=0), axis=1)
        assert steps.max() < 1.2 * steps.mean()  # goes round without a jump
        assert points.normals is not None
        assert np.allclose(np.linalg.norm(points.normals, axis=1), 1)


def test_the_papers_pipes() -> None:
    shares = np.arange(32) / 32
    found = pipe_seam().evaluate(shares)
    x, y, z = (found.xyz * 100).T
    u = np.arctan2(y - 25, x - 25)
    assert np.allclose(np.hypot(x - 25, y - 25), 8)
    assert np.allclose(z, 15 + np.sqrt(81 - 64 * np.sin(u) ** 2))
    assert np.allclose(np.sort(u % math.tau), shares * math.tau)


def test_lines_of_the_pipes_lie_on_them() -> None:
    at = (0.25, 0.25, 0.15)
    standing, lying = Cylinder(at, (0, 0, 1), 0.08), Cylinder(at, (1, 0, 0), 0.09)
    on = [
        [bool(np.abs(value_of(pipe, line)).max() < 1e-12) for pipe in (standing, lying)]
        for line in pipe_lines(0.08, 0.09, at)
    ]
    # every line is on a pipe, some on each, and one ring on both: the seam
    assert all(any(row) for row in on)
    assert sum(all(row) for row in on) == 1
    assert all(sum(column) > 10 for column in zip(*on, strict=True))


def test_normals_face_out() -> None:
    solids = Cylinder((0, 0, 0), (0, 0, 1), 0.08), Cylinder((0, 0, 0), (1, 0, 0), 0.09)
    outer = seams(*solids, facing="first")[0].evaluate(np.array([0.0]))
    assert outer.normals is not None
    assert np.allclose(outer.normals[0], [*(outer.xyz[0, :2] / 0.08), 0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: seams(Plane(), Plane((0, 0, 1), (1, 0, 0))),
        lambda: seams(Cylinder((0, 0, 0), (0, 0, 1), 1), Cylinder((1, 0, 0), (0, 0, 1), 1)),
        lambda: Sphere((0, 0, 0), -1),
        lambda: Cylinder((0, 0, 0), (0, 0, 0), 1),
        lambda: Cylinder((0, 0, float("nan")), (0, 0, 1), 1),
        lambda: pipe_seam(0.1, 0.09),
        lambda: seams("pipe", Plane()),  # type: ignore[arg-type]
        lambda: seams(Plane(), Sphere((0, 0, 0), 1), facing="up"),  # type: ignore[arg-type]
        lambda: TriangleMesh(np.zeros((3, 3)), np.array([[0, 1, 3]])),
        lambda: TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), int)),
    ],
)
def test_bad_input_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError):
        make()


def tube(radius: float, half: float, axis: int, count: int = 48) -> TriangleMesh:
    """An open pipe made of triangles."""
    angle = np.linspace(0, math.tau, count, endpoint=False) + 0.013
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    vertices = np.zeros((2 * count, 3))
    others = [k for k in range(3) if k != axis]
    vertices[:count, others] = vertices[count:, others] = ring
    vertices[:count, axis], vertices[count:, axis] = -half, half
    k = np.arange(count)
    n = (k + 1) % count
    faces = np.concatenate([np.stack([k, n, k + count], 1), np.stack([n, n + count, k + count], 1)])
    return TriangleMesh(vertices, faces)


def test_meshes_meet_like_the_solids_they_stand_for() -> None:
    found = mesh_seams(tube(0.08, 0.2, 2), tube(0.09, 0.2, 0))
    assert len(found) == 2
    exact = seams(*SOLIDS[0][:2])
    for curve in found:
        assert curve.is_closed
        assert abs(curve.length() / exact[0].length() - 1) < 0.01
        points = curve.sample(50)
        assert np.abs(np.hypot(*points.xyz[:, :2].T) - 0.08).max() < 0.08 * 0.0025
        assert points.normals is not None
        assert np.allclose(np.linalg.norm(points.normals, axis=1), 1)


def test_an_open_seam_has_two_ends() -> None:
    sheet = TriangleMesh(
        np.array([[0, -1, 0.01], [0.06, -1, 0.01], [0.06, 1, 0.01], [0, 1, 0.01]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
    )
    found = mesh_seams(sheet, tube(0.08, 0.2, 1))
    assert found == []  # it lies inside
    found = mesh_seams(sheet, tube(0.05, 0.2, 2))
    assert len(found) == 1
    assert not found[0].is_closed
    assert np.allclose(found[0].sample(9).xyz[:, 2], 0.01)


def test_apart_meshes_have_no_seam() -> None:
    far = tube(0.05, 0.1, 2)
    moved = TriangleMesh(far.vertices + 1, far.faces)
    assert mesh_seams(far, moved) == []
