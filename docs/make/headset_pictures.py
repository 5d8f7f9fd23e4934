"""Pictures of both eyes of a headset, for ``docs/images``; ``screenshots.py`` takes them."""

from __future__ import annotations

import io
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

__all__ = ["BOTH_EYES", "take"]

EYE = 2048
"""Pixels of each eye's picture, as many as a Quest 3 has."""
SMALL = 640
"""Of both eyes while the picture is prepared: drawing takes long without a graphics card."""
QUALITY = 82
LARGEST = 500_000
"""[bytes] Of a file."""
OPENING = 1.15
"""Vertical field of view [rad]: as much as a picture on a page can show."""
PERSON = """([name, head, hands, color, at]) => {
  const { people } = window.kinegen.studio;
  const person = { kind: 'person', name, head, hands, scale: 1, headset: true, present: false };
  people.seen({ kind: 'person_seen', client: at, color, person });
}"""
"""Somebody else in the session, without another browser."""


def take(page: Page, path: Path) -> None:
    """Draw the page again with all pixels, and save what both eyes see."""
    page.set_viewport_size({"width": 2 * EYE, "height": EYE})
    # the emulator's canvas keeps the size that the window had at first
    page.evaluate(
        "(eye) => Object.assign(window.kinegen.viewer.stage.renderer.domElement,"
        " { width: 2 * eye, height: eye })", EYE,
    )  # fmt: skip
    frames = page.evaluate("window.kinegen.headset.visit.frames")
    _wait(page, "window.kinegen.headset.visit.frames >= a + 3", frames)
    picture = Image.open(io.BytesIO(page.screenshot(timeout=300_000))).convert("RGB")
    for quality in (QUALITY, 74, 64, 50):
        picture.save(path, quality=quality, method=6)
        if path.stat().st_size <= LARGEST:
            return
    raise RuntimeError(f"{path.name} has {path.stat().st_size} bytes")


def _wait(page: Page, expression: str, argument: Any = None) -> None:
    end = time.monotonic() + 120
    while not page.evaluate(f"(a) => {expression}", argument):
        if time.monotonic() > end:
            raise RuntimeError(f"{expression} did not come true")
        page.wait_for_timeout(20)


