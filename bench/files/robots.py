"""Loading robot files: the URDF files of example-robot-data, beside Pinocchio.

Run ``python -m bench.files.robots``. Both read every file that both can read, by turns in one run;
times are those of the processor. What is compared is one public call each: ``kg.load(path)``, whose
mechanism can be edited, written, shown and compiled, and ``pinocchio.buildModelFromUrdf(path)``,
whose model can be computed with. Kinegen also reads shapes and colours, finds meshes, and lists
what it does not carry over; Pinocchio reads the kinematic tree, its limits and its inertias. For
those who only compute, the time of ``kg.load(path).compile()`` is printed as well. The files are
fetched as by the tests. Timing decides nothing: the bar is printed as met or missed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import kinegen as kg
from bench.support.notes import note
from tests.support.robots.files import robot_files

BAR = 1.0
"""Times Pinocchio's time."""
ROUNDS = 7


def seconds(work: Callable[[str], object], files: list[str]) -> float:
    """Processor time for all files."""
    start = time.process_time()
    for file in files:
        work(file)
    return time.process_time() - start


def reads(work: Callable[[str], object], file: str) -> bool:
    """Whether a file can be read."""
    try:
        work(file)
    except (kg.errors.KinegenError, ValueError, RuntimeError):
        return False
    return True


def main() -> None:
    """Print both times and their ratio."""
    import pinocchio

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Pinocchio's parser warns
    theirs: Callable[[str], object] = pinocchio.buildModelFromUrdf
    files = [str(one) for one in robot_files("example-robot-data", ".urdf")]
    files = [one for one in files if reads(kg.load, one) and reads(theirs, one)]
    works: dict[str, Callable[[str], object]] = {
        "pinocchio": theirs,
        "load": kg.load,
        "load and compile": lambda file: kg.load(file).compile(),
    }
    best = dict.fromkeys(works, float("inf"))
    for _ in range(ROUNDS):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work, files))
    print(f"{len(files)} URDF files, best of {ROUNDS} rounds")
    for name, time_taken in best.items():
        ratio = time_taken / best["pinocchio"]
        print(f"{name:18} {1e3 * time_taken:7.1f} ms  {ratio:5.2f} × Pinocchio")
        note(f"robots: {name}", time_taken, "s")
    met = "met" if best["load"] <= BAR * best["pinocchio"] else "missed"
    print(f"bar: load takes at most {BAR:g} × Pinocchio's time: {met}")


if __name__ == "__main__":
    main()
