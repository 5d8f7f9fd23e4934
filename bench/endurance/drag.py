"""A long walk: every closed mechanism of the library dragged at random, its loops watched.

Run ``python -m bench.endurance.drag [NAME …] [--ticks N] [--seed N]``. A target walks at random
around the mechanism: short steps, now and then a jump, now and then far outside of the reach,
sometimes it rests. Half of the walk the handle asks for a point, half for a full pose; the targets
of planar mechanisms stay in their plane half of the time. After every tick the gap of the loops is
measured by the kinematics, not taken from the solver's report. A gap of more than 1e-9 m, a number
that is not finite or a joint beyond its limits ends with exit code 1. *Largest joint step* is how
far any joint went in one tick; *at rest* how far one still went after 100 ticks of the same target.
A mechanism that stands still for 500 ticks while its target walks is stuck in a pose: it is put
back to its start and the time is counted as *stuck*, for such a walk would watch nothing.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
from dataclasses import dataclass, field

import numpy as np

import kinegen as kg
from kinegen.kernels import Floats

GAP = 1e-9
"""Loops are closed below this [m]."""
BEYOND = 1e-9
"""Joints may pass their limits by this [rad, m]: rounding."""
REPORT = 10.0
"""Seconds between two lines of progress."""
STILL = 500
"""Ticks without motion after which a mechanism is stuck."""


@dataclass
class Seen:
    """The worst of a walk so far."""

    gap: float = 0.0
    """[m]"""
    gap_tick: int = 0
    angle: float = 0.0
    """Widest angle between the two ends of a cut joint [rad]."""
    beyond: float = 0.0
    """How far a joint passed its limit [rad, m]."""
    step: float = 0.0
    """Largest move of a joint in one tick [rad, sizes of the mechanism]."""
    rest: float = 0.0
    """The same after the target has stood still for 100 ticks."""
    stuck: int = 0
    """How often it stood still while the target walked."""
    finite: bool = True
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)

    @property
    def good(self) -> bool:
        """Whether the loops stayed closed, the limits kept and the numbers numbers."""
        return self.finite and self.gap <= GAP and self.beyond <= BEYOND


class Walk:
    """One mechanism, its handle and the walking target."""

    def __init__(self, name: str, seed: int) -> None:
        self.model = kg.load(name).compile()
        self.rng = np.random.default_rng(seed)
        frame = self.model.frames[0].name
        home = kg.assemble(self.model).q
        self.start = home.copy()
        self.still = 0
        self.home = kg.pose(self.model, home, frame)
        self.point = kg.Dragger(self.model, home, [kg.Handle(frame, self.home.translation)])
        self.pose = kg.Dragger(self.model, home, [kg.Handle.pose(frame, self.home)])
        points = kg.forward(self.model, home)[:, 4:]
        flat = np.ptp(points, axis=0) < 1e-9 * self.model.size
        self.flat = flat if flat.any() else None
        self.resting = 0
        self.reach = max(float(np.ptp(points, axis=0).max()), self.model.size)
        self.position = self.home.translation.copy()
        self.turn = np.zeros(3)
        self.seen = Seen()
        single = [j for j in self.model.joints if len(home[j.q]) == j.v.stop - j.v.start]
        self._q = np.array([i for j in single for i in range(j.q.start, j.q.stop)], dtype=int)
        v = np.array([i for j in single for i in range(j.v.start, j.v.stop)], dtype=int)
        self._lower, self._upper = self.model.lower[v], self.model.upper[v]
        self._scale = np.array(
            [
                1.0 if quantity == "angle" else self.model.size
                for j in single
                for _, quantity in j.type.info.variables
            ]
        )
        self._phi = np.empty(6 * len(self.model.loops))

    def walk_target(self) -> None:
        """Where the target goes next."""
        if self.resting:
            self.resting -= 1
            return
        chance = self.rng.random()
        if chance < 0.001:
            self.resting = 150
            return
        if chance < 0.006:
            # far outside, or back near home
            far = 10.0 if self.rng.random() < 0.3 else 0.2
            self.position = self.home.translation + far * self.reach * self.rng.normal(size=3)
            self.turn = self.rng.normal(size=3)
            return
        size = 0.1 if chance < 0.05 else 0.01
        self.position = self.position + size * self.reach * self.rng.normal(size=3)
        self.turn = self.turn + size * 3 * self.rng.normal(size=3)
        # a spring to home keeps it around
        self.position += 0.03 * (self.home.translation - self.position)
        self.turn *= 0.97

    def tick(self, number: int) -> None:
        """One tick of the walk, and a look at the result."""
        self.walk_target()
        position, turn = self.position, self.turn
        if self.flat is not None and (number // 2000) % 2:
            position = np.where(self.flat, self.home.translation, position)
            turn = np.where(self.flat, turn, 0.0)
        asked = (self.point, self.pose)[(number // 1000) % 2]
        other = self.pose if asked is self.point else self.point
        before = asked.q.copy()
        turned = kg.SO3.exp(turn) @ self.home.so3 if asked is self.pose else None
        asked.move(0, position, turned)
        report = asked.tick()
        self.look(number, before, asked.q, report.outcome.name)
        if self.still > STILL:
            self.seen.stuck += 1
            self.still = 0
            asked.q[:] = self.start
        other.q[:] = asked.q

    def look(self, number: int, before: Floats, q: Floats, outcome: str) -> None:
        """Measure what a tick left."""
        seen = self.seen
        seen.outcomes[outcome] += 1
        self.model.kernels.loop_residual(q, self._phi)
        parts = self._phi.reshape(-1, 2, 3)
        gap, angle = np.sqrt((parts * parts).sum(axis=2).max(axis=0)).tolist()
        if not (np.isfinite(q).all() and np.isfinite(gap + angle)):
            seen.finite = False
        if gap > seen.gap:
            seen.gap, seen.gap_tick = gap, number
        seen.angle = max(seen.angle, angle)
        values = q[self._q]
        seen.beyond = max(
            seen.beyond,
            (values - self._upper).max(initial=0),
            (self._lower - values).max(initial=0),
        )
        step = float((np.abs(values - before[self._q]) / self._scale).max(initial=0))
        seen.step = max(seen.step, step)
        moving = step > 1e-9 or outcome == "REACHED" or self.resting
        self.still = 0 if moving else self.still + 1
        # a change of handle in the middle of a rest is no rest
        if 0 < self.resting < 50 and number % 1000 > 100:
            seen.rest = max(seen.rest, step)


def walk(name: str, ticks: int, seed: int) -> bool:
    """One mechanism's walk; whether it stayed closed."""
    heading = Walk(name, seed)
    begin = shown = time.perf_counter()
    for number in range(ticks):
        heading.tick(number)
        if not heading.seen.finite:
            break
        now = time.perf_counter()
        if now - shown > REPORT:
            shown = now
            print(f"  {name}: {number + 1} of {ticks}, gap {heading.seen.gap:.1e} m", flush=True)
    seen = heading.seen
    rate = sum(seen.outcomes.values()) / (time.perf_counter() - begin)
    outcomes = ", ".join(f"{n} {word.lower()}" for word, n in seen.outcomes.most_common())
    print(
        f"{name:16} gap {seen.gap:.1e} m (tick {seen.gap_tick}), {seen.angle:.1e} rad; beyond "
        f"limits {seen.beyond:.0e}; largest joint step {seen.step:.2f}, at rest {seen.rest:.0e}; "
        f"stuck {seen.stuck} times; {outcomes}; {rate:,.0f} ticks/s: "
        + ("good" if seen.good else "BAD" if seen.finite else "NOT FINITE"),
        flush=True,
    )
    return seen.good


def main() -> int:
    """Walk all; 1 when a loop opened, a limit was passed or a number was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="mechanisms of the library")
    parser.add_argument("--ticks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    closed = [n for n in kg.library_names() if any(j.closes for j in kg.load(n).joints.values())]
    good = [walk(name, given.ticks, given.seed) for name in given.names or closed]
    print(f"{sum(good)} of {len(good)} mechanisms stayed closed over {given.ticks} ticks")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