def _visit(browser: Browser, address: str, name: str, theme: Any = "light") -> tuple[Page, Any]:
    """A page with an emulated headset, seen through both eyes."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.browser.headset.device import Headset

    size: Any = {"width": SMALL, "height": SMALL // 2}
    page = browser.new_context(viewport=size, color_scheme=theme).new_page()
    Headset.install(page)
    page.add_init_script(f"window.device.fovy = {OPENING}")
    page.add_init_script("localStorage.setItem('kinegen.hasDragged', '1')")
    page.goto(f"{address}&open={name}")
    _wait(page, "!!window.kinegen?.studio?.model && window.kinegen.viewer?.frames > 0")

    def poll(expression: str, *arguments: Any) -> None:
        _wait(page, expression, list(arguments))

    headset = Headset(SimpleNamespace(page=page, poll=poll))  # type: ignore[arg-type]
    page.evaluate("window.device.quaternion.set(-0.13, 0, 0, 0.9915)")
    headset.enter()
    # a processor that draws is always late: the picture is to be the best one
    headset.value("(h.quality.pace.took = () => undefined, h.quality.pace.level = 0, 0)")
    headset.value("(h.tags.until = 0, 0)")  # the message at the start has been read
    headset.frames(3)
    return page, headset


def _look(page: Page, headset: Any, place: Sequence[float], at: Sequence[float]) -> None:
    """From a place of the room towards another one."""
    x, y, z = (b - a for a, b in zip(place, at, strict=True))
    down, aside = math.atan2(-y, math.hypot(x, z)), math.atan2(-x, -z)
    cd, sd, ca, sa = (f(one / 2) for one in (down, aside) for f in (math.cos, math.sin))
    turn = [-sd * ca, cd * sa, sd * sa, cd * ca]
    page.evaluate(
        "([p, q]) => (window.device.position.set(...p), window.device.quaternion.set(...q), 0)",
        [list(place), turn],
    )
    headset.frames(3)


def _site(headset: Any, name: str) -> list[float]:
    """Where a link or frame is in the room."""
    place = "Array.from(s.poses.slice(7 * s.model.site(a[0]) + 4)).slice(0, 3)"
    return list(headset.room(headset.value(place, name)))


def _headset(browser: Browser, address: str) -> Page:
    """A platform in both hands."""
    page, headset = _visit(browser, address, "stewart")
    x, y, z = _site(headset, "handle")
    for side, dx in (("left", -0.1), ("right", 0.1)):
        headset.hold_at(side, [x + dx, y + 0.03, z + 0.03])
        headset.press(side, "squeeze")
    # the plate tilts: hands that hold it keep their distance
    headset.shift("left", [0.002, -0.018, 0.0], steps=2)
    headset.shift("right", [-0.002, 0.018, 0.0], steps=2)
    _look(page, headset, (x + 0.02, y + 0.36, z + 0.62), (x, y - 0.14, z))
    headset.frames(4)
    return page


def _hands(browser: Browser, address: str) -> Page:
    """A bare hand that pinches an arm."""
    page, headset = _visit(browser, address, "ur5e")
    headset.value("(d.primaryInputMode = 'hand', 0)")
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")
    x, y, z = _site(headset, headset.value("s.model.data.links.at(-1)"))
    headset.put("right", [x + 0.02, y, z + 0.09], [-0.3, 0.05, -1], thing="hands")
    headset.put("left", [x - 1.2, y - 0.9, z + 0.9], thing="hands")  # out of sight
    headset.value("(d.hands.right.updatePinchValue(1), 0)")
    headset.wait("s.grabs.length === 1")
    headset.shift("right", [0.03, 0.08, 0.04], thing="hands")
    _look(page, headset, (x + 0.1, y + 0.25, z + 0.66), (x - 0.05, y - 0.06, z - 0.1))
    headset.frames(4)
    return page


def _together(browser: Browser, address: str) -> Page:
    """Another person beside the mechanism, who points at it."""
    page, headset = _visit(browser, address, "puma560")
    x, y, z = _site(headset, headset.value("s.model.data.links.at(-1)"))
    headset.put("left", [x - 0.3, y - 0.5, z + 0.6], [0, -1, 0])
    there = [x + 0.85, 1.62, z - 0.25]
    head, palm = _world(headset, there), _world(headset, [x + 0.4, y + 0.1, z - 0.06])
    face = _towards(headset, there, [x, y - 0.1, z])
    arm = _towards(headset, [x + 0.4, y + 0.1, z - 0.06], [x, y, z])
    hand = {
        "side": "right",
        "shape": "hand",
        "pose": [*arm, *palm],
        "gesture": "point",
        "holds": "",
    }
    page.evaluate(PERSON, ["Ada", [*face, *head], [hand], "#f97316", 77])
    headset.hold_at("right", [x - 0.02, y - 0.02, z + 0.04])
    headset.press("right", "trigger")
    headset.shift("right", [0.0, 0.04, 0.03], steps=2)
    _look(page, headset, (x - 0.1, 1.6, z + 1.35), (x + 0.04, y + 0.05, z))
    headset.frames(6)
    return page


def _world(headset: Any, place: Sequence[float]) -> list[float]:
    """A place of the room, in the world."""
    return list(
        headset.value(
            "h.rig.position.clone().set(a[0][0], -a[0][2], a[0][1]).multiplyScalar(h.rig.scale)"
            ".applyQuaternion(h.rig.quaternion).add(h.rig.position).toArray()", list(place),
        )
    )  # fmt: skip


def _towards(headset: Any, place: Sequence[float], at: Sequence[float]) -> list[float]:
    """A turn (w, x, y, z) in the world that looks along -z from a place of the room to another."""
    return list(
        headset.value(
            "(([from, to]) => { const z = h.rig.position.clone().fromArray(from), y = z.clone()"
            ".set(0, 0, 1); z.sub(y.clone().fromArray(to)).normalize();"
            " const x = y.clone().cross(z).normalize(); y.copy(z).cross(x);"
            " const q = h.rig.quaternion.clone().setFromRotationMatrix("
            "h.room.matrix.clone().makeBasis(x, y, z)); return [q.w, q.x, q.y, q.z]; })(a)",
            _world(headset, place), _world(headset, at),
        )
    )  # fmt: skip


def _beyond(browser: Browser, address: str) -> Page:
    """The pose beyond a singular one, at which a ray points."""
    page, headset = _visit(browser, address, "five-bar")
    base, handle = headset.room([0.1, 0, 0]), _site(headset, "handle")
    headset.hold_at("right", handle)
    headset.press("right", "trigger")
    for _ in range(20):
        headset.shift("right", [0.05 * (b - a) for a, b in zip(base, handle, strict=True)], steps=1)
        if headset.value("s.ghosts.length >= 3"):
            break
    headset.press("right", "trigger", 0)
    headset.wait("s.ghosts.length >= 3")
    # at the crank of the phantom to the right
    x, y, z = base
    headset.put("left", [x - 0.2, y + 0.02, z + 0.24], [0.2, 0.1, -1])
    eye = [x + 0.2, y + 0.02, z + 0.26]
    headset.put("right", eye, [x + 0.11 - eye[0], y + 0.12 - eye[1], z - eye[2]])
    _look(page, headset, (x + 0.02, y + 0.36, z + 0.62), (x, y + 0.06, z))
    headset.frames(12)
    return page


def _push(browser: Browser, address: str) -> Page:
    """A running arm, pulled past a post that it would hit."""
    page, headset = _visit(browser, address, "arm-and-wall")
    headset.put("left", [-0.6, 0.4, 0.4], [0, -1, 0])
    headset.value("(h.panels.toggle('Motion'), 0)")
    headset.press_on("Motion", "Simulate with forces")
    headset.value("s.simulation.set({ speed: 0.1 })")
    headset.press_on("Motion", "Run")
    headset.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.5")
    headset.value("(h.panels.toggle('Motion'), 0)")  # the subject is the arm
    headset.hold_at("right", _site(headset, "tool"))
    headset.press("right", "trigger")
    for way in ([0, 0.03, 0],) * 8 + ([-0.02, 0.0, -0.01],) * 6:
        headset.shift("right", way, steps=1)
    headset.wait("s.simulation.frame.time > 1.2")
    x, y, z = _site(headset, "tool")
    _look(page, headset, (x + 0.42, y + 0.25, z + 0.85), (x - 0.12, y - 0.2, z - 0.05))
    headset.frames(2)
    return page


def _panels(browser: Browser, address: str) -> Page:
    """An arm whose motors are turned by the sliders of a panel."""
    page, headset = _visit(browser, address, "ur5e")
    headset.put("left", [-0.6, 0.4, 0.4], [0, -1, 0])
    headset.value("(h.panels.toggle('Joints'), 0)")
    headset.frames(8)
    name = headset.value("s.model.data.joints.find((one) => one.nv > 0).name")
    at = headset.value("((p) => [p.x, p.z, -p.y])(h.panels.open.get('Joints').placeOf(a[0]))", name)
    eye = [at[0] * 0.6 - 0.06, at[1] - 0.16, at[2] + 0.42]
    headset.put("right", eye, [a - b for a, b in zip(at, eye, strict=True)])
    headset.press("right", "trigger")
    arm = _site(headset, headset.value("s.model.data.links.at(-1)"))
    middle = [(a + b) / 2 for a, b in zip(at, arm, strict=True)]
    _look(page, headset, (middle[0], 1.5, middle[2] + 1.0), (middle[0], at[1] - 0.1, middle[2]))
    headset.frames(8)
    return page


def _wrist(browser: Browser, address: str) -> Page:
    """The small menu at a wrist that is turned to the eyes."""
    page, headset = _visit(browser, address, "stewart")
    headset.value("(d.primaryInputMode = 'hand', 0)")
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")
    headset.put("right", [0.3, 1.1, -0.3], [-0.3, -0.1, -1], thing="hands")
    turn = [-0.28, 0.25, 0.62, 0.69]
    page.evaluate(
        "([p, q]) => (window.device.hands.left.position.set(...p),"
        " window.device.hands.left.quaternion.set(...q), 0)",
        [[-0.06, 1.3, -0.34], turn],
    )
    headset.frames(10)
    _look(page, headset, (0.0, 1.5, 0.0), (-0.02, 1.3, -0.36))
    headset.frames(10)
    return page


BOTH_EYES = {
    "headset": _headset, "hands": _hands, "together": _together, "beyond": _beyond,
    "push": _push, "panels": _panels, "wrist": _wrist,
}  # fmt: skip
"""By the name of the file, without studio- and .webp."""
