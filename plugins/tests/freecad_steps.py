"""Runs inside FreeCAD: uses the workbench as its buttons do, and reports what it saw as JSON."""

from __future__ import annotations

import json
import os
import traceback
from typing import Any

import FreeCAD
import numpy as np
import Part
import Sketcher  # noqa: F401 - without it there are no sketches
from kinegen_freecad import assembly
from kinegen_freecad.drag_tool import on_plane
from kinegen_freecad.sketch import mechanism_from_sketch

from kinegen.errors import UsageError


def run(folder: str) -> dict[str, Any]:
    """All steps; what was seen, by name."""
    seen: dict[str, Any] = {}
    document = assembly.open(os.path.join(folder, "five-bar.raff"))
    feature = next(found for found in map(assembly.mechanism_in, document.Objects) if found)
    host = assembly.host_of(feature)
    parts = {one.Link: one for one in document.Objects if one.TypeId == "App::Part" and _link(one)}
    seen["links"] = sorted(parts)
    solids = [one for part in parts.values() for one in part.Group]
    seen["volumes"] = [one.Shape.Volume for one in solids]
    seen["valid"] = all(one.Shape.isValid() for one in solids)

    # drag the handle, by its frame and by a point of a bar
    target = host_pose(host, "handle")[:3, 3] * 1000 + np.array([10.0, -25.0, 0.0])
    seen["reached"] = assembly.drag(feature, "handle", target)
    seen["off"] = float(np.linalg.norm(host_pose(host, "handle")[:3, 3] * 1000 - target))
    seen["gap"] = host.gap
    seen["placed"] = placed_off(host, parts)
    point = host_pose(host, "B")[:3, 3] * 1000
    seen["far"] = assembly.drag(feature, "B", point + np.array([5000.0, 0.0, 0.0]), point)
    seen["far_gap"] = host.gap

    # another length, by the property that the user edits; then one that cannot be assembled
    before = [one.Shape.BoundBox.DiagonalLength for one in parts["A"].Group]
    seen["unit"] = str(feature.crank.Unit)
    feature.crank = "120 mm"
    document.recompute()
    seen["crank"] = host.model.parameters["crank"]
    seen["grew"] = [one.Shape.BoundBox.DiagonalLength for one in parts["A"].Group] != before
    seen["edited_gap"], seen["edited_placed"] = host.gap, placed_off(host, parts)
    seen["text"] = feature.Text
    feature.ground = "5000 mm"
    document.recompute()
    seen["ground"] = host.model.parameters["ground"]

    # a saved document knows its mechanism
    path = os.path.join(folder, "saved.FCStd")
    document.saveAs(path)
    q = host.q.tolist()
    FreeCAD.closeDocument(document.Name)
    document = FreeCAD.openDocument(path)
    feature = next(found for found in map(assembly.mechanism_in, document.Objects) if found)
    seen["kept"] = float(np.abs(np.array(q) - assembly.host_of(feature).q).max())
    here = host_pose(assembly.host_of(feature), "handle")[:3, 3] * 1000
    seen["drags_again"] = assembly.drag(feature, "handle", here - np.array([5.0, 5.0, 0.0]))

    seen["sketch"] = sketch_steps(document)
    seen["ray"] = on_plane(*map(np.array, ([0.0, 0, 9], [0.0, 1, -1], [0.0, 0, 1], [0.0, 0, 2])))
    seen["ray"] = seen["ray"].tolist()
    urdf = assembly.open(os.path.join(folder, "pendulum.urdf"))
    seen["meshes"] = [one.Mesh.CountFacets for one in urdf.Objects if one.TypeId == "Mesh::Feature"]
    return seen


def sketch_steps(document: Any) -> dict[str, Any]:
    """A four-bar with a triangular coupler, drawn in a plane that stands upright."""
    sketch = document.addObject("Sketcher::SketchObject", "Sketch")
    sketch.Placement = FreeCAD.Placement(
        FreeCAD.Vector(0, 0, 50), FreeCAD.Rotation(FreeCAD.Vector(1, 0, 0), 90)
    )
    A, B, C, D, E = [(0, 0), (200, 0), (50, 50), (200, 150), (150, 250)]
    for one, other in ((A, C), (C, D), (D, B), (C, E), (D, E)):
        sketch.addGeometry(_line(one, other), False)
    sketch.addGeometry(_line(A, B), True)  # the ground
    document.recompute()
    feature = mechanism_from_sketch(sketch)
    host = assembly.host_of(feature)
    seen = {"joints": list(host.mechanism.joints), "gap": host.gap}
    seen["E"] = (host_pose(host, "E")[:3, 3] * 1000).tolist()
    seen["upright"] = list(feature.getParentGeoFeatureGroup().Placement.Base)
    seen["reached"] = assembly.drag(feature, "A", [40.0, 60.0, 0.0], [50.0, 50.0, 0.0])
    arc = Part.ArcOfCircle(Part.Circle(), 0, 1)
    sketch.addGeometry(arc, False)
    try:
        mechanism_from_sketch(sketch)
    except UsageError as error:
        seen["refused"] = str(error)
    return seen


def _line(one: tuple[float, float], other: tuple[float, float]) -> Any:
    return Part.LineSegment(FreeCAD.Vector(*one, 0), FreeCAD.Vector(*other, 0))


def _link(part: Any) -> bool:
    return isinstance(getattr(part, "Link", None), str)


def host_pose(host: Any, name: str) -> Any:
    """Pose of a link or frame [m]."""
    import kinegen as kg

    return kg.pose(host.model, host.q, name).matrix


def placed_off(host: Any, parts: dict[str, Any]) -> float:
    """How far the parts of the document are from the links at most [mm]."""
    poses = dict(zip(host.link_names, host.link_poses(), strict=True))
    return max(
        float(np.linalg.norm(np.array(part.Placement.Base) - 1000 * poses[link][:3, 3]))
        for link, part in parts.items()
    )


folder = os.environ["KINEGEN_STEPS"]
try:
    report = run(folder)
except BaseException:
    report = {"error": traceback.format_exc()}
with open(os.path.join(folder, "freecad.json"), "w", encoding="utf-8") as out:
    json.dump(report, out)
