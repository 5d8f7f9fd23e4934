"""Workspaces: five-bar positions beside pylinkage, zones, a Stewart platform's room, clouds, play.

Run ``python -m bench.workspace.workspace [--poses N]``. pylinkage runs its compiled loop (numba)
over a sweep of both cranks of the same five-bar, after a run that compiles it; first the two are
checked on each other. Rates are the best of several rounds, taken in turns. On a busy machine trust
the processor's time: it is given for a single thread, and what two free cores would do follows from
it.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import find
from kinegen.kernels import Floats
from kinegen.workspace.zones.planar import planar_linkage
from kinegen.workspace.zones.triangles import Construction, construct

ROUNDS = 7
BAR_RATIO, BAR_RATE = 10.0, 80.0
"""Times pylinkage's compiled path, and million five-bar positions per second on two cores."""
BAR_EIGHT, BAR_STEWART = 0.5, 5.0
"""[s] Zone of the eight-bar at half a degree; 10⁵ poses of a Stewart platform."""
RATES = (0.37e-3, 0.53e-3)
"""[rad] How far the two cranks turn from one pose to the next."""


def best(run: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Shortest time by the clock and of the processor [s]."""
    clock = used = math.inf
    for _ in range(rounds):
        begin, before = time.perf_counter(), time.process_time()
        run()
        clock = min(clock, time.perf_counter() - begin)
        used = min(used, time.process_time() - before)
    return clock, used


def five_bar() -> Construction:
    """The library's five-bar as circles."""
    model = kg.load("five-bar").compile()
    linkage = planar_linkage(model, kg.assemble(model).q)
    built = None if linkage is None else construct(linkage, driven=["A", "E"])
    assert built is not None
    return built


def pylinkage_sweep(peer: Any, built: Construction, poses: int) -> Callable[[], Floats]:
    """The same sweep by pylinkage's compiled loop: points of the handle, (poses, 2)."""
    model, q = built.linkage.model, built.linkage.q
    crank, coupler = model.parameters["crank"], model.parameters["coupler"]
    at = [kg.pose(model, q, name).translation[:2] for name in ("A", "E", "B", "D", "handle")]
    types = np.array([0, 0, 1, 1, 2], np.int32)
    parents = np.array([[-1, -1, -1], [-1, -1, -1], [0, -1, -1], [1, -1, -1], [2, 3, -1]], np.int32)
    constraints = np.array([crank, RATES[0], crank, RATES[1], coupler, coupler])
    offsets, order = np.array([0, 0, 0, 2, 4], np.int32), np.arange(5, dtype=np.int32)

    def run() -> Floats:
        path: Floats = peer.simulate(
            np.array(at), constraints, types, parents, offsets, order, poses, 1.0
        )[:, 4]
        return path

    return run


def positions(poses: int) -> None:
    """Five-bar positions over a sweep."""
    built = five_bar()
    home = built.linkage.q[[0, 2]]
    steps = np.arange(1, poses + 1)
    inputs = np.stack([home[0] + RATES[0] * steps, home[1] + RATES[1] * steps])
    cores = os.cpu_count() or 1
    clock, _ = best(lambda: built.points(inputs, ["handle"]))
    _, used = best(lambda: built.points(inputs, ["handle"], threads=1))
    ours, alone = poses / clock / 1e6, poses / used / 1e6
    note("five-bar positions, one core", alone, "M/s", more_is_better=True)
    print(f"five-bar positions, {poses:,} poses, {cores} cores")
    print(f"  ours       {ours:7.1f} M/s by the clock, {alone:.1f} M/s per core by its own time")
    print(f"             {verdict(2 * alone, BAR_RATE, 'M/s on two cores, bar 80')}")
    peer = find("pylinkage.solver.simulation", "pylinkage numba")
    if peer is None:
        return
    theirs = pylinkage_sweep(peer, built, poses)
    path = theirs()  # compiles
    check = min(poses, 2000)  # it turns the cranks step by step, which adds up rounding
    away = np.nanmax(np.abs(built.points(inputs[:, :check], ["handle"])[0] - path[:check].T))
    assert away < 1e-6, away
    clock, used = best(theirs, 3)
    rate = poses / used / 1e6
    print(
        f"  pylinkage  {poses / clock / 1e6:7.1f} M/s by the clock, {rate:.1f} M/s by its own time"
    )
    ratio = 2 * alone / rate
    print(f"  ratio      {verdict(ratio, BAR_RATIO, 'on two cores, bar 10')}")


def zones() -> None:
    """Zones: the eight-bar's in the plane, a Stewart platform's room."""
    eight = kg.load("eight-bar").compile()
    clock, used = best(lambda: kg.zone(eight, step=math.radians(0.5)))
    found = kg.zone(eight, step=math.radians(0.5))
    note("eight-bar zone", used, "s")
    print(f"eight-bar zone at 0.5 deg, {found.tried:,} poses in {len(found.modes)} modes")
    print(f"  {clock:.3f} s by the clock; of the processor "
          f"{verdict(used, BAR_EIGHT, 's, bar 0.5', least=False)}")  # fmt: skip
    stewart = kg.load("stewart").compile()
    room = kg.workspace.zone_slice(stewart, step=0.045)
    clock, used = best(lambda: kg.workspace.zone_slice(stewart, step=0.045), 1)
    share = 1e5 / room.tried
    note("Stewart positions, 100,000 poses", used * share, "s")
    print(f"Stewart positions, {room.tried:,} poses, {room.measure.value:.3f} ± "
          f"{room.measure.error:.3f} m³")  # fmt: skip
    print(f"  10⁵ poses in {clock * share:.2f} s by the clock; of the processor "
          f"{verdict(used * share, BAR_STEWART, 's, bar 5', least=False)}")  # fmt: skip


def clouds(poses: int) -> None:
    """Clouds through the public call, and play."""
    puma = kg.load("puma560").compile()
    clock, used = best(lambda: kg.cloud(puma, count=poses, frames=["tool"]), 3)
    note("cloud of a PUMA 560", used, "s")
    print(f"cloud of a PUMA 560's tool, {poses:,} poses kept: {clock:.2f} s, {used:.2f} s of "
          "processor")  # fmt: skip
    for name in ("lynx6", "five-bar-spatial", "stewart"):
        model = kg.load(name).compile()
        clock, used = best(lambda model=model: kg.workspace.backlash(model, angle=0.05), 1)  # type: ignore[misc]
        note(f"backlash of {name}", used, "s")
        print(f"backlash of {name}: {clock:.2f} s, {used:.2f} s of processor")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=4_000_000)
    options = parser.parse_args()
    positions(options.poses)
    zones()
    clouds(options.poses)


if __name__ == "__main__":
    main()
