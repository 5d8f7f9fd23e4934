"""Gamepad and SpaceMouse, played by objects in the page that behave as the browser's do."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path

import pytest

from kinegen.devices import DeviceClient
from tests.browser.conftest import Opener
from tests.browser.studio import CLOSED, Studio

GAMEPAD = """
(() => {
  const rumbles = [];
  const pad = {
    id: "Test pad", index: 0, connected: true, mapping: "standard", timestamp: 0,
    axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })),
    vibrationActuator: {
      async playEffect(type, parameters) {
        rumbles.push({ type, ...parameters });
        return "complete";
      },
    },
  };
  const pads = [null];
  navigator.getGamepads = () => pads;
  window.testPad = {
    pad, rumbles,
    plug() {
      pads[0] = pad;
      const event = new Event("gamepadconnected");
      event.gamepad = pad;
      window.dispatchEvent(event);
    },
  };
})();
"""

SPACEMOUSE = """
(() => {
  class Cap extends EventTarget {
    vendorId = 0x256f; productId = 0xc635; productName = "SpaceMouse Test"; collections = [];
    opened = false;
    async open() { this.opened = true; }
    async close() { this.opened = false; }
    report(reportId, numbers) {
      const data = new DataView(new ArrayBuffer(2 * numbers.length));
      numbers.forEach((value, i) => data.setInt16(2 * i, value, true));
      const event = new Event("inputreport");
      Object.assign(event, { device: this, reportId, data });
      this.dispatchEvent(event);
    }
  }
  const cap = new Cap();
  class Hid extends EventTarget {
    allowed = [];
    async getDevices() { return this.allowed; }
    async requestDevice({ filters }) {
      if (!navigator.userActivation.isActive) throw new DOMException("no click", "SecurityError");
      if (!filters.some((filter) => filter.vendorId === cap.vendorId)) return [];
      this.allowed = [cap];
      return [cap];
    }
  }
  Object.defineProperty(navigator, "hid", { value: new Hid(), configurable: true });
  window.testCap = cap;
})();
"""


@pytest.fixture
def equipped(pages: Opener) -> Studio:
    """The studio in a browser with both devices."""
    studio = pages()
    for script in (GAMEPAD, SPACEMOUSE):
        studio.page.add_init_script(script)
    studio.open("puma560")
    studio.tab("Scene")
    return studio


def select_tool(studio: Studio) -> None:
    """Select the frame 'tool'."""
    studio.value(
        "s.select({kind: 'frame', index: s.model.data.frames.findIndex((f) => f.name === 'tool')})"
    )


def test_a_gamepad_moves_what_is_selected(equipped: Studio) -> None:
    page = equipped.page
    page.get_by_text("plug it in and press a button").wait_for()
    page.evaluate("testPad.plug()")
    page.get_by_text("plug it in and press a button").wait_for(state="detached")
    select_tool(equipped)
    before = equipped.position("tool")
    page.evaluate("testPad.pad.buttons[6] = {pressed: true, value: 1}")
    equipped.wait("s.poses[7 * s.model.siteNames.lastIndexOf('tool') + 6] < a[0]", before[2] - 0.02)
    assert equipped.value("s.grabs.length") == 1
    page.evaluate("testPad.pad.buttons[6] = {pressed: false, value: 0}")
    equipped.wait("s.grabs.length === 0 && s.snapshot.undo !== null")
    after = equipped.position("tool")
    assert math.hypot(after[0] - before[0], after[1] - before[1]) < 0.3 * (before[2] - after[2])
    # one step of undo
    equipped.keys("Control+z")
    equipped.wait("s.snapshot.undo === null")
    assert equipped.position("tool") == pytest.approx(before, abs=1e-6)


def test_a_gamepad_rumbles_at_a_limit(equipped: Studio) -> None:
    page = equipped.page
    page.evaluate("testPad.plug()")
    limit = math.radians(160)
    equipped.value("s.setVariable(0, 0, a[0])", limit - 0.3)
    equipped.value("s.select({kind: 'joint', index: 0})")
    assert page.evaluate("testPad.rumbles.length") == 0
    page.evaluate("testPad.pad.axes = [1, 0, 0, 0]")
    equipped.poll("testPad.rumbles.length > 0")
    equipped.wait("s.q[0] > a[0] - 1e-9", limit)
    assert equipped.q[0] == pytest.approx(limit)
    rumble = page.evaluate("testPad.rumbles.at(-1)")
    assert rumble["type"] == "dual-rumble"
    assert rumble["strongMagnitude"] > 0.5 and rumble["duration"] > 0
    # away from it the hand is left in peace
    page.evaluate("testPad.pad.axes = [-1, 0, 0, 0]")
    equipped.wait("s.q[0] < a[0] - 0.1", limit)
    count = page.evaluate("testPad.rumbles.length")
    equipped.wait("s.q[0] < a[0] - 0.2", limit)
    assert page.evaluate("testPad.rumbles.length") == count


def test_a_spacemouse_is_connected_by_a_click_and_moves_a_frame(equipped: Studio) -> None:
    page = equipped.page
    select_tool(equipped)
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Connect").wait_for(state="detached")
    assert page.evaluate("testCap.opened")
    before = equipped.position("tool")
    # the cap's z points down: pulled up, the frame rises
    page.evaluate("testCap.report(1, [0, 0, -350, 0, 0, 0])")
    equipped.wait("s.poses[7 * s.model.siteNames.lastIndexOf('tool') + 6] > a[0]", before[2] + 0.02)
    page.evaluate("testCap.report(1, [0, 0, 0, 0, 0, 0])")
    equipped.wait("s.grabs.length === 0 && s.snapshot.undo !== null")
    risen = equipped.position("tool")
    # older caps report moving and turning separately
    quat = "[...s.poses.slice(7 * s.model.siteNames.lastIndexOf('tool')).slice(0, 4)]"
    turn = equipped.value(quat)
    page.evaluate("testCap.report(2, [0, 0, 350])")
    equipped.wait(f"{quat}.some((x, i) => Math.abs(x - a[0][i]) > 0.05)", turn)
    page.evaluate("testCap.report(2, [0, 0, 0])")
    equipped.wait("s.grabs.length === 0")
    assert math.dist(equipped.position("tool"), risen) < 0.01, "turning turns about the frame"


def test_keys_move_the_selected_part_of_a_closed_chain(equipped: Studio) -> None:
    equipped.load("stewart")
    site = equipped.value("s.model.siteNames.at(-1)")
    equipped.value("s.select({kind: 'frame', index: s.model.data.frames.length - 1})")
    before = equipped.position(site)
    equipped.page.locator("canvas").first.focus()
    equipped.page.keyboard.down("PageUp")
    equipped.wait("s.poses.at(-1) > a[0]", before[2] + 0.005)
    equipped.page.keyboard.up("PageUp")
    equipped.wait("s.grabs.length === 0")
    assert equipped.gap <= CLOSED


def test_a_force_device_runs_beside_the_studio_and_its_tip_is_shown(studio: Studio) -> None:
    path = Path(__file__).parents[2] / "examples" / "devices.raff"
    text = path.read_text(encoding="utf-8").replace("type: haply,", "type: udp,")
    page = studio
    page.open("five-bar")
    page.value("s.editText(a[0])", text)
    page.wait("s.snapshot.model.name === 'devices'")
    page.value("s.simulation.set({ hold: true, gravity: 'none' })")
    page.page.get_by_role("tab", name="Scene").first.click()
    page.page.get_by_label("Switch pen on", exact=True).click()
    page.wait("s.simulation.devices.on.length === 1 && s.simulation.isRunning")
    device = DeviceClient(f"127.0.0.1:{page.value('s.simulation.devices.on[0].port')}")
    done, began = threading.Event(), time.monotonic()

    def swing() -> None:
        """A hand that goes to and fro, as a driver reports it."""
        while not done.wait(0.002):
            phase = 2 * (time.monotonic() - began)
            speed = [0.06 * math.cos(phase), 0.04 * math.cos(phase), 0]
            device.send([0.03 * math.sin(phase), 0.02 * math.sin(phase), 0], velocity=speed)
            device.receive()

    driver = threading.Thread(target=swing)
    driver.start()
    try:
        page.wait("Math.hypot(...(s.simulation.frame?.tips[0]?.force ?? [0])) > 0.5")
        page.page.get_by_text("in the hand", exact=True).wait_for()
        # paused, the hand is free
        page.value("s.simulation.pause()")
        page.page.get_by_text("waits until the simulation runs", exact=True).wait_for()
    finally:
        done.set()
        driver.join()
        device.close()
    page.page.get_by_label("Switch pen off", exact=True).click()
    page.wait("s.simulation.devices.on.length === 0")
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")
