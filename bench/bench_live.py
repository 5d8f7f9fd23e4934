"""A program that moves what the page shows: how long each part of the way takes, and memory.

Run ``python bench/bench_live.py [--seconds S] [--minute]``. The studio runs in a process of its
own, as ``kg.show`` starts it. Measured at 60 and 1000 writes a second are: the time of
``view.q = …`` itself; the time from the write to a client of the studio in this process (the
server's hop); and, where a Chromium is there, the time from the write until the page has received
that pose, and until it has handed the picture of it to the graphics card. ``--minute`` writes at
1 kHz for a minute and compares the memory of program and studio before and after. Timing decides
nothing: bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench_page import BROWSERS, FLAGS
from bench_studio import bar
from notes import note
from websockets.asyncio.client import connect

import kinegen as kg
from kinegen.live.requests import Requests
from kinegen.live.start import page_link
from kinegen.studio.wire.codec import encode
from kinegen.studio.wire.frames import unpack_pose
from kinegen.studio.wire.messages import Hello
from kinegen.studio.wire.typescript import schema_hash

RATES = (60, 1000)
MECHANISM = "four-bar"


class Watcher:
    """A client of the session that notes when each pose arrives, by the crank's value."""

    def __init__(self, view: kg.live.View) -> None:
        self._core = view._core
        self.arrived: dict[float, float] = {}
        self._ready, self._done = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        self._ready.wait(20)

    async def _run(self) -> None:
        secret = self._core.welcome["secret"]
        hello = Hello(schema_hash(), self._core.link.session, secret)
        async with connect(self._core.link.address.socket, compression=None, max_size=None) as one:
            await one.send(encode(hello))
            self._ready.set()
            while not self._done.is_set():
                with contextlib.suppress(TimeoutError):
                    frame = await asyncio.wait_for(one.recv(), 0.2)
                    if isinstance(frame, bytes):
                        self.arrived.setdefault(float(unpack_pose(frame).q[0]), time.time())

    def close(self) -> None:
        """Leave."""
        self._done.set()
        self._thread.join()


def poses(view: kg.live.View, count: int) -> list[Any]:
    """Closed poses that all differ."""
    found, q = [], view.q
    for i in range(count):
        angle = 1.2 + 0.3 * np.sin(0.02 * i) + 1e-7 * i
        q = kg.assemble(view.model, {"crank": float(angle)}, locked=["crank"]).q
        found.append(q)
    return found


def write(view: kg.live.View, qs: list[Any], rate: float) -> tuple[dict[float, float], list[float]]:
    """When each pose was written, by the crank's value, and how long each write took [s]."""
    written, took = {}, []
    began = time.perf_counter()
    for i, q in enumerate(qs):
        written[float(q[0])] = time.time()
        start = time.perf_counter()
        view.q = q
        took.append(time.perf_counter() - start)
        left = began + (i + 1) / rate - time.perf_counter()
        if left > 0:
            time.sleep(left)
    return written, took


def spread(what: str, values: list[float], unit: str = "ms") -> None:
    """Print median, 95th and 99th percentile of times [s]."""
    factor = 1e3 if unit == "ms" else 1e6
    median, p95, p99 = (factor * float(x) for x in np.percentile(values, [50, 95, 99]))
    note(what, median, unit)
    print(f"  {what}: median {median:.2f}, p95 {p95:.2f}, p99 {p99:.2f} {unit} ({len(values)})")


def measure(view: kg.live.View, seconds: float, page: Any) -> None:
    """All rates, with a page where there is one."""
    for rate in RATES:
        print(f"{rate} writes a second")
        write(view, poses(view, 120), 60)  # what the page does for the first time takes longer
        qs = poses(view, int(seconds * rate))
        if page is not None:
            page.evaluate("window.seen = { got: new Map(), drawn: new Map(), frames: [] }")
        watcher = Watcher(view)
        written, took = write(view, qs, rate)
        time.sleep(0.5)
        watcher.close()
        spread(f"view.q = at {rate} Hz", took, "µs")
        hops = [watcher.arrived[q] - at for q, at in written.items() if q in watcher.arrived]
        spread(f"write to another client at {rate} Hz", hops)
        print(f"  {len(hops)} of {len(written)} poses were sent: the others were overtaken")
        if page is not None:
            on_screen(page, written, rate)


