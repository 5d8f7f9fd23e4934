"""X3D files against X3D 4.0 (ISO/IEC 19775-1, 19776-1): nodes, fields, and what contains what."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import kinegen as kg
from kinegen.formats.export import write_format
from kinegen.formats.registry import format_named

NODES = "WorldInfo NavigationInfo Viewpoint Transform Group Shape TimeSensor"
INSIDE = f"{NODES} PositionInterpolator OrientationInterpolator ROUTE"
CHILDREN = {
    "X3D": "head Scene", "head": "meta", "Scene": INSIDE, "Group": INSIDE, "Transform": INSIDE,
    "Shape": "Appearance Box Cylinder Sphere IndexedFaceSet", "Appearance": "Material",
    "IndexedFaceSet": "Coordinate",
}  # fmt: skip
"""By element: what it may contain; others contain nothing."""
FIELDS = {
    "X3D": "profile version noNamespaceSchemaLocation", "meta": "name content",
    "WorldInfo": "title info", "NavigationInfo": "type speed headlight",
    "Viewpoint": "description position orientation centerOfRotation fieldOfView",
    "Transform": "translation rotation scale center", "Material": "diffuseColor transparency",
    "Box": "size", "Cylinder": "radius height", "Sphere": "radius",
    "IndexedFaceSet": "coordIndex creaseAngle solid ccw convex", "Coordinate": "point",
    "TimeSensor": "cycleInterval loop enabled", "PositionInterpolator": "key keyValue",
    "OrientationInterpolator": "key keyValue", "ROUTE": "fromNode fromField toNode toField",
}  # fmt: skip
MOVING = """raff: 1
name: moving
joints:
  - {name: A, parent: base, d: 1}
  - {name: B, parent: A, type: prismatic, d: 1}
motions:
  - {name: wave, joints: [A, B], times: [0, 1], values: [[0, 0], [1, 0.2]]}
"""


def faults(text: str) -> list[str]:
    """Where a text is no X3D scene."""
    found, root = [], ElementTree.fromstring(text)
    names = [one.get("DEF") for one in root.iter() if one.get("DEF")]
    found += [f"DEF {one} twice" for one in set(names) if names.count(one) > 1]
    if root.tag != "X3D":
        found.append(f"root {root.tag}")
    for one in root.iter():
        allowed = {"DEF", *FIELDS.get(one.tag, "").split()}
        found += [f"{one.tag}.{k}" for k in one.attrib if k.rpartition("}")[2] not in allowed]
        inside = CHILDREN.get(one.tag, "").split()
        found += [f"{child.tag} in {one.tag}" for child in one if child.tag not in inside]
        if one.tag == "ROUTE":
            ends = one.get("fromNode"), one.get("toNode")
            found += [f"ROUTE to {end}" for end in ends if end not in names]
    return found


@pytest.mark.parametrize("name", kg.library_names())
def test_library_mechanisms_are_scenes(name: str) -> None:
    made = write_format(format_named("x3d"), kg.load(name), file="a.x3d")
    assert faults(str(made.content)) == []


def test_motions_are_routes_between_nodes_that_are_there() -> None:
    text = str(write_format(format_named("x3d"), kg.load(MOVING), file="a.x3d").content)
    assert "<ROUTE" in text and "PositionInterpolator" in text
    assert faults(text) == []


def test_the_check_finds_faults() -> None:
    text = '<X3D><Scene><Box size="1" colour="2"/><ROUTE fromNode="a" toNode="b"/></Scene></X3D>'
    assert faults(text) == ["Box in Scene", "Box.colour", "ROUTE to a", "ROUTE to b"]
