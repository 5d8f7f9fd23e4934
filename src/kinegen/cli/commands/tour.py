"""``kinegen tour``: what Kinegen does, in a minute, on one mechanism."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.out import write_out
from kinegen.cli.output import angle, count, length, number, print_table
from kinegen.errors import NumberError
from kinegen.formats.drawing.pictures.svg import draw
from kinegen.formats.load import load
from kinegen.kernels import Floats, name
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.configurations import integrate
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import forward, pose
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import library_names
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

EXAMPLES = ["kinegen tour", "kinegen tour stewart --out stewart.svg"]

DEFAULT = "puma560"
POSE_COUNT = 7
TURN, SLIDE = math.pi / 4, 0.1
"""How far a joint moves to each side where its limits allow it [rad, m]."""

Steps = list[tuple[float, Floats]]
"""(how far the joint has moved [rad, m], where the frame is then [m])"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The mechanism to show, where the picture goes."""
    parser.add_argument(
        "mechanism",
        metavar="NAME",
        nargs="?",
        default=DEFAULT,
        help=f"a library name, or a file; default: {DEFAULT}",
    )
    parser.add_argument("--out", metavar="FILE", default="tour.svg", help="the picture to write")


def run(options: argparse.Namespace) -> int:
    """Load, describe, move, change, draw."""
    mechanism = load(options.mechanism)
    model = mechanism.compile()
    picture = Path(options.out)
    title = mechanism.title or mechanism.name
    write_out(picture, draw(model, forward(model)[: model.link_count], title=title))
    movers = [joint for joint in model.joints if joint.v.stop > joint.v.start and not joint.is_cut]
    if options.json:
        print_json(_answer(model, movers, picture))
        return 0

    numbers = itertools.count(1)

    def stop(heading: str) -> None:
        print(f"{next(numbers)}. {heading}\n")

    _show_file(mechanism, model, stop)
    _show_pose(model, stop)
    if movers:
        _show_motion(model, movers, stop)
        _show_speeds(model, movers, stop)
    _show_edit(model, stop)
    stop(f"A picture of it: {picture} (open it in any browser)")
    print(f"Kernels: {name()}. Next: write a file of your own (docs/reference/raff.md), then")
    print("   kinegen check my.raff; kinegen draw my.raff; kinegen fk my.raff")
    return 0


Stop = Callable[[str], None]


def _show_file(mechanism: Mechanism, model: Model, stop: Stop) -> None:
    stop("A mechanism is a short text file")
    print(f"   {mechanism.name}: {mechanism.title or 'a mechanism'}")
    sizes = {"joint": len(model.joints), "link": model.link_count, "loop": len(model.loops)}
    print("   " + ", ".join(count(size, what) for what, size in sizes.items()))
    print(f"   The library has {len(library_names())} of them: kinegen list\n")


def _show_pose(model: Model, stop: Stop) -> None:
    frame = model.site_names[-1]
    stop(f"Where its frame '{frame}' is at the start")
    X = pose(model, None, frame)
    print("   " + ", ".join(f"{a} {length(x)}" for a, x in zip("xyz", X.translation, strict=True)))
    turns = zip(("roll", "pitch", "yaw"), X.so3.rpy, strict=True)
    print("   " + ", ".join(f"{a} {angle(x)}" for a, x in turns))
    if model.loops:
        print(f"   The widest gap of its loops is {loop_gap(model).distance * 1e9:.2g} nm.")
    print()


def _show_motion(model: Model, movers: list[ModelJoint], stop: Stop) -> None:
    joint, variable, path = _sweep(model, movers)
    stop(f"Joint '{joint.name}' moves, the others hold")
    quantity = joint.type.info.variables[variable][1]
    show = angle if quantity == "angle" else length
    print_table(
        ("moved by", "x", "y", "z"),
        [(show(step), *map(length, xyz)) for step, xyz in path],
        right=range(4),
    )
    if model.loops:
        print(
            "   This moves only the tree, so the loops open. To move it with its loops closed, use:"
        )
        print("   kinegen drag, kinegen assemble")
    print()


def _show_speeds(model: Model, movers: list[ModelJoint], stop: Stop) -> None:
    stop("How fast the frame moves when a joint turns at 1 rad/s or slides at 1 m/s")
    speeds = _speeds(model)
    print_table(
        ("joint", "speed"),
        [(joint.name, f"{number(float(speeds[joint.v].max()), 3)} m/s") for joint in movers],
        right=(1,),
    )
    print()


def _show_edit(model: Model, stop: Stop) -> None:
    """The parameter that moves the last frame most when it grows by a tenth."""
    moves = {}
    here = pose(model).translation
    for parameter, before in dict(model.parameters).items():
        with contextlib.suppress(NumberError):  # a formula's result, or a value it cannot take
            model.parameters[parameter] = before * 1.1
            moves[parameter] = float(np.linalg.norm(pose(model).translation - here))
            model.parameters[parameter] = before
    if any(moves.values()):
        best = max(moves, key=lambda parameter: moves[parameter])
        before = model.parameters[best]
        stop(f"A number changed while it runs: '{best}' {before:.4g} → {before * 1.1:.4g}")
        print(
            f"   The frame is {length(moves[best])} from where it was; nothing was loaded again.\n"
        )


def _answer(model: Model, movers: list[ModelJoint], picture: Path) -> dict[str, object]:
    answer: dict[str, object] = {"name": model.name, "frame": model.site_names[-1]}
    if movers:
        joint, variable, path = _sweep(model, movers)
        answer["joint"] = joint.name
        answer["variable"] = joint.type.info.variables[variable][0]
        answer["path"] = [{"moved": step, "xyz": xyz} for step, xyz in path]
    return {**answer, "picture": str(picture)}


def _speeds(model: Model) -> Floats:
    """Speed of the last frame's origin for each entry of v [m/s per unit]."""
    return np.asarray(np.linalg.norm(jacobian(model, None, model.site_names[-1])[:3], axis=0))


def _sweep(model: Model, movers: list[ModelJoint]) -> tuple[ModelJoint, int, Steps]:
    """The degree of freedom that moves the last frame most, from one side to the other."""
    speeds = _speeds(model)
    joint = max(movers, key=lambda j: float(speeds[j.v].max()))
    variable = int(speeds[joint.v].argmax())
    at = joint.v.start + variable
    reach = TURN if joint.type.info.variables[variable][1] == "angle" else SLIDE
    low, high = -reach, reach
    if joint.q.stop - joint.q.start == 1:
        start = float(model.start()[joint.q.start])
        low = max(low, float(model.lower[at]) - start)
        high = min(high, float(model.upper[at]) - start)
    path: Steps = []
    for step in np.linspace(low, high, POSE_COUNT).tolist():
        v = np.zeros(model.nv)
        v[at] = step
        q = integrate(model, None, v)
        path.append((step, pose(model, q, model.site_names[-1]).translation))
    return joint, variable, path
