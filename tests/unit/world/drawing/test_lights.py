"""Lights of a world: nodes whose light cameras see."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.errors import KinegenError, RaffError, UsageError
from kinegen.raff.formulas.formula import Formula
from tests.support.worlds import world

ROOM = """raff: 1
base: {{shape: none}}
gravity: [0, 0, 0]
joints: [{{name: A, parent: base, motor: true, mass: 1, inertia: [1, 1, 1], shape: none,
  start: {start}}}]
frames: [{{name: tip, parent: A, xyz: [0, 0, 0.2]}}]
objects:
  - {{name: ball, shape: {{sphere: 0.3}}, fixed: true, color: white, at: {{xyz: [1.2, 0, 0]}}}}
  - {{name: top, shape: {{box: [0.1, 0.1, 0.1]}}, at: {{xyz: [0, 0, 2]}}, spin: [0, 0, 100]}}
lights:
{lights}
sensors: [{{name: cam, type: camera, rate: 1000, pixels: [48, 32], field_of_view: 40 deg}}]
"""


def sides(made: kg.World) -> tuple[float, float]:
    """How bright the ball is on the left (y > 0) and on the right in the picture taken now."""
    made.step()
    ball = made.signals["cam.color"].value[8:24, 15:33].astype(float).mean(axis=(0, 2))
    return float(ball[:6].mean()), float(ball[-6:].mean())


def lit(*rows: str, start: str = "0") -> kg.World:
    return world(ROOM.format(lights="\n".join(f"  - {{{row}}}" for row in rows), start=start))


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    "row",
    [
        "name: sun, type: directional, direction: [0, -2, 0]",
        "name: lamp, type: point, at: {xyz: [1.2, 1.3, 0]}",
        # what carries a light turns it: by a quarter, from along x to along -y
        "name: torch, type: directional, parent: tip, direction: [1, 0, 0]",
        "name: bulb, type: point, parent: ball, at: {xyz: [0, 1, 0]}",
    ],
)
def test_the_side_that_faces_the_light_is_brighter(row: str) -> None:
    with lit(row, start="-90 deg") as made:
        left, right = sides(made)
        assert left > 1.8 * right
        name = row.split()[1].rstrip(",")
        made.node(name)["intensity"] = 0
        dark = sides(made)
        # only what comes from all sides, a tenth
        assert max(dark) < 30 and max(dark) < left and min(dark) > 10
        made.signals[f"{name}.intensity"].force(1)
        assert sides(made)[0] == pytest.approx(left, abs=1)


@pytest.mark.usefixtures("drawing")
def test_what_moves_carries_its_light() -> None:
    with lit("name: torch, type: directional, parent: top, direction: [1, 0, 0]") as made:
        left, right = sides(made)
        assert left == pytest.approx(right, rel=0.15)  # from the front
        made.run(0.015)  # a quarter of a turn: along +y, from the right
        left, right = sides(made)
        assert right > 1.8 * left


@pytest.mark.usefixtures("drawing")
def test_a_point_light_falls_with_the_square_of_the_distance() -> None:
    def middle(x: float) -> float:
        with lit(f"name: lamp, type: point, at: {{xyz: [{x}, 0, 0]}}") as made:
            made.step()
            return float(made.signals["cam.color"].value[16, 24].mean())

    off = 255 * 0.1
    # the ball begins at 0.9 m: lamps at 1.5 m and 3 m from it
    near, far = middle(-0.6) - off, middle(-2.1) - off
    # a few grey levels of gloss and rounding
    assert near == pytest.approx(255 / 1.5**2, abs=12) and near / far == pytest.approx(4, rel=0.1)


@pytest.mark.usefixtures("drawing")
def test_lights_that_cannot_be_drawn_are_named() -> None:
    with lit(*(f"name: l{i}, type: point" for i in range(9))) as made:
        made.step()
        [event] = [one for one in made.events if "lights are drawn" in one.message]
        assert event.message.endswith("l7, l8")


def test_lights_are_nodes() -> None:
    row = "name: lamp, type: point, parent: tip, at: {xyz: [1, 0, 0]}, color: gold, intensity: 0.5"
    text = ROOM.format(lights=f"  - {{{row}}}", start="90 deg")
    with kg.World(text, cameras=False) as made:
        lamp = made.node("lamp")
        assert (lamp.kind, lamp.parent) == ("light", "tip")
        assert dict(lamp) == {"intensity": 0.5, "color": "gold", "type": "point"}
        assert lamp.pose.translation == pytest.approx([0, 1, 0.2])
        assert made.signals["lamp.intensity"].value == 0.5
        moment = made.snapshot()
        lamp["intensity"] = 2
        made.restore(moment)
        assert made.signals["lamp.intensity"].value == 0.5


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("type: point, parent: tipp", "parent 'tipp' is not known; did you mean 'tip'?"),
        ("type: point, parent: cam", "links, frames and objects"),
        ("type: laser", "directional, point"),
        ("type: point, color: golden", "unknown color 'golden'"),
        ("type: point, direction: [1, 0, 0]", "has no 'direction'"),
        ("type: directional, direction: [0, 0, 0]", "[0, 0, 0] is not a direction"),
        ("type: point, intensity: -1", "intensity"),
        ("type: point, intensity: 5 m", "intensity"),
        ("type: point, xyz: [1, 0, 0]", "its placement is 'at: {xyz: […]}'"),
        ("parent: tip", "type"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_light_is_said(row: str, message: str) -> None:
    with pytest.raises(RaffError) as caught:
        kg.load(ROOM.format(lights=f"  - {{name: l, {row}}}", start="0"))
    assert message in str(caught.value)


def test_a_light_needs_a_name_of_its_own() -> None:
    with pytest.raises(KinegenError, match="already used"):
        kg.load(ROOM.format(lights="  - {name: tip, type: point}", start="0"))


def test_a_direction_that_a_parameter_made_nothing_is_refused() -> None:
    row = "  - {name: l, type: directional, direction: [x, 0, 0]}"
    mechanism = kg.load(ROOM.format(lights=row, start="0") + "parameters: {x: 1}\n")
    mechanism.parameters["x"].formula = Formula.constant(0)
    with pytest.raises(UsageError, match="direction of light 'l'"):
        kg.World(mechanism, cameras=False).close()
