"""``kinegen grasp``: a way for a tool to an object, and its gripper shut around it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
)
from kinegen.cli.options.surroundings import add_floor, parse_floor
from kinegen.cli.options.targets import by_joint, joint_text
from kinegen.cli.output import count, print_table
from kinegen.errors import UsageError
from kinegen.kinematics.scene import SceneObject, scene_object
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import shapes_from_spec
from kinegen.motion.grasp import Grasp, grasp_object
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

EXAMPLES = [
    'kinegen grasp amtec-7 --at "45 cm 10 cm 30 cm" --box "4 cm 5 cm 6 cm"',
    "kinegen grasp arm-and-wall post --out grasp.csv",
]

EXIT_NOT_REACHED = 1
"""Exit code when the tool does not arrive."""
SUFFIXES = (".csv", ".json", ".npz")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, object, how it is approached, where to write."""
    add_mechanism(parser)
    parser.add_argument(
        "object", nargs="?", help="an object of the scene; otherwise specify --at and --box"
    )
    parser.add_argument(
        "--at", metavar='"X Y Z"', help="position of the object; default: as in the file"
    )
    parser.add_argument("--rpy", metavar='"R P Y"', help="its orientation, with --at")
    parser.add_argument(
        "--box", metavar='"X Y Z"', help="size of the object, if it is not in the scene"
    )
    parser.add_argument("--frame", metavar="F", help="the tool; default: the last frame")
    parser.add_argument("--clearance", help="where the straight approach begins, such as '8 cm'")
    parser.add_argument(
        "--avoid", action="store_true", help="avoid collisions on the way to the object"
    )
    add_floor(parser)
    parser.add_argument("--time", default="5 s", help="duration of the motion; default: 5 s")
    parser.add_argument(
        "--out", metavar="FILE", help=f"the motion as a joint table: {', '.join(SUFFIXES)}"
    )
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Plan and report; exit code 1 when the tool does not arrive."""
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    q = parse_closed(model, options.q)
    clearance = None
    if options.clearance:
        clearance = numbers_of("--clearance", options.clearance, ["length"])[0]
    (duration,) = numbers_of("--time", options.time, ["time"])
    if options.out and Path(options.out).suffix.lower() not in SUFFIXES:
        raise UsageError(f"a grasp is written as {', '.join(SUFFIXES)}, not '{options.out}'")
    thing = _object(mechanism, model, options)
    if options.floor is not None and not options.avoid:
        raise UsageError("--floor has no effect without --avoid")
    found = grasp_object(
        model, q, options.frame, thing, clearance=clearance, avoid=options.avoid,
        floor=parse_floor(options.floor),
    )  # fmt: skip
    if options.out:
        found.recording(duration).save(options.out)
    why = "" if found.reached else f"'{thing.name}' is not reached: {found.reason}"
    if options.json:
        print_json(_data(model, thing, found) | {"file": options.out}, error=why)
    else:
        _report(model, thing, found, why)
        if options.out:
            print(f"wrote {options.out}")
    return 0 if found.reached else EXIT_NOT_REACHED


def _object(mechanism: Mechanism, model: Model, options: argparse.Namespace) -> SceneObject:
    """The object of the scene, moved if that is asked for; or a box of its own."""
    X_WO = None
    if options.at:
        turn = numbers_of("--rpy", options.rpy, ["angle"] * 3) if options.rpy else (0, 0, 0)
        X_WO = SE3(SO3.from_rpy(*turn), np.array(numbers_of("--at", options.at, ["length"] * 3)))
    elif options.rpy:
        raise UsageError("--rpy needs the position of the object: specify --at as well")
    if options.object:
        if options.box:
            raise UsageError("specify an object of the scene or --box, not both")
        thing = scene_object(mechanism, model, options.object)
        return thing if X_WO is None else replace(thing, X_WO=X_WO)
    if X_WO is None or not options.box:
        raise UsageError("name an object of the scene, or specify --at and --box")
    size = numbers_of("--box", options.box, ["length"] * 3)
    return SceneObject("box", shapes_from_spec({"box": size}, ()), X_WO)


def _data(model: Model, thing: SceneObject, found: Grasp) -> dict[str, object]:
    return {
        "name": model.name,
        "object": thing.name,
        "frame": found.frame,
        "reached": found.reached,
        "reason": found.reason,
        "side": found.side,
        "aligned": found.aligned,
        "gripper": list(found.gripper),
        "poses": len(found.path),
        "grasp_at": found.grasp_at,
        "q": by_joint(model, found.path[found.grasp_at]),
        "path": found.path,
    }


def _report(model: Model, thing: SceneObject, found: Grasp, why: str) -> None:
    if why:
        print(f"'{found.frame}' approaches from {found.side}: {why}")
        return
    held = "" if not found.gripper else f" and closes {', '.join(found.gripper)}"
    lean = "" if found.aligned else ", not pointing at it"
    print(
        f"'{found.frame}' reaches '{thing.name}' from {found.side}{lean}{held}: "
        f"{count(len(found.path), 'pose')}"
    )
    moving = [joint for joint in model.joints if joint.q.stop > joint.q.start]
    print_table(
        ("joint", "now", "at the object", "end"),
        [
            (j.name, *(joint_text(j, found.path[row]) for row in (0, found.grasp_at, -1)))
            for j in moving
        ],
        right=(1, 2, 3),
    )
