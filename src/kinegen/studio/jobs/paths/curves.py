"""Curves as a page describes them, made by the makers of ``kinegen.curves``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinegen.curves.beziers import bezier
from kinegen.curves.curve import Curve
from kinegen.curves.ellipses import ellipse_by_foci, ellipse_in_plane
from kinegen.curves.formula_curves import formula_curve
from kinegen.curves.mesh_seam import mesh_seams
from kinegen.curves.polylines import polyline
from kinegen.curves.seam import even_lines, pipe_lines, pipe_seam
from kinegen.curves.segments import segment
from kinegen.curves.splines import spline
from kinegen.curves.surfaces import Surface
from kinegen.curves.volumes import Volume
from kinegen.errors import KinegenError
from kinegen.formats.mechanisms.object_mesh import object_mesh
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.studio.jobs.paths.formulas import CurveProblem, formula_of, range_of
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import LARGEST_MESH
from kinegen.studio.wire.message import Pose
from kinegen.studio.wire.questions import curves as wire

__all__ = ["Made", "made_curve"]

Poses = Mapping[str, Pose]


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


def made_curve(
    compiled: CompiledText, data: wire.CurveData, *, poses: Poses | None = None, lift: float = 0.0
) -> Made:
    """The curve that a page describes.

    Args:
        compiled: Whose parameters formulas may use, and whose objects have seams.
        data: The description.
        poses: Of objects that are not where the file puts them.
        lift: Holds it off its surface [m].

    Raises:
        CurveProblem: with the field that makes no sense.
    """
    try:
        made = _made(compiled, data, poses or {})
        if isinstance(data, wire.FittedCurve):
            offset, curve = np.array(data.offset), made.curve.placed(data.scale, data.offset)
            made = replace(made, curve=curve, scale=data.scale, offset=offset)
        if lift:
            curve = made.curve.lifted(lift)
            curve.evaluate(np.zeros(1))  # says now whether it lies on a surface
            made = replace(made, curve=curve)
        return made
    except CurveProblem:
        raise
    except KinegenError as error:
        raise CurveProblem(str(error)) from None


def _made(compiled: CompiledText, data: wire.CurveData, poses: Poses) -> Made:
    match data:
        case wire.SegmentCurve(points=points):
            return Made(segment(*points))
        case wire.EllipseCurve(by="foci", points=[one, other], radius=radius, normal=normal):
            return Made(ellipse_by_foci(one, other, radius, normal=normal))
        case wire.EllipseCurve(points=points, normal=normal):
            return Made(ellipse_in_plane(*points, normal=normal))
        case wire.BezierCurve(points=points):
            return Made(bezier(points))
        case wire.SplineCurve(points=points, closed=closed):
            return Made(spline(points, closed=closed))
        case wire.PicksCurve(points=points, normals=normals, closed=closed):
            name = "line through picked points"
            return Made(polyline(points, closed=closed, normals=np.array(normals), name=name))
        case wire.FormulaCurve():
            return _formula(compiled, data)
        case wire.SurfaceCurve():
            return _surface(compiled, data)
        case wire.VolumeCurve():
            return _volume(compiled, data)
        case wire.SeamCurve(of="pipes", radii=(standing, lying), at=at, facing=facing):
            wires = even_lines(pipe_lines(standing, lying, np.array(at)))
            return Made(pipe_seam(standing, lying, at, facing=facing), wires=wires)
        case wire.SeamCurve():
            return _seam(compiled, data, poses)


def _formula(compiled: CompiledText, data: wire.FormulaCurve) -> Made:
    known = _known(compiled, "t")
    x, y, z = (formula_of(getattr(data, axis), axis, ("t", *known)) for axis in "xyz")
    return Made(formula_curve(x, y, z, t=range_of(data.t, "t"), parameters=known))


def _surface(compiled: CompiledText, data: wire.SurfaceCurve) -> Made:
    known = _known(compiled, "x1", "x2", "u", "v")
    made = Surface(
        formula_of(data.formula, "formula", ("x1", "x2", *known)),
        x1=range_of(data.x1, "x1"), x2=range_of(data.x2, "x2"),
        curves=data.curves, value=data.gives, parameters=known,
    )  # fmt: skip
    return Made(made.curve(_index(data)), made, made.curves)


def _volume(compiled: CompiledText, data: wire.VolumeCurve) -> Made:
    known = _known(compiled, "u", "v")
    x, y, z = (formula_of(getattr(data, axis), axis, ("u", "v", *known)) for axis in "xyz")
    made = Volume(
        x, y, z, u=range_of(data.u, "u"), v=range_of(data.v, "v"), curves=data.curves,
        parameters=known,
    )  # fmt: skip
    return Made(made.curve(_index(data)), made, made.curves)


def _seam(compiled: CompiledText, data: wire.SeamCurve, poses: Poses) -> Made:
    first, second = data.objects
    if first == second:
        raise CurveProblem("choose two different objects of the scene", "objects")
    meshes = [
        object_mesh(
            compiled.mechanism, compiled.model, name, q=compiled.start, largest=LARGEST_MESH,
            X_WO=SE3.from_pose(np.array(poses[name])) if name in poses else None,
        )
        for name in data.objects
    ]  # fmt: skip
    found = mesh_seams(*meshes, facing=data.facing)
    if not found:
        raise CurveProblem(f"'{first}' and '{second}' do not intersect: move one of them")
    # a seam may have gone while an object was moved: the longest is always there
    return Made(found[min(data.index, len(found) - 1)], choices=len(found))


def _index(data: wire.SurfaceCurve | wire.VolumeCurve) -> int:
    if data.index >= data.curves:
        last = data.curves - 1
        raise CurveProblem(
            f"the index of a curve must be from 0 to {last}, got {data.index}", "index"
        )
    return data.index


def _known(compiled: CompiledText, *own: str) -> dict[str, float]:
    """Parameters of the file, which formulas may use; a curve's own letters go first."""
    return {name: x for name, x in compiled.model.parameters.items() if name not in own}
