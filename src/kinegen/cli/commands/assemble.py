"""``kinegen assemble``: close the loops, and find every assembly mode."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_start,
)
from kinegen.cli.options.targets import by_joint, joint_text, names_of
from kinegen.cli.output import count, length, print_table
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import (
    Assembly,
    AssemblyMode,
    assembly_modes,
    inputs_of,
)
from kinegen.kinematics.solving.assembling.explained import assemble_explained
from kinegen.kinematics.solving.assembling.words import moves_text
from kinegen.kinematics.solving.named_mode import mode_keys
from kinegen.mechanism.editing.starts import write_starts
from kinegen.mechanism.editing.structure import set_key
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import is_in_library
from kinegen.mechanism.model import Model

EXAMPLES = [
    "kinegen assemble four-bar",
    "kinegen assemble 3-rrr --modes",
    'kinegen assemble five-bar --modes --q "A=1.2, E=1.9" --json',
]

SHOWN = 6
"""Poses that are printed beside each other."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, inputs, one pose or all."""
    add_mechanism(parser)
    parser.add_argument("--modes", action="store_true", help="find every assembly mode")
    parser.add_argument(
        "--input", metavar="JOINT", action="append", default=[],
        help="keep this joint at its value; default: all joints with motors; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--mode",
        type=int,
        metavar="N",
        help="with --write or --write-mode: the number of the mode to write",
    )
    parser.add_argument(
        "--write", action="store_true",
        help="write the closed pose into the file as the new start of the joints that moved",
    )  # fmt: skip
    parser.add_argument(
        "--write-mode", action="store_true",
        help="instead, write the key 'mode' into the file, which names the mode chosen by --mode N",
    )  # fmt: skip
    parser.add_argument(
        "--attempts",
        type=int,
        default=2000,
        help="number of random starts of the search; default: 2000",
    )
    add_q(parser)
    add_parameters(parser)


def _chosen(options: argparse.Namespace, result: Assembly, modes: Sequence[AssemblyMode]) -> Floats:
    """The pose that is written: that of one of the modes, or the one next to the start."""
    if options.mode is None:
        if options.write_mode:
            raise UsageError(
                "--write-mode needs --modes and --mode N, which chooses the mode to write"
            )
        return result.q
    if not options.modes or options.write == options.write_mode:
        raise UsageError(
            "--mode N chooses the mode to write: it needs --modes and either --write or "
            "--write-mode"
        )
    number: int = options.mode
    if not 1 <= number <= len(modes):
        raise UsageError(f"--mode {number}: there are {count(len(modes), 'mode')}")
    return modes[number - 1].q


def _write(options: argparse.Namespace, mechanism: Mechanism, model: Model, q: Floats) -> None:
    """Write a pose into the file: the start of every joint that is not there already."""
    _check_file(options)
    start = model.start()
    moved = [j.name for j in model.joints if np.abs(q[j.q] - start[j.q]).max(initial=0.0) > 1e-12]
    write_starts(mechanism, model, q, moved)
    mechanism.save(options.mechanism)


def _write_mode(options: argparse.Namespace, mechanism: Mechanism, keys: list[str]) -> None:
    """Write the name of a mode into the file."""
    _check_file(options)
    if not keys:
        raise UsageError(
            "--write-mode takes no --q or --input: the key 'mode' refers to the motors at their "
            "start"
        )
    set_key(mechanism, "mode", keys[options.mode - 1])
    mechanism.save(options.mechanism)


def _check_file(options: argparse.Namespace) -> None:
    """Refuse to write where a file would not be what was meant."""
    if is_in_library(options.mechanism):
        raise UsageError(
            f"'{options.mechanism}' is in the library, which is read-only; make a file of your "
            f"own: kinegen convert {options.mechanism} my.raff"
        )
    if not options.mechanism.lower().endswith(".raff"):
        raise UsageError(
            f"'{options.mechanism}' is not a RAFF file, so nothing is written into it; make one: "
            f"kinegen convert {options.mechanism} my.raff"
        )
    if options.set:
        raise UsageError(
            "--write takes no --set: the file does not contain values changed by --set"
        )


