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

EYE = 1536
"""Pixels of each eye's picture: three quarters of what a Quest 3 has."""
SMALL = 640
"""Of both eyes while the picture is prepared: drawing takes long without a graphics card."""
QUALITY = 82
LARGEST = 400_000
"""[bytes] Of a file."""
OPENING = 1.15
"""Vertical field of view [rad]: as much as a picture on a page can show."""
PERSON = """([name, head, hands, color, at]) => {
  const { people } = window.kinegen.studio;
  const person = { kind: 'person', name, head, hands, scale: 1, headset: true, present: false };
  people.seen({ kind: 'person_seen', client: at, color, person });
}"""
"""Somebody else in the session, without another browser."""


TILT = 0.2
"""Of a plate that is held [rad]."""
FROM_EYES = 0.7
"""Distance of a panel that was carried into the picture [m]."""
READ = [0.276, -0.301, -0.347, 0.844]
"""A left hand as one that reads a watch holds it (x, y, z, w)."""


def take(page: Page, path: Path) -> None:
    """Draw the page again with all pixels, and save what both eyes see."""
    page.set_viewport_size({"width": 2 * EYE, "height": EYE})
    # the emulator's canvas keeps the size that the window had at first
    page.evaluate(
        "(eye) => Object.assign(window.kinegen.viewer.stage.renderer.domElement,"
        " { width: 2 * eye, height: eye })", EYE,
    )  # fmt: skip
    frames = page.evaluate("window.kinegen.headset.visit.frames")
    _wait(page, "window.kinegen.headset.visit.frames >= a + 2", frames)
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
    headset.value("(h.tags.until = 0, h.tags.say = () => undefined, 0)")  # it has been read
    page.evaluate("window.kinegen.studio.setSetting('showGravity', false)")
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


def _turned(page: Page, thing: str, side: str, turn: Any) -> None:
    """A hand or controller with a rotation (x, y, z, w) of its own."""
    page.evaluate("([t, s, q]) => (window.device[t][s].quaternion.set(...q), 0)",
                  [thing, side, turn])  # fmt: skip


def _bare(headset: Any) -> None:
    """Bare hands instead of controllers."""
    headset.value("(d.primaryInputMode = 'hand', 0)")
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")


def _finger_tips(headset: Any, side: str) -> list[float]:
    """Between the tips of thumb and forefinger."""
    x, y, z = headset.value(
        "(({ joints }) => [0, 1, 2].map((i) => (joints[16 + i] + joints[36 + i]) / 2))"
        "(h.hands.actors.find((one) => one.hand.side === a[0]).hand)", side,
    )  # fmt: skip
    return [x, z, -y]


def _pinch(page: Page, headset: Any, side: str, place: Sequence[float], turn: Any) -> None:
    """A bare hand with a rotation, whose thumb and forefinger take what is at a place."""
    put = "([s, p]) => (window.device.hands[s].position.set(...p), 0)"
    _turned(page, "hands", side, turn)
    # where the tips of a closed hand are is found beside the mechanism
    beside = [place[0] + (-1.5 if side == "left" else 1.5), place[1] + 0.8, place[2] + 1.0]
    page.evaluate(put, [side, beside])
    headset.value("(d.hands[a[0]].updatePinchValue(1), 0)", side)
    headset.frames(4)
    tips = _finger_tips(headset, side)
    headset.value("(d.hands[a[0]].updatePinchValue(0), 0)", side)
    at = [a + b - c for a, b, c in zip(place, beside, tips, strict=True)]
    page.evaluate(put, [side, at])
    headset.frames(4)
    headset.value("(d.hands[a[0]].updatePinchValue(1), 0)", side)
    headset.frames(3)


def _show_panel(
    headset: Any, name: str, eyes: Sequence[float], at: Sequence[float], aside: float, up: float
) -> None:
    """Open a panel and carry it into the picture of eyes that look at a place.

    Args:
        headset: The device and the page.
        name: Of the panel.
        eyes: Where the eyes are.
        at: What they look at.
        aside: Angle of its middle to the right [rad].
        up: Angle upwards [rad].
    """
    headset.value("(h.panels.toggle(a[0]), 0)", name)
    headset.frames(8)
    headset.value(
        "(([eyes, at, aside, up], { X_RP }) => { const v = h.rig.position, z = v.clone()"
        ".set(0, 0, 1), to = ([x, y, z]) => v.clone().set(x, -z, y); const ahead = to(at)"
        ".sub(to(eyes)).normalize(), right = ahead.clone().cross(z).normalize();"
        " X_RP.lookAt(to(eyes), to(at), z).setPosition(to(eyes).addScaledVector(ahead, a[5])"
        ".addScaledVector(right, a[5] * aside).addScaledVector(right.cross(ahead), a[5] * up));"
        " return 0; })(a.slice(1, 5), h.panels.open.get(a[0]))",
        name, list(eyes), list(at), math.tan(aside), math.tan(up), FROM_EYES,
    )  # fmt: skip
    headset.frames(2)


