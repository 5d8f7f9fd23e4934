"""Time of the impulse engine: steps of chains, corrections per second, direct beside sweeps."""

from __future__ import annotations

import time

import numpy as np

from kinegen.dynamics.impulse_world import BondType, Impulses, World

TURN = (1.0, 0, 0, 0, 0, -1, 0, 1, 0)


def chain(count: int, length: float = 0.2) -> World:
    """Rods hinged one after the other, level at the start."""
    world, before = World(), 0
    for i in range(count):
        moment = length**2 / 12
        body = world.add_body(1.0, (moment / 100, moment, moment), (length * (i + 0.5), 0, 0))
        at = 0.0 if i == 0 else length / 2
        world.join(BondType.REVOLUTE, before, body, [*TURN, at, 0, 0], [*TURN, -length / 2, 0, 0])
        before = body
    return world


def measure(count: int, options: Impulses) -> tuple[float, float, float]:
    """Microseconds per step (best of ten runs), corrections per step, million corrections/s."""
    bound = chain(count).bind(options)
    arrays = np.zeros(count), np.zeros(0, np.int32), np.zeros((0, 9))
    bound.run(50, *arrays)
    best, corrections = np.inf, 0.0
    for _ in range(10):
        start = time.perf_counter()
        report = bound.run(100, *arrays)
        spent = (time.perf_counter() - start) / 100
        if spent < best:
            best, corrections = spent, report[11] / 100
    return best * 1e6, corrections, corrections / best / 1e6


def main() -> None:
    """Print a table."""
    print("links  mode            µs/step  corrections/step  M corrections/s")
    for count in (10, 30):
        for name, options in (
            ("direct", Impulses()),
            ("one sweep", Impulses(sweeps=1)),
            ("direct, 1e-9 m", Impulses(gap=1e-9)),
            ("ten sweeps", Impulses(gap=1e-18, sweeps=10)),
        ):
            spent, corrections, rate = measure(count, options)
            print(f"{count:5d}  {name:14s} {spent:8.1f} {corrections:17.1f} {rate:16.2f}")


if __name__ == "__main__":
    main()
