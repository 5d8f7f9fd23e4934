"""Grabbing and pulling: every loop stays closed, the picture follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import kinegen as kg
from tests.browser.studio import CLOSED, Finger, Studio


@pytest.mark.parametrize("name", kg.library_names())
def test_every_library_mechanism_is_in_sight_and_can_be_dragged(bench: Studio, name: str) -> None:
    bench.load(name)
    assert bench.covered() == []  # all joints can be seen and grabbed in the first view
    before, picture = bench.q, bench.picture()
    # the last frame is most often the tool
    hit = bench.part_at(bench.place(bench.value("s.model.siteNames.at(-1)")))
    bench.drag(hit, (14, -10), (-30, 6), (10, 22))
    assert bench.q != before
    assert bench.gap <= CLOSED
    assert bench.picture() != picture
    assert bench.errors == []


HELD = """(() => {
  const { site, point } = s.grabs[0].spec;
  const [w, x, y, z, ...p] = s.poses.slice(7 * site, 7 * site + 7);
  const cross = (u, v) => [0, 1, 2].map((k) => u[(k + 1) % 3] * v[(k + 2) % 3]
                                              - u[(k + 2) % 3] * v[(k + 1) % 3]);
  const c = cross([x, y, z], point), d = cross([x, y, z], c);
  const at = v.onScreen([0, 1, 2].map((k) => point[k] + 2 * (w * c[k] + d[k]) + p[k]));
  const box = v.canvas.getBoundingClientRect();
  return [at[0] + box.left, at[1] + box.top];
})()"""


@pytest.mark.parametrize("view", ["first", "1", "3"])
def test_a_pin_in_an_upright_plane_follows_the_pointer_exactly(studio: Studio, view: str) -> None:
    """In the first view, face on, and from above, where its plane is almost on edge."""
    studio.load("five-bar")
    low, high = studio.on_screen([0, 0, 0]), studio.on_screen([0, 0.1, 0])
    assert low[1] - high[1] > 20  # it stands
    if view != "first":
        studio.keys(view)
        studio.view_still()
    x, y = studio.part_at(studio.place("handle"))
    ways = [(12, 18), (-20, 14), (8, -10)] if view != "3" else [(12, 0), (-20, 0)]
    mouse = studio.page.mouse
    mouse.move(x, y)
    mouse.down()
    for dx, dy in ways:
        x, y = x + dx, y + dy
        mouse.move(x, y, steps=4)
        studio.wait("s.status?.outcome === 'reached'")
        studio.frame_drawn()
        assert math.dist(studio.value(HELD), (x, y)) < 1.0, view
    mouse.up()
    assert studio.gap <= CLOSED


def test_a_drag_is_one_step_of_undo(studio: Studio) -> None:
    before = studio.q
    studio.drag(studio.part_at(studio.place("handle")), (30, -20), (10, 10))
    studio.wait("s.snapshot.undo !== null")
    after = studio.q
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 0.05
    studio.keys("Control+z")
    studio.wait_pose(before)
    studio.keys("Control+Shift+z")
    studio.wait_pose(after)


def test_out_of_reach_is_said_at_the_place(studio: Studio) -> None:
    studio.drag(studio.part_at(studio.place("handle")), (0, -300), (0, -200), release=False)
    studio.wait("s.status?.distance > 0.01 && s.status.outcome !== 'moving'")
    assert studio.gap <= CLOSED
    assert "mm away" in studio.value("s.status.words")
    label = studio.page.locator(".kg-alarm", has_text="out of reach")
    label.wait_for()
    # beside the handle, not somewhere on the page
    box, (x, y) = label.bounding_box(), studio.place("handle")
    assert abs(box["x"] + box["width"] / 2 - x) < 200
    assert box["y"] - 120 < y < box["y"] + box["height"] + 120
    studio.page.mouse.up()
    label.wait_for(state="hidden")


def test_a_joint_limit_is_said_and_its_slider_is_at_the_end(studio: Studio) -> None:
    studio.load("puma560")
    studio.value("s.setVariable(0, 0, 10)")
    limit = math.radians(160)
    assert studio.q[0] == pytest.approx(limit)
    words = studio.page.get_by_role("status").filter(has_text="waist")
    words.first.wait_for()
    studio.frame_drawn()  # the panel follows with the picture
    assert float(studio.slider("waist").input_value()) == pytest.approx(limit, abs=1e-6)


def test_it_goes_on_when_the_server_is_gone(studio: Studio) -> None:
    studio.page.context.set_offline(True)
    studio.value("s.link.socket?.close?.()")
    before = studio.q
    studio.drag(studio.part_at(studio.place("handle")), (25, -15), (5, 5))
    assert studio.q != before and studio.gap <= CLOSED
    studio.page.context.set_offline(False)
    studio.wait("s.connection === 'open'")
    # the server has heard of the pose
    after = studio.q
    studio.reload()
    studio.wait_pose(after)
    studio.errors.clear()  # the browser itself reports a lost connection


def test_spring_back(studio: Studio) -> None:
    studio.page.keyboard.press("k")
    before = studio.q
    studio.drag(studio.part_at(studio.place("handle")), (40, -20))
    assert studio.q != before
    studio.wait("!s.isAnimating")
    studio.wait_pose(before)


def test_two_fingers_hold_two_parts(pages: Any, profile: Callable[..., Any]) -> None:
    studio = pages(profile(has_touch=True))
    studio.open("humanoid-30")
    studio.page.keyboard.press("2")  # seen from where the hands are apart
    studio.view_still()
    ends = [studio.part_at(studio.place(name)) for name in ("left_hand", "right_hand")]
    assert math.dist(*ends) > 30
    before = studio.q
    fingers = Finger(studio, *ends)
    fingers.move((3, -4), (-3, -4), times=6)
    studio.wait("s.grabs.length === 2 && s.status.outcome === 'reached'")
    lacks = studio.value("s.status.lacks.map((lack) => lack.distance)")
    assert len(lacks) == 2 and max(lacks) < 1e-4
    fingers.lift()
    studio.wait("s.grabs.length === 0")
    assert studio.q != before and studio.gap <= CLOSED


def test_a_pinned_frame_stays(studio: Studio) -> None:
    studio.tab("Frames")
    studio.button("Pin").click()
    studio.wait("s.pins.length === 1")
    place = studio.position("handle")
    studio.drag(studio.part_at(studio.place("B")), (40, 30), (10, 0))
    assert math.dist(studio.position("handle"), place) < 1e-6
    assert studio.gap <= CLOSED
    studio.button("Remove its pin").click()
    studio.drag(studio.part_at(studio.place("B")), (40, 30), (10, 0))
    assert math.dist(studio.position("handle"), place) > 1e-3


def test_turning_a_part_turns_it_and_keeps_loops_closed(studio: Studio) -> None:
    studio.load("stewart")
    studio.page.keyboard.press("r")
    studio.wait("s.settings.dragMode === 'rotate'")
    site = studio.value("s.model.siteNames.at(-1)")
    turned = "[...s.poses.slice(-7, -3)]"
    before = studio.value(turned)
    studio.drag(studio.part_at(studio.place(site)), (20, 0), (10, 10))
    assert math.dist(studio.value(turned), before) > 0.01
    assert studio.gap <= CLOSED
