"""Changing a mechanism: a number in place, its structure, and loading a very large file.

Run ``python -m bench.files.edit [--rounds N]``. Peers do the nearest thing they know: MuJoCo writes
a body's position in its compiled model, adds a body to its specification and compiles it, reads its
XML; Pinocchio writes a joint's placement, builds its model again, reads URDF. They know no
formulas, so one number of theirs stands for all that a parameter of ours moves. Timing decides
nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import PinocchioTree, best_times, find, urdf
from bench.support.scenes import chain_text, mjcf, tree_text

BAR_NUMBER = 5.0
"""[µs] A parameter, from Python."""
BAR_STRUCTURE = 5.0
"""[ms] A joint added to a mechanism of 40, and compiled."""
BAR_FILE = 2.0
"""[s] A file of 10,000 joints, loaded."""
JOINTS, LARGE = 40, 10_000
CALLS = 1000


def number_jobs(model: kg.Model) -> dict[str, tuple[int, Callable[[], object]]]:
    """Changes of one number in compiled models."""
    parameters, values = model.parameters, (0.1, 0.11)

    def parameter() -> None:
        for _ in range(CALLS // 2):
            parameters["length"] = values[1]
            parameters["length"] = values[0]

    def number() -> None:
        for _ in range(CALLS // 2):
            model.set_number("J5", "r", values[0])
            model.set_number("J5", "r", values[1])

    jobs: dict[str, tuple[int, Callable[[], object]]] = {
        f"kinegen: a parameter of {JOINTS} joints": (CALLS, parameter),
        "kinegen: one number": (CALLS, number),
    }
    if mujoco := find("mujoco"):
        twin = mujoco.MjModel.from_xml_string(mjcf(model))
        position = twin.body_pos[6]

        def body() -> None:
            for _ in range(CALLS // 2):
                position[0] = values[0]
                position[0] = values[1]

        jobs["mujoco: one body's position"] = (CALLS, body)
    if pin := find("pinocchio", "pin"):
        placement = PinocchioTree(pin, model, "tip").model.jointPlacements[6]
        shifts = [np.array([x, 0.0, 0.0]) for x in values]

        def place() -> None:
            for _ in range(CALLS // 2):
                placement.translation = shifts[0]
                placement.translation = shifts[1]

        jobs["pinocchio: one joint's placement"] = (CALLS, place)
    return jobs


def structure_jobs(mechanism: kg.Mechanism) -> dict[str, tuple[int, Callable[[], object]]]:
    """A joint added at the end or taken away, and the whole compiled again: two edits each."""
    model = mechanism.compile()

    def ours() -> None:
        mechanism.add_joint("extra", f"J{JOINTS - 1}", d="length")
        mechanism.compile()
        mechanism.remove_joint("extra")
        mechanism.compile()

    jobs: dict[str, tuple[int, Callable[[], object]]] = {
        "kinegen: add or remove a joint, compile": (2, ours),
        "(kinegen: compile alone)": (1, mechanism.compile),
    }
    if mujoco := find("mujoco"):
        spec = mujoco.MjSpec.from_string(mjcf(model))

        def theirs() -> None:
            extra = spec.body(f"J{JOINTS - 1}").add_body(name="extra", mass=1, inertia=[1, 1, 1])
            extra.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE)
            spec.compile()
            spec.delete(extra)
            spec.compile()

        jobs["mujoco: the same in MjSpec, compile"] = (2, theirs)
    if pin := find("pinocchio", "pin"):
        jobs["pinocchio: build again in Python"] = (1, lambda: PinocchioTree(pin, model, "tip"))
    return jobs


def file_seconds(text: str) -> dict[str, float]:
    """Seconds to load the large file, once each: they are long enough."""
    spent: dict[str, float] = {}

    def clock(name: str, load: Callable[[], Any]) -> Any:
        begin = time.thread_time()
        loaded = load()
        spent[name] = time.thread_time() - begin
        return loaded

    mechanism = clock("kinegen: load", lambda: kg.load(text))
    model = clock("(kinegen: compile)", mechanism.compile)
    if mujoco := find("mujoco"):
        xml = mjcf(model)
        clock("mujoco: from_xml_string", lambda: mujoco.MjModel.from_xml_string(xml))
    if pin := find("pinocchio", "pin"):
        description = urdf(model)
        clock("pinocchio: buildModelFromXML", lambda: pin.buildModelFromXML(description))
    return spent


def show(title: str, unit: str, times: dict[str, float]) -> float:
    """Print a table; ours is its first row."""
    mine = next(iter(times.values()))
    print(f"\n{title:44}{unit:>8}{'ratio':>9}")
    for name, spent in times.items():
        note(f"{title}, {name}", spent, unit)
        print(f"{name:44}{spent:8.3g}{spent / mine:8.1f}×")
    return mine


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Changing numbers and structure.")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    mechanism = kg.load(chain_text(JOINTS))
    print(f"Python {platform.python_version()}, best of {rounds} rounds")

    mine = show("a number, in place", "µs", best_times(number_jobs(mechanism.compile()), rounds))
    print(verdict(mine, BAR_NUMBER, f"µs, at most {BAR_NUMBER:.0f}", least=False))

    times = best_times(structure_jobs(mechanism), rounds)
    milliseconds = {name: spent / 1e3 for name, spent in times.items()}
    mine = show(f"structure of {JOINTS} joints", "ms", milliseconds)
    print(verdict(mine, BAR_STRUCTURE, f"ms, at most {BAR_STRUCTURE:.0f}", least=False))

    mine = show(f"a file of {LARGE:,} joints", "s", file_seconds(tree_text(LARGE)))
    print(verdict(mine, BAR_FILE, f"s, at most {BAR_FILE:.0f}", least=False))


if __name__ == "__main__":
    main()
