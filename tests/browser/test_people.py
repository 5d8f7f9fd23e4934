"""People in one session: a page and an emulated headset see each other, by name and colour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinegen.mechanism.load import library_file
from tests.browser.conftest import Opener
from tests.browser.headset.device import IWER, Headset
from tests.browser.studio import Studio
from tests.browser.test_share import link
from tests.browser.test_world import VALUE

pytestmark = pytest.mark.skipif(not IWER.is_file(), reason="'npm ci' in web/ installs the emulator")

FIGURE = """(() => {
  const group = window.kinegen.viewer.root.children.find(({ name }) => name.startsWith('person'));
  return group && group.children[0].visible && group.children[1].visible && group.children.length;
})()"""
"""How many figures the other person has in sight: head, name, hands; false for a hidden one."""


BAR = """raff: 1
name: bar
gravity: [0, 0, -9.81]
joints:
  - {name: A, parent: base, xyz: [0.6, 0, 0.5], mass: 1, shape: {box: [0.1, 0.1, 0.2]}}
objects:
  - {name: bar, shape: {box: [0.05, 1.0, 0.05]}, mass: 2, color: gold, at: {xyz: [0, 0, 0.5]}}
"""
PULL = """window.held = s.simulation.hands.pull('bar',
  { site: 0, kind: 'point', point: [0, a[0], 0], position: [0, a[0], a[1]] })"""
FELT = "s.simulation.ownHands[0]?.force[2]"
REST = """(({ kinetic, hands }) => kinetic < 1e-6
  && Math.abs(hands.reduce((sum, { force }) => sum + force[2], 0) - 2 * 9.81) < 0.02)(
  s.simulation.frame)"""
"""The bar moves no more: where it turns around, the forces are not its weight."""
LEVEL = """(([w, x, y, z]) => Math.abs(Math.asin(2 * (w * x + y * z))))(
  s.simulation.frame.objects)"""
"""Between the bar's direction and the horizontal [rad]."""


def test_two_people_lift_one_bar_and_each_feels_half_of_it(
    studio: Studio, pages: Opener, profile: Callable[..., Any], folder: Path
) -> None:
    (folder / "bar.raff").write_text(BAR)
    studio.open("bar.raff")
    studio.value("s.simulation.set({ objects: true })")
    invited = studio.value("s.invitation()")["local_link"]
    other = pages(profile(viewport={"width": 1280, "height": 760}), studio.address)
    other.go("/?lowfx&" + invited.partition("/?")[2])
    assert not other.value("s.readOnly")
    other.value("s.setSetting('personName', 'Ada')")
    studio.wait("[...s.people.others.values()][0]?.person.name === 'Ada'")
    studio.tab("Forces")
    other.tab("Forces")
    studio.value("s.simulation.play()")
    other.wait("s.simulation.isRunning && s.simulation.frame !== null")
    # both lift their end; each page calls its first hand 1
    studio.value(PULL, -0.5, 0.9)
    other.value(PULL, 0.5, 0.9)
    for page, shares in ((studio, "Ada"), (other, "Guest")):
        page.wait("s.simulation.frame.hands.length === 2")
        # each carries its half, at rest; the panel adds them up to the weight
        page.wait(f"s.simulation.frame.objects[6] > 0.85 && {REST} && {LEVEL} < 1e-3")
        page.wait(f"Math.abs({FELT} - 9.81) < 0.02 && {REST}")
        table = page.page.get_by_label("Forces of all hands")
        assert "You" in table.inner_text() and shares in table.inner_text()
        assert table.locator("[data-together]").inner_text() == "19.6 N"
    # the other person's spring is drawn, in that person's colour and with the name
    studio.wait("v.labels.visible().some(({ text }) => /^Ada 9\\.8\\d*.N$/.test(text))")
    # one side higher: the bar follows it, and so does the other page
    studio.value("held.move({ position: [0, -0.5, 1.1] })")
    other.wait(f"{LEVEL} > 0.15")
    # who leaves lets go of that end only
    other.page.close()
    studio.wait("s.simulation.frame.hands.length === 1 && s.simulation.isRunning")
    studio.wait("s.simulation.frame.hands[0].client === s.welcome.client")


def test_a_page_and_a_headset_carry_one_bar_together(
    studio: Studio, pages: Opener, profile: Callable[..., Any], folder: Path
) -> None:
    (folder / "bar.raff").write_text(BAR)
    studio.open("bar.raff")
    studio.value("s.simulation.set({ objects: true })")
    invited = studio.value("s.invitation()")["local_link"]
    other = pages(profile(viewport={"width": 400, "height": 240}), studio.address)
    Headset.install(other.page)
    other.go("/?lowfx&" + invited.partition("/?")[2])
    headset = Headset(other)
    headset.enter()
    studio.value("s.simulation.play()")
    other.wait("s.simulation.isRunning && s.simulation.frame !== null")
    # the page holds both ends; the headset takes one of them out of its hand
    studio.value(PULL, 0.4, 0.9)
    studio.value("(window.second = held, 0)")
    studio.value(PULL, -0.5, 0.9)
    other.wait(f"s.simulation.frame.objects[6] > 0.85 && {REST}")
    headset.hold_at("right", headset.room([0, 0.48, 0.9]))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    studio.wait("s.simulation.frame.hands.length === 3")
    studio.value("second.release()")
    # each carries a share, by where it holds, and feels that alone
    other.wait(f"s.simulation.frame.hands.length === 2 && {REST}")
    guest = other.value(FELT)
    assert 0.4 * 9.81 < guest < 1.6 * 9.81
    studio.wait(f"Math.abs({FELT} + a[0] - 2 * 9.81) < 0.04", guest)
    headset.value("(window.pulses.length = 0, 0)")
    other.wait("window.pulses.length > 2")
    pulses = other.page.evaluate("window.pulses")
    assert {one["side"] for one in pulses} == {"right"}
    assert pulses[-1]["strength"] == pytest.approx(guest / (guest + 40), abs=0.02)
    # the headset lifts its end; the page holds the other where it was
    headset.shift("right", [0.0, 0.1 / headset.value("h.rig.scale"), 0.0])
    studio.wait(f"{LEVEL} > 0.06")
    headset.press("right", "trigger", 0)
    studio.wait("s.simulation.frame.hands.length === 1")
    studio.value("s.simulation.end()")
    headset.leave()


