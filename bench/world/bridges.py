"""How fast simulated robots answer on every wire, beside an empty loop over the same transport.

Run ``python -m bench.world.bridges [--reads N] [--page] [--sdk N]``. In a world in which a humanoid
falls on a floor, with ``--page`` while a browser shows a mechanism too, a client of each protocol
asks N times, in turn with one of an empty loop: a process that answers each packet of the same
transport with fixed bytes. Medians, 99th percentiles and their ratios are printed.

Then the makers' own libraries read the positions of six servos together, ``--sdk`` times each, and
their time-outs are counted, beside those of an empty loop: they give up after about 34 ms.

The times depend on what else the machine does: the empty loop shows how much.
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
from collections.abc import Callable, Iterator
from typing import Any

import kinegen as kg
from bench.studio.studio import bar
from bench.support import bridge_clients as clients
from bench.support.notes import note

HALL = """
raff: 1
name: hall
robots:
  - {name: arm, include: so101, at: {xyz: [1, 0, 0]}}
  - {name: man, include: humanoid-30}
"""
BAR = 5.0
"""Of the 99th percentile [ms]."""
PAUSE = 1e-3
"""Between two questions, as a client with something to do has it [s]."""


@contextlib.contextmanager
def echo(transport: str, answer: bytes) -> Iterator[str]:
    """The address of a process that answers whatever comes with some bytes."""
    if transport != "terminal":
        command = [sys.executable, str(clients.__file__), transport, answer.hex()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            process.kill()
        return
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    command = [sys.executable, str(clients.__file__), "terminal", answer.hex(), str(ours)]
    with subprocess.Popen(command, pass_fds=[ours]) as process:
        yield os.ttyname(theirs)
        process.kill()
    os.close(ours)
    os.close(theirs)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """A page that draws a mechanism in a headless browser."""
    from playwright.sync_api import sync_playwright

    from bench.studio.page import BROWSERS, FLAGS

    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    view = kg.show("stewart", browser=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        chromium.new_page().goto(view.link)
        time.sleep(3)
        yield
        chromium.close()
    view.close()


def alternately(asks: list[Callable[[], Any]], count: int) -> list[list[float]]:
    """How long each took, sorted [ms]: one after the other, so that all meet the same load."""
    took: list[list[float]] = [[] for _ in asks]
    for _ in range(count):
        for ask, rows in zip(asks, took, strict=True):
            begun = time.perf_counter()
            ask()
            rows.append(1e3 * (time.perf_counter() - begun))
            time.sleep(PAUSE)
    return [sorted(rows) for rows in took]


def compare(kind: str, endpoint: str, reads: int) -> float:
    """Print and note how one wire answers beside its empty loop; the 99th percentile [ms]."""
    client = clients.CLIENTS[kind]
    with (
        echo(client.transport, client.answer) as nobody,
        contextlib.closing(client(endpoint)) as asks,
        contextlib.closing(client(nobody)) as loop,
    ):
        for one in (asks, loop):
            one.ask()
        own, empty = alternately([asks.ask, loop.ask], reads)
    rows = {"median": len(own) // 2, "99 %": int(0.99 * len(own))}
    text = ", ".join(
        f"{word} {own[i]:.2f} ms ({empty[i]:.2f} empty, × {own[i] / empty[i]:.1f})"
        for word, i in rows.items()
    )
    print(f"{kind:11} {text}, longest {own[-1]:.1f} ({empty[-1]:.1f})", flush=True)
    note(f"{kind}, median", own[rows["median"]], "ms")
    return own[rows["99 %"]]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=2000)
    parser.add_argument("--sdk", type=int, default=0, help="sync-reads of the makers' libraries")
    parser.add_argument("--page", action="store_true", help="beside a page that is open")
    parser.add_argument("--kinds", nargs="*", default=list(clients.CLIENTS))
    options = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    slowest: dict[str, float] = {}
    with contextlib.ExitStack() as stack:
        if options.page:
            stack.enter_context(shown())
        for kind in options.kinds:
            # RTDE is for arms with six motors: the humanoid falls beside it
            one = stack.enter_context(contextlib.ExitStack())
            if kind == "rtde":
                one.enter_context(kg.bridges.Bridge(HALL, ["feetech"], floor=0.0, hold=True))
                bridge = one.enter_context(kg.bridges.Bridge("ur5e", ["rtde:0"]))
            else:
                name = f"{kind}:0" if kind in clients.PORTS else kind
                bridge = one.enter_context(kg.bridges.Bridge(HALL, [name], floor=0.0, hold=True))
            begun = bridge.state.time, time.monotonic()
            slowest[kind] = compare(kind, bridge.endpoints[kind], options.reads)
            now = bridge.state.time, time.monotonic()
            pace = (now[0] - begun[0]) / (now[1] - begun[1])
            if pace < 0.98:
                print(f"  the world ran at {pace:.2f} × real time")
            one.close()
        if options.sdk:
            for kind in ("feetech", "dynamixel"):
                with kg.bridges.Bridge(HALL, [kind], floor=0.0, hold=True) as bridge:
                    path = bridge.endpoints[kind]
                    late = clients.sync_reads(kind, path, options.sdk)
                    # the same bytes, without a robot
                    with echo("terminal", clients.recorded(kind, path)) as nobody:
                        empty = clients.sync_reads(kind, nobody, options.sdk)
                    print(f"{kind}: {late} time-outs in {options.sdk} sync-reads of its library "
                          f"({empty} of the empty loop)")  # fmt: skip
                    bar(f"{kind}, time-outs", float(late), 0.5, "")
    for kind, value in slowest.items():
        bar(f"{kind}, 99th percentile", value, BAR, "ms")


if __name__ == "__main__":
    main()
