"""Light, order and paths: solids become the body of a picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kinegen.formats.drawing.pictures.camera import Camera
from kinegen.formats.drawing.pictures.order import Piece, back_to_front
from kinegen.formats.drawing.pictures.solid import Solid
from kinegen.formats.drawing.pictures.theme import shaded
from kinegen.formats.drawing.pictures.visible import without_covered, without_inside

__all__ = ["Painter"]

Array = NDArray[np.float64]

LIGHT_STEPS = 60
"""Levels of light between black and full: enough for round things, few enough to share styles."""
CREASE = math.cos(math.radians(50.0))
"""Edges between faces that turn by more than 50 degrees are outlined."""


class Painter:
    """Paints solids: light, order, paths; collects the styles it used."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.styles: dict[str, str] = {}
        right, _, towards = camera.R_VW
        level = np.array([towards[0], towards[1], 0.0])
        key = np.array([0.0, 0.0, 1.0]) + 0.55 * level + 0.35 * towards - 0.5 * right
        self.key = key / np.linalg.norm(key)
        fill = 0.3 * np.array([0.0, 0.0, 1.0]) + 0.7 * towards + 0.8 * right
        self.fill = fill / np.linalg.norm(fill)

    def paint(self, solids: list[Solid], axes: list[Array], size: tuple[int, int]) -> str:
        """All solids, far ones first, as SVG."""
        batches = self.batches(solids, axes, size)
        return f'<g class="p">{"".join(self._paths(batch) for batch in batches)}</g>'

    def batches(
        self, solids: list[Solid], axes: list[Array], size: tuple[int, int]
    ) -> list[list[Piece]]:
        """What is seen of all solids, far ones first; within a batch the order is free."""
        R_WV = self.camera.R_VW.T
        seen = [
            Solid(self.camera.view(s.vertices), s.faces, s.normals @ R_WV, s.fill) for s in solids
        ]
        pieces: list[Piece] = []
        for index, solid in enumerate(solids):
            pieces += self._faces(index, solid, seen[index])
        pieces = [piece for batch in without_inside([pieces], seen) for piece in batch]
        for index, ends in enumerate(axes):
            view = self.camera.view(ends)
            pieces.append(Piece(view, (True, False), len(solids) + index, "x", None))
        batches = without_inside(back_to_front(pieces), seen)
        return without_covered(batches, self.camera, size)

    def _faces(self, index: int, solid: Solid, seen: Solid) -> list[Piece]:
        """Faces of a solid, given in W and in view coordinates, that look towards the eye."""
        facing = seen.normals[:, 2] > 1e-6
        across = {
            (face[i], face[(i + 1) % len(face)]): k
            for k, face in enumerate(solid.faces)
            for i in range(len(face))
        }
        pieces: list[Piece] = []
        for k, face in enumerate(solid.faces):
            if not facing[k]:
                continue
            outlined = []
            for i, corner in enumerate(face):
                other = across.get((face[(i + 1) % len(face)], corner), k)
                sharp = float(solid.normals[k] @ solid.normals[other]) < CREASE
                # A crease belongs to both faces: one of them draws it.
                outlined.append(not facing[other] or (sharp and k < other))
            look = self._style(solid.fill, solid.normals[k])
            pieces.append(
                Piece(seen.vertices[list(face)], tuple(outlined), index, look, seen.normals[k])
            )
        return pieces

    def _style(self, fill: str, normal: Array) -> str:
        """Name of the style for a colour and the light that falls on a face."""
        light = 0.56 + 0.1 * float(normal[2])
        light += 0.46 * max(0.0, float(normal @ self.key))
        light += 0.12 * max(0.0, float(normal @ self.fill))
        color = shaded(fill, round(round(light, 6) * LIGHT_STEPS) / LIGHT_STEPS)
        if color not in self.styles:
            self.styles[color] = f"c{len(self.styles):x}"
        return self.styles[color]

    def _paths(self, batch: list[Piece]) -> str:
        """One path per style, then the outlines on top of them."""
        fills: dict[str, list[str]] = {}
        lines: list[str] = []
        for piece in batch:
            points = [(round(10 * x), round(10 * y)) for x, y in
                      self.camera.to_page(piece.corners)]  # fmt: skip
            if piece.normal is None:
                fills.setdefault(piece.look, []).append(_path(points[:2], closed=False))
                continue
            distinct = [p for i, p in enumerate(points) if p != points[i - 1]]
            if len(distinct) > 2:
                fills.setdefault(piece.look, []).append(_path(distinct, closed=True))
            for i, shown in enumerate(piece.outlined):
                if shown and points[i] != points[(i + 1) % len(points)]:
                    lines.append(_path([points[i], points[(i + 1) % len(points)]], closed=False))
        paths = [f'<path class="{look}" d="{"".join(parts)}"/>' for look, parts in fills.items()]
        if lines:
            paths.append(f'<path class="o" d="{"".join(lines)}"/>')
        return "".join(paths)


def _path(points: list[tuple[int, int]], *, closed: bool) -> str:
    """Path data in tenths of a pixel, relative, as short as it can be written."""
    x, y = points[0]
    parts = [f"M{x}{_after(y)}"]
    for letter, (next_x, next_y) in zip("l" + " " * len(points), points[1:], strict=False):
        step = f"{next_x - x}{_after(next_y - y)}"
        parts.append(step if letter == " " and step[0] == "-" else letter + step)
        x, y = next_x, next_y
    return "".join(parts) + ("z" if closed else "")


def _after(value: int) -> str:
    return str(value) if value < 0 else f" {value}"
