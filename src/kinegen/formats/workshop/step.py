"""STEP: the solid parts of a mechanism as exact bodies, as an assembly in its pose."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.errors import FormatError, UsageError
from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.flat.outline import Outline, Point
from kinegen.formats.workshop.names import distinct
from kinegen.formats.workshop.solid.options import SOLID_OPTIONS, solids_asked
from kinegen.formats.workshop.solid.part import Prism, SolidAssembly, SolidPart
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.shapes.data import Box, Capsule, Cylinder, Plate, Primitive, Sphere

__all__ = ["FORMAT", "step_bytes"]

_MM = 1000.0


def step_bytes(assembly: SolidAssembly) -> bytes:
    """The file: an assembly whose parts have their names, colours and places.

    Raises:
        FormatError: build123d is not installed, or nothing is left of a part.
    """
    cad = _build123d()
    names = distinct(part.name for part in assembly.parts)
    bodies = []
    for name, part in zip(names, assembly.parts, strict=True):
        body = _body(part, cad)
        body.label = name
        body.color = cad.Color(*_rgb(part.color))
        X = part.X_WS
        R, p = X.so3.matrix, _MM * X.translation
        plane = cad.Plane(origin=tuple(p), x_dir=tuple(R[:, 0]), z_dir=tuple(R[:, 2]))
        bodies.append(body.moved(plane.location))
        bodies[-1].label, bodies[-1].color = body.label, body.color
    whole = cad.Compound(label=assembly.name, children=bodies)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "assembly.step"
        cad.export_step(whole, path, unit=cad.Unit.MM)
        return path.read_bytes()


def _build123d() -> Any:
    try:
        import build123d
    except ImportError:
        raise FormatError("STEP files need build123d: pip install 'kinegen[step]'") from None
    return build123d


def _body(part: SolidPart, cad: Any) -> Any:
    """A part's body in its own frame [mm]."""
    body = _joined([_shape(one, cad) for one in part.added])
    if part.kept_out and body is not None:
        body = body.cut(*[_shape(one, cad) for one in part.kept_out])
    body = _joined([*([] if body is None else [body]), *(_shape(one, cad) for one in part.bodies)])
    if body is not None and part.cut:
        body = body.cut(*[_shape(one, cad) for one in part.cut])
    solids = [] if body is None else list(body.solids())
    if not solids:
        raise FormatError(f"part '{part.name}' has no volume: nothing is left to make")
    return solids[0] if len(solids) == 1 else cad.Compound(solids)


def _joined(shapes: Iterable[Any]) -> Any:
    first, *others = [*shapes] or [None]
    return first.fuse(*others).clean() if others else first


def _shape(shape: Primitive, cad: Any) -> Any:
    """A primitive in the part's frame [mm]."""
    R, p = np.array(shape.rotation), _MM * np.array(shape.translation)
    plane = cad.Plane(origin=tuple(p), x_dir=tuple(R[:, 0]), z_dir=tuple(R[:, 2]))
    return _centred(shape, cad).moved(plane.location)


def _centred(shape: Primitive, cad: Any) -> Any:
    """A primitive in its own frame [mm]."""
    match shape:
        case Box(size=size):
            x, y, z = (_MM * side for side in size)
            return cad.Solid.make_box(x, y, z, cad.Plane((-x / 2, -y / 2, -z / 2)))
        case Cylinder(radius=radius, length=length):
            return _rod(_MM * radius, _MM * length, cad)
        case Sphere(radius=radius):
            return cad.Solid.make_sphere(_MM * radius, angle1=-90, angle2=90, angle3=360)
        case Capsule(radius=radius, length=length):
            ball = cad.Solid.make_sphere(_MM * radius, angle1=-90, angle2=90, angle3=360)
            half = _MM * length / 2
            ends = [ball.moved(cad.Location((0, 0, side))) for side in (-half, half)]
            return _rod(_MM * radius, 2 * half, cad).fuse(*ends) if half > 0 else ball
        case Plate(outline=outline, thickness=thickness):
            wire = _wire(Outline(outline, (0.0,) * len(outline)), -_MM * thickness / 2, cad)
            return cad.Solid.extrude(cad.Face(wire), cad.Vector(0, 0, _MM * thickness))
        case Prism(outline=outline, openings=openings, thickness=thickness):
            inner = [_wire(opening, 0.0, cad) for opening in openings]
            face = cad.Face(_wire(outline, 0.0, cad), inner)
            return cad.Solid.extrude(face, cad.Vector(0, 0, _MM * thickness))
        case _:
            raise UsageError(f"a {type(shape).__name__} cannot be made as a solid part")


def _rod(radius: float, length: float, cad: Any) -> Any:
    return cad.Solid.make_cylinder(radius, length, cad.Plane((0, 0, -length / 2)))


def _wire(outline: Outline, height: float, cad: Any) -> Any:
    """Lines and arcs of an outline."""
    edges = []
    for start, end, bulge in outline.pieces():
        a, b = _at(start, height), _at(end, height)
        if not bulge:
            edges.append(cad.Edge.make_line(a, b))
            continue
        # The middle of the arc lies to the right of the way from start to end.
        half = math.dist(start, end) / 2
        rise = bulge * half
        across = ((end[1] - start[1]) / (2 * half), (start[0] - end[0]) / (2 * half))
        middle = (
            (start[0] + end[0]) / 2 + rise * across[0],
            (start[1] + end[1]) / 2 + rise * across[1],
        )
        edges.append(cad.Edge.make_three_point_arc(a, _at(middle, height), b))
    return cad.Wire(edges)


def _at(point: Point, height: float) -> tuple[float, float, float]:
    return _MM * point[0], _MM * point[1], height


def _rgb(color: str) -> tuple[float, float, float]:
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    assembly = solids_asked(mechanism, q, options)
    return Written(step_bytes(assembly), assembly.messages)


FORMAT = Format(
    "step",
    "every part as an exact solid, assembled, for CAD programs",
    (".step", ".stp"),
    write=_write,
    options=SOLID_OPTIONS,
    media_type="model/step",
    needs={"build123d": "step"},
)
