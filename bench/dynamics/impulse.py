"""Time of the impulse engine: steps of hinged chains, all joints solved together beside sweeps.

Run ``python -m bench.dynamics.impulse``. A correction is one impulse of one joint. *direct* solves
all corrections of a step together, sweeps go joint by joint. There is no public peer; Visum's paper
gives 200 000 corrections/s on a processor of 2 GHz in 2003. Best of ten runs by the wall clock;
timing decides nothing, bars are printed as met or missed.
"""

from __future__ import annotations

import time

import numpy as np

from bench.kinematics.drag import verdict
from bench.support.notes import note
from kinegen.dynamics.engines.impulse.world import Impulses, World
from kinegen.kernels.protocols.impulse import BondType

BARS = {10: 5.0, 30: 15.0}
"""At most, by links [µs per step], solved together."""
BAR_RATE = 3.0
"""At least [million corrections/s], in the quickest mode."""
VISUM = 0.2
"""The paper's rate [million corrections/s]."""
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
    """Print a table and the bars."""
    print("links  mode         µs/step  corrections/step  million corrections/s  × Visum 2003")
    steps, rates = {}, []
    for count in BARS:
        for name, options in (
            ("direct", Impulses()),
            ("one sweep", Impulses(sweeps=1)),
            ("direct, 1e-9 m", Impulses(gap=1e-9)),
            ("ten sweeps", Impulses(gap=1e-18, sweeps=10)),
        ):
            spent, corrections, rate = measure(count, options)
            if name == "direct":
                steps[count] = spent
            rates.append(rate)
            note(f"{count} links, {name}", spent, "µs")
            print(
                f"{count:5d}  {name:11s} {spent:8.1f} {corrections:17.1f} {rate:22.2f} "
                f"{rate / VISUM:13.0f}"
            )
    for count, bar in BARS.items():
        words = f"µs per step of {count} links, at most {bar:g}"
        print(verdict(steps[count], bar, words, least=False))
    print(verdict(max(rates), BAR_RATE, f"million corrections/s, at least {BAR_RATE:g}"))


if __name__ == "__main__":
    main()
