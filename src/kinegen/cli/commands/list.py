"""``kinegen list``: the library."""

from __future__ import annotations

import argparse

from kinegen.cli.answers import print_json
from kinegen.cli.output import print_table
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import library_names, load_raff, world_names

EXAMPLES = ["kinegen list", "kinegen list --json"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def run(options: argparse.Namespace) -> int:
    """Print every mechanism and every world of the library with its size."""
    mechanisms = [_row(load_raff(name), name) for name in library_names()]
    worlds = [_world_row(load_raff(name), name) for name in world_names()]
    if options.json:
        print_json({"mechanisms": mechanisms, "worlds": worlds})
        return 0
    print_table(
        ("name", "joints", "loops", "joint degrees of freedom", "description"),
        [
            (str(r["name"]), str(r["joints"]), str(r["loops"]), str(r["nv"]), str(r["title"]))
            for r in mechanisms
        ],
        right=(1, 2, 3),
    )
    print(
        f"\n{len(mechanisms)} mechanisms; for details of one: kinegen info "
        f"{mechanisms[0]['name'] if mechanisms else ''}\n"
    )
    print_table(
        ("world", "sensors", "agents", "description"),
        [(str(r["name"]), str(r["sensors"]), str(r["agents"]), str(r["title"])) for r in worlds],
        right=(1, 2),
    )
    print(f"\n{len(worlds)} worlds; to run one: kinegen run {worlds[0]['name'] if worlds else ''}")
    return 0


def _row(mechanism: Mechanism, name: str) -> dict[str, str | int]:
    joints = mechanism.joints.values()
    return {
        "name": name,
        "title": mechanism.title or "",
        "joints": len(joints),
        "loops": sum(joint.closes is not None for joint in joints),
        "nv": sum(joint.type.info.nv for joint in joints),
    }


def _world_row(mechanism: Mechanism, name: str) -> dict[str, str | int]:
    counts = {key: len(mechanism.scene.get(key, ())) for key in ("sensors", "agents")}
    return {**_row(mechanism, name), **counts}
