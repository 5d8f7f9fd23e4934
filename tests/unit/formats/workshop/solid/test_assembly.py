"""Solid parts: watertight, of one piece, with the volumes that follow from their sizes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.workshop.sizes import Sizes
from kinegen.formats.workshop.solid.assembly import solid_assembly
from kinegen.formats.workshop.solid.mesh import mesh_of
from kinegen.formats.workshop.solid.part import SolidPart
from kinegen.formats.workshop.solid.printing import printed_parts

manifold3d = pytest.importorskip(
    "manifold3d", reason="solids need manifold3d: pip install 'kinegen[workshop]'"
)
trimesh = pytest.importorskip("trimesh", reason="trimesh checks the meshes: pip install trimesh")
pytestmark = pytest.mark.slow

BALLS = """
raff: 1
name: rod
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 0.1, alpha: 90 deg}
  - {name: C, type: spherical, parent: B, d: 0.1, closes: {onto: base, xyz: [0.15, 0.05, 0]}}
"""
SLIDE = """
raff: 1
name: lift
joints:
  - {name: A, parent: base, alpha: 90 deg}
  - {name: B, type: prismatic, parent: A, d: 0.1, alpha: 90 deg, limits: [0, 0.1]}
  - {name: C, parent: B, alpha: 40 deg, d: 0.08}
frames: [{name: tip, parent: C, d: 0.1}]
"""


@pytest.mark.parametrize("source", ["slider-crank", "bricard", "arm-6", "delta", BALLS, SLIDE],
                         ids=lambda text: text.strip().splitlines()[-1][:12])  # fmt: skip
def test_every_part_is_watertight_and_of_one_piece(source: str) -> None:
    assembly = solid_assembly(kg.load(source))
    for part in assembly.parts:
        mesh = mesh_of(part, steps=6)
        checked = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
        assert checked.is_watertight and checked.is_winding_consistent, part.name
        assert checked.volume / 1e9 == pytest.approx(mesh.volume, rel=1e-9)
        assert mesh.pieces == 1, part.name


def test_volume_of_a_bar() -> None:
    sizes = Sizes(width=0.02, hole=0.005, clearance=0.0003, thickness=0.006)
    parts = {part.name: part for part in solid_assembly(kg.load("five-bar"), sizes=sizes).parts}
    exact = (0.15 * 0.02 + math.pi * (0.01**2 - 2 * 0.00265**2)) * 0.006
    # round rims of 1024 pieces are short of the circle by less than this
    assert mesh_of(parts["A"], steps=256).volume == pytest.approx(exact, rel=1e-5)


STEWART = Sizes(width=0.15, thickness=0.06, hole=0.03, clearance=0.0003, spacer=0.0003)


@pytest.mark.parametrize(
    ("name", "sizes"), [("bricard", None), ("peaucellier", None), ("stewart", STEWART)]
)
def test_nothing_is_in_the_way_of_anything(name: str, sizes: Sizes | None) -> None:
    """Pins run free through their holes; no two parts share any room in the pose of the file."""
    assembly = solid_assembly(kg.load(name), sizes=sizes)
    assert assembly.messages == ()
    bodies = [(part.name, _placed(part)) for part in assembly.parts]
    for (one, a), (other, b) in itertools.combinations(bodies, 2):
        if {one.partition("-")[0], other.partition("-")[0]} == {"pin", "cap"}:
            continue  # a cap is pressed on its pin
        assert (a ^ b).volume() < 1.0, (one, other)  # [mm³] round bodies are polygons here


def test_parts_in_each_others_way_are_reported() -> None:
    crossing = kg.load(
        "raff: 1\nname: wrist\njoints:\n  - {name: A, parent: base}\n"
        "  - {name: B, parent: A, alpha: 90 deg}\nframes: [{name: tip, parent: B, d: 0.1}]\n"
    )
    _, messages = printed_parts(solid_assembly(crossing))
    assert any("parts overlap" in one and "'A' and 'B'" in one for one in messages)


def _placed(part: SolidPart):  # type: ignore[no-untyped-def]
    mesh = mesh_of(part, steps=6)
    R, p = part.X_WS.so3.matrix, 1000 * part.X_WS.translation
    vertices = mesh.vertices @ R.T + p
    return manifold3d.Manifold(
        manifold3d.Mesh64(vertices, np.asarray(mesh.triangles, dtype=np.uint64))
    )


def test_what_cannot_be_made_is_shown_and_said() -> None:
    assembly = solid_assembly(kg.load("crawler"))
    assert {part.name for part in assembly.parts if part.remark} == {"body"}
    assert any("part 'body' is only its display shape: a free joint" in m
               for m in assembly.messages)  # fmt: skip
    with pytest.raises(UsageError, match="use one of bars, display"):
        solid_assembly(kg.load("five-bar"), shape="blob")
    display = solid_assembly(kg.load("five-bar"), shape="display")
    assert all(part.kind == "display shape" for part in display.parts)
    assert len(display.parts) == 5


def test_pins_and_ground_are_optional() -> None:
    names = [
        part.name for part in solid_assembly(kg.load("four-bar"), pins=False, ground=False).parts
    ]
    assert names == ["crank", "coupler", "rocker"]
    kinds = {part.kind for part in solid_assembly(kg.load("five-bar")).parts}
    assert {"pin", "cap", "spacer"} <= kinds
