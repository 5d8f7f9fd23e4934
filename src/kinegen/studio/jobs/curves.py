"""Curves as a page describes them: plain data checked, then made by the makers of the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from kinegen.curves.beziers import bezier
from kinegen.curves.curve import Curve, finite_point, finite_points
from kinegen.curves.ellipses import ellipse_by_foci, ellipse_in_plane
from kinegen.curves.formula import Range, read_formula
from kinegen.curves.formula_curves import formula_curve
from kinegen.curves.mesh_seam import TriangleMesh, mesh_seams
from kinegen.curves.polylines import polyline
from kinegen.curves.seam import Facing, even_lines, pipe_lines, pipe_seam
from kinegen.curves.segments import segment
from kinegen.curves.splines import spline
from kinegen.curves.surfaces import Surface
from kinegen.curves.volumes import Volume
from kinegen.errors import KinegenError, UsageError
from kinegen.formats.mechanisms.object_mesh import object_mesh
from kinegen.kernels import Floats
from kinegen.raff.formula import FormulaError, parse_formula
from kinegen.spatial.pose import SE3
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import LARGEST_MESH

__all__ = ["CurveProblem", "Made", "made_curve"]

Data = Mapping[str, Any]
_MOST_CURVES = 200
"""Curves of a surface or volume that a page draws."""


class CurveProblem(UsageError):
    """Something of a curve makes no sense; says in which field, and at which character of it."""

    def __init__(self, message: str, field: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.field, self.offset = field, offset


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A curve with what a page says about it besides."""

    curve: Curve
    family: Surface | Volume | None = None
    """What it is one curve of."""
    choices: int = 1
    """How many curves there are to choose from."""
    wires: Floats | None = None
    """Lines of a body that it lies on, (lines, points, 3) [m]."""
    scale: float = 1.0
    offset: Floats | None = None

    def grid(self, points: int) -> Floats | None:
        """Curves of the family, or wires, where they lie, (curves, points, 3); None without."""
        lines = self.wires if self.family is None else self.family.grid(points)
        if lines is None:
            return None
        shift = np.zeros(3) if self.offset is None else self.offset
        return np.asarray(self.scale * lines + shift)


def made_curve(piece: CompiledText, data: Any) -> Made:
    """The curve that plain data describe: ``kind`` and what that kind needs.

    ``scale`` and ``offset`` [m] bring it elsewhere, ``lift`` [m] holds it off its surface.

    Raises:
        CurveProblem: with the field that makes no sense.
    """
    if not isinstance(data, Mapping):
        raise CurveProblem(f"a curve is an object with a kind, got {data!r:.80}")
    kind = data.get("kind")
    if kind not in _MAKERS:
        raise CurveProblem(f"there is no curve '{kind}'; kinds: {', '.join(_MAKERS)}", "kind")
    try:
        made = _MAKERS[kind](piece, data)
        scale = _number(data, "scale", 1.0)
        if not scale > 0:
            raise CurveProblem(f"the scale must be positive, not {scale:g}", "scale")
        offset = finite_point(data.get("offset") or (0, 0, 0), "offset")
        made = replace(made, curve=made.curve.placed(scale, offset), scale=scale, offset=offset)
        lift = _number(data, "lift", 0.0)
        if lift:
            curve = made.curve.lifted(lift)
            curve.evaluate(np.zeros(1))  # says now whether it lies on a surface
            made = replace(made, curve=curve)
        return made
    except CurveProblem:
        raise
    except KinegenError as error:
        raise CurveProblem(str(error)) from None


def _segment(piece: CompiledText, data: Data) -> Made:
    first, last = _points(data, 2, 2)
    return Made(segment(first, last))


def _ellipse(piece: CompiledText, data: Data) -> Made:
    first, second = _points(data, 2, 2)
    normal = finite_point(data.get("normal") or (0, 0, 1), "normal")
    if not normal.any():
        raise CurveProblem("the normal of an ellipse has no length", "normal")
    if data.get("by") == "foci":
        unit = normal / np.linalg.norm(normal)
        return Made(ellipse_by_foci(first, second, _number(data, "radius"), normal=unit))
    try:
        return Made(ellipse_in_plane(first, second, normal=normal))
    except UsageError as error:
        raise CurveProblem(str(error), "points") from None


def _bezier(piece: CompiledText, data: Data) -> Made:
    return Made(bezier(_points(data, 2, 64)))


def _spline(piece: CompiledText, data: Data) -> Made:
    return Made(spline(_points(data, 2, 500), closed=bool(data.get("closed"))))


def _picks(piece: CompiledText, data: Data) -> Made:
    points = _points(data, 1, 500)
    if len(points) < 2:
        raise CurveProblem("pick at least two points: press on an object in the view", "points")
    normals = data.get("normals")
    across = None if normals is None else finite_points(normals, "normals", 2)
    closed = bool(data.get("closed"))
    return Made(polyline(points, closed=closed, normals=across, name="line through picked points"))


def _formula(piece: CompiledText, data: Data) -> Made:
    known = _known(piece, "t")
    texts = [_formula_text(data, axis, ("t", *known)) for axis in "xyz"]
    return Made(formula_curve(*texts, t=_range(data, "t", ("0", "360 deg")), parameters=known))


def _surface(piece: CompiledText, data: Data) -> Made:
    known = _known(piece, "x1", "x2", "u", "v")
    text = _formula_text(data, "formula", ("x1", "x2", *known))
    gives = data.get("gives", "y")
    if gives not in ("x", "y", "z"):
        raise CurveProblem(f"a surface must give x, y or z, not {gives!r}", "gives")
    made = Surface(
        text,
        x1=_range(data, "x1", ("10 cm", "30 cm")),
        x2=_range(data, "x2", ("10 cm", "30 cm")),
        curves=_count(data, "curves", 20),
        value=cast(Literal["x", "y", "z"], gives),
        parameters=known,
    )
    along: Literal["x1", "x2"] = "x2" if data.get("along") == "x2" else "x1"
    curve = made.curve(_index(data, made.curves), along=along)
    return Made(curve, made, made.curves)


