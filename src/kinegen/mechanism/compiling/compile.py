"""Mechanism → Model: order the graph, lay out the arrays, turn formulas into code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from kinegen.errors import CompileError, did_you_mean
from kinegen.joint_types import JointType
from kinegen.kernels.layout import Blocks, Counts
from kinegen.mechanism.compiling.numbers import Numbers
from kinegen.mechanism.couplings.relation import Relations
from kinegen.mechanism.couplings.relations import find_relations
from kinegen.mechanism.graph import (
    PLACEMENT_KEYS,
    Joint,
    LinkProperties,
    Mechanism,
    Placement,
    PlacementKind,
)
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import (
    JointIndex,
    LinkIndex,
    LinkMass,
    ModelCoupling,
    ModelFrame,
    ModelJoint,
    ModelLoop,
)
from kinegen.raff.formulas.formula import Formula

__all__ = ["compile_mechanism"]

_CLOSES_KEYS = {
    kind: tuple(f"closes.{key}" for key in keys) for kind, keys in PLACEMENT_KEYS.items()
}
_KIND_CODES = {kind: kind.value for kind in PlacementKind}
_NOWHERE = Placement(PlacementKind.KLEINFINGER, (Formula.constant(0.0),) * 6)
_NOWHERE_KEYS = PLACEMENT_KEYS[PlacementKind.KLEINFINGER]
"""A coupling has no place of its own."""
_OwnedPlacement = tuple[str, Placement, tuple[str, ...]]


def compile_mechanism(mechanism: Mechanism) -> Model:
    """The model of a mechanism; CompileError if the graph is invalid."""
    graph = _read_graph(mechanism)
    joints = _number_joints(graph)
    _check_names(graph)
    order = _tree_order(joints, graph.where)
    placements = _list_placements(graph)
    frames = _place_frames(graph)
    counts = _count(graph, joints)
    numbers = _gather_numbers(graph, counts, joints, placements)
    blocks = _lay_out(counts, numbers)
    _fill_structure(blocks, graph, joints, order, frames, placements, numbers)
    return _make_model(blocks, graph, joints, frames, numbers)


@dataclass(frozen=True, slots=True)
class _Graph:
    """A mechanism's joints and links, numbered."""

    mechanism: Mechanism
    where: str
    """The mechanism, as errors name it."""
    joints: list[Joint]
    """In the file's order."""
    tree: list[Joint]
    """Those that carry a link."""
    cut: list[Joint]
    """Those that close a loop."""
    relations: Relations
    """Of the couplings: each has a joint without variables, behind all others, and a loop."""
    links: dict[str, LinkIndex]
    """The base, then what the tree carries, in the file's order."""
    index_of: dict[str, JointIndex]
    """Joints by name."""

    def link(self, name: str, who: str) -> LinkIndex:
        """The index of a link, or of the one that a frame is on.

        CompileError, which begins with ``who``, when there is none.
        """
        if name in self.links:
            return self.links[name]
        if name in self.mechanism.frames:
            link = self.mechanism.link_of(name)
            if link in self.mechanism.frames:
                raise CompileError(
                    f"{who} '{name}' in {self.where}, whose frames sit on each other in a cycle"
                )
            return self.link(link, f"frame '{name}' sits on")
        if name in self.mechanism.joints:
            raise CompileError(
                f"{who} '{name}' in {self.where}, but '{name}' is a cut joint and carries no link"
            )
        known = [*self.links, *self.mechanism.frames]
        raise CompileError(
            f"{who} '{name}', which is not a link or frame of {self.where}"
            f"{did_you_mean(name, known)}"
        )

    def on_frames(self) -> list[tuple[int, int]]:
        """(its row, the frame's row) of every placement on a frame; frames' own come first."""
        frames, coupled = self.mechanism.frames, len(self.relations.found)
        first = len(self.joints) + len(self.cut) + 2 * coupled
        row = {name: first + i for i, name in enumerate(frames)}

        def depth(name: str) -> int:
            steps = 0
            while name in frames:
                name, steps = frames[name].parent, steps + 1
            return steps

        chained = [frame for frame in frames.values() if frame.parent in row]
        chained.sort(key=lambda frame: depth(frame.name))
        found = [(row[frame.name], row[frame.parent]) for frame in chained]
        for i, joint in enumerate(self.joints):
            if joint.parent in row:
                found.append((i, row[joint.parent]))
        for i, joint in enumerate(self.cut, len(self.joints) + coupled):
            if joint.closes is not None and joint.closes.onto in row:
                found.append((i, row[joint.closes.onto]))
        return found

    @property
    def bodies(self) -> list[LinkProperties]:
        """What the file says of every link."""
        return [self.mechanism.base, *(joint.link for joint in self.tree)]


