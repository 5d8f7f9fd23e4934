"""Solid parts as triangles: watertight meshes, joined and cut by manifold3d."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.flat.outline import Outline
from kinegen.formats.workshop.solid.part import Prism, SolidPart
from kinegen.kernels import Floats, Ints
from kinegen.mechanism.shapes.data import Box, Capsule, Cylinder, Plate, Primitive, Sphere

__all__ = ["PartMesh", "mesh_of", "shared_room"]

STEPS = 16
"""Straight pieces in a quarter turn of what is round."""
_MM = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class PartMesh:
    """A closed surface in the part's own frame."""

    vertices: Floats
    """(n, 3) [mm]"""
    triangles: Ints
    """Three vertices each, counter-clockwise seen from outside, (m, 3)."""
    volume: float
    """[m³]"""
    pieces: int
    """Bodies that it consists of: more than one cannot be printed as one part."""


def mesh_of(part: SolidPart, steps: int = STEPS) -> PartMesh:
    """The surface of a part.

    Args:
        part: The part.
        steps: Straight pieces in a quarter turn of what is round.

    Raises:
        FormatError: manifold3d is not installed, or nothing is left of the part.
    """
    kernel = _manifold()
    body = kernel.Manifold()
    for one in part.added:
        body = body + _body(one, steps, kernel)
    for one in part.kept_out:
        body = body - _body(_around(one, steps), steps, kernel)
    for one in part.bodies:
        body = body + _body(one, steps, kernel)
    for one in part.cut:
        body = body - _body(_around(one, steps), steps, kernel)
    if body.is_empty():
        raise FormatError(f"part '{part.name}' has no volume: nothing is left to make")
    mesh = body.to_mesh64()
    return PartMesh(
        np.asarray(mesh.vert_properties)[:, :3],
        np.asarray(mesh.tri_verts).astype(np.int32),
        body.volume() / _MM**3,
        len(body.decompose()),
    )


def shared_room(one: SolidPart, a: PartMesh, other: SolidPart, b: PartMesh) -> float:
    """The volume in which two parts would be both, where they are [m³]."""
    kernel = _manifold()
    bodies = []
    for part, mesh in ((one, a), (other, b)):
        X = part.X_WS
        placed = mesh.vertices @ X.so3.matrix.T + _MM * X.translation
        bodies.append(kernel.Manifold(kernel.Mesh64(placed, mesh.triangles.astype(np.uint64))))
    return float((bodies[0] ^ bodies[1]).volume()) / _MM**3


def _manifold() -> Any:
    try:
        import manifold3d
    except ImportError:
        raise FormatError("solid parts need manifold3d: pip install 'kinegen[workshop]'") from None
    return manifold3d


def _around(shape: Primitive, steps: int) -> Primitive:
    """What is cut out, so large that its polygons contain what is round: pins must fit."""
    share = 1 / math.cos(math.pi / (4 * steps))
    if isinstance(shape, Cylinder):
        return replace(shape, radius=shape.radius * share)
    if isinstance(shape, Sphere):
        return replace(shape, radius=shape.radius * share**2)
    return shape


def _body(shape: Primitive, steps: int, kernel: Any) -> Any:
    """A primitive in the part's frame [mm]."""
    R, p = np.array(shape.rotation), _MM * np.array(shape.translation)
    return _centred(shape, steps, kernel).transform(np.column_stack([R, p]))


def _centred(shape: Primitive, steps: int, kernel: Any) -> Any:
    """A primitive in its own frame [mm]."""
    solid = kernel.Manifold
    sides = 4 * steps
    match shape:
        case Box(size=size):
            return solid.cube([_MM * side for side in size], True)
        case Cylinder(radius=radius, length=length):
            return solid.cylinder(_MM * length, _MM * radius, _MM * radius, sides, True)
        case Sphere(radius=radius):
            return solid.sphere(_MM * radius, sides)
        case Capsule(radius=radius, length=length):
            ball = solid.sphere(_MM * radius, sides)
            half = _MM * length / 2
            rod = solid.cylinder(2 * half, _MM * radius, _MM * radius, sides, True)
            ends = ball.translate([0, 0, half]) + ball.translate([0, 0, -half])
            return (rod + ends) if half > 0 else ball
        case Plate(outline=outline, thickness=thickness):
            section = kernel.CrossSection([_MM * np.array(outline)])
            return solid.extrude(section, _MM * thickness).translate([0, 0, -_MM * thickness / 2])
        case Prism(outline=outline, openings=openings, thickness=thickness):
            section = kernel.CrossSection([_polygon(outline, steps)])
            for opening in openings:
                section = section - kernel.CrossSection([_polygon(opening, steps, outside=True)])
            return solid.extrude(section, _MM * thickness)
        case _:
            raise UsageError(f"a {type(shape).__name__} cannot be made as a solid part")


def _polygon(outline: Outline, steps: int, *, outside: bool = False) -> Floats:
    return _MM * outline.polygon(steps, outside=outside)
