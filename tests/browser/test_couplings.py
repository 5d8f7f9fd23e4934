"""Mechanisms with couplings, guides and repeated rows, dragged with the mouse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from tests.browser.studio import CLOSED, Place, Studio


def pull(bench: Studio, name: str, site: str, *ways: Place, link: str | None = None) -> list[float]:
    """Load a mechanism, drag it at a link or frame, and return where it was."""
    bench.load(name)
    before = bench.q
    bench.drag(bench.part_at(bench.place(site), link), *ways)
    after = bench.q
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 0.02
    assert bench.gap <= CLOSED
    assert bench.errors == []
    return before


def value(bench: Studio, joint: str) -> float:
    """The value of a joint of one variable now [rad, m]."""
    return float(bench.value("s.q[s.model.data.joints.find((one) => one.name === a[0]).q]", joint))


def test_cranks_of_a_geared_five_bar_turn_by_their_teeth(bench: Studio) -> None:
    before = pull(bench, "geared-five-bar", "pen", (30, -20), (-10, -30), (-30, 10))
    model = kg.load("geared-five-bar").compile()
    first, second = (model.joint(one).q.start for one in "AE")
    turned = bench.q[first] - before[first], bench.q[second] - before[second]
    assert abs(turned[0]) > 0.02
    # 40 teeth on the crank that is held, 20 on the other: twice as fast, the other way
    assert turned[1] == pytest.approx(-2 * turned[0], abs=1e-9)


@pytest.mark.parametrize("site", ["stem", "shaft"])
def test_a_cam_follower_stands_on_its_profile(bench: Studio, site: str) -> None:
    """Pulled at the follower, which turns the cam, and at the cam."""
    pull(bench, "cam-follower", site, (4, 16), (-6, 14), (6, -22), link=None)
    model = kg.load("cam-follower").compile()
    assert kg.kinematics.loop_gap(model, np.array(bench.q)).largest < 1e-9


def test_the_pin_of_a_quick_return_stays_in_its_slot(bench: Studio) -> None:
    pull(bench, "quick-return", "tool", (-40, 0), (-20, 4), (50, 0))
    model = kg.load("quick-return").compile()
    q = np.array(bench.q)
    at = kg.poses(model, q)
    pin = at["disc"].apply([model.parameters["crank"], 0, 0])
    x, y, _ = at["slot"].inverse().apply(pin)
    assert math.hypot(x, y) < 1e-9


def test_the_pin_of_a_grooved_cam_stays_on_its_curve(bench: Studio) -> None:
    pull(bench, "grooved-cam", "rod", (-8, 0), (-6, 0), (12, 0))
    model = kg.load("grooved-cam").compile()
    at = kg.poses(model, np.array(bench.q))
    x, y, _ = at["groove"].inverse().apply(at["follower"].translation)
    radius, angle = math.hypot(x, y), math.atan2(y, x)
    assert radius == pytest.approx(0.06 + 0.012 * math.cos(2 * angle), abs=1e-9)


def test_legs_that_are_written_once_move_together(bench: Studio) -> None:
    """Six legs of one repeated row."""
    assert "repeat:" in kg.load("stewart").to_raff()
    pull(bench, "stewart", "handle", (20, -14), (-30, 6), (6, 20))
    model = kg.load("stewart").compile()
    assert kg.kinematics.loop_gap(model, np.array(bench.q)).largest < 1e-9


FRAMED = """raff: 1
name: framed
joints:
  - {name: post, type: prismatic, parent: base, xyz: [0, 0, 0], axis: x, start: 50 mm}
  - {name: arm, parent: corner, start: 40 deg, motor: true}
  - {name: rod, parent: tip, start: -80 deg}
  - {name: pin, parent: rod, xyz: [300 mm, 0, 0], closes: {onto: anchor}}
frames:
  - {name: corner, parent: post, xyz: [0, 0, 100 mm], axis: x}
  - {name: tip, parent: arm, xyz: [200 mm, 0, 0]}
  - {name: anchor, parent: base, xyz: [400 mm, 0, 0]}
"""


def test_joints_on_frames_are_dragged_with_closed_loops(bench: Studio) -> None:
    bench.value("s.open('text', a[0])", FRAMED)
    bench.wait("s.snapshot.model.name === 'framed' && s.snapshot.problems.length === 0")
    bench.view_still()
    before = bench.q
    bench.drag(bench.part_at(bench.place("tip")), (10, -20), (20, 10), (-14, -8))
    assert bench.q != before
    assert bench.gap <= CLOSED
    assert bench.errors == []


def test_gears_follow_a_slider_before_the_text_does(studio: Studio) -> None:
    studio.load("planetary-gear")
    studio.tab("Parameters")
    text = studio.text
    teeth = "s.model.data.drawn.map((part) => part.size[0]).reduce((a, b) => a + b, 0)"
    before, picture = studio.value(teeth), studio.picture()
    box = studio.slider("module").bounding_box()
    assert box is not None
    mouse = studio.page.mouse
    mouse.move(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2, steps=6)
    # the button is still down: the text waits, the teeth do not
    studio.wait(f"{teeth} > 1.2 * a[0]", before)
    module = studio.value("s.model.reals[s.model.data.parameters[0].index]")
    studio.wait(f"Math.abs({teeth} / a[0] - a[1]) < 1e-6", before, module / 0.002)
    assert studio.text == text
    assert studio.picture() != picture
    mouse.up()
    studio.wait("s.snapshot.text !== a[0]", text)
    assert studio.value(teeth) == pytest.approx(before * module / 0.002, rel=1e-3)
    assert studio.errors == []
