"""Motors of an MJCF file: servos, or plain efforts."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kinegen.formats.robots.write.mjcf_writer.joints import MadeJoint
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import OutJoint
from kinegen.formats.robots.write.xml_text import Element, add

__all__ = ["add_actuators"]


def add_actuators(root: Element, made: Iterable[MadeJoint]) -> list[MadeJoint | None]:
    """A servo for each motor that has one, a plain effort for the others.

    Returns:
        For each actuator the joint whose value is its target; None for an effort.
    """
    element, names = add(root, "actuator"), OutNames()
    targets: list[MadeJoint | None] = []
    for made_joint in made:
        name, joint, step = made_joint.name, made_joint.joint, made_joint.step
        if step.kind == "ball":
            targets += [None] * _ball_motors(element, names, name, joint)
            continue
        one = step.variable
        if one is None or not one.has_motor:
            continue
        given: dict[str, object] = {"name": names.new(name), "joint": name}
        if math.isfinite(one.effort):
            given["forcerange"] = (-one.effort, one.effort)
        if one.kp is not None:
            add(element, "position", **given, kp=one.kp, kv=one.kd)
            targets.append(made_joint)
            continue
        if math.isfinite(one.effort):
            given["ctrlrange"] = given.pop("forcerange")
        add(element, "motor", **given)
        targets.append(None)
    if not len(element):
        root.remove(element)
    return targets


def _ball_motors(element: Element, names: OutNames, name: str, joint: OutJoint) -> int:
    """One effort for each axis that is driven; how many."""
    count = 0
    for one in joint.variables:
        if one.has_motor and not one.slides:
            gear = [float(one.axis == letter) for letter in "xyz"] + [0.0] * 3
            bound = (-one.effort, one.effort) if math.isfinite(one.effort) else None
            add(element, "motor", name=names.new(f"{name}_{one.axis}"), joint=name, gear=gear,
                ctrlrange=bound)  # fmt: skip
            count += 1
    return count
