"""Curves on the command line: options of each shape, and the curve they make."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kinegen.cli.options.arguments import numbers_of, real
from kinegen.curves.beziers import bezier
from kinegen.curves.curve import Curve
from kinegen.curves.ellipses import circle, ellipse_by_corners, ellipse_by_foci
from kinegen.curves.formula_curves import formula_curve
from kinegen.curves.mesh_seam import mesh_seams
from kinegen.curves.polylines import polyline
from kinegen.curves.seam import pipe_lines, pipe_seam, seams
from kinegen.curves.segments import segment
from kinegen.curves.solids import Cylinder, Plane, Sphere
from kinegen.curves.splines import spline
from kinegen.curves.stl import read_stl
from kinegen.curves.surfaces import SURFACES, Surface
from kinegen.curves.volumes import VOLUMES, Volume
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["SHAPES", "add_shape", "curve_of", "lines_around"]

ALONG = 90
"""Points of each line of a surface in a picture."""


def add_shape(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Every option that describes a curve."""
    parser.add_argument("--shape", required=required, choices=SHAPES, help="kind of curve")
    add = parser.add_argument_group("shapes").add_argument
    add("--from", dest="start", metavar='"X Y Z"', help="segment: start point")
    add("--to", dest="end", metavar='"X Y Z"', help="segment: end point")
    add("--corners", metavar='"P; P"', help="ellipse: two corners of the rectangle around it")
    add("--foci", metavar='"P; P"', help="ellipse: its foci, with --radius")
    add("--centre", metavar='"X Y Z"', help="ellipse: centre of a circle, with --radius")
    add("--radius", help="ellipse: longer half-axis, or radius of the circle")
    add(
        "--normal",
        metavar='"X Y Z"',
        default="0 0 1",
        help="ellipse: normal of its plane; default: z",
    )
    add("--through", metavar='"P; P; …"', help="bezier, spline, polyline: points")
    add("--closed", action="store_true", help="spline, polyline: close the curve")
    for axis in "xyz":
        add(f"--{axis}", metavar="FORMULA", help=f"formula: {axis}(t); volume: {axis}(u, v)")
    add("--t", metavar="A:B", default="0:1", help='formula: range of t, such as "0:360 deg"')
    add("--surface", metavar="NAME|FORMULA",
        help=f"surface: a formula of x1 and x2, or one of {', '.join(SURFACES)}")  # fmt: skip
    add(
        "--gives",
        choices=("x", "y", "z"),
        help="surface: coordinate that its formula gives; default: y",
    )
    add("--x1", metavar="A:B", help="surface: range along the curves")
    add("--x2", metavar="A:B", help="surface: range across the curves")
    add("--volume", metavar="NAME", help=f"volume: one of {', '.join(VOLUMES)}")
    add("--u", metavar="A:B", help="volume: range along the curves")
    add("--v", metavar="A:B", help="volume: range across the curves")
    add("--curves", type=int, help="surface, volume: number of curves")
    add("--index", type=int, default=0, help="number of the curve or seam; default: 0")
    add("--pipes", metavar='"R1 R2"', help="seam: radii of two pipes at right angles")
    add(
        "--offset",
        metavar='"X Y Z"',
        help="seam: point where the axes meet; other shapes: shift of the curve",
    )
    add("--solid", action="append", default=[], metavar='"KIND: …"',
        help='seam: two of "plane: P; N", "sphere: P; R", "cylinder: P; AXIS; R"')  # fmt: skip
    add("--mesh", action="append", default=[], metavar="FILE", help="seam: two STL files")
    add(
        "--scale", type=real, default=1.0, help="seam: factor from the unit of the meshes to metres"
    )
    add("--facing", choices=("between", "first", "second"), default="between",
        help="seam: surface whose normal the tool follows; default: between both")  # fmt: skip
    add("--lift", help="distance from the surface, along its normal")


