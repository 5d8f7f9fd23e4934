"""Guides on curves: formulas, splines through points and Bézier curves, flat and in space."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics import energy
from kinegen.errors import RaffError
from kinegen.formats.drawing.couplings import with_couplings
from kinegen.mechanism.editing.starts import write_starts
from kinegen.mechanism.shapes.shapes import link_shapes

ROD = """raff: 1
name: rod
parameters: {{a: 100 mm}}
gravity: [0, -9.81, 0]
joints:
  - {{name: rod, parent: base, start: 0.2, mass: 0.5, centre: [0.1, 0, 0.01],
     inertia: [0.001, 0.002, 0.002]}}
  - {{name: block, type: prismatic, parent: rod, axis: x, xyz: [0, 0, 0], start: 80 mm, mass: 0.2,
     centre: [0, 0, 0], inertia: [0.001, 0.001, 0.001]}}
guides:
  - {{name: slot, parent: base, type: curve, pin: true, {curve}, point: {{link: block, axis: x}}}}
"""
ELLIPSE = "curve: {x: a*cos(u), y: 60 mm*sin(u)}"
PARABOLA = "curve: {x: 80 mm + u^2/(2*a), y: u, u: length}, limits: [-50 mm, 50 mm]"
CLOSED = "curve: {points: [[a, 0], [0, 80 mm], [-90 mm, 0], [0, -80 mm]], closed: true}"
OPEN = "curve: {points: [[a, -50 mm], [80 mm, 0], [90 mm, 50 mm], [60 mm, 90 mm]]}, start: 70 mm"
BEZIER = "curve: {bezier: [[a, -50 mm], [60 mm, 0], [140 mm, 0], [60 mm, 90 mm]]}, start: 70 mm"
CURVES = {
    "ellipse": ELLIPSE,
    "parabola": PARABOLA,
    "closed": CLOSED,
    "open": OPEN,
    "bezier": BEZIER,
}
HELIX = """raff: 1
name: slide
joints:
  - {name: ball, type: free, parent: base, start: {xyz: [100 mm, 0, 0]}, mass: 1,
     centre: [0, 0, 0], inertia: [0.001, 0.001, 0.001]}
guides:
  - {name: rail, parent: base, rpy: [0, 20 deg, 0], type: curve,
     curve: {x: 0.1*cos(u), y: 0.1*sin(u), z: 0.02*u}, point: {link: ball}}
