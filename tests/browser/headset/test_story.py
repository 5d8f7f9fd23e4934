"""One visit from the code on the screen to an arm that is pushed aside, played in one page.

A headset comes in by the QR code, takes a platform by its plate with both hands, walks around a
singular pose and chooses what lies beyond, and pushes a running arm over a post that it would hit.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.headset.device import Headset
from tests.browser.server import RunningServer
from tests.browser.studio import CLOSED, HANG, Studio

AROUND = """(([[x, , z], angle, far], cos, sin) => {
  for (const { position, quaternion } of Object.values(d.controllers)) {
    const [dx, dz] = [position.x - x, position.z - z];
    position.set(x + cos * dx + sin * dz, position.y, z - sin * dx + cos * dz);
    quaternion.set(0, Math.sin(far / 2), 0, Math.cos(far / 2));
  }
  return 0;
})(a, Math.cos(a[1]), Math.sin(a[1]))"""
"""Both hands go around a vertical line by an angle; how far they are turned by then."""
FEEL = """(() => {
  window.felt = [];
  const [actuator] = d.controllers.right.inputSource.gamepad.hapticActuators;
  actuator.pulse = async (strength) => (window.felt.push([s.simulation.force, strength]), true);
  return 0;
})()"""
"""Keeps the force in the hand and the strength of each pulse of the right controller."""
INTO = """(({ site, point, normal }) => {
  const at = 7 * s.model.siteNames.lastIndexOf(site), [w, x, y, z] = s.poses.slice(at);
  const turn = h.rig.quaternion.clone().set(x, y, z, w);
  const place = h.rig.position.clone().set(...point).applyQuaternion(turn);
  return place.toArray().map((p, i) => p + s.poses[at + 4 + i] - a[0] * normal[i]);
})(s.simulation.hands.all[0])"""
"""Where the hand's tip is so deep in the surface on which it presses."""
PHANTOMS = """(() => {
  const places = [];
  v.root.traverse((body) => {
    if (!body.userData.phantom || !body.isMesh || !body.visible) return;
    body.geometry.computeBoundingSphere();
    const place = body.geometry.boundingSphere.center.clone();
    places.push(v.root.worldToLocal(body.localToWorld(place)).toArray());
  });
  return places;
})()"""
"""Where the links of the phantoms are, those of the singular pose among them."""
AT_PHANTOM = """(() => {
  const { aim } = h.hands.actors.find((one) => one.hand.side === 'right');
  return aim?.kind === 'phantom' && aim.ghost.branch !== null ? [...aim.ghost.q] : null;
})()"""
"""Where the phantom at which the right hand points leads; null: it points at none."""


@pytest.fixture
def desk(browser: Any, tmp_path: Path) -> Iterator[Studio]:
    """The page of a computer in a network that shows the platform."""
    # three pixels of the screen for each of the page: cameras see the code as sharply
    context = browser.new_context(
        viewport={"width": 900, "height": 900}, device_scale_factor=3, ignore_https_errors=True
    )
    context.set_default_timeout(1000 * HANG)
    with RunningServer(tmp_path, tmp_path / "state", "--host", "0.0.0.0", "stewart") as server:
        studio = Studio(context.new_page(), server.address)
        studio.go("/?lowfx")
        yield studio
        context.close()
    assert studio.errors == []


@pytest.fixture
def headset(browser: Any) -> Iterator[Headset]:
    """A headset whose browser has not been anywhere yet."""
    context = browser.new_context(viewport={"width": 480, "height": 240}, ignore_https_errors=True)
    context.set_default_timeout(1000 * HANG)
    tab = context.new_page()
    Headset.install(tab)
    studio = Studio(tab, "")
    yield Headset(studio)
    context.close()
    assert studio.errors == []


def test_from_the_code_to_an_arm_that_is_pushed_aside(desk: Studio, headset: Headset) -> None:
    link = scan(desk)
    page = headset.studio
    page.go(link)
    assert page.value("s.welcome.session") == desk.value("s.welcome.session")
    headset.enter()
    move_the_plate_with_both_hands(headset, page)
    # the computer's page shows what the headset has done
    desk.wait_pose(page.q)

    headset.click("a-button")
    headset.open_from_library("five-bar")
    walk_around_a_singular_pose(headset, page)

    headset.open_from_library("arm-and-wall")
    push_the_arm_over_the_post(headset, page)
    desk.wait_pose(page.q, 1e-3)


