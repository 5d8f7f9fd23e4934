"""Singular poses: gauges show how near they are, phantoms what lies beyond, a click goes there."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.browser.studio import CLOSED, Studio

JUMP = 0.15
"""[rad] A joint moves by less than this between two pictures, however slow they come."""
WAYS = {"five-bar": ("handle", "D", 1), "puma560": ("wrist_1", "elbow", 2)}
"""What is pulled away from the base: near which site, which link; and the joint that then is
stretched, by its place in the configuration."""


def gauge(studio: Studio, name: str) -> float:
    """What a gauge shows."""
    meter = studio.page.get_by_role("meter").filter(has_text=name)
    return float(meter.get_attribute("aria-valuenow"))


def stretch(studio: Studio, name: str) -> tuple[float, float]:
    """Pull until phantoms appear; the joint's value before, and in the singular pose."""
    site, link, joint = WAYS[name]
    if studio.value("s.snapshot.model.name") != name:
        studio.load(name)
        studio.view_still()
    before = studio.q[joint]
    x, y = studio.part_at(studio.place(site), link)
    base = studio.on_screen([0.1, 0, 0]) if name == "five-bar" else studio.place("shoulder")
    far = math.dist((x, y), base)
    way = ((x - base[0]) / far * 90, (y - base[1]) / far * 90)
    studio.drag((x, y), way, way, way, release=False)
    studio.wait("s.ghosts.length >= 3")
    studio.page.mouse.up()
    singular = studio.value("[...s.ghosts.find((ghost) => ghost.branch === null).q]")
    return before, float(singular[joint])


def branches(studio: Studio, joint: int) -> list[tuple[str, float]]:
    """Name and the joint's value of every pose beyond."""
    return [
        (str(label), float(q[joint]))
        for label, q in studio.value(
            "s.ghosts.filter((g) => g.branch !== null).map((g) => [g.label, [...g.q]])"
        )
    ]


def test_gauges_show_how_near_both_kinds_are(studio: Studio) -> None:
    studio.wait("s.gauges !== null")
    reach, hold = gauge(studio, "Tool"), gauge(studio, "Motors")
    assert reach == pytest.approx(1) and hold == pytest.approx(1)
    # knees together: the couplers lie over each other, and no motor holds the handle
    studio.enter("A [°]", "55")
    studio.enter("E [°]", "125")
    studio.wait("s.gauges.gain < a[0]", hold / 2)
    assert studio.gap <= CLOSED
    studio.button("Start pose").click()
    studio.wait("!s.isAnimating && s.gauges.gain > 0.9")
    # at the edge of the reach, a direction is lost
    stretch(studio, "five-bar")
    studio.wait("s.gauges.task < 0.2")
    assert gauge(studio, "Tool") < 0.2


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize(("crosses", "by"), [(True, "button"), (False, "phantom")])
def test_a_click_goes_to_that_side(studio: Studio, name: str, crosses: bool, by: str) -> None:
    joint = WAYS[name][2]
    before, singular = stretch(studio, name)
    label, beyond = next(
        one
        for one in branches(studio, joint)
        if ((one[1] > singular) != (before > singular)) == crosses
    )
    studio.value(
        """(() => {
          window.testPoses = [s.q];
          s.on("pose", () => window.testPoses.push(s.q));
        })()"""
    )
    if by == "button":
        ahead = studio.page.get_by_role("region", name="Singular pose ahead")
        ahead.get_by_role("button", name=label, exact=True).click()
    else:
        studio.page.locator(".kg-choice").get_by_text(label, exact=True).dispatch_event("click")
    studio.wait("s.ghosts.length === 0 && !s.isAnimating && s.snapshot.undo?.startsWith('Cross')")
    # it stands there, on that branch
    end = studio.q[joint]
    assert end == pytest.approx(beyond, abs=1e-6)
    assert ((end > singular) != (before > singular)) == crosses
    # a phantom is as far beyond as the hand was before when it was asked for, in whatever picture
    assert abs(end - singular) > 1e-3
    # and went there without a jump, every loop closed on the way
    steps: list[Any] = studio.value(
        """window.testPoses.slice(1).map((q, i) => [
             Math.max(...s.model.difference(window.testPoses[i], q).map(Math.abs)),
             s.model.loopGap(q),
           ])"""
    )
    assert len(steps) > 3
    assert max(step for step, _ in steps) < JUMP
    assert max(gap for _, gap in steps) <= CLOSED
    # one step of undo
    studio.keys("Control+z")
    studio.wait("!s.snapshot.undo?.startsWith('Cross')")
    studio.wait("Math.abs(s.q[a[0]] - a[1]) < 0.1", joint, singular)


def test_phantoms_go_away(studio: Studio) -> None:
    stretch(studio, "five-bar")
    studio.button("Hide the phantoms").click()
    studio.wait("s.ghosts.length === 0")
    studio.page.locator(".kg-choice").first.wait_for(state="detached")
    # on request they come back, and going far away takes them away too
    studio.tab("Analysis")
    studio.button("Phantoms").click()
    studio.wait("s.ghosts.length >= 3")
    studio.tab("Joints")
    studio.button("Start pose").click()
    studio.wait("s.ghosts.length === 0")


def test_who_does_not_want_phantoms_has_none(studio: Studio) -> None:
    studio.button("View").click()
    studio.page.get_by_role("menuitemcheckbox", name="Phantoms near singular poses").click()
    studio.keys("Escape")
    x, y = studio.part_at(studio.place("handle"), "D")
    studio.drag((x, y), (0, -120), (0, -120), release=False)
    studio.wait("s.gauges.task < 0.05")
    studio.frame_drawn()
    assert studio.value("s.ghosts.length") == 0
    studio.page.mouse.up()
