"""All numbers of a mechanism in the order of the float block, formulas as code for the kernels."""

from __future__ import annotations

import graphlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kinegen.errors import CompileError, NumberError, did_you_mean
from kinegen.kernels import Floats
from kinegen.kernels.layout import DRIVE_PARTS, INERTIA_SIZE, OPERATIONS, Blocks, Counts
from kinegen.mechanism.compiling.number_slots import DRIVE_SOURCES, INERTIA_KEYS, NumberSlot
from kinegen.mechanism.couplings.relation import Relation
from kinegen.mechanism.graph import Joint, LinkProperties, Mechanism, Placement
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.rules.names import path_text

__all__ = ["Numbers"]

STACK_LIMIT = 64
"""Depth of the kernels' formula stack (``STACK_SIZE`` in kernel/base/formula.hpp)."""
GRAVITY = 9.81
"""[m/s²]"""
STRIBECK = 0.05
"""Speed [rad/s, m/s] at which static friction has faded where a file does not say."""
_FEW_DEPENDENTS = 2**16
_DEPENDENTS_PER_STEP = 8
"""Formulas that follow each parameter are listed while all lists together have no more entries
than these two allow; in a sum of sums they would be the square of what is in the file."""
_CODE = {operation: number for number, operation in enumerate(OPERATIONS)}
_BINARY = frozenset({"add", "sub", "mul", "div", "pow", "atan2", "min", "max", "hypot"})

_ZERO = Formula.constant(0.0)
_ZEROS = (_ZERO,) * 6

_CAM = -1
"""The name of a cam's own variable in the code of its profile."""

_Owned = tuple[Joint, ModelJoint]


