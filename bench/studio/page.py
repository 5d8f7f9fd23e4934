"""The studio's page: a tick of a Stewart drag, from the pointer to the picture, first points.

Run ``python -m bench.studio.page [--rounds N] [--moves N]``. A real Chromium without a window opens
a real studio on the Stewart platform. The handle's whole pose is dragged to 200 targets 1 cm and 3°
away and back, as in ``kinematics/drag.py``. Taken are: the WebAssembly solver's tick and the poses
of all links alone; the same with all that the page does in a tick (recording, reporting to the
studio, words about what stands in the way, panels and view being notified); then, with the mouse on
the platform, the time and the number of frames from a pointer event to the end of the picture that
shows its pose. Pictures are drawn by the processor where there is no graphics card, which takes
most of that time. Then the click on *Simulate*, up to the picture in which the mechanism has moved.
Last, clouds and zones are asked for by a click on their button: the time until the first points are
in the page and in a picture, over several mechanisms; and, with 10 million poses of a 6R arm on
show, how long a closer look waits for more points. Timing decides nothing: bars are printed as met
or missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.support.notes import note

TICK = 0.1
"""A tick and the poses take at most this [ms]."""
FIRST = 300.0
"""From the click to the first points in a picture [ms]."""
SIMULATION = 200.0
"""From the click on Simulate to a picture in which something has moved [ms]."""
SIMULATED = ("five-bar", "arm-6", "humanoid-30")
CLOUDS = ("lynx6", "puma560", "humanoid-30", "five-bar", "eight-bar", "delta", "3-rrr", "stewart")
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]
BROWSERS = (os.environ.get("KINEGEN_BROWSER", ""), "chromium", "chromium-browser", "google-chrome")
READY = "!!window.kinegen?.studio?.model && !!window.kinegen.viewer?.frames"

TARGETS = """
  const { studio, viewer } = window.kinegen, { model } = studio;
  const site = model.siteNames.lastIndexOf("handle");
  const ticks = [...Array(200).keys()].flatMap((k) => {
    const at = [0, 1, 2].map((i) => studio.poses[7 * site + 4 + i]);
    const here = [0, 1, 2, 3].map((i) => studio.poses[7 * site + i]);
    const random = [0, 1, 2].map((i) => Math.sin(12.9898 * (3 * k + i + 1)) * 43758.5453 % 1);
    const size = Math.hypot(...random), way = random.map((x) => 0.01 * x / size);
    const [s, c] = [Math.sin(Math.PI / 120), Math.cos(Math.PI / 120)];
    const [x, y, z] = [random[1], random[2], random[0]].map((a) => s * a / size);
    const [W, X, Y, Z] = here;
    const quat = [
      c * W - x * X - y * Y - z * Z, c * X + x * W + y * Z - z * Y,
      c * Y - x * Z + y * W + z * X, c * Z + x * Y - y * X + z * W,
    ];
    return [{ position: at.map((p, i) => p + way[i]), quat }, { position: at, quat: here }];
  });
