"""How fast a simulated servo bus answers, beside a bare pseudo terminal that only echoes.

Run ``python bench/bench_bridges.py [--reads N] [--page]``. A client written like the makers'
libraries (it writes, then polls) reads the positions of six servos at once, N times, and prints
the median, the 99th percentile and the longest time:

- of an empty loop: a process that answers each packet with fixed bytes;
- of an SO-101 alone;
- of an SO-101 in a world in which a humanoid falls on a floor, with ``--page`` while a browser
  shows a mechanism too.

The makers' libraries give up after 34 ms; reads that took longer are counted. The times depend on
what else the machine does, so compare them with the empty loop.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import time
import tty
from collections.abc import Iterator

from bench_studio import bar
from notes import note

import kinegen as kg
from kinegen.bridges.framing import Framing1
from kinegen.bridges.servo_bus import SYNC_READ

HALL = """
raff: 1
name: hall
robots:
  - {name: arm, include: so101, at: {xyz: [1, 0, 0]}}
  - {name: man, include: humanoid-30}
"""
SERVOS = 6
ANSWER = 8 * SERVOS
"""Bytes of the answers of six servos."""
LIMIT = 0.034
"""After which the makers' libraries give up [s]."""
ECHO = """
import os, sys
ours = int(sys.argv[1])
while data := os.read(ours, 4096):
    os.write(ours, bytes(int(sys.argv[2])))
"""


def ask(path: str, reads: int) -> list[float]:
    """How long each read took, sorted [s]."""
    packet = Framing1().packet(254, SYNC_READ, bytes([56, 2, *range(1, SERVOS + 1)]))
    import serial

    took = []
    with serial.Serial(path, 1_000_000, timeout=0) as port:
        for _ in range(reads):
            begun = time.perf_counter()
            port.write(packet)
            found = 0
            while found < ANSWER:
                found += len(port.read(ANSWER - found))
                if time.perf_counter() - begun > 10:
                    raise SystemExit("no answer in 10 s")
            took.append(time.perf_counter() - begun)
            time.sleep(1e-3)
    return sorted(took)


def report(what: str, took: list[float]) -> float:
    """Print and note; the 99th percentile [ms]."""
    middle, high = 1e3 * took[len(took) // 2], 1e3 * took[int(0.99 * len(took))]
    late = sum(one > LIMIT for one in took)
    print(f"{what}: median {middle:.3f} ms, 99 % {high:.3f} ms, longest {1e3 * took[-1]:.3f} ms, "
          f"{late} of {len(took)} later than {1e3 * LIMIT:g} ms")  # fmt: skip
    note(f"{what}, median", middle, "ms")
    return high


@contextlib.contextmanager
def echo() -> Iterator[str]:
    """A terminal with a process that answers at once."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    command = [sys.executable, "-c", ECHO, str(ours), str(ANSWER)]
    process = subprocess.Popen(command, pass_fds=[ours])
    try:
        yield os.ttyname(theirs)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """A page that draws a mechanism in a headless browser."""
    from bench_page import BROWSERS, FLAGS
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    view = kg.show("stewart", browser=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        chromium.new_page().goto(view.link)
        time.sleep(3)
        yield
        chromium.close()
    view.close()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=10_000)
    parser.add_argument("--page", action="store_true", help="beside a page that is open")
    options = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with echo() as path:
        report("empty loop", ask(path, options.reads))
    with kg.Bridge("so101", ["feetech"], hold=True) as bridge:
        alone = report("so101", ask(bridge.endpoints["feetech"], options.reads))
    with contextlib.ExitStack() as stack:
        if options.page:
            stack.enter_context(shown())
        hall = stack.enter_context(kg.Bridge(HALL, ["feetech"], hold=True, floor=0.0))
        begun = hall.world["time"], time.monotonic()
        beside = report("so101, a humanoid falls", ask(hall.endpoints["feetech"], options.reads))
        now = hall.world["time"], time.monotonic()
        print(f"  the world ran at {(now[0] - begun[0]) / (now[1] - begun[1]):.2f} × real time")
    bar("99th percentile alone", alone, 5, "ms")
    bar("99th percentile beside a falling humanoid", beside, 5, "ms")


if __name__ == "__main__":
    main()
