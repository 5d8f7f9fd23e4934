"""Keyframes of an MJCF file: the pose that is written, and recorded motions of one row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.formats.robots.write.mjcf_writer.joints import MadeJoint, bakes, value_of
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import OutJoint, Outline
from kinegen.formats.robots.write.outline_of import outline_of
from kinegen.formats.robots.write.writer import Order
from kinegen.formats.robots.write.xml_text import Element, add
from kinegen.motion.recording import Recording
from kinegen.spatial.rotation import SO3

__all__ = ["add_keys"]

_SAME = 1e-12
"""Poses that differ by less are one [rad, m]."""


def add_keys(
    root: Element,
    order: Order,
    outline: Outline,
    made: Sequence[MadeJoint],
    servos: Sequence[MadeJoint | None],
) -> None:
    """Add the keyframes; the first is the pose that is written.

    Args:
        root: The file's root.
        order: What is written.
        outline: In the pose that is written, from which balls count.
        made: All joints of the file, in its order.
        servos: For each actuator the joint whose value is its target; None: an effort.
    """
    if not made:
        return
    here = _qpos(outline, outline, made)
    keys: list[tuple[str, list[float], float, list[float]]] = []
    longer: list[str] = []
    model = order.mechanism.compile()
    names = OutNames()
    for row in order.mechanism.scene.get("motions", []):
        if len(row["times"]) > 1:
            longer.append(row["name"])
            continue
        motion = Recording.from_dict(model, row)
        q = motion.at(motion.times[0], model.start() if order.q is None else order.q)
        there = outline_of(order.mechanism, q)
        qpos, ctrl = _qpos(there, outline, made), _targets(there, servos)
        keys.append((names.new(row["name"], "key"), qpos, float(motion.times[0]), ctrl))
    # a keyframe that the mechanism starts at remains the first, under its own name
    first = next((key for key in keys if np.allclose(key[1], here, rtol=0, atol=_SAME)), None)
    if first is None:
        first = names.new("start", "key"), here, 0.0, _targets(outline, servos)
    element = add(root, "keyframe")
    for key in (first, *(key for key in keys if key is not first)):
        name, qpos, time, ctrl = key
        add(element, "key", name=name, time=time or None, qpos=qpos, ctrl=ctrl or None)
    outline.note(
        longer,
        "recorded motion {} is left out: a keyframe has one row",
        "recorded motions {} are left out: a keyframe has one row",
    )


def _by_name(outline: Outline) -> dict[str, OutJoint]:
    return {one.name: one for one in (*outline.joints.values(), *outline.loops)}


def _qpos(there: Outline, here: Outline, made: Sequence[MadeJoint]) -> list[float]:
    """Positions of all joints of a file in the pose of one outline; balls count from the other."""
    joints, own = _by_name(there), _by_name(here)
    found: list[float] = []
    for one in made:
        joint = joints[one.joint.name]
        if one.step.kind == "free":
            X_WL = there.links[joint.child].X_WL
            R = SO3.from_matrix(np.array(X_WL[:9]).reshape(3, 3))
            found += [*X_WL[9:], *R.quat.tolist()]
        elif one.step.kind == "ball":
            turn = SO3(np.array(joint.quat))
            if bakes(joint):
                turn = SO3(np.array(own[joint.name].quat)).inverse() @ turn
            found += turn.quat.tolist()
        else:
            found.append(_value(joint, one))
    return found


def _targets(there: Outline, servos: Sequence[MadeJoint | None]) -> list[float]:
    joints = _by_name(there)
    return [0.0 if one is None else _value(joints[one.joint.name], one) for one in servos]


def _value(joint: OutJoint, made: MadeJoint) -> float:
    """A hinge's or slide's value in the pose of the joint's outline."""
    step = next(step for step in joint.steps() if step.name == made.step.name)
    return value_of(joint, step)