def scan(desk: Studio) -> str:
    """The link in the picture of the headset's dialog, with the certificate's fingerprint."""
    import segno
    from PIL import Image

    desk.menu("View", "Headset…")
    code = desk.page.get_by_alt_text("QR code")
    picture = np.array(Image.open(io.BytesIO(code.screenshot())).convert("RGB"))
    link = str(desk.page.get_by_label("Link with token", exact=True).input_value())
    shown = desk.page.get_by_label("Fingerprint", exact=True).input_value()
    assert link.endswith("&sha256=" + shown.replace(":", "").lower())
    # module by module as the standard has it, within a margin of four
    expected = np.array([[bool(one) for one in row] for row in segno.make(link, error="l").matrix])
    assert modules(picture, len(expected) + 8)[4:-4, 4:-4].tolist() == expected.tolist()
    with contextlib.suppress(ImportError):  # and as a camera reads it, where OpenCV is installed
        import cv2

        text, *_ = cv2.QRCodeDetectorAruco().detectAndDecode(picture)
        assert text == link
    desk.page.keyboard.press("Escape")
    desk.no_dialog()
    return link


def modules(picture: Any, count: int) -> Any:
    """Which of so many modules along each edge are dark, at their middles."""
    height, width = picture.shape[:2]
    across, down = (((np.arange(count) + 0.5) * n / count).astype(int) for n in (width, height))
    return picture[np.ix_(down, across)].mean(axis=2) < 128


def move_the_plate_with_both_hands(headset: Headset, page: Studio) -> None:
    """Both grips hold the plate, which follows in place and turn; its loops stay closed."""
    pose = (
        "Array.from(s.poses.subarray(7 * s.model.site('handle'), 7 * s.model.site('handle') + 7))"
    )
    start = page.value(pose)
    middle = headset.room(start[4:])
    size = 0.8 / headset.value("h.rig.scale")  # the plate's radius is 1 m, and it is shown smaller
    for side, x in (("left", -size), ("right", size)):
        headset.hold_at(side, [middle[0] + x, middle[1], middle[2]])
        headset.press(side, "squeeze")
    plate = page.value("s.model.data.links.indexOf('platform')")
    assert page.value("s.grabs.map(({ spec }) => [spec.kind, spec.site])") == [["pose", plate]] * 2
    page.value("(window.gaps = [], s.on('pose', () => window.gaps.push(s.model.loopGap(s.q))), 0)")
    step = math.radians(5)
    for k in range(1, 6):
        headset.shift("left", [0.0, 0.01, 0.0], steps=1)
        headset.shift("right", [0.0, 0.01, 0.0], steps=1)
        headset.value(AROUND, middle, step, k * step)
        headset.frames()
    headset.frames(4)
    end = page.value(pose)
    way = [b - a for a, b in zip(middle, headset.room(end[4:]), strict=True)]
    assert way == pytest.approx([0.0, 0.05, 0.0], abs=5e-3)
    turn = 2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(start, end[:4], strict=False)))))
    assert math.degrees(turn) == pytest.approx(25, abs=2)
    for side in ("left", "right"):
        headset.press(side, "squeeze", 0)
    assert page.value("s.grabs.length") == 0
    gaps = page.value("window.gaps")
    assert len(gaps) > 10
    assert max(gaps) <= CLOSED