def on_screen(page: Any, written: dict[float, float], rate: int) -> None:
    """From the write to the page, and to the picture."""
    seen = page.evaluate("({got: [...seen.got], drawn: [...seen.drawn], frames: seen.frames})")
    got = [at / 1e3 - written[q] for q, at in seen["got"] if q in written]
    drawn = [at / 1e3 - written[q] for q, at in seen["drawn"] if q in written]
    submitted = {q: at for q, at in seen["drawn"]}
    inside = [(submitted[q] - at) / 1e3 for q, at in seen["got"] if q in submitted]
    frame = statistics.median(np.diff(seen["frames"])) / 1e3
    spread(f"write to page at {rate} Hz", got)
    spread(f"page receipt to picture at {rate} Hz", inside)
    spread(f"write to picture at {rate} Hz", drawn)
    print(f"  a picture takes {1e3 * frame:.1f} ms here (no graphics card: drawn by the processor)")
    late = float(np.percentile(drawn, 95)) - frame
    bar(f"write to picture at {rate} Hz, less one frame", 1e3 * late, 5, "ms")


HOOK = """() => {
  const { studio, viewer } = window.kinegen;
  window.seen = { got: new Map(), drawn: new Map(), frames: [] };
  const now = () => performance.timeOrigin + performance.now();
  const take = studio.link.handlers.onPose;
  studio.link.handlers.onPose = (frame) => {
    if (!seen.got.has(frame.q[0])) seen.got.set(frame.q[0], now());
    take(frame);
  };
  const renderer = viewer.stage.renderer, render = renderer.render.bind(renderer);
  renderer.render = (scene, camera) => {
    render(scene, camera);
    const q = studio.q[0];
    if (!seen.drawn.has(q)) seen.drawn.set(q, now());
  };
  const tick = () => { seen.frames.push(now()); requestAnimationFrame(tick); };
  tick();
}"""


@contextlib.contextmanager
def chromium(view: kg.live.View) -> Iterator[Any]:
    """A page of the view in a browser; None where there is none."""
    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        print("the page is left out: it needs playwright and Chromium")
        yield None
        return
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = started.new_page(viewport={"width": 640, "height": 400})
        page.add_init_script("localStorage.setItem('kinegen.tour', '4')")
        page.goto(page_link(view._core, Requests(view._core)).replace("/?", "/?lowfx&"))
        while not page.evaluate("!!window.kinegen?.viewer && !!window.kinegen.studio.model"):
            time.sleep(0.05)
        time.sleep(2.0)
        page.evaluate(HOOK)
        yield page
        started.close()


def memory(pid: int) -> float:
    """Resident memory of a process [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def minute(view: kg.live.View, seconds: float) -> None:
    """Memory of program and studio over a minute of 1 kHz writes."""
    import urllib.request

    address = view._core.link.address
    link = f"{address.place}/health?token={address.token}"

    def both() -> tuple[float, float]:
        import json

        with urllib.request.urlopen(link) as answer:
            studio = json.load(answer)
        return memory(os.getpid()), studio["memory_bytes"] / 2**20

    qs = poses(view, 1000)
    write(view, qs * 3, 1000)
    before = both()
    write(view, qs * int(seconds), 1000)
    after = both()
    for what, was, now in zip(("program", "studio"), before, after, strict=True):
        print(f"  memory of the {what}: {was:.1f} MB, after {seconds:g} s of 1 kHz {now:.1f} MB")
        bar(f"growth of the {what} in {seconds:g} s of 1 kHz", now - was, 2, "MB")


def main() -> None:
    """Start a studio and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--minute", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KINEGEN_STATE"] = str(Path(folder) / "state")
        with kg.show(MECHANISM, browser=False, folder=folder, name="bench") as view:
            with chromium(view) as page:
                measure(view, options.seconds, page)
            if options.minute:
                minute(view, 60)


if __name__ == "__main__":
    main()
