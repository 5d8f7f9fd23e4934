"""Mechanism → Model: order the graph, lay out the arrays, turn formulas into code."""

from __future__ import annotations

import graphlib
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinegen.errors import CompileError, NumberError, did_you_mean
from kinegen.kernels.layout import DRIVE_PARTS, INERTIA_SIZE, OPERATIONS, Blocks, Counts
from kinegen.mechanism.graph import (
    BASE,
    PLACEMENT_KEYS,
    Joint,
    LinkProperties,
    Mechanism,
    Parameter,
    Placement,
)
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import (
    JointIndex,
    LinkIndex,
    LinkMass,
    Model,
    ModelFrame,
    ModelJoint,
    ModelLoop,
    NumberSlot,
)
from kinegen.raff.formula import Formula

__all__ = ["compile_mechanism"]

STACK_LIMIT = 64
"""Depth of the formula machine's stack in the kernels (``STACK_SIZE`` in formula.hpp)."""
_CODE = {operation: number for number, operation in enumerate(OPERATIONS)}


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

    numbers = _Numbers(mechanism, where)
    numbers.add_placements(
        [(joint.name, "", joint.placement) for joint in joints]
        + [(j.name, "closes.", j.closes.placement) for j in cut if j.closes is not None]
        + [(frame.name, "", frame.placement) for frame in mechanism.frames.values()]
    )
    numbers.add_joints(joints)
    numbers.add_links([mechanism.base, *(joint.link for joint in tree)], link_names)
    numbers.add_gravity(mechanism.gravity)
    numbers.add_drives(joints)
    kinds = [joint.placement.kind.value for joint in joints]
    kinds += [joint.closes.placement.kind.value for joint in cut if joint.closes is not None]
    kinds += [frame.placement.kind.value for frame in mechanism.frames.values()]

    blocks = Blocks.empty(
        Counts(
            link=len(link_names),
            joint=len(joints),
            loop=len(cut),
            frame=len(mechanism.frames),
            parameter=len(mechanism.parameters),
            formula=len(numbers.targets),
            code=len(numbers.code),
            constant=len(numbers.constants),
            dependent=sum(map(len, numbers.dependents)),
            nq=nq,
            nv=nv,
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
        "placement_kind": kinds,
        "formula_target": numbers.targets,
        "formula_start": numbers.starts,
        "code": [n for pair in numbers.code for n in pair],
        "dependent_start": np.cumsum([0, *map(len, numbers.dependents)]).tolist(),
        "dependents": [f for formulas in numbers.dependents for f in formulas],
    }
    for name, part in parts.items():
        blocks.int_part(name)[:] = list(part)
    blocks.ints.flags.writeable = False
    return Model(
        mechanism.name,
        blocks,
        link_names=link_names,
        joints=tuple(model_joints),
        loops=tuple(
            ModelLoop(index_of[joint.name], len(joints) + i) for i, joint in enumerate(cut)
        ),
        frames=frames,
        parameter_slots=numbers.parameter_slots,
        number_slots=numbers.slots,
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
        if joint.type is JointType.SCREW and joint.pitch is None:
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


class _Numbers:
    """All numbers in the order of the float block, with the code of those that are formulas."""

    def __init__(self, mechanism: Mechanism, where: str) -> None:
        self._where = where
        self._index = {name: i for i, name in enumerate(mechanism.parameters)}
        self.values: list[float] = []
        self.slots: dict[tuple[str, str], NumberSlot] = {}
        self.parameter_slots: dict[str, NumberSlot] = {}
        self.targets: list[int] = []
        self.starts = [0]
        self.code: list[tuple[int, int]] = []
        self.constants: list[float] = []
        self._constant_index: dict[str, int] = {}
        self.labels: list[tuple[str, str]] = []
        self.dependents: list[list[int]] = [[] for _ in mechanism.parameters]
        self._roots: dict[str, frozenset[str]] = {}
        """The free parameters that each parameter follows: only those can be set."""
        self._now: dict[str, float] = {}
        self._add_parameters(mechanism.parameters)

    def _add_parameters(self, parameters: dict[str, Parameter]) -> None:
        """Parameters first: free ones as they are, formulas after all they need."""
        self.values = [0.0] * len(parameters)
        graph = graphlib.TopologicalSorter[str]()
        for name, parameter in parameters.items():
            for needed in parameter.formula.names - parameters.keys():
                raise CompileError(
                    f"parameter '{name}' of {self._where} needs '{needed}', which is no "
                    f"parameter{did_you_mean(needed, parameters)}"
                )
            graph.add(name, *sorted(parameter.formula.names))
        try:
            order = list(graph.static_order())
        except graphlib.CycleError as error:
            cycle = " -> ".join(reversed(error.args[1]))
            raise CompileError(
                f"parameters of {self._where} depend on each other: {cycle}"
            ) from None
        for name in order:
            formula = parameters[name].formula
            self._roots[name] = self._free(formula) if formula.names else frozenset({name})
            self._store(self._index[name], formula, f"parameter {name}")
            self._now[name] = self.values[self._index[name]]
        for name, parameter in parameters.items():
            text = parameter.formula.text if parameter.formula.names else None
            self.parameter_slots[name] = NumberSlot(self._index[name], text)

    def _free(self, formula: Formula) -> frozenset[str]:
        """The free parameters that a formula follows."""
        return frozenset[str]().union(*(self._roots[name] for name in formula.names))

    def _store(self, index: int, formula: Formula, label: str) -> None:
        """Put a number at its place in values, and its code behind the others if it has names."""
        self.values[index] = self._evaluate(formula, label)
        if not formula.names:
            return
        number = len(self.targets)
        self.targets.append(index)
        self.labels.append((label, formula.text))
        depth = deepest = 0
        for operation, argument in formula.postfix():
            where = 0
            if operation == "const":
                where = self._constant(float(argument))
                depth += 1
            elif operation == "name":
                where = self._index[str(argument)]
                depth += 1
            elif operation in _BINARY:
                depth -= 1
            deepest = max(deepest, depth)
            self.code.append((_CODE[operation], where))
        if deepest > STACK_LIMIT:
            raise CompileError(
                f"{label} = '{formula.text[:60]}' of {self._where} is nested too deeply; split it "
                "with a parameter"
            )
        self.starts.append(len(self.code))
        for root in self._free(formula):
            self.dependents[self._index[root]].append(number)

    def _constant(self, value: float) -> int:
        """Index of a constant, kept once; by its text, for 0.0 == -0.0 and they differ in atan2."""
        index = self._constant_index.setdefault(repr(value), len(self.constants))
        if index == len(self.constants):
            self.constants.append(value)
        return index

    def _evaluate(self, formula: Formula, label: str) -> float:
        try:
            return formula.evaluate(self._now)
        except NumberError as error:
            raise CompileError(f"{label} of {self._where}: {error}") from error

    def _append(self, formula: Formula | None, owner: str, key: str, default: float) -> None:
        index = len(self.values)
        self.values.append(default)
        text = formula.text if formula is not None and formula.names else None
        self.slots[owner, key] = NumberSlot(index, text)
        if formula is not None:
            if formula.value is not None:
                self.values[index] = formula.value
            else:
                self._store(index, formula, f"'{key}' of '{owner}'")

    def add_placements(self, placements: list[tuple[str, str, Placement]]) -> None:
        """Six numbers for each (owner, key prefix, placement)."""
        for owner, prefix, placement in placements:
            keys = PLACEMENT_KEYS[placement.kind]
            for key, formula in zip(keys, placement.numbers, strict=True):
                self._append(formula, owner, prefix + key, 0.0)

    def add_joints(self, joints: list[Joint]) -> None:
        """Pitch, limits, motor limits and start of all joints, part by part."""
        for joint in joints:
            if joint.type is JointType.SCREW:
                self._append(joint.pitch, joint.name, "pitch", 0.0)
            else:
                self.values.append(0.0)  # no name: here `pitch` may be an angle of the placement
        for side, (key, default) in enumerate((("lower", -math.inf), ("upper", math.inf))):
            for joint, k, suffix in _variables(joints):
                pair = joint.limits[k] if k < len(joint.limits) else None
                self._append(pair[side] if pair else None, joint.name, key + suffix, default)
        for key, names in (("speed", ("speed",)), ("effort", ("torque", "force"))):
            for joint, k, suffix in _variables(joints):
                motor = (joint.motors[k] if k < len(joint.motors) else None) or {}
                formula = next((motor[name] for name in names if name in motor), None)
                self._append(formula, joint.name, key + suffix, math.inf)
        for joint in joints:
            self._add_start(joint)

    def _add_start(self, joint: Joint) -> None:
        quaternion = joint.type in {JointType.SPHERICAL, JointType.FREE}
        count = joint.type.info.nq
        for i in range(count):
            suffix = f".{i}" if count > 1 else ""
            default = 1.0 if quaternion and i == 0 else 0.0
            formula = joint.start[i] if joint.start else None
            if formula is None and not quaternion and i < len(joint.limits):
                formula = self._nearest_to_zero(joint.limits[i], joint.name)
            self._append(formula, joint.name, "start" + suffix, default)

    def _nearest_to_zero(
        self, limits: tuple[Formula, Formula] | None, joint: str
    ) -> Formula | None:
        """The limit nearest to zero where zero itself is not allowed; a joint starts there."""
        if limits is None:
            return None
        low, high = (self._evaluate(limit, f"limits of '{joint}'") for limit in limits)
        return limits[0] if low > 0 else limits[1] if high < 0 else None

    def add_links(self, links: list[LinkProperties], names: Iterable[str]) -> None:
        """Mass, centre and inertia of every link."""
        keys = ("mass", *("centre." + a for a in "xyz"))
        keys += tuple("inertia." + a for a in ("xx", "yy", "zz", "xy", "xz", "yz"))
        assert len(keys) == INERTIA_SIZE
        for link, name in zip(links, names, strict=True):
            formulas = (link.mass, *(link.centre or (None,) * 3), *(link.inertia or (None,) * 6))
            for key, formula in zip(keys, formulas, strict=True):
                self._append(formula, name, key, 0.0)

    def add_gravity(self, gravity: tuple[Formula, Formula, Formula] | None) -> None:
        """The acceleration of gravity, downwards along z where the file gives none."""
        given = gravity or (None,) * 3
        for axis, formula, default in zip("xyz", given, (0.0, 0.0, -GRAVITY), strict=True):
            self._append(formula, BASE, f"gravity.{axis}", default)

    def add_drives(self, joints: list[Joint]) -> None:
        """Gear and rotor, friction and spring of every freedom, part by part."""
        for part in DRIVE_PARTS:
            source, key = _DRIVE_SOURCES[part]
            usual = 1.0 if part == "gear" else 0.0
            for joint, k, suffix in _variables(joints):
                given: Mapping[str, Any] | None
                if source == "motor":
                    given = joint.motors[k] if k < len(joint.motors) else None
                else:
                    given = joint.friction if source == "friction" else joint.spring
                formula = given.get(key) if given else None
                default = STRIBECK if part == "stribeck" and given and "static" in given else usual
                self._append(formula, joint.name, f"{source}.{key}{suffix}", default)


GRAVITY = 9.81
"""[m/s²]"""
STRIBECK = 0.05
"""Speed [rad/s, m/s] at which static friction has faded where a file does not say."""
_DRIVE_SOURCES = {
    "gear": ("motor", "gear"),
    "rotor": ("motor", "inertia"),
    "viscous": ("friction", "viscous"),
    "coulomb": ("friction", "coulomb"),
    "breakaway": ("friction", "static"),
    "stribeck": ("friction", "stribeck"),
    "stiffness": ("spring", "stiffness"),
    "spring_damping": ("spring", "damping"),
    "spring_rest": ("spring", "rest"),
}
"""Where a file gives each number of a drive: section of the joint, key."""
_BINARY = frozenset({"add", "sub", "mul", "div", "pow", "atan2", "min", "max", "hypot"})


def _variables(joints: list[Joint]) -> Iterable[tuple[Joint, int, str]]:
    """(joint, variable number, key suffix) of every freedom, in the order of v."""
    for joint in joints:
        variables = joint.type.info.variables
        for k, (name, _) in enumerate(variables):
            yield joint, k, f".{name}" if len(variables) > 1 else ""