"""
KERNELS = f"""(rounds) => {{
  {TARGETS}
  const grab = studio.grab({{ site, kind: "pose" }});
  const {{ holding }} = studio.moving;
  const options = {{ limits: studio.settings.keepLimits, dt: null }};
  const q = studio.q.slice(), poses = model.forward(q).slice(), times = [];
  let met = 0;
  for (let round = 0; round <= rounds; round++) {{
    const begun = performance.now();
    for (const target of ticks) {{
      grab.move(target);
      if (holding.tick(model, q, options).outcome === "reached") met++;
      model.forward(q, poses);
    }}
    if (round) times.push((performance.now() - begun) / ticks.length);
  }}
  grab.release("spring");
  return {{ times, met: met / (ticks.length * (rounds + 1)), gap: model.loopGap(q) }};
}}"""
WHOLE = f"""(rounds) => {{
  {TARGETS}
  const grab = studio.grab({{ site, kind: "pose" }}), times = [];
  let met = 0;
  for (let round = 0; round <= rounds; round++) {{
    const begun = performance.now();
    for (const target of ticks) {{
      grab.move(target);
      studio.tick();
      if (studio.status.outcome === "reached") met++;
    }}
    if (round) times.push((performance.now() - begun) / ticks.length);
  }}
  grab.release("keep");
  return {{ times, met: met / (ticks.length * (rounds + 1)), gap: model.loopGap(studio.q) }};
}}"""
WATCH = """() => {
  const { studio, viewer } = window.kinegen;
  const seen = (window.seen = { waiting: [], shown: [], frame: 0, draws: [] });
  const step = () => { seen.frame += 1; requestAnimationFrame(step); };
  step();
  addEventListener("pointermove", (event) => {
    if (studio.grabs.length) seen.waiting.push({ at: event.timeStamp, frame: seen.frame });
  }, true);
  const draw = viewer.draw, { renderer } = viewer.stage;
  viewer.draw = function (seconds) {
    const begun = performance.now();
    draw.call(viewer, seconds);
    renderer.getContext().finish();
    const now = performance.now();
    seen.draws.push(now - begun);
    // frames are counted after the view has drawn: what is shown in the next one says 0 here
    for (const { at, frame } of seen.waiting.splice(0))
      seen.shown.push([now - at, seen.frame - frame + 1]);
  };
}"""
GRIP = """() => {
  const { studio, viewer } = window.kinegen, box = viewer.canvas.getBoundingClientRect();
  const last = studio.model.siteNames.lastIndexOf("handle"), p = studio.poses;
  const [x, y] = viewer.onScreen([p[7 * last + 4], p[7 * last + 5], p[7 * last + 6]]);
  for (let r = 0; r < 120; r += 4)
    for (let k = 0; k < 12; k++) {
      const at = [box.left + x + r * Math.cos(k), box.top + y + r * Math.sin(k)];
      if (viewer.pick(...at)?.link > 0) return at;
    }
  throw new Error("the platform is not in the picture");
}"""

FIRST_FRAME = """async () => {
  const { studio, viewer } = window.kinegen, { simulation } = studio;
  const button = [...document.querySelectorAll("button")].findLast(
    (one) => one.textContent.trim() === "Simulate");
  const q = [...studio.q], begun = performance.now();
  button.click();
  while (!studio.q.some((x, i) => Math.abs(x - q[i]) > 1e-9))
    await new Promise((go) => setTimeout(go, 1));
  const { frames } = viewer;
  while (viewer.frames === frames) await new Promise(requestAnimationFrame);
  const took = performance.now() - begun;
  await simulation.end();
  return took;
}"""


def bar(what: str, value: float, limit: float, unit: str) -> None:
    """Say whether a bar is met."""
    verdict = "met" if value <= limit else "MISSED"
    note(what, value, unit)
    print(f"  bar: {what} {value:.3g} {unit}, at most {limit:g} {unit}: {verdict}")


def summary(values: Sequence[float]) -> str:
    """Median and 99 % of some times [ms]."""
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"median {statistics.median(values):.2f} ms, 99 % {p99:.2f} ms"


def measure_ticks(page: Any, rounds: int) -> None:
    """Ticks, without and with all that the page does besides."""
    page.evaluate(KERNELS, 2)  # until the browser has compiled it well
    for what, script in (("kernels", KERNELS), ("whole", WHOLE)):
        found = page.evaluate(script, rounds)
        times = found["times"]
        name = "WebAssembly tick + poses" if what == "kernels" else "tick of the page, in all"
        middle = statistics.median(times)
        print(f"{name}: best {min(times):.4f} ms, median of rounds {middle:.4f} ms "
              f"({found['met']:.0%} reached, loops closed to {found['gap']:.0e} m)")  # fmt: skip
        bar(name, min(times), TICK, "ms")


def measure_pointer(page: Any, moves: int) -> None:
    """From the pointer to the picture."""
    x, y = page.evaluate(GRIP)
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(moves):
        page.mouse.move(x + 30 * ((k % 40) / 40) + 4, y - 20 * ((k % 28) / 28))
    page.mouse.up()
    seen = page.evaluate("window.seen")
    delays = [delay for delay, _ in seen["shown"]]
    frames = [count for _, count in seen["shown"]]
    print(f"pointer to picture, {len(delays)} events: {summary(delays)}; "
          f"drawing itself {summary(seen['draws'])}")  # fmt: skip
    late = sum(count > 1 for count in frames)
    print(f"  shown in the next frame: {len(frames) - late} of {len(frames)}")
    bar("frames until it is shown", max(frames, default=99), 1, "frames")


FIRST_POINTS = """async () => {
  const { studio, viewer } = window.kinegen, { workspace } = studio;
  const button = [...document.querySelectorAll("button")].find((one) =>
    /^Show (the workspace|again)/.test(one.textContent.trim()));
  workspace.clear();
  const begun = performance.now();
  button.click();
  while (!workspace.points.count) await new Promise(requestAnimationFrame);
  const { frames } = viewer;
  while (viewer.frames === frames) await new Promise(requestAnimationFrame);
  const shown = performance.now() - begun;
  while (workspace.task.busy) await new Promise((go) => setTimeout(go, 20));
  return { shown, came: workspace.firstPoints, points: workspace.result.points };
}"""
CLOSER = """async () => {
  const { studio, viewer } = window.kinegen, { workspace } = studio;
  workspace.setCloudSettings({ how: "spread", count: 10_000_000 });
  await workspace.run();
  viewer.fit(false);
  viewer.camera.zoom(0.1);
  viewer.invalidate();
  const begun = performance.now();
  while (!workspace.detail.points.count && performance.now() - begun < 20_000)
    await new Promise((go) => setTimeout(go, 5));
  const first = performance.now() - begun;
  while (workspace.detail.busy) await new Promise((go) => setTimeout(go, 20));
  const all = performance.now() - begun;
  return { first, all, points: workspace.detail.points.count, seconds: workspace.cloud.seconds };
}"""


def measure_points(page: Any, rounds: int) -> None:
    """From a click to the first points, and from a closer look to more of them."""
    page.get_by_role("tab", name="Reach").click()
    for name in CLOUDS:
        page.evaluate("(name) => window.kinegen.studio.open('library', name)", name)
        page.wait_for_timeout(800)
        found = [page.evaluate(FIRST_POINTS) for _ in range(rounds)]
        middle = statistics.median(one["shown"] for one in found)
        came = statistics.median(one["came"] for one in found)
        print(f"first points of {name}: in the page after {came:.0f} ms, in a picture after "
              f"{middle:.0f} ms ({found[-1]['points']:,} in all)")  # fmt: skip
        bar(f"click to first points of {name}", middle, FIRST, "ms")
    page.evaluate("window.kinegen.studio.open('library', 'puma560')")
    page.wait_for_timeout(800)
    found = page.evaluate(CLOSER)
    print(f"10 million poses of the 6R arm in {found['seconds']:.1f} s; a closer look has more "
          f"points after {found['first']:.0f} ms, {found['points']:,} after "
          f"{found['all']:.0f} ms")  # fmt: skip


def measure_simulations(page: Any, rounds: int) -> None:
    """From the click on Simulate to the first picture that differs."""
    page.get_by_role("tab", name="Forces").click()
    for name in SIMULATED:
        page.evaluate("(name) => window.kinegen.studio.open('library', name)", name)
        times = []
        for _ in range(rounds):
            page.wait_for_timeout(2500)  # another process gets ready
            times.append(page.evaluate(FIRST_FRAME))
        print(f"start of a simulation of {name}: best {min(times):.0f} ms, {summary(times)}")
        bar(f"click to first moved picture of {name}", statistics.median(times), SIMULATION, "ms")


def main() -> None:
    """Start a studio and a browser and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--moves", type=int, default=300)
    options = parser.parse_args()
    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        print("left out: the page's bench needs playwright and Chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        arguments = ["studio", "--no-browser", "--port", "0", "--folder", folder]
        process = subprocess.Popen(
            [sys.executable, "-m", "kinegen", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "KINEGEN_STATE": str(state)},
        )
        assert process.stdout is not None
        try:
            link = process.stdout.readline().split()[-1]
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
                page = chromium.new_page(viewport={"width": 1280, "height": 720})
                page.goto(f"{link}&lowfx&open=stewart")
                while not page.evaluate(READY):
                    page.wait_for_timeout(50)
                page.wait_for_timeout(500)
                measure_ticks(page, options.rounds)
                measure_pointer(page, options.moves)
                measure_simulations(page, min(options.rounds, 8))
                measure_points(page, min(options.rounds, 3))
                chromium.close()
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    main()