def _place_of(headset: Any, panel: str, label: str) -> list[float]:
    """Where a button or slider of a panel is."""
    place = "((p) => [p.x, p.z, -p.y])(h.panels.open.get(a[0]).placeOf(a[1]))"
    return list(headset.value(place, panel, label))


def _point(headset: Any, side: str, place: Sequence[float], at: Sequence[float]) -> None:
    """A controller at a place, whose ray meets another one."""
    headset.put(side, place, [b - a for a, b in zip(place, at, strict=True)])


def _away(headset: Any, side: str, thing: str = "controllers") -> None:
    """A hand that is not in the picture."""
    headset.put(side, [-0.4 if side == "left" else 0.4, 0.3, 1.2], [0, -1, 0.1], thing)


def _headset(browser: Browser, address: str) -> Page:
    """A platform in both hands."""
    page, headset = _visit(browser, address, "stewart")
    _bare(headset)
    x, y, z = _site(headset, "handle")
    _pinch(page, headset, "left", [x - 0.1, y, z + 0.02], [0.0, -0.3, 0.1, 0.94])
    _pinch(page, headset, "right", [x + 0.1, y, z + 0.02], [0.0, 0.3, -0.1, 0.94])
    headset.wait("s.grabs.length === 2")
    # the plate tilts: what the hands hold keeps its distance
    places = [
        headset.room(headset.value("h.hands.actors.find((one) => one.hand.side === a[0])"
                                   ".aim.at.toArray()", side))
        for side in ("left", "right")
    ]  # fmt: skip
    middle = [(a + b) / 2 for a, b in zip(*places, strict=True)]
    c, s = math.cos(TILT), math.sin(TILT)
    for side, place in zip(("left", "right"), places, strict=True):
        dx, dy = place[0] - middle[0], place[1] - middle[1]
        way = [c * dx - s * dy - dx, s * dx + c * dy - dy, 0.0]
        headset.shift(side, way, steps=2, thing="hands")
    _look(page, headset, (x, y + 0.42, z + 0.66), (x, y - 0.13, z))
    headset.frames(4)
    return page


def _hands(browser: Browser, address: str) -> Page:
    """A bare hand that pinches an arm."""
    page, headset = _visit(browser, address, "ur5e")
    _bare(headset)
    x, y, z = _site(headset, "tool")
    _away(headset, "left", "hands")
    _pinch(page, headset, "right", [x + 0.015, y + 0.04, z + 0.025], [0.05, 0.35, 0.0, 0.93])
    headset.wait("s.grabs.length === 1")
    headset.shift("right", [0.03, 0.08, 0.04], thing="hands")
    x, y, z = _site(headset, "tool")
    _look(page, headset, (x, y + 0.16, z + 0.55), (x - 0.11, y - 0.05, z - 0.1))
    headset.frames(4)
    return page


def _together(browser: Browser, address: str) -> Page:
    """Another person beside the mechanism, who points at it."""
    page, headset = _visit(browser, address, "puma560")
    _bare(headset)
    x, y, z = _site(headset, "tool")
    _away(headset, "left", "hands")
    there, point = [x + 0.4, y + 0.26, z - 0.35], [x + 0.24, y + 0.1, z - 0.06]
    finger = [*_towards(headset, point, [x + 0.02, y + 0.02, z]), *_world(headset, point)]
    shape = {"side": "right", "shape": "hand", "gesture": "point", "holds": ""}
    head = [*_towards(headset, there, [x, y, z + 0.1]), *_world(headset, there)]
    page.evaluate(PERSON, ["Ada", head, [{**shape, "pose": finger}], "#e8590c", 77])
    _pinch(page, headset, "right", [x - 0.02, y - 0.04, z + 0.05], [0.1, 0.5, 0.0, 0.86])
    headset.wait("s.grabs.length === 1")
    headset.shift("right", [0.0, 0.05, 0.03], steps=2, thing="hands")
    _look(page, headset, (x - 0.14, y + 0.22, z + 0.95), (x - 0.04, y + 0.02, z))
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
    start, handle = headset.room([0, 0, 0]), _site(headset, "handle")
    aside = [b - a for a, b in zip(start, headset.room([0.004, 0.0012, 0]), strict=True)]
    _away(headset, "left")
    headset.hold_at("right", handle)
    headset.press("right", "trigger")
    for _ in range(20):
        headset.shift("right", aside, steps=1)
        if headset.value("s.ghosts.length >= 2"):
            break
    headset.press("right", "trigger", 0)
    headset.wait("s.ghosts.length >= 2")
    # at the knee of a phantom
    x, y, z = headset.room(headset.value(
        "(({ q }) => Array.from(s.model.forward(q).slice(7 * s.model.site('B') + 4)).slice(0, 3))"
        "(s.ghosts.find(({ branch }) => branch !== null))"
    ))  # fmt: skip
    _point(headset, "right", [x + 0.15, y - 0.04, z + 0.22], [x, y, z])
    x, y, z = headset.room([0.1, 0.2, 0])
    _look(page, headset, (x + 0.1, y + 0.11, z + 0.48), (x + 0.015, y - 0.02, z))
    headset.frames(12)
    return page


