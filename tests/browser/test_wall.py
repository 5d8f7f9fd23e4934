"""A wall of screens: two windows show two parts of one picture, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.browser.studio import Studio
from tests.browser.test_stereo import canvas

SEEN = """(() => {
  const p = v.stereo.eyes[a[0]].position.clone().set(a[1][0], a[1][2], -a[1][1]);
  v.stereo.eye;  // the camera as it is now
  return p.project(v.stereo.eyes[a[0]]).toArray();
})()"""


WATCH = """(() => {
  const { moments } = s.wall, drew = moments.drew.bind(moments), drawn = window.drawn = [];
  moments.drew = () => {
    const before = moments.number;
    drew();
    if (moments.number === before) return;
    const { number, behind } = moments, { head } = s.wall.state;
    drawn.push({ number, behind, seen: [Array.from(s.q), head], at: Date.now() });
  };
})()"""
"""Notes what a screen has drawn at each moment."""
MOVE = """(async () => {
  const { q } = s;
  for (let i = 0; i < a[0]; i += 1) {
    s.wall.lookFrom([0.01 * i, 0.1, 1.5]);
    s.setVariable(0, 0, q[0] + 0.01 * i);
    await new Promise((done) => setTimeout(done, 40));
  }
})()"""


def test_two_windows_are_one_wall(studio: Studio, pages: Callable[..., Studio]) -> None:
    lead = studio
    lead.menu("View", "Wall…")
    lead.enter("Angle between neighbours [°]", "40")
    lead.button("Use this wall").click()
    lead.wait("s.snapshot.wall?.screens.length === 2 && s.wall.state?.at")
    lead.wait("s.wall.leads && s.wall.state.lead === s.welcome.client")
    watch = lead.value("s.welcome.watch_link")
    left, right = pages(), pages()
    for window, name in ((left, "left"), (right, "right")):
        window.go(f"/{watch}&screen={name}&lowfx")
        window.page.set_viewport_size({"width": 640, "height": 400})
        window.wait("s.wall.state !== null")  # a latecomer gets the state
        assert window.page.get_by_role("tab").count() == 0  # the picture alone
    # orbiting the leading window moves both
    number = lead.value("s.wall.state.number")
    lead.button("Done").click()
    lead.no_dialog()
    lead.value("(v.camera.orbit(0.5, 0), v.camera.zoom(0.8), v.invalidate())")
    lead.wait("s.wall.state.number > a[0]", number)
    lead.view_still()
    lead.value("s.wall.lookFrom([0.2, 0.1, 1.5])")
    lead.wait("s.wall.state.head !== null")
    state = lead.value("s.wall.state")
    for window in (left, right):
        window.wait("s.wall.state.number === a[0]", state["number"])
        assert window.value("s.wall.state") == state
        window.frame_drawn()
    # a point of the world on the shared edge is at the end of one picture, the start of the other
    room, place = np.array(state["at"]), np.array([0.0, 1.5, 1.1])
    w, v = room[0], room[1:4]
    turned = place + 2 * np.cross(v, np.cross(v, place) + w * place)
    world = (room[4:] + state["scale"] * turned).tolist()
    a, b = left.value(SEEN, 0, world), right.value(SEEN, 0, world)
    # 9 digits of the wire's numbers
    assert a[0] == pytest.approx(1, abs=1e-6) and b[0] == pytest.approx(-1, abs=1e-6)
    assert a[1] == pytest.approx(b[1], abs=1e-6) == pytest.approx(2 * 0.3 - 1, abs=1e-6)
    # and so are the pictures: over the seam they change as from column to column within each
    one, two = (np.asarray(canvas(window), dtype=float) for window in (left, right))
    inside = [np.abs(p[:, i] - p[:, i + 1]).mean() for p in (one, two) for i in (0, 1, -3, -2)]
    assert np.abs(one[:, -1] - two[:, 0]).mean() < 2 * max(inside) + 0.5
    assert np.abs(one - two).mean() > 1  # they are two parts, not one
    far = np.abs(one[:, -1] - two[:, 40]).mean()
    assert np.abs(one[:, -1] - two[:, 0]).mean() < 0.7 * far
    # the mechanism moves in both
    lead.value("s.setVariable(0, 0, s.q[0] + 0.2)")
    for window in (left, right):
        window.wait_pose(lead.q, 1e-4)
    # while mechanism and head move, both draw the same moments, and none of them the next too early
    for window in (left, right):
        window.value(WATCH)
    times = 6
    for _ in range(times):
        lead.value(MOVE, 6)
        for window in (left, right):
            window.wait_pose(lead.q, 1e-4)
    first, second = ({m["number"]: m for m in window.value("window.drawn")}
                     for window in (left, right))  # fmt: skip
    both = sorted(first.keys() & second.keys())
    assert len(both) >= times  # where each of them comes to rest, at least
    assert all(first[n]["seen"] == second[n]["seen"] for n in both)
    assert first[both[-1]]["seen"] != first[both[0]]["seen"]
    for n in both:
        # unless a hidden window, or one on a busy machine, was not waited for
        if n - 1 in first and n - 1 in second and first[n]["behind"] == 0:
            drawn = [m[n - 1]["at"] for m in (first, second)]
            assert max(drawn) <= min(m[n]["at"] for m in (first, second))
    # a screen that is no longer there says so; undo brings it back
    lead.value("s.editStructure('set_wall', { wall: null })")
    card = left.page.get_by_role("status").filter(has_text="This mechanism has no wall")
    card.wait_for()
    lead.keys("Control+z")
    card.wait_for(state="detached")


def test_a_screen_for_both_eyes_and_full_screen(studio: Studio, pages: Callable[..., Any]) -> None:
    screen = {"name": "a", "lower_left": [-0.8, 1.5, 1.0], "lower_right": [0.8, 1.5, 1.0],
              "upper_left": [-0.8, 1.5, 2.0], "shows": "side-by-side"}  # fmt: skip
    wall = {"screens": [screen], "eye": [0, 0, 1.5], "eye_distance": 0.064}
    studio.value("s.editStructure('set_wall', { wall: a[0] })", wall)
    studio.wait("s.snapshot.wall !== null")
    studio.value("s.wall.lead(true), v.invalidate()")
    studio.wait("s.wall.state?.at")
    window = pages()
    window.go(f"/{studio.value('s.welcome.watch_link')}&screen=a&lowfx")
    window.wait("s.wall.state !== null")
    room = window.value("s.wall.state")
    # the target of the leading view is in the screen: no disparity there
    target = studio.value("v.camera.eye.target")
    first, second = (window.value(SEEN, eye, target) for eye in (0, 1))
    assert first == pytest.approx(second, abs=1e-6)
    assert first[:2] == pytest.approx([0, 0], abs=1e-6)
    apart = window.value("v.stereo.eyes[0].position.distanceTo(v.stereo.eyes[1].position)")
    assert apart == pytest.approx(0.064 * room["scale"], rel=1e-6)
    # each eye has a whole picture, squeezed into its half
    assert window.value("v.stereo.cells(640, 400)")[1] == {
        "x": 320, "y": 0, "width": 320, "height": 400
    }  # fmt: skip
    window.button("Full screen").click()
    window.poll("document.fullscreenElement !== null")
    window.page.mouse.dblclick(300, 200)
    window.poll("document.fullscreenElement === null")
