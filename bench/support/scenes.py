"""Mechanisms that several benches and tests share, and the same ones in MuJoCo's terms."""

from __future__ import annotations

import math

import kinegen as kg
from kinegen import JointType
from kinegen.kernels import Floats

__all__ = ["MUJOCO_JOINTS", "arm", "boxes_text", "chain_text", "mjcf", "tree_text"]

MUJOCO_JOINTS = {
    JointType.REVOLUTE: [("hinge", "0 0 1")],
    JointType.PRISMATIC: [("slide", "0 0 1")],
    JointType.CYLINDRICAL: [("hinge", "0 0 1"), ("slide", "0 0 1")],
    JointType.UNIVERSAL: [("hinge", "0 0 1"), ("hinge", "1 0 0")],
    JointType.SPHERICAL: [("ball", "0 0 1")],
    JointType.PLANAR: [("slide", "1 0 0"), ("slide", "0 1 0"), ("hinge", "0 0 1")],
    JointType.FIXED: [],
}
"""(type, axis) of the MuJoCo joints that one of ours is made of; it knows no screws."""


def arm() -> kg.Model:
    """The 6R that all benches of single calls use: PUMA 560, its last frame is ``tool``."""
    return kg.load("puma560").compile()


def boxes_text(count: int, *, height: int = 1) -> str:
    """A RAFF text: free boxes of 10 cm on the ground, in stacks of so many, 5 cm apart."""
    wide = math.ceil(math.sqrt(count / height))
    rows = ["raff: 1", "name: boxes", "objects:"]
    for i in range(count):
        stack, level = divmod(i, height)
        x, y, z = 0.15 * (stack % wide), 0.15 * (stack // wide), 0.05 + 0.1 * level
        at = f"at: {{xyz: [{x:.2f}, {y:.2f}, {z:.2f}]}}"
        rows.append(f"  - {{name: b{i}, shape: {{box: [0.1, 0.1, 0.1]}}, mass: 0.5, {at}}}")
    return "\n".join(rows) + "\n"


def chain_text(joint_count: int) -> str:
    """A RAFF text: a chain of hinges with one length for all, and a frame at its end."""
    rows = ["raff: 1", "name: chain", "parameters: {length: 100 mm}", "joints:"]
    rows += [
        f"  - {{name: J{i}, parent: {f'J{i - 1}' if i else 'base'}, d: length, alpha: 90 deg}}"
        for i in range(joint_count)
    ]
    return "\n".join([*rows, "frames:", f"  - {{name: tip, parent: J{joint_count - 1}}}", ""])


def tree_text(joint_count: int, branch: int = 100) -> str:
    """A RAFF text: chains of ``branch`` hinges side by side, with formulas, limits and units."""
    rows = ["raff: 1", "name: forest", "parameters: {length: 100 mm, gap: 2*length}", "joints:"]
    for i in range(joint_count):
        row, place = divmod(i, branch)
        parent = f"J{i - 1}" if place else "base"
        put = "d: length" if place else f"d: {row}*gap"
        limits = "limits: [-170 deg, 170 deg]"
        rows.append(f"  - {{name: J{i}, parent: {parent}, {put}, alpha: 90 deg, {limits}}}")
    return "\n".join([*rows, ""])


def mjcf(model: kg.Model, *, masses: bool = False) -> str:
    """A model's tree as MuJoCo's XML: a body per link at its joint's frame F, a site per frame.

    Joint k of our joint J is called ``J:k``; cut joints are left out.

    Args:
        model: The compiled mechanism.
        masses: Whether links have their own masses and rotors; else each has mass and inertia 1.
            Free joints are allowed then, where they stand on the base without an offset.
    """
    outboard: dict[int, list[int]] = {}
    for index, joint in enumerate(model.joints):
        if not joint.is_cut:
            outboard.setdefault(joint.parent, []).append(index)

    rotors = (model.blocks.real_part("rotor") * model.blocks.real_part("gear") ** 2).tolist()

    def place(row: Floats) -> str:
        X = kg.SE3(kg.SO3.from_matrix(row[:9].reshape(3, 3)), row[9:])
        return f'pos="{_text(X.translation)}" quat="{_text(X.quat)}"'

    def sites(link: int) -> str:
        return "".join(
            f'<site name="{frame.name}" {place(model.transforms[frame.placement])}/>'
            for frame in model.frames
            if frame.link == link
        )

    def body(index: int) -> str:
        joint = model.joints[index]
        moves, v = "", joint.v.start
        for k, (kind, axis) in enumerate(MUJOCO_JOINTS.get(joint.type, [("free", "0 0 1")])):
            armature = f' armature="{rotors[v]!r}"' if masses and kind != "free" else ""
            moves += f'<joint name="{joint.name}:{k}" type="{kind}" axis="{axis}"{armature}/>'
            v += 3 if kind == "ball" else 1
        inside = "".join(body(child) for child in outboard.get(joint.child, []))
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        if masses:
            row = model.inertia[joint.child]
            mass = (
                f'<inertial pos="{_text(row[1:4])}" mass="{float(row[0])!r}" '
                f'fullinertia="{_text(row[4:])}"/>'
            )
        start = f'<body name="{joint.name}" {place(model.transforms[joint.placement])}>'
        return f"{start}{mass}{moves}{sites(joint.child)}{inside}</body>"

    bodies = "".join(body(index) for index in outboard.get(0, []))
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f'<option gravity="{_text(model.gravity)}"/>'
        f"<worldbody>{sites(0)}{bodies}</worldbody></mujoco>"
    )


def _text(numbers: Floats) -> str:
    return " ".join(repr(float(n)) for n in numbers)
