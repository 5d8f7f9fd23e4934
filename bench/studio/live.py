"""A program that moves what the page shows: how long each part of the way takes, and memory.

Run ``python -m bench.studio.live [--seconds S] [--minute]``. The studio runs in a process of its
own, as ``kg.show`` starts it. At 60 and 1000 writes a second the bench prints:

- what does not depend on the machine's speed: how many messages the program sent for how many
  writes, how many of them the page received, and how many pictures showed them;
- the time of ``view.q = …`` itself, from the write to the page, and from the write until the page
  has handed the picture of that pose to the graphics card;
- beside it, measured in turns with it second by second: the same way without a studio
  (``bare_link.py``), the machine's load, and how late a thread that only sleeps wakes up. The ratio
  and the difference of the two ways are the studio's share.

``--minute`` writes at 1 kHz for a minute and compares the memory of program and studio, and the
delays of the first and the last ten seconds: nothing may queue up. Timing decides nothing: bars
are printed as met or missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kinegen as kg
from bench.studio.page import BROWSERS, FLAGS
from bench.studio.studio import bar
from bench.support.bare_link import bare_link, lateness
from bench.support.notes import note
from kinegen.live.requests import Requests
from kinegen.live.start import page_link

RATES = (60, 1000)
MECHANISM = "four-bar"


def poses(view: kg.live.View, count: int) -> list[Any]:
    """Closed poses that all differ."""
    found, q = [], view.q
    for i in range(count):
        angle = 1.2 + 0.3 * np.sin(0.02 * i) + 1e-7 * i
        q = kg.assemble(view.model, {"crank": float(angle)}, locked=["crank"]).q
        found.append(q)
    return found


Sender = Callable[[Any], None]


def write(send: Sender, qs: list[Any], rate: float) -> tuple[dict[float, float], list[float]]:
    """When each pose was written, by its first value, and how long each write took [s]."""
    written, took = {}, []
    began = time.perf_counter()
    for i, q in enumerate(qs):
        written[float(q[0])] = time.time()
        start = time.perf_counter()
        send(q)
        took.append(time.perf_counter() - start)
        left = began + (i + 1) / rate - time.perf_counter()
        if left > 0:
            time.sleep(left)
    return written, took


def into(view: kg.live.View) -> Sender:
    """What writes a pose to a view."""

    def send(q: Any) -> None:
        view.q = q

    return send


def spread(what: str, values: list[float], unit: str = "ms") -> None:
    """Print median, 95th and 99th percentile of times [s]."""
    factor = 1e3 if unit == "ms" else 1e6
    median, p95, p99 = (factor * float(x) for x in np.percentile(values, [50, 95, 99]))
    note(what, median, unit)
    print(f"  {what}: median {median:.2f}, p95 {p95:.2f}, p99 {p99:.2f} {unit} ({len(values)})")


def measure(view: kg.live.View, seconds: int, page: Any) -> None:
    """All rates, each in turns with the bare way."""
    sent = Counter(view)
    with bare_link(page) as bare:
        for rate in RATES:
            print(f"{rate} writes a second")
            write(into(view), poses(view, 120), 60)  # the page's first pictures take longer
            page.evaluate("window.seen = { got: new Map(), drawn: new Map(), frames: [] }")
            page.evaluate("bare.got.clear(), bare.drawn.clear()")
            qs = poses(view, seconds * rate)
            written, took, control = {}, [], {}
            sent.count = 0
            with lateness() as late:
                for second in range(seconds):
                    part = qs[second * rate : (second + 1) * rate]
                    times, each = write(into(view), part, rate)
                    written.update(times)
                    took += each
                    time.sleep(0.1)
                    # not more often than a view sends: the page is to do the same
                    few = part[:: max(1, rate // 250)]
                    control.update(write(lambda q: bare.send(q[0]), few, min(rate, 250))[0])
                    time.sleep(0.1)
            seen = page.evaluate(
                "({got: [...seen.got], drawn: [...seen.drawn], frames: seen.frames})"
            )
            base = page.evaluate("({got: [...bare.got], drawn: [...bare.drawn]})")
            print(
                f"  messages: {len(written)} writes, {sent.count} sent by the program, "
                f"{len(seen['got'])} received by the page, {len(seen['drawn'])} in pictures"
            )
            spread(f"view.q = at {rate} Hz", took, "µs")
            compare(seen, written, base, control, rate)
            print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
            spread("  a thread that only sleeps wakes up late by", late)


class Counter:
    """Counts what a view sends."""

    def __init__(self, view: kg.live.View) -> None:
        self.count = 0
        socket: Any = view._core.link._socket
        send = socket.send

        def counted(frame: Any) -> None:
            self.count += 1
            send(frame)

        socket.send = counted


def delays(seen: Any, written: dict[float, float]) -> list[float]:
    """From the writes to what was seen [s], in the order of the writes."""
    times = {q: at / 1e3 for q, at in seen}
    return [times[q] - at for q, at in written.items() if q in times]


def compare(seen: Any, written: Any, base: Any, control: Any, rate: int) -> None:
    """Both ways beside each other, to the page and to the picture."""
    frame = statistics.median(np.diff(seen["frames"])) / 1e3
    for where, end in (("got", "page"), ("drawn", "picture")):
        own, bare = delays(seen[where], written), delays(base[where], control)
        spread(f"write to {end} at {rate} Hz", own)
        spread(f"  bare, write to {end} at {rate} Hz", bare)
        (median, p95), (least, least95) = (np.percentile(one, [50, 95]) for one in (own, bare))
        print(
            f"    to the bare way: {median / least:.2f} × at the median, {p95 / least95:.2f} × at "
            f"p95; {1e3 * (median - least):+.2f} and {1e3 * (p95 - least95):+.2f} ms"
        )
    print(f"  a picture takes {1e3 * frame:.1f} ms here (no graphics card: drawn by the processor)")
    own, bare = (delays(*one) for one in ((seen["drawn"], written), (base["drawn"], control)))
    late = 1e3 * (float(np.percentile(own, 95)) - frame)
    share = 1e3 * float(np.percentile(own, 95) - np.percentile(bare, 95))
    bar(f"write to picture at {rate} Hz, p95, less one frame", late, 5, "ms")
    bar(f"the studio's share of it at {rate} Hz, p95", share, 5, "ms")


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
        # the page's rules allow no socket but the studio's: the bare way needs one more
        page = started.new_page(viewport={"width": 640, "height": 400}, bypass_csp=True)
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


def minute(view: kg.live.View, page: Any, seconds: int) -> None:
    """Memory of program and studio, and delays, over a minute of 1 kHz writes."""
    address = view._core.link.address
    link = f"{address.place}/health?token={address.token}"

    def both() -> tuple[float, float]:
        with urllib.request.urlopen(link) as answer:
            studio = json.load(answer)
        return memory(os.getpid()), studio["memory_bytes"] / 2**20

    print(f"{seconds} s of 1 kHz writes")
    qs = poses(view, 1000 * seconds)
    write(into(view), qs[:3000], 1000)
    # what this bench notes is there before: only what the view keeps may grow
    at, send = np.zeros(len(qs)), into(view)
    if page is not None:
        page.evaluate("window.seen = { got: new Map(), drawn: new Map(), frames: [] }")
    before, began = both(), time.perf_counter()
    for i, q in enumerate(qs):
        at[i] = time.time()
        send(q)
        time.sleep(max(0.0, began + (i + 1) / 1000 - time.perf_counter()))
    after = both()
    written = {float(q[0]): float(when) for q, when in zip(qs, at, strict=True)}
    for what, was, now in zip(("program", "studio"), before, after, strict=True):
        print(f"  memory of the {what}: {was:.1f} MB, after {seconds:g} s of 1 kHz {now:.1f} MB")
        bar(f"growth of the {what} in {seconds:g} s of 1 kHz", now - was, 2, "MB")
    if page is not None:
        found = delays(page.evaluate("[...seen.got]"), written)
        tenth = len(found) // 6
        spread("write to page, first ten seconds", found[:tenth])
        spread("write to page, last ten seconds", found[-tenth:])


def main() -> None:
    """Start a studio and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--minute", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KINEGEN_STATE"] = str(Path(folder) / "state")
        with kg.show(MECHANISM, browser=False, folder=folder, name="bench") as view:
            with chromium(view) as page:
                if page is not None:
                    measure(view, options.seconds, page)
                if options.minute:
                    minute(view, page, 60)


if __name__ == "__main__":
    main()
