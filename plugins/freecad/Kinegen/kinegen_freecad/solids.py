"""Solids of FreeCAD from the primitives that links are made of; FreeCAD measures in millimetres."""

from __future__ import annotations

from typing import Any

import FreeCAD
import numpy as np
import numpy.typing as npt
import Part

from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Plate, Primitive, Sphere
from kinegen.mechanism.shapes.solid import drawn_outline

__all__ = ["MM", "placement_of", "solid_of"]

MM = 1000.0
"""Millimetres in a metre."""
CORNER = 8
"""Straight pieces of a plate's round corner."""


def placement_of(X: npt.NDArray[np.float64]) -> Any:
    """A pose [m], (4, 4), as a placement of FreeCAD."""
    rows = X.copy()
    rows[:3, 3] *= MM
    return FreeCAD.Placement(FreeCAD.Matrix(*rows.ravel().tolist()))


def solid_of(shape: Primitive) -> Any | None:
    """A primitive as an exact solid in its link's frame; None for mesh files."""
    solid = _centred(shape)
    if solid is None:
        return None
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = shape.rotation, shape.translation
    solid.Placement = placement_of(X)
    return solid


def _centred(shape: Primitive) -> Any | None:
    if isinstance(shape, Box):
        x, y, z = (MM * edge for edge in shape.size)
        return Part.makeBox(x, y, z, FreeCAD.Vector(-x / 2, -y / 2, -z / 2))
    if isinstance(shape, Cylinder):
        return _cylinder(shape.radius, shape.length)
    if isinstance(shape, Sphere):
        return Part.makeSphere(MM * shape.radius)
    if isinstance(shape, Capsule):
        ends = [
            Part.makeSphere(MM * shape.radius, FreeCAD.Vector(0, 0, side * MM * shape.length / 2))
            for side in (-1, 1)
        ]
        if shape.length <= 0:
            return ends[0]
        return _cylinder(shape.radius, shape.length).fuse(ends).removeSplitter()
    if isinstance(shape, Plate):
        low = -MM * shape.thickness / 2
        corners = [FreeCAD.Vector(MM * x, MM * y, low) for x, y in drawn_outline(shape, CORNER)]
        face = Part.Face(Part.makePolygon([*corners, corners[0]]))
        return face.extrude(FreeCAD.Vector(0, 0, MM * shape.thickness))
    return None


def _cylinder(radius: float, length: float) -> Any:
    foot = FreeCAD.Vector(0, 0, -MM * length / 2)
    return Part.makeCylinder(MM * radius, MM * length, foot)
