"""Commands as nobody would type them: mechanisms with next to nothing, numbers far out of place."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator

from kinegen.cli.main import COMMANDS

NEEDED = {
    "ik": ["--xyz", "0 0 0.1"],
    "drag": ["--to", "0 0 0.1"],
    "map": ["--box", "0 0 0; 0.1 0.1 0", "--points", "3"],
    "path": ["--shape", "segment", "--from", "0 0 0.1", "--to", "0 0.1 0.1", "--points", "5"],
    "plot": ["--shape", "segment", "--from", "0 0 0.1", "--to", "0 0.1 0.1", "--points", "5"],
    "design": ["--free", "L", "--goal", "cover", "--box", "0 0 0; 0.1 0.1 0", "--points", "8",
               "--starts", "1", "--tries", "4"],
    "export": ["out.json"],
    "grasp": ["--at", "0 0.1 0.1", "--box", "2 cm 2 cm 2 cm"],
    "simulate": ["--time", "20 ms"],
    "run": ["--time", "20 ms"],
    "bridge": ["--as", "feetech", "--clock", "client", "--time", "20 ms"],
    "drive": ["--to", "virtual", "--as", "feetech"],
    "calibrate": ["--to", "virtual", "--as", "feetech"],
    "touch": ["--time", "20 ms"],
    "head": ["--packets", "0", "--time", "20 ms"],
    "zone": ["--step", "30 deg"],
    "workspace": ["--factor", "45"],
    "assemble": ["--attempts", "50"],
}  # fmt: skip
"""What a command needs beside the mechanism, small enough to be quick."""

NO_MECHANISM = frozenset({"list", "schema", "studio", "head"})

MECHANISMS = {
    "nothing": "raff: 1\n",
    "fixed": "raff: 1\njoints: [{name: F, type: fixed, parent: base, xyz: [0.1, 0, 0]}]\n",
    "one": "raff: 1\nparameters: {L: 0.3}\njoints: [{name: A, parent: base}]\n"
    "frames: [{name: tool, parent: A, xyz: [L, 0, 0]}]\n",
    "slide": "raff: 1\njoints: [{name: S, type: prismatic, parent: base}]\n",
    "ball": "raff: 1\njoints: [{name: B, type: spherical, parent: base}]\n",
    "free": "raff: 1\njoints: [{name: X, type: free, parent: base}]\n",
    "loop": "raff: 1\nparameters: {L: 0.3}\njoints:\n  - {name: A, parent: base}\n"
    "  - {name: B, parent: A, d: L, closes: {onto: base, d: L}}\n",
    "rigid": "raff: 1\njoints:\n  - {name: A, type: fixed, parent: base}\n"
    "  - {name: B, type: fixed, parent: A, closes: {onto: base}}\n",
}
"""Mechanisms with next to nothing in them."""

VARIANTS = {
    "assemble": [["--modes"], ["--modes", "--input", "A"], ["--input", "A"]],
    "zone": [
        ["--turn"], ["--turn", "--method", "solver"], ["--step", "20 cm"], ["--body"],
        ["--method", "triangles"], ["--method", "solver"], ["--modes", "all"], ["--input", "A"],
        ["--out", "z.svg"], ["--out", "z.glb"], ["--out", "z.csv"], ["--tilt", "0"],
        ["--step", "20 cm", "--through"],
    ],
    "workspace": [
        ["--count", "20"], ["--count", "50", "--body"], ["--layer", "manipulability"],
        ["--layer", "singularity"], ["--layer", "limits"], ["--layer", "density"],
        ["--out", "w.svg"], ["--out", "w.glb"], ["--out", "w.ply"], ["--out", "w.npz"],
        ["--tool-only"], ["--frames", ""],
    ],
    "ik": [["--all"], ["--rpy", "0 0 0"], ["--quat", "0 0 0 0"], ["--quat", "1 0 0 0", "--all"]],
    "drag": [["--rpy", "0 0 0"], ["--lock", "A"], ["--avoid"],
             ["--avoid", "--clearance", "1 mm", "--floor=-1 m"]],
    "singular": [
        ["--heading", "1 0 0"], ["--heading", "0 0 0 0 0 1"], ["--heading", "0 0 0"],
        ["--joints", "A=1"], ["--kind", "task"], ["--kind", "gain"], ["--cross", "0"],
        ["--cross", ""],
    ],
    "dynamics": [["--v", "A=1"], ["--vdot", "A=1"], ["--load", "base=1,2,3"],
                 ["--gravity", "0 0 0"]],
    "collisions": [["--margin", "1 m"], ["--floor"], ["--margin", "1 m", "--floor=-1 m"]],
    "statics": [["--motors", "A"], ["--motors", ""], ["--load", "base=1,2,3"],
                ["--gravity", "0 0 0"]],
    "simulate": [["--hold"], ["--engine", "impulse"], ["--engine", "mujoco"], ["--floor"],
                 ["--out", "s.csv"], ["--out", "s.npz"], ["--out", "s.mcap"], ["--target", "A=1"],
                 ["--v", "A=1"], ["--gravity", "0 0 0"]],
    "run": [["--list-signals"], ["--engine", "impulse"], ["--floor"], ["--out", "r.csv"],
            ["--out", "r.mcap"], ["--force", "A.position=1"], ["--cut", "A.position"],
            ["--seed", "7"], ["--pace", "1000"]],
    "bridge": [["--as", "dynamixel"], ["--as", "ssc32"], ["--tcp"], ["--hold"],
               ["--engine", "impulse"], ["--floor"], ["--seed", "7"], ["--log", "r.csv"]],
    "touch": [["--push"], ["--turn"], ["--hold"]],
    "backlash": [["--angle", "1 deg"], ["--length", "1 mm"], ["--wobble", "1 deg"],
                 ["--play", "A=1 deg"], ["--angle", "1 deg", "--out", "b.svg"],
                 ["--angle", "1 deg", "--out", "b.csv"]],
    "path": [["--branches"], ["--branch", "0"], ["--timing", "optimal"], ["--timing", "smooth"],
             ["--tool", "0 0 1"], ["--rpy", "0 0 0"], ["--wrist", "0"], ["--out", "p.svg"],
             ["--out", "p.csv"], ["--out", "p.mcap"], ["--out", "p.gcode"], ["--out", "p.ssc"]],
    "plot": [["--charts", "speeds"], ["--charts", ""], ["--out", "p.pdf"], ["--out", "p.png"]],
    "map": [["--combined", "--out", "m.svg"], ["--out", "m.csv"], ["--wrist", "0"],
            ["--rpy", "0 0 0"], ["--branch", "1"], ["--along", "x", "--out", "m.svg"],
            ["--along", "z", "--out", "m.svg"], ["--box", "0 0 0; 0 0 0"]],
    "design": [["--goal", "follow", "--shape", "segment", "--from", "0 0 0.1", "--to", "0 1 0"],
               ["--clear", "0.1"], ["--free", ""], ["--free", "L,L"], ["--out", "d.raff"],
               ["--box", "0 0 0; 0 0 0"]],
    "draw": [["--view", "top"], ["--names"], ["--view", "0,90"], ["--size", "0x0"],
             ["--view", ""]],
    "export": [["--motion", "wave"]],
    "convert": [["out.svg"], ["out.raff"], ["out.gltf"], ["--to", "svg"], ["--to", "gltf"],
                ["--to", "page"]],
    "tour": [["--out", "t.svg"]],
    "fk": [["--frame", "base"], ["--q", ""], ["--q", "0"], ["--q", "A=1"]],
}  # fmt: skip
"""Options whose meaning depends on what a mechanism has."""

NUMBERS = ["0", "-1", "1e300", "1e308", "-1e308", "1e-320", "nan", "inf", "1e12", "1e400",
           "1000000000000", "99999999999999999999999", "1e-9", "", "x", "1/0", "1e308 km",
           "2**9999", "sqrt(-1)"]  # fmt: skip
"""Numbers far out of place."""


def odd_mechanisms(verb: str) -> Iterator[list[str]]:
    """A command on every mechanism, plain and with each of its variants."""
    for name in MECHANISMS:
        for more in ([], *VARIANTS.get(verb, [])):
            yield [verb, f"{name}.raff", *NEEDED.get(verb, []), *more]


def options_of(verb: str) -> list[argparse.Action]:
    """The options of a command that take a value."""
    parser = argparse.ArgumentParser(add_help=False)
    importlib.import_module(f"kinegen.cli.commands.{verb}").add_arguments(parser)
    return [a for a in parser._actions if a.option_strings and a.nargs in (None, "?")]


def odd_numbers(verb: str, mechanism: str = "five-bar") -> Iterator[list[str]]:
    """A command with each odd number in each of its options."""
    names = [] if verb in NO_MECHANISM else [mechanism]
    needed = [word if word != "L" else "crank" for word in NEEDED.get(verb, [])]
    for action in options_of(verb):
        if action.choices or action.option_strings[0] in ("--out", "--cluster", "--listen"):
            continue
        if action.option_strings[0] in ("--dynamics", "--device-listen", "--device"):
            continue
        for number in NUMBERS:
            for value in _forms(action, number):
                yield [verb, *names, *needed, f"{action.option_strings[0]}={value}"]


def _forms(action: argparse.Action, number: str) -> Iterator[str]:
    """A number as an option takes it: alone, of a joint, three of them, in a range."""
    yield number
    shape = f"{action.metavar} {action.help}"
    if "X Y Z" in shape or "P; P" in shape:
        yield f"{number} {number} {number}"
    if "P; P" in shape:
        yield f"{number} {number} {number}; 0.1 0.1 0.1"
    if "=" in shape or "VALUES" in shape or "PARAMETER" in shape:
        yield f"A={number}"
        yield f"crank={number}"
    if ":" in shape:
        yield f"A=0:{number}"
        yield f"A={number}:1"
        yield f"0:{number}"
    if "FX,FY,FZ" in shape:
        yield f"handle={number},0,{number}"


VERBS = [verb for verb in COMMANDS if verb not in ("bridge", "studio")]
