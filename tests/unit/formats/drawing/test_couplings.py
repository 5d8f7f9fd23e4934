"""Pictures of couplings: what is drawn where, and teeth that mesh."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.drawing.couplings import coupling_shapes, with_couplings
from kinegen.mechanism.shapes.shapes import Box, Cylinder, Plate, link_shapes

HEAD = "raff: 1\nname: m\n"
TWO = "joints:\n  - {name: a, parent: base}\n  - {name: b, parent: base, d: 60 mm}\n"
SLIDE = (
    "joints:\n  - {name: a, parent: base}\n"
    "  - {name: s, type: prismatic, parent: base, alpha: 90 deg, limits: [0, 0.1]}\n"
)


def drawn(text: str) -> dict[str, list[object]]:
    model = kg.load(text).compile()
    shapes = coupling_shapes(model, link_shapes(model))
    return {name: list(parts) for name, parts in zip(model.link_names, shapes, strict=True)}


def teeth_angles(model: kg.Model, link: str) -> np.ndarray:
    """World angles about z of the teeth's middles at the start."""
    index = model.link_names.index(link)
    parts = coupling_shapes(model, link_shapes(model))[index]
    pose = kg.forward(model, model.start())[index]
    turn = 2 * math.atan2(pose[3], pose[0])
    plates = [part for part in parts if isinstance(part, Plate)]
    widths = [max(abs(y) for _, y in part.outline) for part in plates]
    teeth = [part for part, width in zip(plates, widths, strict=True) if width < 1.5 * min(widths)]
    return np.array([math.atan2(p.rotation[1][0], p.rotation[0][0]) + turn for p in teeth])


def tooth_at(model: kg.Model, link: str, angle: float) -> float:
    """How far a direction is past a tooth, by the pitch, from -0.5 to 0.5."""
    angles = teeth_angles(model, link)
    share = (angle - angles) * len(angles) / math.tau
    return float((share[0] + 0.5) % 1 - 0.5)


def test_outer_gears_have_a_tooth_where_the_other_has_a_gap() -> None:
    text = HEAD + TWO + "couplings: [{name: c, gears: [a, b], teeth: [20, 40]}]"
    model = kg.load(text).compile()
    assert [len(teeth_angles(model, link)) for link in "ab"] == [20, 40]
    assert tooth_at(model, "a", 0.0) == pytest.approx(0, abs=1e-9)
    assert abs(tooth_at(model, "b", math.pi)) == pytest.approx(0.5, abs=1e-9)


def test_a_planetary_gear_meshes_everywhere() -> None:
    model = kg.load("planetary-gear").compile()
    for i, angle in enumerate((0.0, math.tau / 3, 2 * math.tau / 3), start=1):
        sun, planet = tooth_at(model, "sun", angle), tooth_at(model, f"planet{i}", angle + math.pi)
        # outer gears turn opposite ways: shares add up to half a pitch
        assert abs((sun + planet) % 1) == pytest.approx(0.5, abs=1e-6)
        ring, planet = tooth_at(model, "base", angle), tooth_at(model, f"planet{i}", angle)
        assert abs((ring - planet) % 1) == pytest.approx(0.5, abs=1e-6)


def test_belts_run_on_what_carries_them() -> None:
    found = drawn(HEAD + TWO + "couplings: [{name: c, belt: [a, b], radii: [10 mm, 20 mm]}]")
    assert [type(part) for part in found["base"]] == [Box, Box]
    assert {part.radius for part in found["a"] if isinstance(part, Cylinder)} >= {0.01}
    run = found["base"][0]
    assert isinstance(run, Box)
    assert run.size[0] == pytest.approx(math.sqrt(0.06**2 - 0.01**2), rel=1e-9)


def test_racks_screws_and_cams() -> None:
    rack = drawn(HEAD + SLIDE + "couplings: [{name: c, rack: s, pinion: a, radius: 20 mm}]")
    assert len(rack["a"]) == 21 and isinstance(rack["s"][0], Box) and len(rack["s"]) > 10
    turned = SLIDE.replace(", alpha: 90 deg", "")
    screw = drawn(HEAD + turned + "couplings: [{name: c, screw: a, nut: s, lead: 4 mm}]")
    assert isinstance(screw["a"][0], Cylinder) and isinstance(screw["s"][0], Box)
    cam = drawn(HEAD + SLIDE + "couplings: [{name: c, cam: a, follower: s, profile: 9 mm*sin(x)}]")
    assert all(isinstance(part, Plate) for part in cam["a"]) and len(cam["s"]) == 2


def test_a_cams_edge_touches_its_roller() -> None:
    model = kg.load("cam-follower").compile()
    cam, follower = (model.link_names.index(name) for name in ("shaft", "follower"))
    shapes = coupling_shapes(model, link_shapes(model))
    corners = np.array([p for part in shapes[cam] if isinstance(part, Plate) for p in part.outline])
    (roller,) = (part for part in shapes[follower] if isinstance(part, Cylinder))
    reach = np.linalg.norm(corners, axis=1)
    # around the dwell at the base circle, and at full lift
    assert reach.max() == pytest.approx(0.038 + 0.015 - roller.radius, rel=1e-3)
    assert reach[reach > 0].min() == pytest.approx(0.038 - roller.radius, rel=1e-3)


def test_nothing_is_drawn_without_couplings() -> None:
    model = kg.load("four-bar").compile()
    shapes = link_shapes(model)
    assert with_couplings(model, shapes) is shapes
    followed = "joints:\n  - {name: a, parent: base}\n"
    followed += "  - {name: b, parent: base, follows: {joint: a}}\n"
    assert not any(drawn(HEAD + followed).values())