def _read_graph(mechanism: Mechanism) -> _Graph:
    where = f"mechanism '{mechanism.name}'"
    joints = list(mechanism.joints.values())
    _check_joints(joints, mechanism.base_name, where)
    tree = [joint for joint in joints if joint.closes is None]
    cut = [joint for joint in joints if joint.closes is not None]
    names = (mechanism.base_name, *(joint.name for joint in tree))
    links = {name: LinkIndex(i) for i, name in enumerate(names)}
    index_of = {joint.name: JointIndex(i) for i, joint in enumerate(joints)}
    relations = find_relations(mechanism)
    for fault in relations.faults:
        raise CompileError(f"coupling '{fault.owner}' of {where}: {fault.message}")
    return _Graph(mechanism, where, joints, tree, cut, relations, links, index_of)


def _number_joints(graph: _Graph) -> list[ModelJoint]:
    """Joints with the links at their ends and their places in q and v."""
    out: list[ModelJoint] = []
    nq = nv = 0
    for index, joint in enumerate(graph.joints):
        info = joint.type.info
        parent = graph.link(joint.parent, f"joint '{joint.name}' sits on")
        child = (
            graph.links[joint.name]
            if joint.closes is None
            else graph.link(joint.closes.onto, f"cut joint '{joint.name}' closes onto")
        )
        if joint.closes is not None and child == parent:
            raise CompileError(
                f"cut joint '{joint.name}' of {graph.where} has both ends on link "
                f"'{graph.mechanism.link_of(joint.parent)}': a loop needs two different links"
            )
        out.append(
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
    return out


def _check_names(graph: _Graph) -> None:
    sections: dict[str, Iterable[str]] = {
        "frame": graph.mechanism.frames,
        "coupling": graph.mechanism.couplings,
    }
    for what, names in sections.items():
        for name in names:
            if name in graph.links or name in graph.index_of:
                raise CompileError(
                    f"{what} '{name}' of {graph.where} has the name of a link or joint"
                )


def _list_placements(graph: _Graph) -> list[_OwnedPlacement]:
    """Owner, placement and its keys: of joints, of loops where they land, of frames."""
    out = [(j.name, j.placement, PLACEMENT_KEYS[j.placement.kind]) for j in graph.joints]
    nowhere = [(one.name, _NOWHERE, _NOWHERE_KEYS) for one in graph.relations.found]
    out += nowhere
    for joint in graph.cut:
        assert joint.closes is not None
        placed = joint.closes.placement
        out.append((joint.name, placed, _CLOSES_KEYS[placed.kind]))
    out += nowhere
    frames = graph.mechanism.frames.values()
    return out + [(f.name, f.placement, PLACEMENT_KEYS[f.placement.kind]) for f in frames]


def _count(graph: _Graph, joints: list[ModelJoint]) -> Counts:
    """Sizes of the blocks; formulas are counted when they are known."""
    found = graph.relations.found
    profiles = [one.profile for one in found]
    return Counts(
        link=len(graph.links),
        joint=len(joints) + len(found),
        loop=len(graph.cut) + len(found),
        frame=len(graph.mechanism.frames),
        parameter=len(graph.mechanism.parameters),
        formula=0,
        code=0,
        constant=0,
        dependent=0,
        nq=joints[-1].q.stop if joints else 0,
        nv=joints[-1].v.stop if joints else 0,
        coupling=len(found),
        term=sum(len(one.terms) for one in found),
        profile=sum(len(one.postfix()) for one in profiles if isinstance(one, Formula)),
        knot=sum(len(one) for one in profiles if isinstance(one, tuple)),
        based=len(graph.on_frames()),
    )


def _gather_numbers(
    graph: _Graph, counts: Counts, joints: list[ModelJoint], placements: list[_OwnedPlacement]
) -> Numbers:
    """Every number of the mechanism at its place, formulas as code."""
    numbers = Numbers(graph.mechanism, counts, graph.where)
    owned = list(zip(graph.joints, joints, strict=True))
    numbers.add_placements(placements)
    numbers.add_joints(owned, graph.relations.starts)
    numbers.add_links(graph.bodies, tuple(graph.links))
    numbers.add_gravity(graph.mechanism.gravity, graph.mechanism.base_name)
    numbers.add_drives(owned)
    numbers.add_relations(graph.relations.found)
    return numbers


def _place_frames(graph: _Graph) -> tuple[ModelFrame, ...]:
    """Frames with the links that hold them; their placements come last."""
    first = len(graph.joints) + len(graph.cut) + 2 * len(graph.relations.found)
    return tuple(
        ModelFrame(frame.name, graph.link(frame.parent, f"frame '{frame.name}' sits on"), first + i)
        for i, frame in enumerate(graph.mechanism.frames.values())
    )


def _lay_out(counts: Counts, numbers: Numbers) -> Blocks:
    """The two blocks, all numbers filled in."""
    blocks = Blocks.empty(
        replace(
            counts,
            formula=len(numbers.targets),
            code=len(numbers.code) // 2,
            constant=len(numbers.constants),
            dependent=sum(map(len, numbers.dependents)),
        )
    )
    blocks.reals[: blocks.value_count] = numbers.values
    blocks.real_part("constants")[:] = numbers.constants
    return blocks


def _fill_structure(
    blocks: Blocks, graph: _Graph, joints: list[ModelJoint], order: list[JointIndex],
    frames: tuple[ModelFrame, ...], placements: list[_OwnedPlacement], numbers: Numbers,
) -> None:  # fmt: skip
    """Fill in the int block, which is frozen from then on."""
    dependents = numbers.dependents
    found, count = graph.relations.found, len(joints)
    without = [0] * len(found)
    at = {joint.name: joint for joint in joints}
    terms = [(at[one.joint], one.index) for relation in found for one, _ in relation.terms]
    parts: dict[str, Iterable[int]] = {
        "joint_type": [
            *(joint.type.info.code for joint in joints),
            *(JointType.FIXED.info.code for _ in found),
        ],
        "joint_parent": [*(joint.parent for joint in joints), *without],
        "joint_child": [*(joint.child for joint in joints), *without],
        "joint_q": [*(joint.q.start for joint in joints), *without],
        "joint_v": [*(joint.v.start for joint in joints), *without],
        "tree_order": order,
        "link_joint": [-1, *(graph.index_of[joint.name] for joint in graph.tree)],
        "loop_joint": [
            *(graph.index_of[joint.name] for joint in graph.cut),
            *range(count, count + len(found)),
        ],
        "frame_link": [frame.link for frame in frames],
        "placement_kind": [_KIND_CODES[placement.kind] for _, placement, _ in placements],
        "based": [row for pair in graph.on_frames() for row in pair],
        "formula_target": numbers.targets,
        "formula_start": numbers.starts,
        "code": numbers.code,
        "dependent_start": np.cumsum([0, *map(len, dependents)]).tolist(),
        "dependents": [f for formulas in dependents for f in formulas],
        "coupling_length": [one.is_length for one in found],
        "term_start": np.cumsum([0, *(len(one.terms) for one in found)]).tolist(),
        "term_q": [joint.q.start + index for joint, index in terms],
        "term_v": [joint.v.start + index for joint, index in terms],
        "profile_start": numbers.profile_starts,
        "profile": numbers.profiles,
        "knot_start": np.cumsum(
            [0, *(len(one.profile) if isinstance(one.profile, tuple) else 0 for one in found)]
        ).tolist(),
        "table_repeats": [one.repeats for one in found],
    }
    for name, part in parts.items():
        blocks.int_part(name)[:] = list(part)
    blocks.ints.flags.writeable = False


def _make_model(
    blocks: Blocks, graph: _Graph, joints: list[ModelJoint], frames: tuple[ModelFrame, ...],
    numbers: Numbers,
) -> Model:  # fmt: skip
    bodies, first_loop = graph.bodies, blocks.counts.joint
    return Model(
        graph.mechanism.name,
        blocks,
        compiled_from=graph.mechanism.snapshot(),
        mode=graph.mechanism.mode,
        link_names=tuple(graph.links),
        joints=tuple(joints),
        loops=tuple(
            ModelLoop(graph.index_of[joint.name], first_loop + i)
            for i, joint in enumerate(graph.cut)
        ),
        couplings=tuple(
            ModelCoupling(
                one.name,
                one.kind,
                one.members,
                tuple(graph.index_of[variable.joint] for variable, _ in one.terms),
                len(graph.cut) + i,
                one.is_length,
                one.guide,
            )
            for i, one in enumerate(graph.relations.found)
        ),
        frames=frames,
        parameter_slots=numbers.parameter_slots,
        formulas=tuple(numbers.labels),
        link_shapes=tuple(body.shape for body in bodies),
        link_collisions=tuple(body.collision for body in bodies),
        link_colors=tuple(body.color for body in bodies),
        link_masses=tuple(
            LinkMass(
                body.mass is not None,
                body.centre is not None,
                body.inertia is not None,
                body.density,
            )
            for body in bodies
        ),
    )


def _check_joints(joints: list[Joint], base: str, where: str) -> None:
    """Refuse joints that no RAFF text can hold but a program may have made."""
    seen = {base}
    for joint in joints:
        if joint.name in seen:
            raise CompileError(
                f"two links of {where} are called '{joint.name}' ('{base}' is the ground)"
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
            "form a cycle; close a loop with `closes` instead"
        )
    return order