"""


def off(model: kg.Model, q: np.ndarray, kind: str) -> float:
    """How far the block is from its curve [m], by another form of the curve."""
    x, y, z = kg.pose(model, q, "block").translation
    assert abs(z) < 1e-12
    if kind == "ellipse":
        return abs((x / 0.1) ** 2 + (y / 0.06) ** 2 - 1) * 0.06
    if kind == "parabola":
        return abs(x - 0.08 - y**2 / 0.2)
    u = float(q[model.joint("slot.s").q][0])
    if kind == "bezier":
        P = np.array([[100, -50], [60, 0], [140, 0], [60, 90]]) / 1000
        t = u / float(np.linalg.norm(np.diff(P, axis=0), axis=1).sum())
        while len(P) > 1:  # de Casteljau
            P = (1 - t) * P[:-1] + t * P[1:]
        return float(np.hypot(*(P[0] - (x, y))))
    places = {"closed": [[100, 0], [0, 80], [-90, 0], [0, -80], [100, 0]],
              "open": [[100, -50], [80, 0], [90, 50], [60, 90]]}  # fmt: skip
    P = np.array(places[kind]) / 1000
    from scipy.interpolate import CubicSpline

    knots = np.concatenate([[0], np.linalg.norm(np.diff(P, axis=0), axis=1).cumsum()])
    if kind == "closed":
        u, knots = u % (2 * np.pi), 2 * np.pi * knots / knots[-1]
    spline = CubicSpline(knots, P, bc_type="periodic" if kind == "closed" else "natural")
    return float(np.hypot(*(spline(u) - (x, y))))


@pytest.mark.parametrize("kind", CURVES)
def test_the_point_stays_on_its_curve(kind: str) -> None:
    if kind in ("closed", "open"):
        pytest.importorskip("scipy", reason="another spline to compare with")
    mechanism = kg.load(ROD.format(curve=CURVES[kind]))
    model = mechanism.compile()
    assert kg.mobility(model).finite == 1
    for angle in np.linspace(-0.3, 0.4, 5):
        q = model.start().copy()
        q[model.joint("rod").q] = angle
        q = kg.assemble(model, q, locked=["rod"]).q
        assert kg.kinematics.loop_gap(model, q).largest < 1e-9
        assert off(model, q, kind) < 1e-9
    assert kg.load(mechanism.snapshot().to_raff()) == mechanism
    write_starts(mechanism, model, q)
    assert (
        kg.kinematics.loop_gap(mechanism.compile()).largest < 1e-10
    )  # as closed as assembly leaves it


@pytest.mark.parametrize("kind", ["ellipse", "bezier", "closed"])
def test_a_parameter_moves_the_curve_at_once(kind: str) -> None:
    mechanism = kg.load(ROD.format(curve=CURVES[kind]))
    live, fresh = mechanism.compile(), kg.load(
        ROD.format(curve=CURVES[kind]).replace("a: 100 mm", "a: 110 mm")
    ).compile()  # fmt: skip
    live.parameters["a"] = 0.11
    poses = [kg.assemble(one, locked=["rod"]).q for one in (live, fresh)]
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-9)


def test_a_ball_slides_down_a_helix() -> None:
    model = kg.load(HELIX).compile()
    assert kg.mobility(model).finite == 4  # along the rail, and turning freely
    q = kg.assemble(model).q
    X = kg.pose(model, q, "rail").inverse() @ kg.pose(model, q, "ball")
    u = float(q[model.joint("rail.s").q][0])
    exact = [0.1 * np.cos(u), 0.1 * np.sin(u), 0.02 * u]
    np.testing.assert_allclose(X.translation, exact, atol=1e-9)


def test_it_falls_along_its_curve_without_losing_energy() -> None:
    for text in (ROD.format(curve=ELLIPSE), HELIX):
        model = kg.load(text).compile()
        simulation = kg.Simulation(model, engine="reduced")
        before = energy(model, simulation.last.q, simulation.last.v).total
        simulation.advance(0.2)
        q, v = simulation.last.q, simulation.last.v
        assert kg.kinematics.loop_gap(model, q).largest < 1e-9
        assert energy(model, q, v).total == pytest.approx(before, abs=1e-5)
        assert np.abs(v).max() > 0.5


def test_the_curve_is_drawn_on_its_link_with_its_pin() -> None:
    model = kg.load("grooved-cam").compile()
    own = link_shapes(model, values=dict(model.parameters))
    both = with_couplings(model, own)
    added = {
        model.link_names[i]: len(more) - len(mine)
        for i, (mine, more) in enumerate(zip(own, both, strict=True))
        if len(more) > len(mine)
    }
    assert added == {"groove": 96, "follower": 1}
    groove = both[model.link_names.index("groove")]
    # pieces of the tube lie on the curve: their middles are within a chord's height of it
    for part in groove[-96:]:
        x, y, _ = part.translation
        radius, angle = np.hypot(x, y), np.arctan2(y, x)
        assert radius == pytest.approx(0.06 + 0.012 * np.cos(2 * angle), abs=1e-4)


def test_a_curve_is_edited_as_a_whole() -> None:
    mechanism = kg.load(ROD.format(curve=ELLIPSE))
    mechanism.rename("slot", "groove")
    assert [one.guide for one in mechanism.couplings.values()] == ["groove", "groove"]
    assert "groove.on_x" in mechanism.couplings
    mechanism.remove_joint("groove")
    assert not mechanism.couplings
    assert list(mechanism.joints) == ["rod", "block"]


def test_an_included_curve_has_the_robots_name_in_front() -> None:
    text = "raff: 1\nrobots:\n  - {name: cam, include: grooved-cam, parameters: {lift: 5 mm}}\n"
    model = kg.load(text).compile()
    assert model.couplings[0].guide == "cam.groove"
    assert kg.kinematics.loop_gap(model).largest < 1e-12
    assert kg.pose(model, None, "cam.follower").translation[0] == pytest.approx(0.0625, abs=1e-12)


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        ("start: 0", "a guide on a curve needs 'curve'"),
        ("curve: {}", "by formulas 'x' and 'y', or by 'points', or by 'bezier'"),
        ("curve: {x: u, y: u, points: [[0, 0], [1, 0], [1, 1]]}", "not by 'points' and formulas"),
        ("curve: {x: a*cos(u)}", "needs 'y'"),
        ("curve: {x: a, y: 2*a}", "no formula of the curve contains 'u'"),
        ("curve: {x: a*cos(u), y: -45 deg}", "y is a length; 'deg' is a unit of angle: use"),
        ("curve: {x: a*cos(v), y: sin(u)}", "'v'"),
        ("curve: {x: 1/(u - pi), y: u}", "at u = 180 deg"),
        ("curve: {points: [[0, 0], [1, 0]]}", "3 to 200 points, not 2"),
        ("curve: {points: [[0, 0], [1, 0], [1, 0], [0, 1]]}", "are the same"),
        ("curve: {points: [[0, 0], [1, 0], [0, 0]], closed: true}", "remove the last one"),
        ("curve: {bezier: [[0, 0], [1, 0], [1, 1]], closed: true}", "'closed' belongs to 'points'"),
        ("curve: {bezier: [[0, 0], [1, 0], [1, 1]], u: length}", "'u' belongs to formulas"),
        ("curve: {x: a*cos(u), y: u}, start: 10 mm", "length"),
        ("curve: {bezier: [[0, 0], [1, 0], [1, 1]]}, start: 10 deg", "angle"),
    ],
)
def test_bad_curves_are_refused_in_words(curve: str, message: str) -> None:
    with pytest.raises(RaffError, match=message):
        kg.load(ROD.format(curve=curve))
    with pytest.raises(RaffError, match="only a guide of type 'curve' has a curve"):
        kg.load(ROD.format(curve=ELLIPSE).replace("type: curve", "type: line"))