def _push(browser: Browser, address: str) -> Page:
    """A running arm, pulled past a post that it would hit."""
    page, headset = _visit(browser, address, "arm-and-wall")
    _away(headset, "left")
    headset.value("(h.panels.toggle('Motion'), 0)")
    headset.press_on("Motion", "Simulate with forces")
    speed = "s.simulation.set({ speed: a[0] })"
    # hardly moving while it is grabbed, so that the picture is the same on any computer
    headset.value(speed, 0.002)
    headset.press_on("Motion", "Run")
    headset.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0")
    headset.value("(h.panels.toggle('Motion'), 0)")
    headset.hold_at("right", _site(headset, "tool"))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    up, aside = (
        [b - a for a, b in zip(headset.room([0, 0, 0]), headset.room(way), strict=True)]
        for way in ([0.0, 0.0, 0.12], [0.0, 0.12, 0.0])
    )
    for way, until in ((up, 0.4), (up, 0.8), (aside, 1.2), (aside, 1.6)):
        headset.value(speed, 0.1)
        headset.shift("right", way)
        headset.wait("s.simulation.frame.time > a[0]", until)
        headset.value(speed, 0.002)
    eyes, middle = headset.room([1.65, -0.7, 1.4]), headset.room([0.42, -0.3, 0.9])
    _look(page, headset, eyes, middle)
    _show_panel(headset, "Motion", eyes, middle, -0.27, 0.37)
    headset.value(speed, 0.05)
    headset.frames(6)
    return page


def _panels(browser: Browser, address: str) -> Page:
    """An arm whose motors are turned by the sliders of a panel."""
    page, headset = _visit(browser, address, "ur5e")
    _away(headset, "left")
    base, tool = headset.room([0, 0, 0]), _site(headset, "tool")
    x, y, z = ((a + b) / 2 for a, b in zip(base, tool, strict=True))
    eyes, at = [x - 0.32, y + 0.2, z + 0.95], [x - 0.32, y + 0.06, z]
    _look(page, headset, eyes, at)
    _show_panel(headset, "Joints", eyes, at, -0.265, 0.02)
    name = headset.value("s.model.data.joints.find((one) => one.nv > 0).name")
    slider = _place_of(headset, "Joints", name)
    _point(headset, "right", [eyes[0] + 0.1, eyes[1] - 0.24, eyes[2] - 0.44], slider)
    headset.press("right", "trigger")
    # until it stands across
    slider[0] -= 0.0135
    _point(headset, "right", [eyes[0] + 0.1, eyes[1] - 0.24, eyes[2] - 0.44], slider)
    headset.frames(8)
    return page


def _wrist(browser: Browser, address: str) -> Page:
    """The small menu at a wrist that is turned to the eyes."""
    page, headset = _visit(browser, address, "stewart")
    _bare(headset)
    x, y, z = _site(headset, "handle")
    eyes = [x, y + 0.35, z + 0.95]
    _look(page, headset, eyes, (x, y - 0.1, z))
    _turned(page, "hands", "left", READ)
    page.evaluate("(p) => (window.device.hands.left.position.set(...p), 0)",
                  [eyes[0] + 0.07, eyes[1] - 0.36, eyes[2] - 0.5])  # fmt: skip
    headset.wait("h.panels.wrist.mesh.visible")
    headset.frames(8)
    at = headset.value("((p) => [p.x, p.z, -p.y])(h.panels.wrist.placeOf('Menu'))")
    at[0] -= 0.02  # beside its word
    _turned(page, "hands", "right", [0, 0, 0, 1])
    hand = [eyes[0] + 0.15, eyes[1] - 0.27, eyes[2] - 0.28]
    headset.put("right", hand, [b - a for a, b in zip(hand, at, strict=True)], thing="hands")
    headset.frames(10)
    return page


BOTH_EYES = {
    "headset": _headset, "hands": _hands, "together": _together, "beyond": _beyond,
    "push": _push, "panels": _panels, "wrist": _wrist,
}  # fmt: skip
"""By the name of the file, without studio- and .webp."""
