"""Mechanism → Model: order the graph, lay out the arrays, turn formulas into code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kinegen.errors import CompileError, did_you_mean
from kinegen.kernels.layout import Blocks, Counts
from kinegen.mechanism.compile_numbers import Numbers
from kinegen.mechanism.graph import BASE, PLACEMENT_KEYS, Joint, Mechanism
from kinegen.mechanism.model import (
    JointIndex,
    LinkIndex,
    LinkMass,
    Model,
    ModelFrame,
    ModelJoint,
    ModelLoop,
)

__all__ = ["compile_mechanism"]

_CLOSES_KEYS = {
    kind: tuple(f"closes.{key}" for key in keys) for kind, keys in PLACEMENT_KEYS.items()
}


def compile_mechanism(mechanism: Mechanism) -> Model:
    """The model of a mechanism; CompileError when the graph makes no sense."""
    where = f"mechanism '{mechanism.name}'"
    joints = list(mechanism.joints.values())
    _check_joints(joints, where)
    tree = [joint for joint in joints if joint.closes is None]
    cut = [joint for joint in joints if joint.closes is not None]
    link_names = (BASE, *(joint.name for joint in tree))
    links = {name: LinkIndex(i) for i, name in enumerate(link_names)}

    def link(name: str, who: str) -> LinkIndex:
        if name not in links:
            if name in mechanism.joints:
                raise CompileError(
                    f"{who} '{name}' in {where}, but '{name}' is a cut joint and carries no link"
                )
            raise CompileError(
                f"{who} '{name}', which is no link of {where}{did_you_mean(name, links)}"
            )
        return links[name]

    model_joints, nq, nv = [], 0, 0
    for index, joint in enumerate(joints):
        info = joint.type.info
        parent = link(joint.parent, f"joint '{joint.name}' sits on")
        child = (
            links[joint.name]
            if joint.closes is None
            else link(joint.closes.onto, f"cut joint '{joint.name}' closes onto")
        )
        if joint.closes is not None and child == parent:
            raise CompileError(
                f"cut joint '{joint.name}' of {where} has both ends on link '{joint.parent}': a "
                "loop needs two different links"
            )
        model_joints.append(
            ModelJoint(
                joint.name,
                joint.type,
                parent,
                child,
                slice(nq, nq + info.nq),
                slice(nv, nv + info.nv),
                index,
                joint.closes is not None,
                joint.has_motor,
                bool(joint.start),
            )
        )
        nq += info.nq
        nv += info.nv
    index_of = {joint.name: JointIndex(i) for i, joint in enumerate(joints)}
    for name in mechanism.frames:
        if name in links or name in index_of:
            raise CompileError(f"frame '{name}' of {where} has the name of a link or joint")
    order = _tree_order(model_joints, where)

    placements = [(j.name, j.placement, PLACEMENT_KEYS[j.placement.kind]) for j in joints]
    for joint in cut:
        assert joint.closes is not None
        placed = joint.closes.placement
        placements.append((joint.name, placed, _CLOSES_KEYS[placed.kind]))
    placements += [
        (frame.name, frame.placement, PLACEMENT_KEYS[frame.placement.kind])
        for frame in mechanism.frames.values()
    ]
    counts = Counts(
        link=len(link_names),
        joint=len(joints),
        loop=len(cut),
        frame=len(mechanism.frames),
        parameter=len(mechanism.parameters),
        formula=0,
        code=0,
        constant=0,
        dependent=0,
        nq=nq,
        nv=nv,
    )
    numbers = Numbers(mechanism, counts, where)
    numbers.add_placements(placements)
    owned = list(zip(joints, model_joints, strict=True))
    numbers.add_joints(owned)
    numbers.add_links([mechanism.base, *(joint.link for joint in tree)], link_names)
    numbers.add_gravity(mechanism.gravity, BASE)
    numbers.add_drives(owned)
    dependents = numbers.dependents
    blocks = Blocks.empty(
        replace(
            counts,
            formula=len(numbers.targets),
            code=len(numbers.code) // 2,
            constant=len(numbers.constants),
            dependent=sum(map(len, dependents)),
        )
    )
    blocks.reals[: blocks.value_count] = numbers.values
    blocks.real_part("constants")[:] = numbers.constants
    first_frame = len(joints) + len(cut)
    frames = tuple(
        ModelFrame(frame.name, link(frame.parent, f"frame '{frame.name}' sits on"), first_frame + i)
        for i, frame in enumerate(mechanism.frames.values())
    )
    parts: dict[str, Iterable[int]] = {
        "joint_type": [joint.type.info.code for joint in joints],
        "joint_parent": [joint.parent for joint in model_joints],
        "joint_child": [joint.child for joint in model_joints],
        "joint_q": [joint.q.start for joint in model_joints],
        "joint_v": [joint.v.start for joint in model_joints],
        "tree_order": order,
        "link_joint": [-1, *(index_of[joint.name] for joint in tree)],
        "loop_joint": [index_of[joint.name] for joint in cut],
        "frame_link": [frame.link for frame in frames],
        "placement_kind": [placement.kind.value for _, placement, _ in placements],
        "formula_target": numbers.targets,
        "formula_start": numbers.starts,
        "code": numbers.code,
        "dependent_start": np.cumsum([0, *map(len, dependents)]).tolist(),
        "dependents": [f for formulas in dependents for f in formulas],
    }
    for name, part in parts.items():
        blocks.int_part(name)[:] = list(part)
    blocks.ints.flags.writeable = False
    return Model(
        mechanism.name,
        blocks,
        mode=mechanism.mode,
        link_names=link_names,
        joints=tuple(model_joints),
        loops=tuple(
            ModelLoop(index_of[joint.name], len(joints) + i) for i, joint in enumerate(cut)
        ),
        frames=frames,
        parameter_slots=numbers.parameter_slots,
        formulas=tuple(numbers.labels),
        link_shapes=(mechanism.base.shape, *(joint.link.shape for joint in tree)),
        link_colors=(mechanism.base.color, *(joint.link.color for joint in tree)),
        link_masses=tuple(
            LinkMass(
                link.mass is not None,
                link.centre is not None,
                link.inertia is not None,
                link.density,
            )
            for link in (mechanism.base, *(joint.link for joint in tree))
        ),
    )


def _check_joints(joints: list[Joint], where: str) -> None:
    """Refuse joints that no RAFF text can hold but a program may have made."""
    seen = {BASE}
    for joint in joints:
        if joint.name in seen:
            raise CompileError(
                f"two links of {where} are called '{joint.name}' ('{BASE}' is the ground)"
            )
        seen.add(joint.name)
        wanted = joint.type.info.nq
        if joint.start and len(joint.start) != wanted:
            raise CompileError(
                f"start of joint '{joint.name}' ({joint.type.value}) of {where} takes {wanted} "
                f"numbers, got {len(joint.start)}"
            )
        if joint.type.info.has_pitch and joint.pitch is None:
            raise CompileError(f"screw joint '{joint.name}' of {where} needs a pitch [m per turn]")


def _tree_order(joints: list[ModelJoint], where: str) -> list[JointIndex]:
    """Tree joints, each after the one that carries its parent link."""
    outboard: dict[LinkIndex, list[JointIndex]] = {}
    for i, joint in enumerate(joints):
        if not joint.is_cut:
            outboard.setdefault(joint.parent, []).append(JointIndex(i))
    order: list[JointIndex] = []
    reached = [LinkIndex(0)]
    for parent in reached:
        for index in outboard.get(parent, ()):
            order.append(index)
            reached.append(joints[index].child)
    connected = set(reached)
    lost = [joint.name for joint in joints if not joint.is_cut and joint.child not in connected]
    if lost:
        raise CompileError(
            f"links {', '.join(lost[:8])} of {where} are not connected to the base: their parents "
            "run in a circle; close a loop with `closes` instead"
        )
    return order
