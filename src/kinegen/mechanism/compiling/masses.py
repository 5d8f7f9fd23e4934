"""Masses that a file leaves out: from the links' shapes and their density."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kinegen.mechanism.shapes.auto import auto_shapes
from kinegen.mechanism.shapes.data import (
    Array,
    Box,
    Capsule,
    Cylinder,
    MeshRef,
    Plate,
    Primitive,
    Sphere,
)
from kinegen.mechanism.shapes.shapes import shapes_from_spec

if TYPE_CHECKING:
    from kinegen.mechanism.model import Model

__all__ = ["DEFAULT_DENSITY", "MassSource", "fill_masses", "solid_of"]

DEFAULT_DENSITY = 1000.0
"""[kg/m³]: that of hollow metal arms over the volume of their outline, roughly."""


class MassSource(Protocol):
    """What a file gives of a link's mass."""

    mass: bool
    centre: bool
    inertia: bool

    def density(self, values: dict[str, float]) -> float | None:
        """Its density [kg/m³] with these parameters, None where not given."""
        ...


def fill_masses(model: Model, sources: Sequence[MassSource], inertia: Array) -> None:
    """Write into ``inertia`` (link_count, 10) what the file leaves out, link by link.

    A link without mass has its shape's volume times its density; a link without inertia has that of
    its shape, scaled to its mass. Where parts of a shape overlap, both count. A mesh counts as the
    automatic shape in its place. A link without shape gets nothing.
    """
    automatic = auto_shapes(model, {})
    values = dict(model.parameters)
    for link, source in enumerate(sources):
        if link == 0 or (source.mass and source.inertia):
            continue
        shapes = shapes_from_spec(model.link_shapes[link], automatic[link], values)
        if any(isinstance(shape, MeshRef) for shape in shapes):
            solid = [shape for shape in shapes if not isinstance(shape, MeshRef)]
            shapes = tuple(solid or automatic[link])
        volume, centre, tensor = solid_of(shapes)
        row = inertia[link]
        if not source.mass:
            given = source.density(values)
            row[0] = volume * (DEFAULT_DENSITY if given is None else given)
        if not source.centre:
            row[1:4] = centre
        if not source.inertia:
            scale = row[0] / volume if volume > 0 else 0.0
            xx, yy, zz = np.diag(tensor)
            row[4:10] = np.array([xx, yy, zz, tensor[0, 1], tensor[0, 2], tensor[1, 2]]) * scale


def solid_of(shapes: Iterable[Primitive]) -> tuple[float, Array, Array]:
    """Volume [m³], centre [m] and inertia about it at density 1 [m⁵], in the link's axes."""
    parts = []
    for shape in shapes:
        volume, offset, tensor = _solid(shape)
        R = np.array(shape.rotation)
        parts.append((volume, np.array(shape.translation) + R @ offset, R @ tensor @ R.T))
    volume = math.fsum(part[0] for part in parts)
    if volume <= 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum((part[0] * part[1] for part in parts), np.zeros(3)) / volume
    total = np.zeros((3, 3))
    for part, place, tensor in parts:
        r = place - centre
        total += tensor + part * (r @ r * np.eye(3) - np.outer(r, r))
    return volume, centre, total


def _solid(shape: Primitive) -> tuple[float, Array, Array]:
    """The same for one primitive in its own frame."""
    zero = np.zeros(3)
    match shape:
        case Box(size=(x, y, z)):
            volume = x * y * z
            return (
                volume,
                zero,
                np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * volume / 12,
            )
        case Cylinder(radius=r, length=length):
            volume, axial, across = _cylinder(r, length)
            return volume, zero, np.diag([across, across, axial])
        case Sphere(radius=r):
            volume = 4 / 3 * math.pi * r**3
            return volume, zero, np.eye(3) * (0.4 * volume * r * r)
        case Capsule(radius=r, length=length):
            # two half balls: their centres lie 3/8 r beyond the cylinder's ends
            volume, axial, across = _cylinder(r, length)
            ball = 4 / 3 * math.pi * r**3
            axial += 0.4 * ball * r * r
            across += ball * (0.4 * r * r + length * length / 4 + 3 / 8 * length * r)
            return volume + ball, zero, np.diag([across, across, axial])
        case Plate(outline=outline, thickness=thickness):
            return _plate(np.array(outline), thickness)
        case _:
            return 0.0, zero, np.zeros((3, 3))


def _cylinder(r: float, length: float) -> tuple[float, float, float]:
    """Volume, inertia about its axis and across it."""
    volume = math.pi * r * r * length
    return volume, volume * r * r / 2, volume * (3 * r * r + length * length) / 12


def _plate(corners: Array, thickness: float) -> tuple[float, Array, Array]:
    """A convex outline, thickened along z: its triangles from the origin, each with a sign."""
    a, b = corners, np.roll(corners, -1, axis=0)
    twice = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    area = twice.sum() / 2
    if area <= 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = ((a + b) * twice[:, None]).sum(axis=0) / (6 * area)
    a, b = a - centre, b - centre
    squares = ((a * a + a * b + b * b) * twice[:, None]).sum(axis=0) / 12
    mixed = (
        (a[:, 0] * b[:, 1] + 2 * a[:, 0] * a[:, 1] + 2 * b[:, 0] * b[:, 1] + b[:, 0] * a[:, 1])
        * twice
    ).sum() / 24
    volume = float(area) * thickness
    xx, yy = squares * thickness
    flat = volume * thickness**2 / 12
    tensor = np.array(
        [
            [yy + flat, -mixed * thickness, 0],
            [-mixed * thickness, xx + flat, 0],
            [0, 0, xx + yy],
        ]
    )
    return volume, np.array([*centre, 0.0]), tensor
