"""Takes the pictures of the studio in ``docs/images``: ``make screenshots``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from headset_pictures import BOTH_EYES, take
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "images"
SIZE = {"width": 1280, "height": 720}
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]


def main() -> None:
    """All pictures, or those that are named, from one studio."""
    wanted = sys.argv[1:] or list(PICTURES)
    browser_path = os.environ.get("KINEGEN_BROWSER") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "kinegen", "studio", "--no-browser", "--port", "0"]
        studio = subprocess.Popen(
            [*command, "--folder", folder], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "KINEGEN_STATE": folder, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        try:
            address = _address(studio)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
                FOLDER.mkdir(exist_ok=True)
                for name in wanted:
                    page = PICTURES[name](browser, address)
                    if name in BOTH_EYES:
                        take(page, FOLDER / f"studio-{name}.webp")
                    else:
                        page.screenshot(path=FOLDER / f"studio-{name}.png")
                    page.context.close()
                browser.close()
        finally:
            studio.terminate()
            studio.wait()


def _address(studio: subprocess.Popen[str]) -> str:
    assert studio.stdout is not None
    for line in studio.stdout:
        if found := re.search(r"https?://\S+", line):
            return found[0]
    raise RuntimeError("the studio did not start")


def _opened(
    browser: Browser, address: str, name: str, theme: str = "light", scale: float = 1.5
) -> Page:
    scheme: Any = theme
    page = browser.new_context(
        viewport=SIZE, device_scale_factor=scale, color_scheme=scheme
    ).new_page()
    page.add_init_script("localStorage.setItem('kinegen.hasDragged', '1')")  # no hint, no tour
    page.goto(f"{address}&open={name}")
    _wait(page, "!!window.kinegen?.studio?.model && window.kinegen.viewer?.frames > 0")
    page.wait_for_timeout(800)
    return page


def _wait(page: Page, expression: str) -> None:
    end = time.monotonic() + 90
    while not page.evaluate(expression):
        if time.monotonic() > end:
            raise RuntimeError(f"{expression} did not come true")
        page.wait_for_timeout(50)


def _place(page: Page, site: str) -> tuple[float, float]:
    x, y = page.evaluate(
        """(site) => {
          const { studio: s, viewer: v } = window.kinegen, i = s.model.siteNames.indexOf(site);
          const box = v.canvas.getBoundingClientRect();
          const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
          return [box.left + x, box.top + y];
        }""",
        site,
    )
    return x, y


def _drag(page: Page, site: str, *way: tuple[float, float], release: bool = True) -> None:
    x, y = _place(page, site)
    page.mouse.move(x, y)
    page.mouse.down()
    for dx, dy in way:
        x, y = x + dx, y + dy
        page.mouse.move(x, y, steps=12)
        page.wait_for_timeout(120)
    if release:
        page.mouse.up()
    page.wait_for_timeout(500)


def _stewart(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "stewart")
    _drag(page, "handle", (70, -20), (-10, 30))
    return page


def _text(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "five-bar")
    _drag(page, "handle", (30, -8))
    page.get_by_role("tab", name="Text").click()
    page.get_by_role("tab", name="Parameters").click()
    page.evaluate("window.kinegen.studio.singularity.dismiss()")
    page.evaluate("window.kinegen.studio.setSetting('planarView', true)")
    page.wait_for_timeout(1200)
    return page


def _phantoms(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "five-bar")
    _drag(page, "handle", (10, -3), (10, -3), (10, -2))
    _wait(page, "window.kinegen.studio.ghosts.length > 1")
    page.wait_for_timeout(900)
    return page


def _motion(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "puma560", "dark")
    # waypoints, not a recorded drag: its curves do not depend on the speed of the machine
    _menu(page, "Motions", "Set a waypoint here")
    for way in ((40, -40), (60, 50), (-80, 40), (-30, -60)):
        _drag(page, "tool", way)
        _menu(page, "Edit this motion", "Add a waypoint here")
    page.get_by_role("button", name="Charts (B)").click()
    page.evaluate("window.kinegen.viewer.fit(false)")
    page.wait_for_timeout(900)
    return page


def _menu(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name=menu).click()
    page.get_by_role("menuitem", name=item).click()


def _numbers(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "lynx6", scale=1.0)
    _drag(page, "tool", (-30, -25))
    page.get_by_role("tab", name="Parameters").click()
    page.evaluate("window.kinegen.viewer.fit(false)")
    page.wait_for_timeout(600)
    return page


def _tab(page: Page, title: str) -> None:
    page.get_by_role("tab", name=title).click()
    page.evaluate("window.kinegen.studio.singularity.dismiss()")
    page.evaluate("window.kinegen.studio.setSetting('leftOpen', false)")
    page.wait_for_timeout(500)


def _nearer(page: Page, factor: float) -> None:
    page.evaluate("(f) => window.kinegen.viewer.camera.zoom(f)", factor)
    page.evaluate("window.kinegen.viewer.invalidate()")
    page.wait_for_timeout(800)


def _still(page: Page) -> None:
    page.evaluate("window.kinegen.viewer.fit()")
    page.wait_for_timeout(1500)


def _reach(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "puma560", scale=1.1)
    _tab(page, "Reach")
    page.get_by_role("button", name="Compute workspace").click()
    idle = "!w.task.busy && !w.bodies.task.busy)(window.kinegen.studio)"
    _wait(page, f"(({{ workspace: w }}) => w.bounds !== null && {idle}")
    # its surface, cut open through the arm
    page.get_by_role("button", name="Surface and volume").click()
    page.get_by_text("Fine", exact=True).click()
    page.get_by_role("button", name="Compute the surface").click()
    _wait(page, f"(({{ workspace: w }}) => w.bodies.body !== null && {idle}")
    page.get_by_role("button", name="Section").click()
    page.get_by_text("⊥ y", exact=True).click()
    _still(page)
    _nearer(page, 0.78)
    return page


def _path(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "ur5e", "dark", scale=1.4)
    _tab(page, "Path")
    page.get_by_role("group", name="Curve").get_by_role("button", name="Spline").click()
    _wait(page, "(({ paths: p }) => !p.busy && p.plan !== null)(window.kinegen.studio)")
    for _ in range(3):
        page.get_by_role("slider", name="Along the path").press("PageUp")
    # the points of the curve make room for the joints' speeds
    page.get_by_role("heading", name="Spline").get_by_role("button").click()
    page.get_by_role("button", name="Joint speeds and timing").click()
    page.get_by_role("tabpanel").last.evaluate("one => (one.scrollTop = 100)")
    _still(page)
    return page


def _design(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "five-bar")
    _tab(page, "Design")
    page.get_by_role("button", name="Try an example").click()
    _wait(page, "window.kinegen.studio.snapshot.model.name === 'coupler-curve'")
    _wait(page, "window.kinegen.studio.designs.target?.title.startsWith('Published')")
    page.get_by_role("button", name="Search", exact=True).click()
    _wait(page, "window.kinegen.studio.designs.answer !== null")
    # the most compact of the best ones, for the target curve is small beside the others
    best = page.evaluate(
        """() => {
          const largest = ({ parameters }) => Math.max(...Object.values(parameters).map(Math.abs));
          const sizes = window.kinegen.studio.designs.found.slice(0, 6).map(largest);
          return sizes.indexOf(Math.min(...sizes));
        }"""
    )
    page.get_by_role("button", name="Apply").nth(best).click()
    _wait(page, "window.kinegen.studio.designs.taken !== null")
    page.evaluate("window.kinegen.viewer.fit(false)")
    _still(page)
    return page


def _forces(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "humanoid-30", scale=1.35)
    _tab(page, "Forces")
    page.get_by_label("Joint reactions").check()
    speed = "(speed) => window.kinegen.studio.simulation.set({ speed })"
    time = "window.kinegen.studio.simulation.frame?.time"
    # hardly moving while it is taken hold of, so that the picture is the same on any computer
    page.evaluate(speed, 0.002)
    page.get_by_role("button", name="Simulate", exact=True).click()
    _wait(page, f"{time} > 0")
    _drag(page, "right_elbow", (-120, -60), (-140, -50), release=False)
    page.evaluate(speed, 0.1)
    _wait(page, f"{time} > 0.5")
    page.evaluate(speed, 0.002)
    _still(page)
    _nearer(page, 1.28)
    page.evaluate(speed, 0.1)
    return page


_MOTOR = """motor: {torque: 60, speed: 3, gear: 50, thermal: {torque_constant: 0.05, resistance: 2,
     thermal_resistance: 3, heat_capacity: 20, derate: 80, limit: 120}}"""
HOT = f"""raff: 1
name: warm-arm
title: Warm arm
joints:
  - {{name: shoulder, parent: base, alpha: 90 deg, start: 20 deg, mass: 2, {_MOTOR},
     shape: {{capsule: [5 cm, 0.5], xyz: [0.25, 0, 0], rpy: [0, 90 deg, 0]}}}}
  - {{name: elbow, parent: shoulder, d: 0.5, start: 40 deg, mass: 2, {_MOTOR},
     shape: {{capsule: [4 cm, 0.4], xyz: [0.2, 0, 0], rpy: [0, 90 deg, 0]}}}}
  - {{name: wrist, parent: elbow, d: 0.4, start: -30 deg, mass: 1, {_MOTOR},
     shape: {{capsule: [3 cm, 0.2], xyz: [0.1, 0, 0], rpy: [0, 90 deg, 0]}}}}
