"""The headset, emulated in a real Chromium: both eyes, hands, panels and pulses."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from tests.browser.headset.device import Headset, place, stand
from tests.browser.studio import CLOSED, HANG, READY, Studio


def test_both_eyes_see_the_mechanism_from_two_places(headset: Headset, page: Studio) -> None:
    from PIL import Image, ImageChops

    stand(page, "five-bar")
    headset.enter()
    headset.put("left", [-0.5, 0.2, 1.0])  # out of sight
    headset.put("right", [0.5, 0.2, 1.0])
    picture = Image.open(io.BytesIO(page.page.screenshot())).convert("RGB")
    width, height = picture.size
    left, right = (picture.crop((x, 0, x + width // 2, height)) for x in (0, width // 2))
    for eye in (left, right):  # not one colour: floor, sky and mechanism are there
        assert len(eye.getcolors(maxcolors=width * height) or []) > 100
    assert ImageChops.difference(left, right).getbbox() is not None
    eyes = headset.value(
        "window.kinegen.viewer.stage.renderer.xr.getCamera().cameras"
        ".map((one) => one.matrix.elements.slice(12, 15))"
    )
    assert abs(eyes[1][0] - eyes[0][0]) == pytest.approx(0.063, abs=1e-3)
    # true size: the mechanism stands in front of the user, nearer than two metres
    assert headset.value("h.rig.scale") == 1
    x, y, z = headset.room(place(page, page.value("s.model.data.links.at(-1)")))
    assert -2 < z < 0
    assert abs(x) < 1
    assert 0.3 < y < 1.6


def test_a_hand_takes_a_part_and_loops_stay_closed(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    at = headset.room(place(page, "platform"))
    headset.hold_at("right", at)
    taken = headset.aim("right")
    assert taken["by"] == "hand"
    link = page.value("s.model.data.links[a[0]]", taken["link"])
    before = place(page, link)
    headset.press("right", "squeeze")
    assert page.value("s.grabs.map((one) => one.spec.kind)") == ["pose"]
    headset.shift("right", [0.05, 0.03, 0.0])
    after = place(page, link)
    moved = [b - a for a, b in zip(headset.room(before), headset.room(after), strict=True)]
    assert moved == pytest.approx([0.05, 0.03, 0.0], abs=5e-3)  # 6 DoF: it can nearly all
    assert page.gap < CLOSED

    # the session is ended by the system: nothing is lost
    q = page.q
    headset.leave()
    assert page.value("s.grabs.length") == 0
    assert page.q == q
    page.wait("s.snapshot.undo?.startsWith('Drag')")
    page.value("v.invalidate()")
    assert not page.value("v.immersed")


def test_two_hands_take_a_platform_by_rays(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    middle = headset.room(place(page, "platform"))
    for side, x in (("left", -0.1), ("right", 0.1)):
        eye = [x, 1.5, 0.0]
        headset.put(side, eye, [a - b for a, b in zip(middle, eye, strict=True)])
    headset.press("left", "trigger")
    headset.press("right", "trigger")
    assert page.value("s.grabs.map((one) => one.spec.kind)") == ["point", "point"]
    start = page.q
    headset.shift("left", [0.0, 0.02, 0.0])
    headset.shift("right", [0.0, 0.02, 0.0])
    assert page.q != start
    assert page.gap < CLOSED
    headset.press("left", "trigger", 0)
    headset.press("right", "trigger", 0)
    assert page.value("s.grabs.length") == 0


KNOB = """(([x, y, z]) => {
  const { gizmo, root } = v;
  const body = gizmo.bodies.find((one) => gizmo.wordsFor(one) === a[0]);
  return root.worldToLocal(root.position.clone().set(x, y, z).applyMatrix4(body.matrixWorld))
    .toArray();
})(a[1])"""
"""A place of an arrow or ring, given in its own frame, in the world."""
ARROW, RING = [0, 0.95, 0], [0.5, 0.52, 0]  # away from the others


def test_a_part_is_moved_along_one_axis_and_turned_about_one(
    headset: Headset, page: Studio
) -> None:
    stand(page, "stewart")
    page.value("s.setSetting('dragMode', 'pose')")
    page.value("s.select({ kind: 'link', index: s.model.data.links.indexOf('platform'),"
               " point: [0, 0, 0] })")  # fmt: skip
    headset.enter()
    headset.wait("window.kinegen.viewer.gizmo.bodies.length === 6")
    headset.frames()
    at = "h.hands.actors.find(({ hand }) => hand.side === 'right').aim"
    for label, within, by in (
        ("move along z", ARROW, "ray"),
        ("move along z", ARROW, "hand"),
        ("turn about z", RING, "hand"),
    ):
        knob = headset.room(page.value(KNOB, label, within))
        if by == "hand":
            headset.hold_at("right", knob)
        else:
            eye = [0.25, 1.6, 0.1]
            headset.put("right", eye, [b - a for a, b in zip(eye, knob, strict=True)])
        headset.wait(f"{at}?.label === a[0] && {at}.by === a[1]", label, by)
        before, turned = (page.value("s.q.slice(0, 7)"), place(page, "platform"))
        headset.press("right", "trigger")
        headset.shift("right", [0.04, 0.03, 0.0])
        headset.press("right", "trigger", 0)
        way = [b - a for a, b in zip(turned, place(page, "platform"), strict=True)]
        assert page.value("s.q.slice(0, 7)") != before
        # the level platform moves up or turns where it is, and nothing else
        assert way[:2] == pytest.approx([0, 0], abs=1e-6)
        assert (abs(way[2]) > 0.01) == (within is ARROW)
        assert page.gap < CLOSED
    page.value("s.select(null)")
    page.value("s.setSetting('dragMode', 'point')")


def test_a_limit_is_felt_the_more_the_farther_one_pulls(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "squeeze")
    headset.value("(window.pulses.length = 0, 0)")
    headset.shift("right", [0.0, 0.9, 0.0], steps=6)  # far above what the legs can
    headset.wait("s.status?.limits.length > 0")
    page.wait("window.pulses.length > 0")
    page.wait(  # legs at their limits are highlighted
        "v.links.views.some((one) => one.solid.material === v.materials.solid.stopped)"
    )
    headset.value("(window.pulses.length = 0, 0)")
    headset.frames(6)
    pulses = page.value("window.pulses")
    assert {one["side"] for one in pulses} == {"right"}
    assert max(one["strength"] for one in pulses) > 0.9
    assert page.gap < CLOSED
    headset.press("right", "squeeze", 0)


def test_panels_are_pressed_by_rays(headset: Headset, page: Studio) -> None:
    stand(page, "five-bar")
    headset.enter()

    def point(panel: str, label: str, dx: float = 0.0) -> None:
        target = headset.value(
            "((p) => (p ? [p.x, p.z, -p.y] : null))(h.panels.open.get(a[0]).placeOf(a[1]))",
            panel, label,
        )  # fmt: skip
        eye = [target[0] * 0.4, 1.3, 0.0]
        headset.put("right", eye, [target[0] + dx - eye[0], target[1] - eye[1], target[2] - eye[2]])

    headset.press("right", "a-button")
    headset.press("right", "a-button", 0)
    assert headset.value("[...h.panels.open.keys()]") == ["Menu"]
    point("Menu", "Joints")
    headset.press("right", "trigger")
    headset.press("right", "trigger", 0)
    assert headset.value("[...h.panels.open.keys()]") == ["Menu", "Joints"]

    start = page.q
    name = page.value("s.model.data.joints.find((one) => one.variables.some((v) => v.motor)).name")
    point("Joints", name)
    headset.press("right", "trigger")
    headset.shift("right", [0.02, 0.0, 0.0])
    assert page.q != start
    assert page.gap < CLOSED
    headset.press("right", "trigger", 0)
    page.wait("s.snapshot.undo === a[0]", f"move {name}")

    # carried by the grip button, pinned to the mechanism, closed
    before = headset.value("h.panels.open.get('Joints').X_RP.elements.slice(12, 15)")
    headset.press("right", "squeeze")
    headset.shift("right", [0.1, 0.0, 0.0])
    headset.press("right", "squeeze", 0)
    after = headset.value("h.panels.open.get('Joints').X_RP.elements.slice(12, 15)")
    assert after[0] - before[0] == pytest.approx(0.1, abs=1e-3)
    point("Joints", "pin")
    headset.press("right", "trigger")
    headset.press("right", "trigger", 0)
    assert headset.value("h.panels.open.get('Joints').X_WP !== null")
    point("Joints", "close")
    headset.press("right", "trigger")
    headset.press("right", "trigger", 0)
    assert headset.value("[...h.panels.open.keys()]") == ["Menu"]


def test_the_world_moves_only_by_hands_and_sticks(headset: Headset, page: Studio) -> None:
    stand(page, "five-bar")
    headset.enter()
    rig = "[...h.rig.position.toArray(), ...h.rig.quaternion.toArray(), h.rig.scale]"
    first = headset.value(rig)
    headset.put("left", [-0.3, 0.4, 0.2], [0, -1, 0.2])
    headset.put("right", [0.3, 0.4, 0.2], [0, -1, 0.2])
    headset.frames()
    assert headset.value(rig) == first
    # both hands hold the air and move apart: twice as large
    headset.press("left", "squeeze")
    headset.press("right", "squeeze")
    headset.shift("left", [-0.3, 0.0, 0.0])
    headset.shift("right", [0.3, 0.0, 0.0])
    assert headset.value("h.rig.scale") == pytest.approx(0.5, rel=0.02)
    headset.press("left", "squeeze", 0)
    headset.press("right", "squeeze", 0)
    # a stick turns by a step, once
    turned = headset.value("h.rig.quaternion.toArray()")
    headset.value("(d.controllers.right.updateAxes('thumbstick', 1, 0), 0)")
    headset.frames()
    headset.value("(d.controllers.right.updateAxes('thumbstick', 0, 0), 0)")
    headset.frames()
    angle = headset.value(
        "h.rig.quaternion.angleTo(h.rig.quaternion.clone().fromArray(a[0]))", turned
    )
    assert angle == pytest.approx(3.14159265 / 6, abs=1e-6)
    assert page.value("s.grabs.length") == 0


def test_a_bare_hand_pinches_a_part(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.value("(d.primaryInputMode = 'hand', 0)")
    try:
        headset.enter()
        headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")
        middle = headset.room(place(page, "platform"))
        eye = [0.1, 1.5, 0.0]
        turn = [a - b for a, b in zip(middle, eye, strict=True)]
        headset.put("right", eye, turn, thing="hands")
        start = page.q
        headset.value("(d.hands.right.updatePinchValue(1), 0)")
        headset.wait("s.grabs.length === 1")
        headset.shift("right", [0.0, 0.03, 0.0], thing="hands")
        assert page.q != start
        assert page.gap < CLOSED
        headset.value("(d.hands.right.updatePinchValue(0), 0)")
        headset.wait("s.grabs.length === 0")
    finally:
        headset.value("(d.primaryInputMode = 'controller', 0)")


def test_a_hand_pulls_what_is_simulated_and_feels_it(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter("Enter AR")
    assert headset.value("h.around.isReal")  # the room is seen: no sky, no floor
    page.value("s.simulation.set({ hold: true })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.phase === 'running'")
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    headset.value("(window.pulses.length = 0, 0)")
    headset.shift("right", [0.0, 0.1, 0.0])
    headset.wait("s.simulation.force > 10 && window.pulses.length > 0")
    # B stops whatever moves; the hand is empty then
    headset.press("right", "b-button")
    headset.press("right", "b-button", 0)
    page.wait("s.simulation.phase !== 'running'")
    assert page.value("s.simulation.hands.all.length") == 0
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_a_motion_is_led_aside_by_hand_and_resumes(headset: Headset, page: Studio) -> None:
    stand(page, "arm-and-wall")
    headset.enter()
    headset.value("(h.panels.toggle('Motion'), 0)")
    headset.press_on("Motion", "Simulate with forces")
    page.wait("s.simulation.settings.motion === 'straight' && s.simulation.phase === 'paused'")
    page.value("s.simulation.set({ speed: 0.05 })")  # so that it stays at hand
    headset.press_on("Motion", "Run")
    page.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0")
    headset.hold_at("right", headset.room(place(page, "wrist_3")))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    headset.value("(window.pulses.length = 0, 0)")
    headset.shift("right", [0.0, 0.15, 0.0])
    page.wait("s.simulation.frame.is_led && s.simulation.force > 1")
    page.wait("window.pulses.length > 0")
    headset.press("right", "trigger", 0)
    page.value("s.simulation.set({ speed: 2 })")
    page.wait("s.simulation.phase === 'paused' && s.simulation.state.reason.includes('its end')")
    page.wait_pose(page.value("s.snapshot.motions[0].values.at(-1)"), 1e-3)  # back on its path
    headset.press_on("Motion", "End")
    page.wait("s.simulation.settings.motion === null")
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_a_world_is_run_and_stopped_and_nothing_is_lost(headset: Headset, page: Studio) -> None:
    headset.enter()
    headset.open_from_library("exploring-cart")
    headset.value("(h.panels.toggle('Forces'), 0)")
    headset.press_on("Forces", "Simulate")
    page.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.1")
    names = ["Signals", "Robot", "View", "Help", "Reach", "Path", "Parameters", "Joints", "Motion"]
    for name in names:
        headset.value("(h.panels.toggle(a[0]), 0)", name)
        headset.wait("h.panels.open.get(a[0]).sheet.rows.length > 0", name)
        headset.value("(a[0] === 'Signals' || h.panels.toggle(a[0]), 0)", name)
    headset.value("(h.panels.open.get('Signals').sheet.rows[2].items[0].run(), 0)")
    page.wait("s.simulation.signals.overridden.length === 1")
    headset.press_on("Signals", "Release all")
    page.wait("s.simulation.signals.overridden.length === 0")
    headset.press("left", "y-button")
    headset.press("left", "y-button", 0)
    page.wait("s.simulation.phase === 'paused'")
    # one who sits is lifted, and nothing else moves
    rig = headset.value("h.rig.position.toArray()")
    headset.value("(d.position.set(0, 1.1, 0), 0)")
    headset.wait("h.head.place.z < 1.2")
    headset.value("(h.sit(), 0)")
    headset.wait("Math.abs(h.head.place.z - 1.6) < 1e-6")
    headset.value("(h.sit(), d.position.set(0, 1.6, 0), 0)")
    assert headset.value("h.rig.position.toArray()") == rig
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_what_is_held_stays_where_a_hand_is_lost(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    lose, find = "(d.controllers.right.connected = a[0], 0)", "h.hands.actors.length === 2"
    hide = "(d.updateVisibilityState(a[0]), 0)"
    for away, back in (
        ((lose, False), (lose, True)),
        ((hide, "visible-blurred"), (hide, "visible")),
    ):
        headset.hold_at("right", headset.room(place(page, "platform")))
        headset.press("right", "squeeze")
        headset.wait("s.grabs.length === 1")
        headset.shift("right", [0.01, 0.01, 0.0])
        headset.value(*away)
        headset.wait("s.grabs.length === 0")
        kept = page.q
        headset.value("(d.controllers.right.updateButtonValue('squeeze', 0), 0)")
        headset.value(*back)
        headset.wait(find)
        headset.frames(4)
        assert page.q == kept
        assert page.gap < CLOSED
    # a second session is refused with a message, and the first one stays
    page.value("window.kinegen.headset.enter('immersive-vr')")
    headset.wait("h.tags.text.includes('already shows this page')")
    assert headset.value("h.frames > 0")


def test_an_exported_page_has_it_too(page: Studio, tmp_path: Path) -> None:
    file = tmp_path / "five-bar.html"
    kg.export(kg.load("five-bar"), file)
    tab = page.page.context.new_page()
    Headset.install(tab)
    exported = Studio(tab, "")
    tab.goto(file.as_uri())
    exported.poll(READY)
    headset = Headset(exported)
    headset.enter()
    link = exported.value("s.model.data.links.at(-1)")
    headset.hold_at("right", headset.room(place(exported, link)))
    start = exported.q
    headset.press("right", "squeeze")
    headset.shift("right", [0.0, 0.02, 0.02])
    assert exported.q != start
    assert exported.gap < CLOSED
    headset.press("left", "x-button")
    assert "Library" not in headset.value(
        "h.panels.open.get('Menu').sheet.rows.flatMap((row) => (row.items ?? [])"
        ".map(({ label }) => label))"
    )  # which needs a studio
    headset.press("right", "squeeze", 0)
    headset.leave()
    assert exported.errors == []
    tab.close()


def test_the_dialog_shows_how_a_headset_comes_in(browser: Any, tmp_path: Path) -> None:
    from tests.browser.server import RunningServer

    context = browser.new_context(viewport={"width": 900, "height": 900}, ignore_https_errors=True)
    context.set_default_timeout(1000 * HANG)
    with RunningServer(tmp_path, tmp_path / "state", "--host", "0.0.0.0", "four-bar") as server:
        own = Studio(context.new_page(), server.address)
        own.go("/?lowfx")
        own.menu("View", "Headset…")
        link = own.page.get_by_label("Link with token", exact=True).input_value()
        assert link.startswith(server.address.partition("?")[0])
        fingerprint = own.page.get_by_label("Fingerprint", exact=True).input_value()
        assert len(fingerprint.split(":")) == 32
        port = server.address.rpartition(":")[2].partition("/")[0]
        forwarding = own.page.get_by_label("Forwarding command", exact=True)
        assert forwarding.input_value() == f"adb reverse tcp:{port} tcp:{port}"
        code = own.page.get_by_alt_text("QR code")
        assert code.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")
        # another device that opens the link is in the same session and may change it
        other = browser.new_context(ignore_https_errors=True)
        other.set_default_timeout(1000 * HANG)
        device = Studio(other.new_page(), "")
        device.go(link)
        assert device.value("s.welcome.session") == own.value("s.welcome.session")
        assert not device.value("s.readOnly") and "token" not in device.page.url
        # who only watches is refused
        watch = own.value("s.welcome.watch_link")
        guests = browser.new_context(ignore_https_errors=True)
        guests.set_default_timeout(1000 * HANG)
        guest = Studio(guests.new_page(), "")
        guest.go(server.address.partition("?")[0] + watch)
        assert guest.value("s.invitation().then(() => 'given', () => 'refused')") == "refused"
        for one in (context, other, guests):
            one.close()


def test_a_declared_controller_moves_its_frame_from_anywhere(
    headset: Headset, page: Studio
) -> None:
    path = Path(__file__).parents[3] / "examples" / "devices.raff"
    page.value("s.editText(a[0])", path.read_text(encoding="utf-8"))
    page.wait("s.snapshot.model.name === 'devices'")
    page.view_still()
    headset.enter()
    headset.put("right", [0.6, 1.6, 0.4], [0.0, 0.0, 1.0])  # away from the arm, pointing elsewhere
    headset.press("right", "trigger")
    assert page.value("s.grabs.map((one) => one.spec.kind)") == ["point"]
    tool = "Array.from(s.poses.subarray(7 * s.model.site('tool') + 4)).slice(0, 3)"
    start = page.value(tool)
    headset.shift("right", [-0.1, 0.0, 0.0])
    way = [b - a for a, b in zip(start, page.value(tool), strict=True)]
    assert sum(x * x for x in way) ** 0.5 == pytest.approx(0.05, abs=2e-3)  # half of the way
    headset.press("right", "trigger", 0)
    assert page.value("s.grabs.length") == 0