def walk_around_a_singular_pose(headset: Headset, page: Studio) -> None:
    """The arm is pulled until it is stretched; seen from another side, a way on is chosen."""
    middle, handle = headset.room([0.1, 0, 0]), headset.room(page.position("handle"))
    away = [0.05 * (b - a) for a, b in zip(middle, handle, strict=True)]
    headset.hold_at("right", handle)
    headset.press("right", "trigger")
    for _ in range(20):
        headset.shift("right", away, steps=1)
        if page.value("s.ghosts.length >= 3"):
            break
    page.wait("s.ghosts.length >= 3")
    headset.press("right", "trigger", 0)
    # a quarter of a circle around it, and half of it back: a flat arm seen from its side hides its
    # phantoms; neither the world nor the arm moves, and the phantoms stay
    world, q = headset.value("[...h.rig.position, h.rig.scale]"), page.q
    radius = math.hypot(middle[0], middle[2])
    start = math.atan2(-middle[2], -middle[0])
    for step in (1, 2, 3, 4, 3, 2):
        angle = start + step * math.pi / 8
        x, z = (middle[0] + radius * math.cos(angle), middle[2] + radius * math.sin(angle))
        headset.value("(d.position.set(a[0], 1.6, a[1]), 0)", x, z)
        headset.frames()
    assert headset.value("[...h.rig.position, h.rig.scale]") == world
    assert page.q == q and page.value("s.ghosts.length >= 3")
    # one of the poses beyond is pointed at from here, at a link that the arm does not hide
    chosen = None
    for goal in map(headset.room, page.value(PHANTOMS)):
        eye = [x, 1.3, z]
        headset.put("right", eye, [b - a for a, b in zip(eye, goal, strict=True)])
        chosen = headset.value(AT_PHANTOM)
        if chosen:
            break
    assert chosen, "no phantom beside the arm"
    headset.click()
    page.wait_pose(chosen, 1e-3)
    assert page.gap <= CLOSED
    headset.value("(d.position.set(0, 1.6, 0), 0)")
    headset.frames()


def push_the_arm_over_the_post(headset: Headset, page: Studio) -> None:
    """A motion that would hit the post runs; a hand lifts the arm from below and feels it."""
    headset.press_on("Menu", "Motion")
    headset.press_on("Motion", "Simulate with forces")
    page.wait("s.simulation.settings.motion === 'straight' && s.simulation.phase === 'paused'")
    headset.wait(
        "h.panels.open.get('Motion').sheet.rows.some(({ text, tone }) => "
        "tone === 'danger' && text.includes('wrist_3 hits post at 1.8 s'))"
    )
    headset.press_on("Motion", "Push")
    headset.press_on("Motion", "Keep course")
    page.wait("s.simulation.mode === 'push' && s.simulation.state.settings.resume === 'keep'")
    slow(page, 0.05)  # so that it stays at hand
    headset.press_on("Motion", "Run")
    page.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0")
    headset.value(FEEL)
    x, y, z = headset.room(page.position("tool"))
    headset.hold_at("right", [x, y - 0.03, z])
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1 && s.simulation.hands.all[0].normal[2] < 0")
    # always so far into it: the force does not depend on how many pictures there are
    start = page.position("tool")
    for depth in [0.01, 0.02] + 100 * [0.03]:
        if math.dist(start, page.position("tool")) > 0.25:
            break
        tip = page.value("s.simulation.hands.all[0].target")
        ways = zip(headset.room(tip), headset.room(headset.value(INTO, depth)), strict=True)
        headset.shift("right", [b - a for a, b in ways], steps=1)
    assert math.dist(start, page.position("tool")) > 0.25
    headset.press("right", "trigger", 0)
    # it goes past the post without touching it, on the course that the hand has given it
    slow(page, 0.5)
    page.wait(
        "s.poses[7 * s.model.site('tool') + 5] > 0.2"
        " && ((window.least = s.simulation.frame.least), true)"
    )
    assert page.page.evaluate("window.least") > 0
    headset.click("b-button")
    page.wait("s.simulation.phase === 'paused'")
    # the more force, the stronger; impacts are felt as well
    felt = page.page.evaluate("window.felt.filter(([force]) => force > 0)")
    shares = [(force, force / (force + 40), strength) for force, strength in felt]
    assert all(strength >= share - 1e-6 for _, share, strength in shares)
    forces = [force for force, share, strength in shares if strength <= share + 1e-6]
    assert len(forces) > 3
    assert max(forces) > 2 * min(forces)


def slow(page: Studio, speed: float) -> None:
    """Let the simulation run at a share of real time."""
    page.value("s.simulation.set({ speed: a[0] })", speed)
    page.wait("s.simulation.state.settings.speed === a[0]", speed)