def test_a_page_and_a_headset_see_each_other(
    studio: Studio, pages: Opener, profile: Callable[..., Any]
) -> None:
    shared = link(studio, "View-only link")
    guest = pages(profile(viewport={"width": 400, "height": 240}), studio.address)
    Headset.install(guest.page)
    guest.go(shared)
    headset = Headset(guest)
    headset.enter()
    guest.value("s.setSetting('personName', 'Ada')")
    one = "[...s.people.others.values()][0]"
    studio.wait(f"{one}?.person.headset && {one}.person.hands.length === 2")
    studio.wait(f"{one}.person.name === 'Ada'")
    assert studio.value(f"{one}.person.hands.map(({{shape}}) => shape)") == ["controller"] * 2
    # from afar: a head at one's own eyes is not drawn
    studio.value("((c) => c.goTo({ ...c.eye, distance: 4 }, false))(window.kinegen.viewer.camera)")
    studio.value("window.kinegen.viewer.invalidate()")
    studio.poll(f"{FIGURE} === 4")
    # the head is where the device is: 20 cm higher is 20 cm higher in the world
    before = studio.value(f"{one}.person.head")
    scale = studio.value(f"{one}.person.scale")
    guest.value("window.device.position.set(0, 1.8, 0)")
    moved = f"Math.hypot(...{one}.person.head.slice(4).map((x, i) => x - a[0][i]))"
    studio.wait(f"Math.abs({moved} - a[1]) < 1e-5", before[4:], 0.2 * scale)
    # a bare hand, whose joints give a palm
    guest.value("window.device.primaryInputMode = 'hand'")
    studio.wait(f"{one}.person.hands.some(({{shape}}) => shape === 'hand')")
    studio.poll(f"{FIGURE} === 4")
    # the page's camera is the head that the headset sees; it turns with the camera
    guest.wait(f"{one}?.person.headset === false")
    seen = guest.value(f"{one}.person.head")
    studio.value("window.kinegen.viewer.setView('left', false)")
    guest.wait(f"{moved} > 0.01", seen[4:])
    guest.poll(f"{FIGURE} >= 2")
    # the list names everyone here; a guest disappears on leaving
    studio.page.get_by_title("1 more in this session").click()
    studio.page.get_by_role("dialog", name="People").get_by_text("Ada").wait_for()
    assert guest.value("s.readOnly") and guest.value(f"{one}.color") != studio.value(f"{one}.color")
    headset.leave()
    guest.page.close()
    studio.wait("s.people.others.size === 0")
    studio.poll(f"!{FIGURE}")


def test_a_raised_hand_in_a_headset_stops_a_careful_robot(
    pages: Opener, profile: Callable[..., Any], folder: Path
) -> None:
    # without the visitor of the file, who raises a hand of their own
    library = library_file("careful-robot").read_text(encoding="utf-8")
    before, _, rest = library.partition("people:\n")
    (folder / "careful.raff").write_text(before + rest[rest.index("sensors:") :], encoding="utf-8")
    one = pages(profile(viewport={"width": 480, "height": 300}))
    Headset.install(one.page)
    one.open("careful.raff")
    one.page.get_by_role("button", name="Simulate").first.click()
    one.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0")
    assert one.value(VALUE, "guard.count") == 0
    headset = Headset(one)
    headset.enter()
    one.value("window.device.position.set(0, 1.6, 1.2)")
    # alone in the session, and yet the world knows where they are
    one.wait(f"{VALUE} === 1", "guard.count")
    one.wait(f"{VALUE} < 5", "guard.distance")
    one.wait(f"{VALUE} > 0.05", "careful.speed")
    one.wait("s.people.bodies.length === 1 && s.people.bodies[0].client === s.welcome.client")
    headset.press("right", "b-button")
    one.wait(f"{VALUE} === 2", "guard.gesture")
    # the world runs on, and the robot stands still
    one.wait(f"{VALUE} === 0", "careful.speed")
    one.wait(f"Math.abs({VALUE}) < 1e-3", "arm.shoulder_pan.velocity")
    assert one.value("s.simulation.phase") == "running"
    time = one.value("s.simulation.frame.time")
    place = one.value("Array.from(s.q)")
    one.wait("s.simulation.frame.time > a[0] + 0.2", time)
    assert one.value("Math.max(...s.q.map((x, i) => Math.abs(x - a[0][i])))", place) < 1e-2
    headset.press("right", "b-button", 0)
    one.wait(f"{VALUE} === 0 && s.simulation.isRunning", "guard.gesture")
    one.wait(f"{VALUE} > 0.05", "careful.speed")
    headset.leave()
    # without the headset there is no body, until one stands in the world
    one.wait(f"{VALUE} === 0", "guard.count")
    one.value("s.people.stand(true)")
    one.value("s.people.show('stop')")
    one.wait(f"{VALUE} === 2", "guard.gesture")
    one.poll("window.kinegen.viewer.root.children.some(({ name }) => name === 'person yourself')")
    one.value("s.people.stand(false)")
    one.wait(f"{VALUE} === 0", "guard.count")
    one.wait("s.people.bodies.length === 0")