def curve_of(model: Model, options: argparse.Namespace) -> Curve:
    """The curve that the options describe."""
    curve = _MAKERS[options.shape](model, options)
    if options.offset and not options.pipes:
        curve = curve.moved(numbers_of("--offset", options.offset, ["length"] * 3))
    if options.lift:
        curve = curve.lifted(numbers_of("--lift", options.lift, ["length"])[0])
    return curve


def _need(options: argparse.Namespace, **names: str) -> list[str]:
    """Texts of options that a shape cannot do without."""
    for name, option in names.items():
        if getattr(options, name) is None:
            needs = " and ".join(names.values())
            raise UsageError(f"--shape {options.shape} needs {needs}; {option} is missing")
    return [getattr(options, name) for name in names]


def _points(option: str, text: str) -> Floats:
    parts = [part for part in text.split(";") if part.strip()]
    return np.array([numbers_of(option, part, ["length"] * 3) for part in parts])


def _pair(option: str, text: str) -> Floats:
    points = _points(option, text)
    if len(points) != 2:
        raise UsageError(f'{option} takes two points "X Y Z; X Y Z", got {len(points)}')
    return points


def _range(option: str, text: str) -> tuple[str, str]:
    first, colon, last = (part.strip() for part in text.partition(":"))
    if not (first and colon and last):
        raise UsageError(f'{option} takes a range "A:B", such as "0:360 deg", got \'{text}\'')
    return first, last


def _segment(model: Model, options: argparse.Namespace) -> Curve:
    start, end = _need(options, start="--from", end="--to")
    return segment(numbers_of("--from", start, ["length"] * 3),
                   numbers_of("--to", end, ["length"] * 3))  # fmt: skip


def _ellipse(model: Model, options: argparse.Namespace) -> Curve:
    normal = numbers_of("--normal", options.normal, [""] * 3)
    if options.corners:
        return ellipse_by_corners(*_pair("--corners", options.corners), normal=normal)
    if options.radius is None or not (options.foci or options.centre):
        raise UsageError(
            "--shape ellipse needs --corners, or --foci and --radius, or --centre and --radius"
        )
    radius = numbers_of("--radius", options.radius, ["length"])[0]
    if options.foci:
        first, second = _pair("--foci", options.foci)
        return ellipse_by_foci(first, second, radius, normal=normal)
    centre = numbers_of("--centre", options.centre, ["length"] * 3)
    return circle(centre, radius, normal=normal)


def _through(model: Model, options: argparse.Namespace) -> Curve:
    (text,) = _need(options, through="--through")
    points = _points("--through", text)
    if options.shape == "bezier":
        return bezier(points)
    return (spline if options.shape == "spline" else polyline)(points, closed=options.closed)


def _formula(model: Model, options: argparse.Namespace) -> Curve:
    x, y, z = _need(options, x="--x", y="--y", z="--z")
    known = dict(model.parameters)
    return formula_curve(x, y, z, t=_range("--t", options.t), parameters=known)


def _surface(model: Model, options: argparse.Namespace) -> Surface:
    (text,) = _need(options, surface="--surface")
    menu = SURFACES.get(text)
    known = {} if menu else dict(model.parameters)
    return Surface(
        menu.formula if menu else text,
        x1=_range("--x1", options.x1) if options.x1 else menu.x1 if menu else ("10 cm", "30 cm"),
        x2=_range("--x2", options.x2) if options.x2 else menu.x2 if menu else ("10 cm", "30 cm"),
        curves=_curves(options, menu.curves if menu else 20),
        value=options.gives or (menu.value if menu else "y"),
        name=text if menu else "surface",
        parameters=known,
    )


def _curves(options: argparse.Namespace, usual: int) -> int:
    return usual if options.curves is None else int(options.curves)