def _volume(piece: CompiledText, data: Data) -> Made:
    known = _known(piece, "u", "v")
    x, y, z = (_formula_text(data, axis, ("u", "v", *known)) for axis in "xyz")
    made = Volume(
        x, y, z, u=_range(data, "u", ("0", "360 deg")), v=_range(data, "v", ("0", "1")),
        curves=_count(data, "curves", 28), parameters=known,
    )  # fmt: skip
    along: Literal["u", "v"] = "v" if data.get("along") == "v" else "u"
    return Made(made.curve(_index(data, made.curves), along=along), made, made.curves)


def _seam(piece: CompiledText, data: Data) -> Made:
    facing = data.get("facing", "between")
    if facing not in ("between", "first", "second"):
        raise CurveProblem(f"facing must be between, first or second, not {facing!r}", "facing")
    if data.get("of") != "objects":
        radii = data.get("radii")
        if not isinstance(radii, Sequence) or len(radii) != 2:
            raise CurveProblem("two pipes need two radii", "radii")
        standing, lying = (_plain(radius, "radii") for radius in radii)
        place = finite_point(data.get("at") or (0.25, 0.25, 0.15), "at")
        try:
            seam = pipe_seam(standing, lying, place, facing=cast(Facing, facing))
            return Made(seam, wires=even_lines(pipe_lines(standing, lying, place)))
        except UsageError as error:
            raise CurveProblem(str(error), "radii") from None
    names = data.get("objects")
    if not isinstance(names, Sequence) or len(names) != 2 or names[0] == names[1]:
        raise CurveProblem("choose two different objects of the scene", "objects")
    poses = data.get("poses") or {}
    meshes = [_mesh(piece, str(name), poses.get(name)) for name in names]
    found = mesh_seams(*meshes, facing=cast(Facing, facing))
    if not found:
        raise CurveProblem(
            f"'{names[0]}' and '{names[1]}' do not intersect: move one of them", "objects"
        )
    # a seam may have gone while an object was moved: the longest is always there
    index = min(_index(data, 10_000), len(found) - 1)
    return Made(found[index], choices=len(found))


def _mesh(piece: CompiledText, name: str, pose: Any) -> TriangleMesh:
    try:
        X_WO = None if pose is None else SE3.from_pose(np.asarray(pose, dtype=float))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the pose of an object must be 7 numbers, wxyz and xyz: {error}"
        ) from None
    return object_mesh(
        piece.mechanism, piece.model, name, X_WO=X_WO, q=piece.start, largest=LARGEST_MESH
    )


_MAKERS: dict[str, Callable[[CompiledText, Data], Made]] = {
    "segment": _segment,
    "ellipse": _ellipse,
    "bezier": _bezier,
    "spline": _spline,
    "formula": _formula,
    "surface": _surface,
    "volume": _volume,
    "seam": _seam,
    "picks": _picks,
}


def _points(data: Data, least: int, most: int) -> Floats:
    given = data.get("points")
    if not isinstance(given, list) or not least <= len(given) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        got = len(given) if isinstance(given, list) else repr(given)[:40]
        raise CurveProblem(f"this curve takes {count} points, got {got}", "points")
    try:
        return finite_points(given, "a curve", least)
    except UsageError as error:
        raise CurveProblem(str(error), "points") from None


def _plain(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise CurveProblem(f"{field} must be a finite number, got {value!r:.40}", field)
    return float(value)


def _number(data: Data, field: str, default: float | None = None) -> float:
    value = data.get(field)
    return default if value is None and default is not None else _plain(value, field)


def _count(data: Data, field: str, default: int) -> int:
    value = data.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_CURVES:
        raise CurveProblem(f"{field} must be a whole number from 1 to {_MOST_CURVES}", field)
    return value


def _index(data: Data, count: int) -> int:
    value = data.get("index", 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        raise CurveProblem(f"the curves are numbered 0 to {count - 1}, got {value!r}", "index")
    return value


def _known(piece: CompiledText, *own: str) -> dict[str, float]:
    """Parameters of the file, which formulas may use; a curve's own letters go first."""
    return {name: x for name, x in piece.model.parameters.items() if name not in own}


def _formula_text(data: Data, field: str, names: Sequence[str]) -> str:
    """A formula that reads well; else the field and the character where it does not."""
    text = data.get(field)
    if not isinstance(text, str) or not text.strip():
        raise CurveProblem("enter a formula", field, 0)
    try:
        read_formula(text, names, field)
    except FormulaError as error:
        raise CurveProblem(error.reason, field, error.offset) from None
    except KinegenError as error:
        raise CurveProblem(str(error), field) from None
    return text


def _range(data: Data, field: str, default: Range) -> Range:
    given = data.get(field, default)
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise CurveProblem(f"the range of {field} must be two numbers", f"{field}.0")
    for n, end in enumerate(given):
        name = f"{field}.{n}"
        if not isinstance(end, str):
            _plain(end, name)
            continue
        try:
            formula = parse_formula(end)
            if formula.names:
                place = formula.name_places()[0]
                raise FormulaError("enter a number", text=end, offset=place[1])
            _plain(formula.evaluate({}), name)
        except FormulaError as error:
            raise CurveProblem(error.reason, name, error.offset) from None
        except CurveProblem:
            raise
        except KinegenError as error:
            raise CurveProblem(str(error), name) from None
    return given[0], given[1]
