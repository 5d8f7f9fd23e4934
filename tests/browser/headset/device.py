"""An emulated headset in the studio's page: Meta's iwer in place of the browser's own WebXR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.browser.studio import Studio

IWER = Path(__file__).parents[3] / "web/node_modules/iwer/build/iwer.min.js"
DEVICE = """
window.device = new IWER.XRDevice(IWER.metaQuest3, { stereoEnabled: true });
window.device.installRuntime({ forceInstall: true });
window.device.position.set(0, 1.6, 0);
window.pulses = [];
for (const side of ['left', 'right']) {
  const { gamepad } = window.device.controllers[side].inputSource;
  for (const actuator of gamepad.hapticActuators ?? [])
    actuator.pulse = async (strength, ms) => (window.pulses.push({ side, strength, ms }), true);
}
const ask = XRView.prototype.requestViewportScale;
XRView.prototype.requestViewportScale = function (scale) {
  window.askedScale = scale;
  ask.call(this, scale);
};
const [own] = Object.getOwnPropertySymbols(window.device.hands.right)
  .filter((one) => window.device.hands.right[one].poses);
const { poses } = window.device.hands.right[own];
const joints = Object.keys(poses.default.jointTransforms);
const place = (i) => {
  if (i === 0) return [0, 0];
  const finger = i < 5 ? 0 : Math.floor(i / 5), first = finger ? 5 * finger : 1;
  return [0.04 - 0.02 * finger, 0.02 + 0.03 * (i - first)];
};
poses.flat = {
  jointTransforms: Object.fromEntries(joints.map((name, i) => {
    const [x, y] = place(i);
    const offsetMatrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 0, 1];
    return [name, { offsetMatrix, radius: 0.008 }];
  })),
};
"""
ROOM = """(w) => {
  const { rig } = window.kinegen.headset.visit;
  const p = rig.position.clone().set(...w).sub(rig.position);
  p.applyQuaternion(rig.quaternion.clone().invert()).divideScalar(rig.scale);
  return [p.x, p.z, -p.y];
}"""
"""A place of the world in the space that the device counts in (y up)."""
TOWARDS = """([x, y, z]) => {
  const d = window.kinegen.headset.visit.rig.position.clone().set(x, y, z).normalize();
  const q = window.kinegen.headset.visit.rig.quaternion.clone();
  return q.setFromUnitVectors(d.clone().set(0, 0, -1), d).toArray();
}"""
"""A turn after which a hand points along a direction."""

Place = Sequence[float]


def stand(studio: Studio, name: str) -> None:
    """Show a mechanism in its start pose."""
    if studio.value("s.snapshot.model.name") == name:
        studio.value("s.setPose(s.model.start(), 'set')")
    else:
        studio.load(name)


def place(studio: Studio, link: str) -> list[float]:
    """Where a link's frame is in the world."""
    return list(
        studio.value(
            "Array.from(s.poses.subarray(7 * s.model.data.links.indexOf(a[0]) + 4)).slice(0, 3)",
            link,
        )
    )


