"""The emulated headset: which eye is which, bare hands, trackers, a hidden page, two headsets."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import Opener
from tests.browser.headset.device import Headset, place, stand
from tests.browser.studio import CLOSED, HANG, Studio

EYES = 0.063
"""Between the emulator's eyes [m]."""
HANDS = "d.primaryInputMode = 'hand'"
TOOL = "Array.from(s.poses.subarray(7 * s.model.site('tool') + 4)).slice(0, 3)"
DEVICES = Path(__file__).parents[3] / "examples" / "devices.raff"


@pytest.fixture
def bare(headset: Headset) -> Any:
    """The headset with bare hands; the controllers come back afterwards."""
    headset.value(f"({HANDS}, 0)")
    yield headset
    headset.value("(d.hands.right.updatePinchValue(0), d.primaryInputMode = 'controller', 0)")


def bare_hands(headset: Headset) -> None:
    headset.enter()
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")


def pinch_at(headset: Headset, spot: list[float]) -> None:
    """Put the right hand so that finger and thumb are at a place."""
    headset.put("right", spot, thing="hands")
    for _ in range(2):
        at = headset.value(
            "h.hands.actors.find((one) => one.hand.side === 'right').hand.grip.elements"
            ".slice(12, 15)"
        )
        now = [at[0], at[2], -at[1]]
        by = [a - b for a, b in zip(spot, now, strict=True)]
        headset.shift("right", by, steps=1, thing="hands")


def way(start: list[float], end: list[float]) -> list[float]:
    return [b - a for a, b in zip(start, end, strict=True)]


def test_the_left_eye_is_on_the_left(headset: Headset, page: Studio) -> None:
    from PIL import Image

    stand(page, "five-bar")
    headset.enter()
    headset.put("left", [-0.5, 0.2, 1.0])  # out of sight
    headset.put("right", [0.5, 0.2, 1.0])
    picture = Image.open(io.BytesIO(page.page.screenshot())).convert("L")
    pixels = np.asarray(picture, dtype=float)
    half = pixels.shape[1] // 2
    left, right = pixels[:, :half], pixels[:, half : 2 * half]
    # what is near is seen farther right by the left eye, by the eyes' distance over its own
    spot = headset.room(place(page, page.value("s.model.data.links.at(-1)")))
    x, y, z = way([0.0, 1.6, 0.0], spot)
    focal = (
        half
        / 2
        * float(
            headset.value(
                "window.kinegen.viewer.stage.renderer.xr.getCamera().cameras[0]"
                ".projectionMatrix.elements[0]"
            )
        )
    )
    expected = focal * EYES / -z
    assert expected > 6
    u, v = half / 2 + focal * x / -z, pixels.shape[0] / 2 - focal * y / -z
    reach = 14
    rows = slice(max(0, int(v) - reach), int(v) + reach)

    def difference(shift: int) -> float:
        """Of the pictures around the spot, the right one moved by so many pixels."""
        middle = round(u + expected / 2)
        one = left[rows, middle - reach : middle + reach]
        two = right[rows, middle - reach - shift : middle + reach - shift]
        return float(np.abs(one - two).mean())

    shifts = range(-20, 21)
    best = min(shifts, key=difference)
    assert best == pytest.approx(expected, abs=2.5)
    assert difference(best) < 0.6 * difference(-best)


def test_a_pinch_beside_a_part_takes_it_there(bare: Headset, page: Studio) -> None:
    stand(page, "stewart")
    bare_hands(bare)
    pinch_at(bare, bare.room(place(page, "platform")))
    bare.frames(4)
    taken = bare.aim("right")
    assert taken is not None and taken["by"] == "hand"
    link = page.value("s.model.data.links[a[0]]", taken["link"])
    bare.value("(d.hands.right.updatePinchValue(1), 0)")
    bare.wait("s.grabs.length === 1")
    bare.frames(4)
    before = bare.room(place(page, link))
    bare.shift("right", [0.02, 0.03, 0.0], thing="hands")
    assert way(before, bare.room(place(page, link))) == pytest.approx([0.02, 0.03, 0], abs=6e-3)
    assert page.gap < CLOSED
    # controllers are taken up instead: the part stays where it was let go
    kept = page.q
    bare.value("(d.primaryInputMode = 'controller', 0)")
    bare.wait("s.grabs.length === 0")
    bare.wait("h.hands.actors.every((one) => one.hand.kind === 'controller')")
    bare.frames(4)
    assert page.q == kept


def test_a_declared_bare_hand_moves_its_frame_from_anywhere(
    bare: Headset, page: Studio
) -> None:  # fmt: skip
    page.value("s.editText(a[0])", DEVICES.read_text(encoding="utf-8"))
    page.wait("s.snapshot.model.name === 'devices'")
    page.view_still()
    bare_hands(bare)
    bare.put("right", [0.6, 1.6, 0.4], [0.0, 0.0, 1.0], thing="hands")  # away, pointing elsewhere
    bare.value("(d.hands.right.updatePinchValue(1), 0)")
    bare.wait("s.grabs.length === 1")
    bare.frames(4)
    assert page.value("s.grabs[0].spec.kind") == "point"
    start = page.value(TOOL)
    bare.shift("right", [-0.06, 0.0, 0.0], thing="hands")
    # as far as the hand: its scale is 1
    assert float(np.linalg.norm(way(start, page.value(TOOL)))) == pytest.approx(0.06, abs=4e-3)
    bare.value("(d.hands.right.updatePinchValue(0), 0)")
    bare.wait("s.grabs.length === 0")


