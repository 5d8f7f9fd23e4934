"""Painter's order: whatever the scene, the last piece painted at a point is the nearest one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.formats.drawing.pictures.order import Piece, back_to_front
from kinegen.formats.drawing.pictures.solid import Solid, tessellate
from kinegen.formats.drawing.pictures.visible import without_inside
from kinegen.mechanism.shapes.shapes import Box, Cylinder, Primitive
from kinegen.mechanism.shapes.solid import rotation_with_z

pytestmark = pytest.mark.slow


def placed(shape: Primitive, R: np.ndarray, p: np.ndarray) -> Solid:
    solid = tessellate(shape, 8)
    assert solid is not None
    return Solid(solid.vertices @ R.T + p, solid.faces, solid.normals @ R.T)


def pieces_of(solids: list[Solid]) -> list[Piece]:
    """Faces towards the eye."""
    pieces = []
    for index, solid in enumerate(solids):
        for face, normal in zip(solid.faces, solid.normals, strict=True):
            if normal[2] > 1e-6:
                corners = solid.vertices[list(face)]
                flags = (False,) * len(face)
                pieces.append(Piece(corners, flags, index, str(index), normal))
    return pieces


def height_over(piece: Piece, x: float, y: float) -> float | None:
    """Height z of a piece over a point, None where it is not there."""
    corners = piece.corners
    way = np.roll(corners, -1, axis=0) - corners
    side = way[:, 0] * (y - corners[:, 1]) - way[:, 1] * (x - corners[:, 0])
    if (side < 1e-6).any() or piece.normal is None:
        return None
    n = piece.normal
    return float(corners[0, 2] - ((x - corners[0, 0]) * n[0] + (y - corners[0, 1]) * n[1]) / n[2])


@st.composite
def scenes(draw: st.DrawFn) -> list[Solid]:
    seed = draw(st.integers(0, 10**6))
    count = draw(st.integers(2, 7))
    random = np.random.default_rng(seed)
    solids = []
    for _ in range(count):
        R = rotation_with_z(random.normal(size=3), random.normal(size=3))
        p = random.uniform(-40, 40, size=3)
        a, b, c = random.uniform(5, 60, size=3)
        shape = Box(size=(a, b, c)) if random.random() < 0.5 else Cylinder(radius=a / 2, length=c)
        solids.append(placed(shape, R, p))
    return solids


@settings(max_examples=60)
@given(solids=scenes(), seed=st.integers(0, 1000))
def test_the_nearest_piece_is_painted_last(solids: list[Solid], seed: int) -> None:
    pieces = pieces_of(solids)
    ordered = [piece for batch in back_to_front(pieces) for piece in batch]
    random = np.random.default_rng(seed)
    checked = 0
    centres = [piece.corners[:, :2].mean(axis=0) for piece in pieces]  # small scenes are met too
    for x, y in [*random.uniform(-50, 50, size=(60, 2)), *centres[:10]]:
        before = [z for z in (height_over(piece, x, y) for piece in pieces) if z is not None]
        after = [z for z in (height_over(piece, x, y) for piece in ordered) if z is not None]
        if before and after:
            checked += 1
            # Cuts move a corner by less than NEAR, so that a height may differ a little.
            assert after[-1] >= max(before) - 0.5
    assert checked > 0 or not pieces


@settings(max_examples=30)
@given(solids=scenes())
def test_nothing_is_lost_by_cutting(solids: list[Solid]) -> None:
    def area(pieces: list[Piece]) -> float:
        total = 0.0
        for piece in pieces:
            x, y = piece.corners[:, 0], piece.corners[:, 1]
            total += 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
        return total

    pieces = pieces_of(solids)
    ordered = [piece for batch in back_to_front(pieces) for piece in batch]
    assert np.isclose(area(ordered), area(pieces), rtol=1e-3)


def test_pieces_inside_another_solid_are_left_out() -> None:
    big = placed(Box(size=(40, 40, 40)), np.eye(3), np.zeros(3))
    small = placed(Box(size=(4, 4, 4)), np.eye(3), np.zeros(3))
    kept = [p for batch in without_inside([pieces_of([big, small])], [big, small]) for p in batch]
    assert {piece.solid for piece in kept} == {0}


def test_lines_are_cut_and_ordered_too() -> None:
    wall = placed(Box(size=(40, 40, 2)), np.eye(3), np.zeros(3))
    line = Piece(np.array([[0.0, 0, -30], [0, 0, 30]]), (True, False), 1, "x", None)
    batches = back_to_front([*pieces_of([wall]), line])
    looks = [piece.look for batch in batches for piece in batch]
    assert looks[0] == "x"
    assert looks[-1] == "x"
    assert "0" in looks


def test_edges_that_were_not_outlined_stay_so_when_cut() -> None:
    square = np.array([[0.0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]])
    up = np.array([0.0, 0, 1])
    across = np.array([[5.0, -20, -20], [5, 20, -20], [5, 20, 20], [5, -20, 20]])
    flat = Piece(square, (True, False, True, False), 0, "a", up)
    # An upright wall is seen edge-on: it hides nothing but is a candidate to cut with.
    wall = Piece(across, (False,) * 4, 1, "b", np.array([1.0, 0, 0]))
    parts = [p for batch in back_to_front([flat, wall]) for p in batch if p.look == "a"]
    total = sum(
        float(np.linalg.norm(np.roll(p.corners, -1, axis=0)[i] - p.corners[i]))
        for p in parts
        for i, shown in enumerate(p.outlined)
        if shown
    )
    assert np.isclose(total, 20)
