"""Assembly: Stewart poses closed per second in batch, and the assembly modes that a search finds.

Run ``python -m bench.kinematics.assembly [--poses N]``. A batch closes the loops for random lengths
of the six legs, each pose from the same start, on one thread and on as many as asked for; no peer
closes loops in batch. The legs' lengths are drawn around the start, once a tenth of the stroke and
once half of it: the further away, the more Newton steps. Poses that did not close are counted, not
hidden: their lengths lie beyond a singularity of the start's branch. On a busy machine trust the
time of the processor. Modes are those of the library's start; literature gives at most 2 for
four-bar and five-bar, 6 for 3-RRR and 40 for Stewart. Timing decides nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note

BAR_RATE = 50e3
"""Stewart poses per second."""
CLOSED = 1e-9
"""A pose counts as closed below this gap [m]."""
MECHANISMS = {"four-bar": 2, "slider-crank": 2, "five-bar": 2, "3-rrr": 6, "stewart": 40}
"""And the most modes that their equations have."""
ROUNDS = 5


def batch(poses: int, threads: list[int]) -> None:
    """Rates of kg.kinematics.assemble_many."""
    model = kg.load("stewart").compile()
    legs = kg.kinematics.inputs_of(model)
    home = kg.assemble(model).q
    rng = np.random.default_rng(4)
    for share in (0.1, 0.5):
        inputs = {}
        for leg in legs:
            joint = model.joint(leg)
            low, high = model.lower[joint.v][0], model.upper[joint.v][0]
            middle, stroke = home[joint.q.start], high - low
            wanted = middle + share * stroke * rng.uniform(-0.5, 0.5, poses)
            inputs[leg] = np.clip(wanted, low, high)
        for count in threads:
            best, used = np.inf, np.inf
            for _ in range(ROUNDS):
                begin, used_before = time.perf_counter(), time.process_time()
                found = kg.kinematics.assemble_many(model, inputs, start=home, threads=count)
                best = min(best, time.perf_counter() - begin)
                used = min(used, time.process_time() - used_before)
            closed = int((found.gap <= CLOSED).sum())
            thousands = poses / best / 1000
            what = f"legs within {100 * share:.0f} % of their stroke, {count} threads"
            note(what, thousands, "k poses/s", more_is_better=True)
            print(
                f"  legs within {100 * share:.0f} % of their stroke, {count} "
                f"thread{'s' if count > 1 else ' '} {thousands:6.1f} k poses/s, "
                f"{used / poses * 1e6:.1f} µs of processor each ({count * poses / used / 1000:.1f} "
                f"k/s on free cores), {closed} of {poses} closed, bar: "
                + verdict(thousands, BAR_RATE / 1000, f"k/s of {BAR_RATE / 1000:g}")
            )


def modes(attempts: int) -> None:
    """Assembly modes of the library's mechanisms, and how long the search takes."""
    for name, most in MECHANISMS.items():
        model = kg.load(name).compile()
        for limits in (True, False):
            begin = time.perf_counter()
            found = kg.assembly_modes(model, limits=limits, attempts=attempts)
            took = time.perf_counter() - begin
            gap = max(kg.kinematics.loop_gap(model, mode.q).distance for mode in found)
            loose = sum(mode.loose > 0 for mode in found)
            note(f"modes of {name}, {'within' if limits else 'without'} limits", took, "s")
            print(
                f"  {name:12} {'within' if limits else 'without'} limits: {len(found)} modes of at "
                f"most {most}{f' ({loose} loose)' if loose else ''} in {took:.2f} s, widest gap "
                f"{gap:.1e} m"
            )


def main() -> int:
    """Print both tables; always 0 unless something does not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--poses", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--attempts", type=int, default=2000, help="random starts for the modes")
    given = parser.parse_args()
    print(f"Stewart platform, {given.poses} poses at once")
    batch(given.poses, sorted({1, given.threads}))
    print(f"Assembly modes, {given.attempts} starts")
    modes(given.attempts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