sensors: [{{name: heat, type: temperature, parent: shoulder}}]
"""
"""An arm that holds itself, with motors that warm."""
_RUN_TIME = "(window.kinegen.studio.simulation.frame?.time ?? 0)"


def _run_world(page: Page, until: float) -> None:
    """Run the world that is open to a time [s]."""
    page.evaluate("window.kinegen.studio.setSetting('leftOpen', false)")
    page.get_by_role("toolbar", name="Timeline").get_by_role("button", name="Simulate").click()
    _wait(page, f"{_RUN_TIME} > {until}")


def _pause(page: Page) -> None:
    page.get_by_role("button", name="Pause", exact=True).first.click()
    _wait(page, "window.kinegen.studio.simulation.phase === 'paused'")
    page.wait_for_timeout(600)


def _world(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "exploring-cart", scale=1.25)
    _run_world(page, 5)
    _pause(page)
    _nearer(page, 0.92)
    return page


def _signals(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "exploring-cart", scale=1.25)
    _run_world(page, 2)
    name = "cart.eye.distance"
    page.get_by_role("button", name=name, exact=True).click()
    row = page.locator(f"[data-signal='{name}']")
    row.get_by_role("button", name=f"Override {name}").click()
    page.get_by_role("menuitem", name="Force to a value…").click()
    page.keyboard.type("5 cm")
    page.keyboard.press("Enter")
    _wait(page, f"{_RUN_TIME} > 4.5")
    _pause(page)
    page.get_by_label("Filter signals").scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    return page


def _camera(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "pick-and-place", scale=1.25)
    _run_world(page, 3.4)
    _pause(page)
    _nearer(page, 0.8)
    return page


def _heat(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "five-bar", scale=1.25)
    page.evaluate("(text) => window.kinegen.studio.open('text', text)", HOT)
    _wait(page, "window.kinegen.studio.snapshot.model.name === 'warm-arm'")
    page.wait_for_timeout(800)
    _run_world(page, 0.1)
    page.evaluate("window.kinegen.studio.simulation.set({ speed: 4 })")
    page.get_by_role("button", name="Nodes and colours").click()
    choice = page.get_by_label("Colour by")
    named = choice.locator("option", has_text="temperature").first.get_attribute("value")
    choice.select_option(named)
    _wait(page, f"{_RUN_TIME} > 12")
    _pause(page)
    page.locator("[data-color-scale]").scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    return page


def _hardware(browser: Browser, address: str) -> Page:
    import scservo_sdk as scs

    page = _opened(browser, address, "so101", scale=1.25)
    _tab(page, "Scene")
    row = page.locator("[data-kind=feetech]")
    row.get_by_role("button", name="Switch feetech on").click()
    port = scs.PortHandler(row.locator("code").inner_text())
    port.openPort()
    port.setBaudRate(1_000_000)
    bus = scs.PacketHandler(0)
    row.get_by_role("button", name="Packets").click()
    for servo, goal in enumerate((2600, 1850, 2350, 2500, 2048, 2300), 1):
        bus.write1ByteTxRx(port, servo, 40, 1)  # torque on
        bus.write2ByteTxRx(port, servo, 42, goal)
    page.locator("[data-kind=cia402]").evaluate("one => one.scrollIntoView({block: 'start'})")
    for _ in range(80):
        bus.read2ByteTxRx(port, 1, 56)
        page.wait_for_timeout(20)
    port.closePort()
    return page


def _wall(browser: Browser, address: str) -> Page:
    """Two screens that meet at an angle, as they stand in a room."""
    import base64

    lead = _opened(browser, address, "stewart")
    screens = [
        {"name": name, "lower_left": [a, b, 0.9], "lower_right": [c, d, 0.9],
         "upper_left": [a, b, 1.9]}
        for name, a, b, c, d in (("left", -1.545, 1.086, 0, 1.5), ("right", 0, 1.5, 1.545, 1.086))
    ]  # fmt: skip
    lead.evaluate(
        """(wall) => {
          const { studio } = window.kinegen;
          return studio.editStructure("set_wall", { wall }).then(() => studio.wall.lead(true));
        }""",
        {"screens": screens, "eye": [0, 0, 1.6]},
    )
    lead.evaluate("(window.kinegen.viewer.camera.zoom(0.62), window.kinegen.viewer.invalidate())")
    _wait(lead, "!!window.kinegen.studio.wall.state?.at")
    watch = lead.evaluate("window.kinegen.studio.welcome.watch_link")
    pictures = []
    for screen in screens:
        window = lead.context.new_page()
        window.set_viewport_size({"width": 800, "height": 500})
        window.goto(f"{address.split('?', maxsplit=1)[0]}{watch}&screen={screen['name']}")
        _wait(window, "window.kinegen?.viewer?.frames > 3 && !!window.kinegen.studio.wall.state")
        window.wait_for_timeout(5000)  # the card is gone then
        pictures.append(base64.b64encode(window.screenshot()).decode())
    page = browser.new_context(viewport={"width": 1280, "height": 460}).new_page()
    images = "".join(
        f"<img src='data:image/png;base64,{picture}' style='transform-origin:{end} center;"
        f"transform:rotateY({turn}deg)'>"
        for picture, end, turn in zip(pictures, ("right", "left"), (15, -15), strict=True)
    )
    page.set_content(
        "<style>body{margin:0;height:460px;background:#1d2127;display:flex;align-items:center;"
        "justify-content:center;perspective:1400px}img{width:580px;box-shadow:0 0 0 2px #000}"
        f"</style>{images}"
    )
    page.wait_for_timeout(300)
    return page


def _avatar(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "puma560", scale=1.25)
    page.evaluate("window.kinegen.studio.setVariable(0, 0, 0.7)")
    _tab(page, "Scene")
    page.get_by_role("button", name="Start", exact=True).click()
    _wait(page, "window.kinegen.studio.avatar.hull !== null")
    _still(page)
    page.get_by_role("heading", name="Avatar").scroll_into_view_if_needed()
    page.locator("[data-volume]").evaluate("one => one.scrollIntoView({block: 'end'})")
    _wait(page, "window.kinegen.studio.avatar.rate === 0")
    return page


def _drive(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "so101&lowfx", scale=1.25)
    _nearer(page, 1.3)
    _tab(page, "Scene")
    page.get_by_label("Port", exact=True).select_option("virtual")
    page.get_by_role("button", name="Find the servos").click()
    page.get_by_label("I have read this").check()
    page.get_by_label("A simulated robot gets").check()
    page.get_by_role("button", name="Switch the motors on").click()
    _wait(page, "window.kinegen.studio.robot.phase === 'on'")
    page.get_by_role("button", name="Follow the page").click()
    # pictures take long without a graphics card: a heartbeat may come too late
    page.evaluate("""() => setInterval(async () => {
      const { robot } = window.kinegen.studio;
      if (robot.phase === 'stopped' && !robot.busy) await robot.start(true), await robot.follow();
    }, 100)""")
    page.evaluate("window.kinegen.studio.setVariable(0, 0, 0.9)")
    page.wait_for_timeout(500)
    page.evaluate("window.kinegen.studio.robot.limit(0.5, 1)")
    _wait(page, "window.kinegen.studio.robot.frame.q[1] < 0.2")
    page.locator("[data-robot]").evaluate("one => one.scrollIntoView({block: 'start'})")
    # coarse until here, so that the heartbeat is in time
    page.evaluate("window.kinegen.viewer.stage.renderer.setPixelRatio(2)")
    page.evaluate("window.kinegen.viewer.invalidate()")
    _wait(page, "window.kinegen.studio.robot.isOn")
    return page


LESSON = Path(__file__).parents[1] / "how-to" / "live.md"


def _program(browser: Browser, address: str) -> Page:
    """The program of the how-to guide, while somebody drags the handle."""
    page = _opened(browser, address, "five-bar", scale=1.5)
    program = LESSON.read_text(encoding="utf-8").split("```python\n", 2)[1].split("```")[0]
    exec(program.replace('kg.show("five-bar")', f"kg.connect({address!r}, name='lesson.py')"), {})
    page.get_by_role("tab", name="Program").click()
    for way in ((-40, 30), (-40, -30), (40, 60), (70, 10), (-20, -60)):
        _drag(page, "handle", way)
    _drag(page, "handle", (-10, -8), release=False)
    page.wait_for_timeout(1500)
    return page


PICTURES = {
    "stewart": _stewart, "text": _text, "phantoms": _phantoms, "motion": _motion,
    "numbers": _numbers, "reach": _reach, "path": _path, "design": _design, "forces": _forces,
    "world": _world, "signals": _signals, "camera": _camera, "heat": _heat,
    "hardware": _hardware, "drive": _drive, "avatar": _avatar, "wall": _wall,
    "program": _program,
    **BOTH_EYES,
}  # fmt: skip

if __name__ == "__main__":
    main()