def _volume(model: Model, options: argparse.Namespace) -> Volume:
    if options.volume:
        if options.volume not in VOLUMES:
            from kinegen.curves.volumes import volume

            volume(options.volume)
        menu = VOLUMES[options.volume]
        x, y, z, u, v, count = menu.x, menu.y, menu.z, menu.u, menu.v, menu.curves
        name, known = menu.name, {}
    else:
        x, y, z = _need(options, x="--x", y="--y", z="--z")
        u, v, count, name = ("0", "360 deg"), ("0", "1"), 28, "volume"
        known = dict(model.parameters)
    return Volume(
        x, y, z,
        u=_range("--u", options.u) if options.u else u,
        v=_range("--v", options.v) if options.v else v,
        curves=_curves(options, count),
        name=name,
        parameters=known,
    )  # fmt: skip


def _indexed(model: Model, options: argparse.Namespace) -> Curve:
    return _family(model, options).curve(options.index)


def _family(model: Model, options: argparse.Namespace) -> Surface | Volume:
    return (_surface if options.shape == "surface" else _volume)(model, options)


def lines_around(model: Model, options: argparse.Namespace) -> list[Floats]:
    """Lines of the surface that the curve lies on, for a picture: all its curves, or two pipes."""
    found: list[Floats] = []
    if options.shape in ("surface", "volume"):
        family = _family(model, options)
        grid = family.grid(ALONG)
        # a family of equal curves, as the paper's epicycloid, is drawn once and well
        same = bool(np.nanmax(np.abs(grid - grid[0]), initial=0.0) < 1e-12)
        found = list(family.grid(8 * ALONG)[:1] if same else grid)
    elif options.shape == "seam" and options.pipes:
        place = numbers_of("--offset", options.offset or "0 0 0", ["length"] * 3)
        standing, lying = numbers_of("--pipes", options.pipes, ["length"] * 2)
        found = pipe_lines(standing, lying, place)
    if found and options.offset and not options.pipes:
        offset = np.array(numbers_of("--offset", options.offset, ["length"] * 3))
        found = [line + offset for line in found]
    return found


def _seam(model: Model, options: argparse.Namespace) -> Curve:
    if options.pipes:
        standing, lying = numbers_of("--pipes", options.pipes, ["length"] * 2)
        place = numbers_of("--offset", options.offset or "0 0 0", ["length"] * 3)
        return pipe_seam(standing, lying, place, facing=options.facing)
    if len(options.solid) == 2:
        found = seams(*map(_solid, options.solid), facing=options.facing)
    elif len(options.mesh) == 2:
        meshes = [read_stl(Path(file), scale=options.scale) for file in options.mesh]
        found = mesh_seams(*meshes, facing=options.facing)
    else:
        raise UsageError("--shape seam needs --pipes, or --solid twice, or --mesh twice")
    if not found:
        raise UsageError("the two surfaces do not meet: there is no seam")
    if not 0 <= options.index < len(found):
        raise UsageError(
            f"--index {options.index}: the surfaces meet in {len(found)} seams, 0 to "
            f"{len(found) - 1}"
        )
    return found[int(options.index)]


def _solid(text: str) -> Plane | Sphere | Cylinder:
    kind, _, rest = text.partition(":")
    parts = [part for part in rest.split(";") if part.strip()]
    kinds = {"plane": 2, "sphere": 2, "cylinder": 3}
    if kinds.get(kind.strip()) != len(parts):
        raise UsageError(
            '--solid takes "plane: P; NORMAL", "sphere: P; R" or "cylinder: P; AXIS; R", '
            f"got '{text}'"
        )
    place = numbers_of("--solid", parts[0], ["length"] * 3)
    if kind.strip() == "plane":
        return Plane(place, numbers_of("--solid", parts[1], [""] * 3))
    radius = numbers_of("--solid", parts[-1], ["length"])[0]
    if kind.strip() == "sphere":
        return Sphere(place, radius)
    return Cylinder(place, numbers_of("--solid", parts[1], [""] * 3), radius)


_MAKERS: dict[str, Callable[[Model, argparse.Namespace], Curve]] = {
    "segment": _segment, "ellipse": _ellipse, "bezier": _through, "spline": _through,
    "polyline": _through, "formula": _formula, "surface": _indexed, "volume": _indexed,
    "seam": _seam,
}  # fmt: skip
SHAPES: Sequence[str] = tuple(_MAKERS)