def run(options: argparse.Namespace) -> int:
    """Assemble and list."""
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    asked = names_of(options.input)
    inputs = asked or list(inputs_of(model))
    q = parse_start(model, options.q)
    # joints that are named hold their values, and so do the inputs of a whole pose
    held = [*asked, *q] if isinstance(q, dict) else inputs if options.q else asked
    result = assemble_explained(model, q, locked=list(dict.fromkeys(held)))
    modes = (
        assembly_modes(model, result.q, inputs=inputs, attempts=options.attempts)
        if options.modes
        else []
    )
    # how the file can name them, where they are those of the file itself
    own = not options.q and not asked
    keys = mode_keys(model, modes, options.attempts) if own and modes else []
    chosen = _chosen(options, result, modes)
    if options.write:
        _write(options, mechanism, model, chosen)
    elif options.write_mode:
        _write_mode(options, mechanism, keys)
    if options.json:
        print_json(_as_json(options, model, result, inputs, modes, keys))
        return 0
    _print_result(options, model, result, keys)
    if options.modes:
        _print_modes(inputs, modes, keys)
    header = [mode.name for mode in modes] or ["value"]
    _print_poses(model, header, [mode.q for mode in modes] or [result.q])
    return 0


def _as_json(
    options: argparse.Namespace,
    model: Model,
    result: Assembly,
    inputs: Sequence[str],
    modes: Sequence[AssemblyMode],
    keys: Sequence[str],
) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "name": model.name,
        "q": by_joint(model, result.q),
        "gap": result.gap,
        "inputs": inputs,
        "moved": {move.joint: list(move.by) for move in result.moved},
        "branch_changed": result.branch_changed,
        "written": options.mechanism if options.write or options.write_mode else None,
    }
    if options.modes:
        answer["assembly_modes"] = [
            {
                "name": mode.name,
                "q": by_joint(model, mode.q),
                "distance": mode.distance,
                "loose": mode.loose,
                "key": keys[i] if keys else None,
            }
            for i, mode in enumerate(modes)
        ]
    return answer


def _print_result(
    options: argparse.Namespace, model: Model, result: Assembly, keys: Sequence[str]
) -> None:
    parts = [count(len(model.loops), "loop")] * bool(model.loops)
    parts += [count(len(model.couplings), "coupling")] * bool(model.couplings)
    print(f"Assembled: {' and '.join(parts)} closed to {result.gap * 1e9:.3g} nm.")
    if result.moved:
        print(f"To close them, these joints moved: {moves_text(model, result.moved)}.")
    if result.branch_changed:
        print("This assembly mode cannot be reached from the file's own without opening a loop.")
    if options.write:
        print(f"Wrote the closed pose to {options.mechanism}.")
    if options.write_mode:
        print(f'Wrote mode: "{keys[options.mode - 1]}" to {options.mechanism}.')


def _print_modes(inputs: Sequence[str], modes: Sequence[AssemblyMode], keys: Sequence[str]) -> None:
    listed = ", ".join(inputs) or "no joint"
    loose = [mode for mode in modes if mode.loose]
    also = ""
    if loose:
        names = ", ".join(mode.name for mode in loose)
        one = "a continuous family of poses" if len(loose) == 1 else "one such family each"
        also = f", and {names} ({one}, of which one pose is shown)"
    print(f"{count(len(modes) - len(loose), 'assembly mode')} with {listed} held{also}:")
    print_table(
        ("mode", "furthest point moves by", "in the file", ""),
        [
            (
                mode.name,
                length(mode.distance),
                f'mode: "{keys[i]}"' if keys else "",
                "moves freely" if mode.loose else "",
            )
            for i, mode in enumerate(modes)
        ],
        right=(1,),
    )
    print()


def _print_poses(model: Model, header: Sequence[str], poses: Sequence[Floats]) -> None:
    """A column per pose, as many as a terminal is wide."""
    shown = poses[:SHOWN]
    print_table(
        ("joint", *header[: len(shown)]),
        [
            (joint.name, *(joint_text(joint, q) for q in shown))
            for joint in model.joints
            if joint.q.stop > joint.q.start
        ],
        right=range(1, len(shown) + 1),
    )
    if len(poses) > len(shown):
        print(f"… and {len(poses) - len(shown)} more modes: --json lists them all")
