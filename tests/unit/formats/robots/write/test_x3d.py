"""X3D files that are written: structure, geometry, motions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import kinegen as kg
from kinegen.formats.export import export_pose

CHILDREN = {
    "X3D": {"head", "Scene"},
    "head": {"meta"},
    "Scene": {"WorldInfo", "NavigationInfo", "Viewpoint", "Transform", "Group"},
    "Transform": {"Transform", "Shape"},
    "Group": {"TimeSensor", "OrientationInterpolator", "PositionInterpolator", "ROUTE"},
    "Shape": {"Appearance", "Box", "Cylinder", "Sphere", "IndexedFaceSet"},
    "Appearance": {"Material"},
    "IndexedFaceSet": {"Coordinate"},
}
"""What may stand in what, of the nodes that are used (ISO/IEC 19775-1)."""


def placed(
    element: ElementTree.Element, X: np.ndarray
) -> Iterator[tuple[ElementTree.Element, np.ndarray]]:
    """All elements with their places in the file's world."""
    if element.tag == "Transform":
        own = np.eye(4)
        own[:3, 3] = [float(c) for c in element.get("translation", "0 0 0").split()]
        *axis, angle = (float(c) for c in element.get("rotation", "0 0 1 0").split())
        own[:3, :3] = kg.SO3.exp(np.array(axis) * angle).matrix
        X = X @ own
    yield element, X
    for child in element:
        yield from placed(child, X)


def test_every_transform_is_where_its_link_is(tmp_path: Path) -> None:
    upright = np.eye(4)
    upright[:3, :3] = kg.SO3.exp([-np.pi / 2, 0, 0]).matrix
    for name in ("five-bar", "stewart", "humanoid-30", "arm-and-wall"):
        mechanism = kg.load(name)
        kg.export(mechanism, tmp_path / "a.x3d")
        root = ElementTree.parse(tmp_path / "a.x3d").getroot()
        found = {}
        for element, X in placed(root, np.eye(4)):
            assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
            if element.get("DEF"):
                assert element.get("DEF") not in found
                found[element.get("DEF")] = X
        model = mechanism.compile()
        for link, X_WL in kg.poses(model, export_pose(model)).items():
            np.testing.assert_allclose(found[link], upright @ X_WL.matrix, atol=1e-12)


def test_recorded_motions_are_routed_to_the_links(tmp_path: Path) -> None:
    text = """raff: 1
name: waving
joints:
  - {name: A, parent: base, alpha: 90 deg}
  - {name: B, parent: A, type: prismatic, d: 0.3}
motions:
  - {name: wave, joints: [A, B], times: [0, 1], values: [[0, 0], [90 deg, 0.5]]}
  - {name: rest, joints: [A], times: [0, 2], values: [[0], [0]]}
"""
    kg.export(kg.load(text), tmp_path / "a.x3d", motion="wave")
    root = ElementTree.parse(tmp_path / "a.x3d").getroot()
    (clock,) = root.iter("TimeSensor")
    assert clock.get("cycleInterval") == "1"
    (turn,) = root.iter("OrientationInterpolator")
    (slide,) = root.iter("PositionInterpolator")
    keys = [float(one) for one in turn.get("key", "").split()]
    assert keys[0] == 0 and keys[-1] == 1 and len(turn.get("keyValue", "").split()) == 4 * len(keys)
    last = [float(one) for one in turn.get("keyValue", "").split()[-4:]]
    np.testing.assert_allclose(last, [0, 0, 1, np.pi / 2], atol=1e-12)
    assert slide.get("keyValue", "").split()[-1] == "0.5"
    names = {one.get("DEF") for one in root.iter()}
    routes = [one.attrib for one in root.iter("ROUTE")]
    assert {one["toNode"] for one in routes} == {turn.get("DEF"), slide.get("DEF"), "A", "B"}
    assert all({one["fromNode"], one["toNode"]} <= names for one in routes)