class Numbers:
    """The values, and the code of those that are formulas.

    Only what a file gives costs time: everything else is filled in part by part.
    """

    def __init__(self, mechanism: Mechanism, counts: Counts, where: str) -> None:
        """``counts`` need not know formulas, code and constants yet: these come last."""
        self._where = where
        self._layout = Blocks.empty(counts)
        self.values: Floats = self._layout.reals[: self._layout.value_count]
        """Parameters and numbers, up to the constants."""
        self._index = {name: i for i, name in enumerate(mechanism.parameters)}
        self.parameter_slots: dict[str, NumberSlot] = {}
        self.targets: list[int] = []
        self.starts = [0]
        self.code: list[int] = []
        self.constants: list[float] = []
        self.profiles: list[int] = []
        """Code of the cams' formulas."""
        self.profile_starts = [0]
        self._constant_index: dict[str, int] = {}
        self.labels: list[tuple[str, str]] = []
        self._dependents: list[list[int]] = [[] for _ in mechanism.parameters]
        self._dependent_count = 0
        self._first_user: dict[int, int] = {}
        """The first formula that needs each parameter, by their indices."""
        self._roots: dict[str, frozenset[str]] | None = {}
        """The free parameters that each parameter follows: only those can be set. None when
        there are too many to be listed."""
        self._now: dict[str, float] = {}
        self._add_parameters(mechanism)

    @property
    def dependents(self) -> list[list[int]]:
        """What each parameter's change makes to be run again, as the kernels read it."""
        if self._roots is not None:
            return self._dependents
        # all formulas from the first on that needs it: no more than all of them at any change
        firsts = map(self._first_user.get, range(len(self._index)))
        return [[] if first is None else [~first] for first in firsts]

    def _add_parameters(self, mechanism: Mechanism) -> None:
        """Parameters first: free ones as they are, formulas after all they need."""
        parameters = mechanism.parameters
        graph = graphlib.TopologicalSorter[str]()
        for name, parameter in parameters.items():
            needs = sorted(parameter.formula.names)
            for needed in needs:
                if needed not in parameters:
                    raise CompileError(
                        f"parameter '{name}' of {self._where} needs '{needed}', which is not a "
                        f"parameter{did_you_mean(needed, parameters)}"
                    )
            graph.add(name, *needs)
        try:
            order = list(graph.static_order())
        except graphlib.CycleError as error:
            cycle = path_text(error.args[1][::-1])
            raise CompileError(
                f"parameters of {self._where} depend on each other: {cycle}"
            ) from None
        for name in order:
            formula = parameters[name].formula
            index = self._index[name]
            roots = self._store(index, formula, f"parameter {name}")
            if self._roots is not None:
                self._roots[name] = roots if formula.names else frozenset({name})
            self._now[name] = float(self.values[index])
        for name, parameter in parameters.items():
            text = parameter.formula.text if parameter.formula.names else None
            self.parameter_slots[name] = NumberSlot(self._index[name], text)

    def _store(self, index: int, formula: Formula, label: str) -> frozenset[str]:
        """Put a number at its place, and its code behind the others if it has names.

        Returns:
            The free parameters that it follows, as far as they are listed.
        """
        self.values[index] = self._evaluate(formula, label)
        if not formula.names:
            return frozenset()
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
                self._first_user.setdefault(where, number)
                depth += 1
            elif operation in _BINARY:
                depth -= 1
            deepest = max(deepest, depth)
            self.code += _CODE[operation], where
        if deepest > STACK_LIMIT:
            raise CompileError(
                f"{label} = '{formula.text[:60]}' of {self._where} is nested too deeply; split it "
                "with a parameter"
            )
        self.starts.append(len(self.code) // 2)
        return self._list_dependent(number, formula)

    def _list_dependent(self, number: int, formula: Formula) -> frozenset[str]:
        """Enter a formula into the lists of the free parameters that it follows."""
        if self._roots is None:
            return frozenset()
        roots = frozenset[str]().union(*(self._roots[name] for name in formula.names))
        self._dependent_count += len(roots)
        if self._dependent_count > _FEW_DEPENDENTS + _DEPENDENTS_PER_STEP * len(self.code):
            self._roots, self._dependents = None, []
            return frozenset()
        for root in roots:
            self._dependents[self._index[root]].append(number)
        return roots

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

    def _put(self, index: int, formula: Formula | None, owner: str, key: str) -> None:
        """A number that a file may give."""
        if formula is None:
            return
        if formula.value is not None:
            self.values[index] = formula.value
        else:
            self._store(index, formula, f"'{key}' of '{owner}'")

    def add_placements(self, placements: Sequence[tuple[str, Placement, Sequence[str]]]) -> None:
        """Six numbers for each (owner, placement, keys)."""
        part = self._layout.real_part("placements")
        formulas = [formula for _, placement, _ in placements for formula in placement.numbers]
        # numbers all at once: a large mechanism has a million of them; formulas become NaN
        values = [formula.value for formula in formulas]
        part[:] = values
        if None not in values:
            return
        first = self._layout.offset("placements")
        for i, formula in enumerate(formulas):
            if formula.value is None:
                owner, _, keys = placements[i // 6]
                self._put(first + i, formula, owner, keys[i % 6])

    def add_joints(
        self, owned: Sequence[_Owned], starts: Mapping[tuple[str, int], Formula]
    ) -> None:
        """Pitch, limits, motor limits and start of all joints, part by part.

        Args:
            owned: The joints with their places.
            starts: Those that follow from couplings, by joint and variable.
        """
        layout = self._layout
        first = layout.offset("pitch")
        for joint, at in owned:
            if joint.type.info.has_pitch:
                self._put(first + at.placement, joint.pitch, joint.name, "pitch")
        limited = [one for one in owned if one[0].limits]
        for side, (part, default) in enumerate((("lower", -math.inf), ("upper", math.inf))):
            layout.real_part(part)[:] = default
            for joint, k, index, suffix in self._variables(limited, part):
                pair = joint.limits[k] if k < len(joint.limits) else None
                self._put(index, pair[side] if pair else None, joint.name, part + suffix)
        driven = [one for one in owned if one[0].motors]
        for part, names in (("speed", ("speed",)), ("effort", ("torque", "force"))):
            layout.real_part(part)[:] = math.inf
            for joint, k, index, suffix in self._variables(driven, part):
                motor = (joint.motors[k] if k < len(joint.motors) else None) or {}
                formula = next((motor[name] for name in names if name in motor), None)
                self._put(index, formula, joint.name, part + suffix)
        first = layout.offset("start")
        for joint, at in owned:
            if joint.start or starts or joint.type.info.has_quaternion or _avoids_zero(joint):
                self._add_start(joint, first + at.q.start, starts)

    def _add_start(
        self, joint: Joint, first: int, starts: Mapping[tuple[str, int], Formula]
    ) -> None:
        quaternion = joint.type.info.has_quaternion
        count = joint.type.info.nq
        for i, rest in enumerate(joint.type.info.identity):
            suffix = f".{i}" if count > 1 else ""
            self.values[first + i] = rest
            formula = joint.start[i] if joint.start else starts.get((joint.name, i))
            if formula is None and not quaternion and i < len(joint.limits):
                formula = self._nearest_to_zero(joint.limits[i], joint.name)
            self._put(first + i, formula, joint.name, "start" + suffix)

    def _nearest_to_zero(
        self, limits: tuple[Formula, Formula] | None, joint: str
    ) -> Formula | None:
        """The limit nearest to zero where zero itself is not allowed; a joint starts there."""
        if limits is None:
            return None
        low, high = (self._evaluate(limit, f"limits of '{joint}'") for limit in limits)
        return limits[0] if low > 0 else limits[1] if high < 0 else None

    def add_links(self, links: Iterable[LinkProperties], names: Iterable[str]) -> None:
        """Mass, centre and inertia of every link."""
        first, values = self._layout.offset("inertia"), self.values
        for number, (link, name) in enumerate(zip(links, names, strict=True)):
            if link.mass is None and link.centre is None and link.inertia is None:
                continue
            at = first + INERTIA_SIZE * number
            formulas = (
                link.mass or _ZERO, *(link.centre or _ZEROS[:3]), *(link.inertia or _ZEROS),
            )  # fmt: skip
            row = [formula.value for formula in formulas]
            if None not in row:  # as in nearly all robots: at once
                values[at : at + len(row)] = row
                continue
            for i, formula in enumerate(formulas):
                self._put(at + i, formula, name, INERTIA_KEYS[i])

    def add_gravity(self, gravity: tuple[Formula, Formula, Formula] | None, owner: str) -> None:
        """The acceleration of gravity, downwards along z where the file gives none."""
        self._layout.real_part("gravity")[:] = (0.0, 0.0, -GRAVITY)
        first = self._layout.offset("gravity")
        for i, formula in enumerate(gravity or ()):
            self._put(first + i, formula, owner, f"gravity.{'xyz'[i]}")

    def add_drives(self, owned: Sequence[_Owned]) -> None:
        """Gear and rotor, friction and spring of every degree of freedom, part by part."""
        self._layout.real_part("gear")[:] = 1.0
        given = {
            "motor": [one for one in owned if one[0].motors],
            "friction": [one for one in owned if one[0].friction],
            "spring": [one for one in owned if one[0].spring],
        }
        has = {
            "motor": {
                key for joint, _ in given["motor"] for one in joint.motors for key in one or ()
            },
            "friction": {key for joint, _ in given["friction"] for key in joint.friction or ()},
            "spring": {key for joint, _ in given["spring"] for key in joint.spring or ()},
        }
        for part in DRIVE_PARTS:
            source, key = DRIVE_SOURCES[part]
            if key not in has[source] and part != "stribeck":
                continue
            for joint, k, index, suffix in self._variables(given[source], part):
                keys: Mapping[str, Any] | None
                if source == "motor":
                    keys = joint.motors[k] if k < len(joint.motors) else None
                else:
                    keys = joint.friction if source == "friction" else joint.spring
                if not keys:
                    continue
                if part == "stribeck" and "static" in keys:
                    self.values[index] = STRIBECK
                self._put(index, keys.get(key), joint.name, f"{source}.{key}{suffix}")
        geared = [one for one in owned if one[0].armature is not None]
        for joint, _, index, suffix in self._variables(geared, "rotor"):
            if joint.has_motor:
                raise CompileError(
                    f"joint '{joint.name}' of {self._where} has a motor: specify its rotor as "
                    "'motor: {inertia: …}', not as 'armature'"
                )
            self._put(index, joint.armature, joint.name, f"armature{suffix}")

    def add_relations(self, relations: Sequence[Relation]) -> None:
        """Ratios, offsets and profiles of the couplings."""
        ratio, offset = self._layout.offset("ratio"), self._layout.offset("offset")
        knots = self._layout.offset("knots")
        for i, relation in enumerate(relations):
            for variable, formula in relation.terms:
                self._put(ratio, formula, relation.name, f"ratio.{variable.name}")
                ratio += 1
            self._put(offset + i, relation.offset, relation.name, "offset")
            if isinstance(relation.profile, tuple):
                for n, knot in enumerate(relation.profile):
                    for k, formula in enumerate(knot):
                        self._put(knots, formula, relation.name, f"profile.{n}.{k}")
                        knots += 1
            elif relation.profile is not None:
                for operation, argument in relation.profile.postfix():
                    where = 0
                    if operation == "const":
                        where = self._constant(float(argument))
                    elif operation == "name":
                        where = self._index.get(str(argument), _CAM)
                    self.profiles += _CODE[operation], where
            self.profile_starts.append(len(self.profiles) // 2)

    def _variables(
        self, owned: Iterable[_Owned], part: str
    ) -> Iterator[tuple[Joint, int, int, str]]:
        """(joint, variable number, place in values, key suffix) of variables, in v's order."""
        first = self._layout.offset(part)
        for joint, at in owned:
            variables = joint.type.info.variables
            for k, (name, _) in enumerate(variables):
                yield joint, k, first + at.v.start + k, f".{name}" if len(variables) > 1 else ""


def _avoids_zero(joint: Joint) -> bool:
    """Whether limits of a joint exclude zero, or may do so: then it starts elsewhere."""
    for pair in joint.limits:
        if pair is not None:
            low, high = pair[0].value, pair[1].value
            if low is None or high is None or not low <= 0 <= high:
                return True
    return False
