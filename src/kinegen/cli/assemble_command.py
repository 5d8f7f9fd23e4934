"""``kinegen assemble``: close the loops, and find every way to do so."""

from __future__ import annotations

import argparse

from kinegen.cli.arguments import add_mechanism, add_parameters, add_q, load_mechanism, parse_q
from kinegen.cli.output import count, length, print_json, print_table
from kinegen.cli.targets import by_joint, joint_text
from kinegen.kinematics import assemble, assembly_modes, inputs_of

EXAMPLES = [
    "kinegen assemble four-bar",
    "kinegen assemble 3-rrr --modes",
    'kinegen assemble five-bar --modes --q "A=1.2, E=1.9" --json',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, inputs, one pose or all."""
    add_mechanism(parser)
    parser.add_argument("--modes", action="store_true", help="every way to close the loops")
    parser.add_argument(
        "--input", metavar="JOINT", action="append", default=[],
        help="a joint that holds its value; default: those with motors; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--attempts", type=int, default=2000, help="random starts of the search; default: 2000"
    )
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Assemble and list."""
    model = load_mechanism(options).compile()
    q = parse_q(model, options.q)
    inputs = options.input or list(inputs_of(model))
    # a pose typed in is about its inputs: they hold; the file's own start may give way
    result = assemble(model, q, locked=inputs if options.q else options.input)
    modes = (
        assembly_modes(model, result.q, inputs=inputs, attempts=options.attempts)
        if options.modes
        else []
    )
    if options.json:
        answer = {
            "name": model.name,
            "q": by_joint(model, result.q),
            "gap": result.gap,
            "inputs": inputs,
        }
        if options.modes:
            answer["assembly_modes"] = [
                {
                    "name": mode.name,
                    "q": by_joint(model, mode.q),
                    "distance": mode.distance,
                    "loose": mode.loose,
                }
                for mode in modes
            ]
        print_json(answer)
        return 0
    print(f"Assembled: {count(len(model.loops), 'loop')} closed to {result.gap * 1e9:.3g} nm.")
    poses = [mode.q for mode in modes] or [result.q]
    if options.modes:
        held = ", ".join(inputs) or "no joint"
        loose = [mode for mode in modes if mode.loose]
        also = ""
        if loose:
            also = (
                f", and {', '.join(mode.name for mode in loose)}: a continuous family of poses, "
                "of which one is shown"
            )
        print(f"{count(len(modes) - len(loose), 'assembly mode')} with {held} held{also}:")
        print_table(
            ("mode", "furthest point moves by", ""),
            [
                (mode.name, length(mode.distance), "moves freely" if mode.loose else "")
                for mode in modes
            ],
            right=(1,),
        )
        print()
    header = [mode.name for mode in modes] or ["value"]
    shown = poses[:6]
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
    return 0
