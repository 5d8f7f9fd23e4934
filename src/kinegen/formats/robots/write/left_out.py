"""What robot files do not hold of a mechanism, by name."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from kinegen.formats.robots.write.outline import Outline
from kinegen.mechanism.graph import Mechanism

__all__ = ["note_left_out"]

_LEFT_OUT = {
    "lights": "light", "people": "scripted visitor", "sensors": "sensor", "agents": "agent",
    "pulls": "pull", "devices": "device",
}  # fmt: skip
"""Sections of a scene that no robot file holds as Kinegen does, and one of their entries."""
_MORE_OF_MOTORS = {"acceleration", "stall", "no_load"}
"""Keys of motors that no robot file holds."""


def note_left_out(made: Outline, mechanism: Mechanism, holds: Collection[str]) -> None:
    """Note the parts of a mechanism that have no place in a robot file.

    Args:
        made: Gets the notes.
        mechanism: What is written.
        holds: What the format holds all the same: 'gravity', 'motions', 'friction'.
    """
    scene, joints = mechanism.scene, mechanism.joints.values()
    kinds = _LEFT_OUT if "motions" in holds else {**_LEFT_OUT, "motions": "recorded motion"}
    for section, word in kinds.items():
        names = [row["name"] for row in scene.get(section) or ()]
        made.note(names, f"{word} {{}} is left out", f"{word}s {{}} are left out")
    screens = [row["name"] for row in mechanism.wall.get("screens", ())]
    made.note(
        screens, "the wall with screen {} is left out", "the wall with screens {} is left out"
    )
    objects = scene.get("objects") or ()
    thrown = [row["name"] for row in objects if {"velocity", "spin"} & set(row)]
    made.note(
        thrown, "the velocity of object {} is left out", "velocities of objects {} are left out"
    )
    if "gravity" not in holds and not np.allclose(made.gravity, (0, 0, -9.81), atol=0.005):
        value = " ".join(f"{one:g}" for one in made.gravity)
        made.notes.append(f"gravity {value} m/s² is left out: this format has none")
    made.note(
        [one.name for one in joints if one.backlash is not None],
        "the backlash of joint {} is left out",
        "backlash of joints {} is left out",
    )
    sticky = [one.name for one in joints if {"static", "stribeck"} & set(one.friction or ())]
    made.note(
        sticky, "static friction of joint {} is left out", "static friction of {} is left out"
    )
    more = [
        one.name
        for one in joints
        if any(_MORE_OF_MOTORS & set(motor or ()) for motor in one.motors)
    ]
    made.note(
        more,
        f"of the motor of joint {{}}, {', '.join(sorted(_MORE_OF_MOTORS))} are left out",
        f"of the motors of joints {{}}, {', '.join(sorted(_MORE_OF_MOTORS))} are left out",
    )
    surfaces = [one.name for one in joints if one.link.surface]
    if "friction" not in holds:
        made.note(
            surfaces, "the surface of link {} is left out", "surfaces of links {} are left out"
        )
