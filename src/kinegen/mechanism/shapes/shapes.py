"""Shapes of links as plain data: what a picture, a browser or a collision check draws.

Every link gets a list of primitives, placed in the link's own frame. They come from the file
(`shape:` of a joint row) or, by default, from the Kleinfinger numbers alone (`shapes_auto`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kinegen.errors import UsageError
from kinegen.mechanism.shapes import proportions as proportion
from kinegen.mechanism.shapes.auto import auto_shapes
from kinegen.mechanism.shapes.data import (
    ORIGIN,
    Box,
    Capsule,
    Cylinder,
    Heights,
    Matrix3,
    MeshRef,
    ModelLike,
    Plate,
    Primitive,
    Role,
    Sphere,
    Vector3,
)

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Heights",
    "MeshRef",
    "ModelLike",
    "Plate",
    "Primitive",
    "Role",
    "Sphere",
    "contact_shapes",
    "link_shapes",
    "shapes_from_spec",
]


def link_shapes(
    model: ModelLike,
    *,
    travels: Mapping[int, float] | None = None,
    values: Mapping[str, float] | None = None,
    colors: Sequence[str | None] | None = None,
) -> tuple[tuple[Primitive, ...], ...]:
    """Primitives of every link, in link order, each in its link's frame.

    Args:
        model: The compiled model; only its numbers and its graph are read.
        travels: Displacement along z [m] of sliding joints, by joint index, for which rods and
            rails are made long enough; where absent a typical length of the mechanism is used.
        values: Parameter values for formulas in explicit shapes.
        colors: Colour of each link as given in the file, None where not given.
    """
    automatic = auto_shapes(model, travels or {})
    result = []
    for index, spec in enumerate(model.link_shapes):
        own = shapes_from_spec(spec, automatic[index], values or {})
        color = colors[index] if colors is not None else None
        result.append(tuple(_coloured(own, color)))
    return tuple(result)


def contact_shapes(
    model: ModelLike, collisions: Sequence[Any], values: Mapping[str, float]
) -> tuple[tuple[Primitive, ...], ...]:
    """Primitives that others touch, in link order: those for collisions, otherwise the drawn ones.

    Args:
        model: The compiled model.
        collisions: Its ``link_collisions``.
        values: Parameter values for formulas in explicit shapes.
    """
    automatic = auto_shapes(model, {})
    given = zip(model.link_shapes, collisions, automatic, strict=True)
    return tuple(
        shapes_from_spec(drawn if touched is None else touched, plain, values)
        for drawn, touched, plain in given
    )


def shapes_from_spec(
    spec: Any, automatic: Sequence[Primitive], values: Mapping[str, float] | None = None
) -> tuple[Primitive, ...]:
    """Primitives for one link's `shape` as written in a file.

    Args:
        spec: 'auto', 'none', a mesh file's name, a mapping with one of box, cylinder, sphere,
            capsule, mesh, heights, or a list of those.
        automatic: What 'auto' stands for; its first bar also lends its colour index.
        values: Parameter values for formulas in the specification.
    """
    values = values or {}
    if spec is None or spec == "auto":
        return tuple(automatic)
    if spec == "none":
        return ()
    if isinstance(spec, list | tuple):
        parts = (shapes_from_spec(part, automatic, values) for part in spec)
        return tuple(primitive for part in parts for primitive in part)
    base = next((p for p in automatic if p.role in (Role.BAR, Role.GROUND)), None)
    common: dict[str, Any] = {
        "role": base.role if base else Role.BAR,
        "branch": base.branch if base else 0,
        "tone": base.tone if base else 0,
    }
    if isinstance(spec, str):
        return (MeshRef(file=spec, **common),)
    if not isinstance(spec, Mapping):
        raise UsageError(f"a shape must be a word, a mapping or a list, not {type(spec).__name__}")
    common["translation"] = _numbers(spec.get("xyz", ORIGIN), 3, values)
    common["rotation"] = _rotation_from_rpy(_numbers(spec.get("rpy", ORIGIN), 3, values))
    if "box" in spec:
        return (Box(size=_numbers(spec["box"], 3, values), **common),)
    if "cylinder" in spec:
        radius, length = _numbers(spec["cylinder"], 2, values)
        return (Cylinder(radius=radius, length=length, **common),)
    if "capsule" in spec:
        radius, length = _numbers(spec["capsule"], 2, values)
        return (Capsule(radius=radius, length=length, **common),)
    if "sphere" in spec:
        return (Sphere(radius=_numbers([spec["sphere"]], 1, values)[0], **common),)
    if "mesh" in spec:
        scale = spec.get("scale", 1.0)
        scales = scale if isinstance(scale, list | tuple) else [scale] * 3
        return (MeshRef(file=str(spec["mesh"]), scale=_numbers(scales, 3, values), **common),)
    if "heights" in spec:
        return (_heights(spec, values, common),)
    raise UsageError(
        "a shape needs one of box, cylinder, sphere, capsule, mesh, heights; it has "
        f"{', '.join(spec)}"
    )


def _heights(
    spec: Mapping[str, Any], values: Mapping[str, float], common: dict[str, Any]
) -> Heights:
    """A height field from its table; files were read before."""
    rows, size = spec["heights"], _numbers(spec["size"], 2, values)
    if isinstance(rows, str):
        raise UsageError(f"the heights of '{rows}' were not read: the file's folder is unknown")
    scale = _number(spec.get("height", 1.0), values)
    grid = tuple(tuple(scale * _number(one, values) for one in row) for row in rows)
    if len(grid) < 2 or len(grid[0]) < 2 or any(len(row) != len(grid[0]) for row in grid):
        raise UsageError("heights are two rows or more, each of the same two or more numbers")
    depth = (
        _number(spec["depth"], values) if "depth" in spec else proportion.FIELD_DEPTH * min(size)
    )
    return Heights(rows=grid, size=size, depth=depth, **common)


def _coloured(shapes: Iterable[Primitive], color: str | None) -> Iterable[Primitive]:
    """The shapes with a link's own colour on everything but joints and motors."""
    for shape in shapes:
        painted = color is not None and shape.role not in (Role.JOINT, Role.MOTOR)
        yield replace(shape, color=color) if painted else shape


def _numbers(raw: Any, count: int, values: Mapping[str, float]) -> Any:
    """A tuple of `count` floats from numbers, formulas or a mix."""
    items = list(raw)
    if len(items) != count:
        raise UsageError(f"a shape needs {count} numbers here, not {len(items)}")
    return tuple(_number(item, values) for item in items)


def _number(raw: Any, values: Mapping[str, float]) -> float:
    evaluate = getattr(raw, "evaluate", None)
    return float(evaluate(values)) if evaluate is not None else float(raw)


def _rotation_from_rpy(rpy: Vector3) -> Matrix3:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = map(math.cos, rpy), map(math.sin, rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
