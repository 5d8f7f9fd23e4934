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

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent / "images"
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
                    PICTURES[name](browser, address).screenshot(path=FOLDER / f"studio-{name}.png")
                browser.close()
        finally:
            studio.terminate()
            studio.wait()


def _address(studio: subprocess.Popen[str]) -> str:
    assert studio.stdout is not None
    for line in studio.stdout:
        if found := re.search(r"https?://[\w.:]+/", line):
            return found[0]
    raise RuntimeError("the studio did not start")


def _opened(
    browser: Browser, address: str, name: str, theme: str = "light", scale: float = 1.5
) -> Page:
    scheme: Any = theme
    page = browser.new_context(
        viewport=SIZE, device_scale_factor=scale, color_scheme=scheme
    ).new_page()
    page.goto(f"{address}?open={name}")
    _wait(page, "!!window.kinegen?.studio?.model && window.kinegen.viewer?.frames > 0")
    page.wait_for_timeout(800)
    return page


def _wait(page: Page, expression: str) -> None:
    end = time.monotonic() + 30
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
    page.get_by_role("tab", name="Numbers").click()
    page.evaluate("window.kinegen.studio.companion.dismiss()")
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
    record = page.locator("button.record")
    record.click()
    _drag(page, "tool", (40, -40), (60, 50), (-80, 40), (-30, -60))
    record.click()
    page.get_by_role("button", name="Charts (B)").click()
    page.evaluate("window.kinegen.viewer.fit(false)")
    page.wait_for_timeout(900)
    return page


def _numbers(browser: Browser, address: str) -> Page:
    page = _opened(browser, address, "lynx6", scale=1.0)
    _drag(page, "tool", (-30, -25))
    page.get_by_role("tab", name="Numbers").click()
    page.wait_for_timeout(600)
    return page


PICTURES = {
    "stewart": _stewart, "text": _text, "phantoms": _phantoms, "motion": _motion,
    "numbers": _numbers,
}  # fmt: skip

if __name__ == "__main__":
    main()
