"""Couplings and named poses of a robot, as a mechanism has them."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.formats.robots.read.robot import MotionKind, Robot, RobotCam, RobotRelation
from kinegen.mechanism.graph import Coupling, CouplingKind, Mechanism
from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.sections.coupling import CAM_VARIABLE

__all__ = ["ONE_VARIABLE", "add_couplings", "add_poses"]

ONE_VARIABLE = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW}


def add_couplings(robot: Robot, mechanism: Mechanism, joints: Mapping[str, str]) -> None:
    """Add the relations of joints that RAFF can hold; the others are listed.

    Args:
        robot: Has the relations.
        mechanism: Gets them.
        joints: Names of joints in the mechanism by those in the robot.
    """
    every = [*robot.joints.values(), *robot.loops]
    known = {joint.name for joint in every if joint.kind in ONE_VARIABLE}
    for one in robot.couplings:
        members = _members(one)
        single = [name for name in members if name in known]
        if len(single) < len(members) or len(set(single)) < len(members):
            listed = ", ".join(f"'{name}'" for name in members)
            robot.leave_out(one.at, f"the relation '{one.name}' of joints {listed}")
            continue
        name, number = one.name, 1
        while name in mechanism.couplings:
            number += 1
            name = f"{one.name}_{number}"
        own = tuple(joints[member] for member in members)
        mechanism.couplings[name] = _coupling(one, name, own)


def _members(one: RobotRelation | RobotCam) -> list[str]:
    if isinstance(one, RobotCam):
        return [one.follower, one.leader]
    return [name for name, factor in one.terms if factor]


def _coupling(one: RobotRelation | RobotCam, name: str, members: tuple[str, ...]) -> Coupling:
    if isinstance(one, RobotCam):
        return Coupling(name, CouplingKind.CAM, members, profile=_polynomial(one.factors))
    factors = tuple(Formula.constant(factor) for _, factor in one.terms if factor)
    offset = Formula.constant(one.total) if one.total else None
    return Coupling(name, CouplingKind.RELATION, members, factors, "relation", offset=offset)


def _polynomial(factors: tuple[float, ...]) -> Formula:
    """A polynomial of a cam's variable, in the scheme of Horner."""
    *lower, text = (f"({format_number(one)})" for one in factors)
    for factor in reversed(lower):
        text = f"({factor} + {CAM_VARIABLE}*{text})"
    return parse_formula(text)


def add_poses(robot: Robot, mechanism: Mechanism, joints: Mapping[str, str]) -> None:
    """Add a recorded motion of one row per named pose: to look at, to start from, to export."""
    made: list[dict[str, object]] = []
    taken: set[str] = set()
    for pose in robot.poses:
        moving = {name: v for name, v in pose.values.items() if joints[name] in mechanism.joints}
        name, number = pose.name, 1
        while name in taken:
            number += 1
            name = f"{pose.name}_{number}"
        taken.add(name)
        numbers = [Formula.constant(one) for values in moving.values() for one in values]
        made.append(
            {
                "name": name,
                "joints": [joints[one] for one in moving],
                "times": [Formula.constant(pose.time)],
                "values": [numbers],
                "note": f"keyframe '{pose.name}'",
            }
        )
    if made:
        mechanism.scene["motions"] = made