class Headset:
    """The device and what the page makes of it."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.page = studio.page

    @staticmethod
    def install(page: Any) -> None:
        """Give a page the device, before it is loaded."""
        page.add_init_script(IWER.read_text(encoding="utf-8") + DEVICE)

    def enter(self, button: str = "Enter VR") -> None:
        """Put it on; the emulator leaves its canvas over the page, so the mouse is of no use."""
        self.page.get_by_label(button, exact=True).first.dispatch_event("click")
        self.wait("h && h.frames > 3 && h.hands.actors.length === 2")

    def leave(self) -> None:
        """Take it off."""
        self.page.evaluate("window.kinegen.headset.leave()")
        self.studio.poll("window.kinegen.headset.visit === null")

    def value(self, expression: str, *arguments: Any) -> Any:
        """A value of the page; `h` is the visit, `d` the device, `s` the studio, `a` arguments."""
        return self.page.evaluate(
            "(a) => { const h = window.kinegen.headset.visit, d = window.device, "
            f"s = window.kinegen.studio; return {expression}; }}",
            list(arguments),
        )

    def wait(self, expression: str, *arguments: Any) -> None:
        """Wait until an expression of `h`, `d`, `s` and `a` is true."""
        self.studio.poll(
            "((h, d, s) => " + expression + ")(window.kinegen.headset.visit, window.device, "
            "window.kinegen.studio)", *arguments,
        )  # fmt: skip

    def frames(self, count: int = 2) -> None:
        """Let some frames pass: what was set reaches the page with the next one."""
        self.wait("h.frames >= a[0]", self.value("h.frames") + count)

    def room(self, place: Place) -> list[float]:
        """A place of the world as the device counts."""
        return list(self.page.evaluate(ROOM, list(place)))

    def put(
        self, side: str, place: Place, along: Place = (0, 0, -1), thing: str = "controllers"
    ) -> None:
        """Put a hand's ray somewhere, pointing along a direction."""
        turn = self.page.evaluate(TOWARDS, list(along))
        self.value(
            "((one) => (one.position.set(...a[2]), one.quaternion.set(...a[3]), 0))(d[a[0]][a[1]])",
            thing, side, list(place), turn,
        )  # fmt: skip
        self.frames()

    def hold_at(self, side: str, place: Place) -> None:
        """Put a controller so that what it holds would be at a place: that is not its ray's."""
        self.put(side, place)
        grip = self.value(
            "h.hands.actors.find((one) => one.hand.side === a[0]).hand.grip.elements.slice(12, 15)",
            side,
        )
        lacks = [place[0] - grip[0], place[1] - grip[2], place[2] + grip[1]]
        self.put(side, [a + b for a, b in zip(place, lacks, strict=True)])

    def shift(self, side: str, by: Place, steps: int = 4, thing: str = "controllers") -> None:
        """Move a hand, in some steps."""
        for _ in range(steps):
            self.value(
                "(([x, y, z], p) => (p.set(p.x + x, p.y + y, p.z + z), 0))"
                "(a[2], d[a[0]][a[1]].position)",
                thing, side, [one / steps for one in by],
            )  # fmt: skip
            self.frames()

    def press(self, side: str, button: str, value: float = 1.0) -> None:
        """Press or let go of a button: trigger, squeeze, a-button, …"""
        self.value("(d.controllers[a[0]].updateButtonValue(a[1], a[2]), 0)", side, button, value)
        self.frames()

    def let_go(self) -> None:
        """Nothing is pressed, no stick is pushed."""
        for side in ("left", "right"):
            for button in ("trigger", "squeeze", "a-button" if side == "right" else "x-button"):
                self.value("(d.controllers[a[0]].updateButtonValue(a[1], 0), 0)", side, button)
            self.value("(d.controllers[a[0]].updateAxes('thumbstick', 0, 0), 0)", side)

    def aim(self, side: str) -> Any:
        """What a hand is at."""
        return self.value(
            "(({aim}) => aim && ({kind: aim.kind, link: aim.link, by: aim.by}))"
            "(h.hands.actors.find((one) => one.hand.side === a[0]))",
            side,
        )

    def point_at(self, place: Place) -> None:
        """Point at a place of the room with the right hand's ray."""
        eye = [place[0] * 0.4, 1.3, 0.0]
        self.put("right", eye, [a - b for a, b in zip(place, eye, strict=True)])

    def click(self, *buttons: str) -> None:
        """Press buttons of the right hand, or its trigger, for a moment."""
        for button in buttons or ["trigger"]:
            self.press("right", button)
            self.press("right", button, 0)

    def press_on(self, panel: str, label: str) -> None:
        """Press a button of a panel with the right hand's ray, as soon as it can be pressed."""
        self.wait(
            "!!h.panels.open.get(a[0])?.placeOf(a[1]) && !h.panels.open.get(a[0]).sheet.rows.some("
            "(row) => row.items?.some(({ label, isOff }) => label === a[1] && isOff))",
            panel, label,
        )  # fmt: skip
        self.point_at(
            self.value(
                "((p) => [p.x, p.z - h.raised, -p.y])(h.panels.open.get(a[0]).placeOf(a[1]))",
                panel, label,
            )
        )  # fmt: skip
        self.click()

    def open_from_library(self, name: str) -> None:
        """Open a mechanism or world of the library in its panel, which is closed again."""
        self.value("(h.panels.toggle('Library'), 0)")
        family, title = self.value(
            "(({family, title}) => [family, title])(s.welcome.library.find((one) => "
            "one.name === a[0]))",
            name,
        )
        back = "‹ Library"  # where the panel was left before
        self.wait("h.panels.open.get('Library').sheet.rows.length > 0")
        if self.value("!!h.panels.open.get('Library').placeOf(a[0])", back):
            self.press_on("Library", back)
        self.press_on("Library", family)
        self.wait("!!h.panels.open.get('Library').placeOf(a[0])", back)
        while not self.value("!!h.panels.open.get('Library').placeOf(a[0])", title):
            self.value("(h.panels.open.get('Library').page += 1, 0)")
            self.frames(8)
        self.press_on("Library", title)
        self.studio.poll(
            "(({ studio, viewer }) => studio.snapshot.model.name === a[0] && viewer.isCurrent)"
            "(window.kinegen)",
            name,
        )
        self.value("(h.panels.toggle('Library'), 0)")
