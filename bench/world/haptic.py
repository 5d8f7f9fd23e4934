"""The haptic thread's lateness beside an empty compiled thread, and what a push step costs.

Run ``python -m bench.world.haptic [--seconds N] [--rounds N]``. Both threads keep 1 kHz on the same
machine in turns; the machine sets the tail, ours may not add to it. The full loop runs a touched
point, a simulated hand and the packets of both sides; a process of its own sends the mechanism's
words. Then a push on a six-axis arm with the collision query, per step. Timing decides nothing: the
bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from kinegen.devices import HapticThread, SimulatedHand
from kinegen.devices.haptic import HapticReport, Lateness

PUSH_BAR = 200.0
"""Push step of a six-axis arm with collision query, at most [µs]."""
SENDER = """
import socket, sys, time
from kinegen.devices.packets import PacketKind, pack
port, sequence = int(sys.argv[1]), 0
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
W = [0.0] * 36
W[::7] = [0.5, 0.5, 0.5, 50.0, 50.0, 50.0]
while True:
    sequence += 1
    numbers = [2.0, 0, 0, 0, 1, *[0.0] * 15, *W, 0, 0, 1, 400.0, 1.0, 4.0, 0.01, 0.0, 0.0]
    data = pack(PacketKind.STATE, sequence, time.monotonic(), 0.0, numbers)
    out.sendto(data, ("127.0.0.1", port))
    time.sleep(1e-3)
"""


def lateness(seconds: float, *, is_empty: bool) -> tuple[Lateness, HapticReport]:
    """One thread for some time."""
    table = [[t, 0.03 * np.sin(3 * t), 0.03 * np.cos(2 * t), 0.0] for t in np.arange(0, 60, 0.05)]
    thread = HapticThread(None if is_empty else SimulatedHand(table), is_empty=is_empty)
    with thread:
        if is_empty:
            time.sleep(seconds)
        else:
            sender = subprocess.Popen([sys.executable, "-c", SENDER, str(thread.port)])
            time.sleep(seconds)
            sender.kill()
            sender.wait()
    return thread.lateness, thread.report()


def merged(parts: list[Lateness]) -> Lateness:
    """Several runs as one."""
    bins = np.sum([part.bins for part in parts], axis=0)
    return Lateness(bins, max(p.latest for p in parts), max(p.longest for p in parts))


def push_step() -> tuple[float, float]:
    """Time per step of a pushed arm with and without the collision query, best of five [µs]."""
    best = [np.inf, np.inf]
    for kind in range(2):
        simulation = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
        middle = kg.pose(simulation.model, simulation.engine.q, "wrist_2").translation
        if kind == 0:
            push = simulation.push(
                tip=lambda t, at=middle: at + np.array([0, 0, 0.04]), stiffness=100
            )
        else:
            push = simulation.push("wrist_2", normal=(0, 0, 1), depth=0.005, stiffness=100)
        for _ in range(5):
            simulation.reset()
            start = time.process_time()
            simulation.advance(0.05)
            best[kind] = min(best[kind], (time.process_time() - start) / 50 * 1e6)
            assert push.is_active  # pressed all the time
    return best[0], best[1]


def main() -> None:
    """Print the histograms and the bars."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"{platform.platform()}, {platform.processor() or platform.machine()}")
    found: dict[bool, list[Lateness]] = {True: [], False: []}
    report: HapticReport | None = None
    for _ in range(given.rounds):
        for is_empty in (True, False):
            late, report = lateness(given.seconds, is_empty=is_empty)
            found[is_empty].append(late)
    empty, full = merged(found[True]), merged(found[False])
    print(f"\nlateness of ticks at 1 kHz, {given.rounds} × {given.seconds:g} s each, in turns")
    print(f"{'':>12} {'empty':>9} {'haptic':>9}")
    beside = full.histogram()
    for name, one in empty.histogram().items():
        print(f"{name:>12} {one:9} {beside[name]:9}")
    for percent in (50, 99, 99.9):
        a, b = (1e6 * late.percentile(percent) for late in (empty, full))
        note(f"lateness of {percent} % of ticks", b, "µs")
        print(f"{f'{percent} %':>12} {a:6.0f} µs {b:6.0f} µs")
    print(f"{'latest':>12} {1e6 * empty.latest:6.0f} µs {1e6 * full.latest:6.0f} µs")
    share = [float(late.bins[100:].sum()) / late.ticks for late in (empty, full)]
    print(f"ticks later than 100 µs: empty {100 * share[0]:.2f} %, haptic {100 * share[1]:.2f} %")
    assert report is not None
    print(f"the loop: {report.fresh} words heard, real time: {bool(report.real_time)}")
    print(f"longest tick, what the machine took away included: {1e6 * full.longest:.0f} µs")
    with_query, plain = push_step()
    note("push step with the collision query", with_query, "µs")
    note("push step without it", plain, "µs")
    print(f"push step, arm-6, without the collision query: {plain:.0f} µs")
    words = f"µs (bar {PUSH_BAR:g})"
    print("push step, arm-6, with it:", verdict(with_query, PUSH_BAR, words, least=False))


if __name__ == "__main__":
    main()
