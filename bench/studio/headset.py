"""A frame in a headset: what the page does in it besides drawing, for three mechanisms.

Run ``python -m bench.studio.headset [--frames N]``. A real Chromium with an emulated headset opens
a real studio; drawing is switched off, so that the frame is what the headset's processor has
besides: reading hands, finding what they are at, solving, moving links, panels and pulses. Taken
are the mean, the median and the 95th percentile

- of an empty frame: no hands in reach, nothing moves;
- of hands that point at the mechanism, and look for what to take;
- of both hands that hold parts and move on small circles;
- of the same with the panels Menu and Motion open, while a motion is recorded: what is painted is
  uploaded to the graphics card, as drawing would do. Their numbers change four times a second.

The loop gap is checked after it. The bar is that of the holding hands' mean, besides the empty
frame beside it. Timing decides nothing: bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from bench.studio.page import BROWSERS, FLAGS
from bench.studio.studio import bar
from bench.support.ladders import chain
from bench.support.notes import note
from tests.browser.headset.device import Headset
from tests.browser.server import RunningServer
from tests.browser.studio import Studio

MOST = 2.0
"""A frame takes at most this besides drawing [ms]."""
MECHANISMS = ("stewart", "humanoid-30", "chain-20")
START = """
  const visit = window.kinegen.headset.visit, { renderer, scene } = window.kinegen.viewer.stage;
  const step = visit.frame.bind(visit);
  window.took = [];
  window.circle = null;
  renderer.render = () => {
    scene.updateMatrixWorld();
    for (const { mesh } of visit.panels.all()) {
      const { map } = mesh.material;
      if (map) renderer.initTexture(map);
    }
  };
  visit.frame = (now, frame) => {
    if (window.circle)
      for (const side of ['left', 'right']) {
        const { x, y, z } = window.circle[side], angle = visit.frames / 20;
        const { position } = window.device.controllers[side];
        position.set(x + 0.02 * Math.cos(angle) - 0.02, y + 0.02 * Math.sin(angle), z);
      }
    const begun = performance.now();
    step(now, frame);
    window.took.push(performance.now() - begun);
  };
"""


def take(headset: Headset, what: str, frames: int) -> float:
    """Print the times of some frames; their mean [ms]."""
    headset.value("(window.took.length = 0, 0)")
    headset.studio.poll("window.took.length >= a[0]", frames)
    took: list[float] = sorted(headset.value("window.took")[:frames])
    mean, middle, high = sum(took) / frames, took[frames // 2], took[int(0.95 * frames)]
    print(f"  {what}: mean {mean:.2f}, median {middle:.2f}, p95 {high:.2f} ms")
    note(f"{headset.value('s.model.data.name')}, {what}", mean, "ms")
    return mean


def aim(headset: Headset) -> None:
    """Both hands point at links far out: those that move most."""
    places = headset.value(
        "(() => { const n = s.model.linkCount; return [n - 1, Math.ceil(n / 2)]"
        ".map((i) => Array.from(s.poses.subarray(7 * i + 4, 7 * i + 7))); })()"
    )
    for side, place, x in zip(("left", "right"), places, (-0.15, 0.15), strict=True):
        to = headset.room(place)
        eye = [x, 1.4, 0.0]
        headset.put(side, eye, [a - b for a, b in zip(to, eye, strict=True)])


def measure(studio: Studio, headset: Headset, name: str, frames: int) -> None:
    """One mechanism."""
    if name.startswith("chain"):
        studio.value("s.open('text', a[0])", chain(20).to_raff())
        studio.wait("s.snapshot.model.name === a[0]", name)
        studio.view_still()
    else:
        studio.load(name)
    headset.enter()
    headset.page.evaluate(f"() => {{ {START} }}")
    print(f"{name}: {studio.value('s.model.linkCount')} links")
    for side, x in (("left", -0.4), ("right", 0.4)):
        headset.put(side, [x, 0.3, 1.0], [0, -1, 0.1])
    empty = take(headset, "empty", frames)
    aim(headset)
    take(headset, "pointing", frames)
    for side in ("left", "right"):
        headset.press(side, "trigger")
    held = studio.value("s.grabs.length")
    headset.value(
        "(window.circle = Object.fromEntries(['left', 'right'].map((side) => [side, "
        "(({x, y, z}) => ({x, y, z}))(d.controllers[side].position)])), 0)"
    )
    holding = take(headset, f"{held} hands hold", frames)
    print(f"  loop gap {studio.gap:.1e} m")
    headset.value("(h.panels.toggle('Menu'), h.panels.toggle('Motion'), s.startRecording(), 0)")
    headset.wait("[...h.panels.open.values()].every(({ paints }) => paints > 1)")
    count = "[...h.panels.open.values()].reduce((sum, { paints }) => sum + paints, 0)"
    before = headset.value(count)
    take(headset, "the same with two panels open", frames)
    print(f"  {headset.value(count) - before} uploads of panels in these frames")
    headset.value("(s.stopRecording(), 0)")
    bar(f"{name}: besides drawing and the empty frame", holding - empty, MOST, "ms")
    headset.let_go()
    headset.leave()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=600)
    frames = parser.parse_args().frames
    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    folder = Path(tempfile.mkdtemp())
    with RunningServer(folder, folder / "state") as server, sync_playwright() as playwright:
        chromium: Any = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = chromium.new_page(viewport={"width": 400, "height": 240})
        Headset.install(page)
        studio = Studio(page, server.address)
        for name in MECHANISMS:
            # drawing was switched off: each mechanism has a page of its own
            studio.open("five-bar")
            measure(studio, Headset(studio), name, frames)
        chromium.close()


if __name__ == "__main__":
    main()
