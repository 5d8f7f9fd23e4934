"""DXF files, read again with ezdxf: hole distances are link lengths, loops close."""

from __future__ import annotations

import io
import math
from collections import defaultdict

import pytest

import kinegen as kg
from kinegen.formats.workshop.dxf import export_dxf
from kinegen.formats.workshop.sizes import Sizes

ezdxf = pytest.importorskip("ezdxf", reason="DXF files need ezdxf: pip install 'kinegen[workshop]'")
Point = tuple[float, float]


def holes(text: str) -> dict[str, list[Point]]:
    """Middles of the circles of every layer [mm]."""
    found: dict[str, list[Point]] = defaultdict(list)
    for circle in ezdxf.read(io.StringIO(text)).modelspace().query("CIRCLE"):
        found[circle.dxf.layer].append((circle.dxf.center.x, circle.dxf.center.y))
    return found


@pytest.mark.parametrize("version", ["R12", "R2010"])
def test_a_drawing_is_sound_and_in_millimetres(version: str) -> None:
    text = export_dxf(kg.load("slider-crank"), ground=True, version=version)
    document = ezdxf.read(io.StringIO(text))
    assert not document.audit().errors
    if version != "R12":  # which knows no units
        assert document.header["$INSUNITS"] == 4
    layers = {layer.dxf.name for layer in document.layers} - {"0", "Defpoints"}
    assert layers == {"base", "crank", "rod", "piston", "labels"}
    cut = document.modelspace().query("CIRCLE LWPOLYLINE POLYLINE")
    assert all(one.dxf.layer != "labels" for one in cut)
    assert {one.dxf.layer for one in document.modelspace().query("TEXT")} == {"labels"}
    assert len(document.modelspace().query("CIRCLE")) == 8
    # four outlines and one slot, all closed
    lines = document.modelspace().query("LWPOLYLINE POLYLINE")
    assert len(lines) == 5
    assert all(getattr(line, "is_closed", None) or line.closed for line in lines)


def test_hole_distances_are_the_link_lengths() -> None:
    # as numbers in a text they keep 16 digits
    lengths = {"crank": 100, "coupler": 250, "rocker": 250, "base": 200}
    for layout in ("nested", "assembled"):
        text = export_dxf(kg.load("four-bar"), ground=True, layout=layout)
        for name, (a, b) in holes(text).items():
            assert abs(math.dist(a, b) - lengths[name]) < 1e-9, (layout, name)


def test_the_five_bar_closes_again_from_its_cut_parts() -> None:
    found = holes(export_dxf(kg.load("five-bar"), ground=True))
    a, e, b, d, ground = (math.dist(*found[name]) / 1000 for name in ("A", "E", "B", "D", "base"))
    model = kg.load("five-bar").compile()
    q = kg.assemble(model).q
    # both cranks upright, as in the file; the couplers meet where two circles cross
    p, r = (0.0, a), (ground, e)
    apart = math.dist(p, r)
    along = (apart**2 + b**2 - d**2) / (2 * apart)
    handle = kg.pose(model, q, "handle").translation
    assert handle[0] == pytest.approx(p[0] + along, abs=1e-9)
    assert handle[1] == pytest.approx(p[1] + math.sqrt(b**2 - along**2), abs=1e-9)


def test_an_assembled_drawing_has_the_pins_of_a_pose_in_one_place() -> None:
    model = kg.load("five-bar").compile()
    q = kg.assemble(model, {"A": 1.2, "E": 1.9}, locked=["A", "E"]).q
    found = holes(export_dxf(model, q, layout="assembled", ground=True))
    for one, other, frame in (("base", "A", "A"), ("A", "B", "B"), ("B", "D", "handle")):
        nearest = min(math.dist(a, b) for a in found[one] for b in found[other])
        assert nearest < 1e-6  # a loop is closed to 1e-9 m
        at = kg.pose(model, q, frame).translation[:2] * 1000
        assert min(math.dist(at, a) for a in found[other]) < 1e-6


def test_clearance_kerf_and_corners_are_cut() -> None:
    sizes = Sizes(width=0.03, hole=0.006, clearance=0.0002, kerf=0.0004, corner=0.005)
    document = ezdxf.read(io.StringIO(export_dxf(kg.load("four-bar"), sizes=sizes, labels=False)))
    radii = {round(2 * one.dxf.radius, 9) for one in document.modelspace().query("CIRCLE")}
    assert radii == {6.2 - 0.4}
    (crank,) = document.modelspace().query("LWPOLYLINE[layer=='crank']")
    xs, ys, bulges = zip(*((x, y, b) for x, y, *_, b in crank.get_points()), strict=True)
    assert max(ys) - min(ys) == pytest.approx(30.4)
    assert max(xs) - min(xs) == pytest.approx(100 + 30.4)
    assert sum(bulge > 0 for bulge in bulges) == 4


def test_layers_that_differ_in_capitals_alone_get_numbers() -> None:
    arm = kg.load(
        "raff: 1\nname: x\njoints:\n  - {name: A, parent: base}\n"
        "  - {name: a, parent: A, d: 0.1}\n  - {name: labels, parent: a, d: 0.1}\n"
        "frames: [{name: tip, parent: labels, d: 0.1}]\n"
    )
    assert set(holes(export_dxf(arm))) == {"A", "a_2", "labels_2"}