def send_to(port: int, lines: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for line in lines:
            sender.sendto(line.encode(), ("127.0.0.1", port))


def follow(studio: Studio, port: int, start: list[float], by: float) -> None:
    """Send a tracker's way until the tool has made half of it: packets may come and go."""
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        send_to(port, [f"5 {6 - by:.4f} 7"])
        made = way(start, studio.value(TOOL))
        if made[1] == pytest.approx(-by / 2, abs=2e-3):
            return
        time.sleep(0.05)
    raise AssertionError(f"the tool went {made}, not {-by / 2}")


def test_a_tracker_moves_its_frame_by_packets_on_the_page_and_in_the_headset(
    headset: Headset, page: Studio
) -> None:  # fmt: skip
    tracked = (
        '  - {name: glider, type: tracker, port: "0", moves: tool, holds: point, scale: 0.5}\n'
    )
    page.value("s.editText(a[0])", DEVICES.read_text(encoding="utf-8") + tracked)
    page.wait("s.snapshot.devices.some(({ name }) => name === 'glider')")
    page.view_still()
    page.value("s.trackers.toggle('glider')")
    page.wait("s.trackers.on.get('glider')?.port > 0")
    assert "no packets yet" in page.value("s.trackers.wordsOf('glider')")
    port = page.value("s.trackers.on.get('glider').port")
    for is_worn in (False, True):
        if is_worn:
            headset.enter()
        send_to(port, ["5 6 7"])
        page.wait("s.grabs.length === 1")
        follow(page, port, page.value(TOOL), 0.04)
        # silent: the frame stays, as a step of undo
        page.wait("s.grabs.length === 0")
        assert "no packets any more" in page.value("s.trackers.wordsOf('glider')")
    headset.leave()
    page.value("s.trackers.toggle('glider')")
    page.wait("!s.trackers.on.has('glider')")
    assert page.value("s.trackers.wordsOf('glider')") == ""


def test_a_tracker_that_cannot_take_its_frame_says_so_once(
    headset: Headset, page: Studio
) -> None:  # fmt: skip
    text = DEVICES.read_text(encoding="utf-8") + "  - {name: gem, type: tracker, moves: elbow}\n"
    page.value("s.editText(a[0])", text)
    page.wait("s.snapshot.devices.some(({ name }) => name === 'gem')")
    page.view_still()
    headset.enter()
    # an input that no hand holds, as a browser could report a tracker; its frame is not there
    page.value("(window.said = [], window.off = s.on('notice', (one) => window.said.push(one)), 0)")
    page.value("(s.snapshot.devices.find(({ name }) => name === 'gem').moves[0] = 'nowhere', 0)")
    headset.value("(h.hands.actors[0].hand.side = 'none', 0)")
    headset.frames(30)
    said = [notice["message"] for notice in page.value("(window.off(), window.said)")]
    assert [message for message in said if "nowhere" in message] == [
        "gem moves nowhere, which is not a frame or link"
    ], said


def test_a_hidden_page_lets_go_and_keeps_the_pose(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "squeeze")
    headset.wait("s.grabs.length === 1")
    headset.shift("right", [0.01, 0.01, 0.0])
    headset.value("(d.updateVisibilityState('hidden'), 0)")
    headset.wait("s.grabs.length === 0")
    kept = page.q
    headset.value("(d.controllers.right.updateButtonValue('squeeze', 0), 0)")
    headset.value("(d.updateVisibilityState('visible'), 0)")
    headset.wait("h.hands.actors.length === 2")
    headset.frames(4)
    assert page.q == kept
    assert page.gap < CLOSED
    # and then as before
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "squeeze")
    headset.wait("s.grabs.length === 1")
    headset.press("right", "squeeze", 0)


def test_two_headsets_in_one_session_see_each_other_and_one_mechanism(
    studio: Studio, pages: Opener, profile: Callable[..., Any]
) -> None:
    studio.open("stewart")
    invited = studio.value("s.invitation()")["local_link"].partition("/?")[2]
    worn = []
    for name in ("Ada", "Ben"):
        tab = pages(profile(viewport={"width": 400, "height": 240}), studio.address)
        Headset.install(tab.page)
        tab.go("/?lowfx&" + invited)
        tab.value("s.setSetting('personName', a[0])", name)
        worn.append(Headset(tab))
        worn[-1].enter()
    one, two = worn
    for mine, other in ((one, "Ben"), (two, "Ada")):
        mine.wait(
            "[...s.people.others.values()].some(({ person }) => person.name === a[0] && "
            "person.headset && person.hands.length === 2)",
            other,
        )
    # each in turn moves the plate, and the other one's follows
    for mine, other in ((one, two), (two, one)):
        start = other.studio.q
        mine.hold_at("right", mine.room(place(mine.studio, "platform")))
        mine.press("right", "squeeze")
        mine.wait("s.grabs.length === 1")
        mine.shift("right", [0.02, 0.02, 0.0])
        holds = (
            "[...s.people.others.values()].some(({ person }) => "
            "person.hands.some(({ holds }) => holds))"
        )
        other.wait(holds)
        mine.press("right", "squeeze", 0)
        other.studio.wait_pose(mine.studio.q, 1e-4)
        assert other.studio.q != start
        other.wait(f"!{holds}")
        assert other.studio.gap < CLOSED
    # one takes it off: the other stays in
    one.leave()
    two.wait("[...s.people.others.values()].every(({ person }) => !person.headset)")
    frames = two.value("h.frames")
    two.wait("h.frames > a[0] + 3", frames)
    two.leave()
    for mine in worn:
        assert mine.studio.errors == []
