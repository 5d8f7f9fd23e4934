"""``kinegen list``: the library."""

from __future__ import annotations

import argparse

from kinegen.cli.answers import print_json
from kinegen.cli.output import print_table
from kinegen.mechanism.load import library_names, load_raff

EXAMPLES = ["kinegen list", "kinegen list --json"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def run(options: argparse.Namespace) -> int:
    """Print every mechanism of the library with its size."""
    rows = []
    for name in library_names():
        mechanism = load_raff(name)
        joints = mechanism.joints.values()
        rows.append(
            {
                "name": name,
                "title": mechanism.title or "",
                "joints": len(joints),
                "loops": sum(joint.closes is not None for joint in joints),
                "nv": sum(joint.type.info.nv for joint in joints),
            }
        )
    if options.json:
        print_json({"mechanisms": rows})
        return 0
    print_table(
        ("name", "joints", "loops", "joint degrees of freedom", "description"),
        [
            (r["name"], str(r["joints"]), str(r["loops"]), str(r["nv"]), r["title"])  # type: ignore[misc]
            for r in rows
        ],
        right=(1, 2, 3),
    )
    print(
        f"\n{len(rows)} mechanisms; for details of one: kinegen info "
        f"{rows[0]['name'] if rows else ''}"
    )
    return 0
