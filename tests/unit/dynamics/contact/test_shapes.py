"""Bodies as shapes that touch: floors, plates, meshes, and what has no shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.contact.shapes import contact_bodies
from kinegen.kernels import ShapeKind
from kinegen.kinematics.collisions.bodies import turn_z_to
from kinegen.workspace.export import mesh_file


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0.6, 0, 0.8)])
def test_the_floor_is_perpendicular_to_gravity(up: tuple[float, float, float]) -> None:
    turned = turn_z_to(np.array(up, dtype=float)).apply([0, 0, 1])
    np.testing.assert_allclose(turned, up, atol=1e-12)


def test_links_come_first_then_fixed_objects_then_the_floor() -> None:
    text = """raff: 1
name: table-and-arm
joints:
  - {name: A, parent: base, shape: {capsule: [20 mm, 0.2]}}
objects:
  - {name: table, shape: {box: [1, 1, 0.1]}, at: {xyz: [2, 0, 0]}, fixed: true, friction: 0.9}
  - {name: ball, shape: {sphere: 0.1}, at: {xyz: [3, 0, 1]}}
"""
    system = kg.dynamics.System.of(kg.load(text), objects=True, floor=-1.0)
    found = contact_bodies(system)
    assert found.names == ["A", "ball", "table", "floor"]
    assert found.kinds == [ShapeKind.CAPSULE, ShapeKind.BALL, ShapeKind.BOX, ShapeKind.PLANE]
    assert found.surfaces[2][[0, 4]].tolist() == [0.9, 1.0]
    assert found.surfaces[0][[0, 4]].tolist() == [0.6, 0.0]
    assert found.remarks == []


def test_what_has_no_shape_is_remarked() -> None:
    text = (
        "raff: 1\njoints:\n  - {name: A, parent: base, shape: none, mass: 1, inertia: [1, 1, 1]}\n"
    )
    simulation = kg.Simulation(kg.load(text), floor=-1.0)
    assert "A: it has no shape, so nothing touches it" in simulation.remarks


def test_many_without_a_shape_are_one_remark_and_what_is_meant_is_none() -> None:
    mass = "mass: 1, inertia: [1, 1, 1]"
    bare = [f"  - {{name: A{i}, parent: base, shape: none, {mass}}}\n" for i in range(8)]
    meant = f"  - {{name: tape, parent: base, collision: none, {mass}}}\n"
    simulation = kg.Simulation(kg.load("raff: 1\njoints:\n" + "".join(bare) + meant), floor=-1.0)
    said = [remark for remark in simulation.remarks if "no shape" in remark]
    assert said == ["A0, A1, A2, A3, A4 and 3 more have no shape, so nothing touches them"]


def test_a_mesh_is_touched_where_it_is(tmp_path: Path) -> None:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 2)], float)
    sides = "021 123 456 576 014 154 263 367 042 246 135 375"
    faces = np.array([[int(corner) for corner in side] for side in sides.split()])
    (tmp_path / "block.stl").write_bytes(mesh_file("block.stl", corners, faces))
    file = tmp_path / "m.raff"
    file.write_text(
        "raff: 1\njoints:\n  - {name: A, type: prismatic, parent: base, mass: 1, "
        "inertia: [1, 1, 1], shape: {mesh: block.stl, scale: 0.1}}\n",
        encoding="utf-8",
    )
    bodies = kg.dynamics.Collisions(kg.dynamics.System.of(kg.load(file), floor=-1.0))
    assert [kind.name for kind in bodies.bodies.kinds] == ["HULL", "PLANE"]
    assert bodies.mounted == ()  # a convex mesh is its own hull: nothing to remark
    q = bodies.system.model.start()
    assert len(bodies.find(q, margin=1.01)) == 4
    hit = bodies.cast_rays(q, [0.05, 0.05, 1.0], [[0, 0, -1], [0, 0, 1]])
    assert hit.distances.tolist() == pytest.approx([0.8, np.inf], abs=1e-7)
    assert hit.names == ("A", "")


def test_a_mesh_that_cannot_be_read_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(b"nothing")
    file = tmp_path / "m.raff"
    file.write_text("raff: 1\njoints:\n  - {name: A, parent: base, mass: 1, shape: m.stl}\n")
    bodies = kg.dynamics.Collisions(kg.dynamics.System.of(kg.load(file), floor=-1.0))
    assert "A: nothing touches its mesh" in bodies.mounted[0]


def test_links_of_a_mechanism_pass_through_each_other_but_not_through_the_floor() -> None:
    collisions = Collisions(kg.dynamics.System.of(kg.load("five-bar"), floor=-5.0))
    meets, names = collisions.arrays.meets, list(collisions.geom_names)
    floor = names.index("floor")
    links = [g for g in range(len(names)) if g != floor]
    assert links
    assert meets[floor, links].all()
    assert not meets[np.ix_(links, links)].any()
