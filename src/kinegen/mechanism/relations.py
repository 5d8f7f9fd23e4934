"""Couplings as equations: a sum of ratio times variable, less a profile, is an offset."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinegen.errors import NumberError
from kinegen.mechanism.cam_profiles import profile_fault
from kinegen.mechanism.gear_axes import AxisError, gear_axes
from kinegen.mechanism.graph import Coupling, CouplingKind, Joint, Mechanism
from kinegen.raff.formula import Formula, Step
from kinegen.raff.numbers import evaluate_parameters
from kinegen.raff.operations import apply
from kinegen.raff.sections.coupling import CAM_VARIABLE

__all__ = ["Fault", "Relation", "Relations", "Variable", "find_relations", "variable_of"]

_CENTRE = 1e-3
"""Share by which a centre distance may differ from the one that the module gives."""
_CONTRADICTION = 1e-9
_ZERO, _ONE = Formula.constant(0.0), Formula.constant(1.0)


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a joint."""

    joint: str
    index: int
    """Among the joint's variables."""
    name: str
    """As a file names it: ``joint``, or ``joint.variable`` where there are several."""
    is_length: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """One equation between variables."""

    name: str
    kind: str
    """gears, belt, chain, rack, screw, relation, cam or follows."""
    terms: tuple[tuple[Variable, Formula], ...]
    """Variables with their ratios; the last of a cam is the cam's own, with ratio 0."""
    offset: Formula
    is_length: bool
    """Whether the equation is one of lengths; else of angles."""
    profile: Formula | tuple[tuple[Formula, Formula], ...] | None = None
    repeats: bool = False
    """Whether the table of a cam comes round again."""
    members: tuple[str, ...] = ()
    """What a person says that it joins."""
    guide: str = ""
    """The guide whose curve it is."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a coupling."""

    owner: str
    """The coupling, or the joint that follows."""
    key: str
    """Of its row."""
    message: str


@dataclass(slots=True)
class Relations:
    """All equations of a mechanism's couplings."""

    found: list[Relation] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    starts: dict[tuple[str, int], Formula] = field(default_factory=dict)
    """Starts that follow from couplings, by joint and variable: those a file does not give."""


def variable_of(mechanism: Mechanism, name: str) -> Variable | None:
    """The variable of a name, ``joint`` or ``joint.variable``; None where there is none."""
    joint = mechanism.joints.get(name)
    whole, _, part = name.rpartition(".")
    if joint is None:
        joint = mechanism.joints.get(whole)
    else:
        part = ""
    if joint is None or joint.type.info.has_quaternion:
        return None
    variables = joint.type.info.variables
    names = [own for own, _ in variables]
    if not part and len(variables) != 1:
        return None
    if part and part not in names:
        return None
    index = names.index(part) if part else 0
    shown = joint.name if len(variables) == 1 else f"{joint.name}.{names[index]}"
    return Variable(joint.name, index, shown, variables[index][1] == "length")


def find_relations(mechanism: Mechanism) -> Relations:
    """The equations of all couplings, with what is wrong with them."""
    result = Relations()
    followers = [joint for joint in mechanism.joints.values() if joint.follows is not None]
    if not followers and not mechanism.couplings:
        return result
    formulas = {name: one.formula for name, one in mechanism.parameters.items()}
    finder = _Finder(mechanism, evaluate_parameters(formulas).values, result)
    for joint in followers:
        finder.follows(joint)
    own = list(mechanism.couplings.values())
    for coupling in own:
        if not _holds_at_start(coupling):
            finder.couple(coupling)
    finder.deduce_starts()
    for coupling in own:
        if _holds_at_start(coupling):
            finder.couple(coupling)
    order = [*(joint.name for joint in followers), *mechanism.couplings]
    result.found.sort(key=lambda one: order.index(one.name))
    finder.check_profiles()
    finder.find_contradictions()
    return result


def _holds_at_start(coupling: Coupling) -> bool:
    """Whether its offset is not given and is what makes it hold at the start."""
    free = (CouplingKind.RELATION, CouplingKind.CAM)
    return coupling.offset is None and coupling.kind not in free


class _Finder:
    """Makes relations one after the other."""

    def __init__(
        self, mechanism: Mechanism, values: Mapping[str, float], result: Relations
    ) -> None:
        self.mechanism = mechanism
        self.values = values
        self.result = result

    def fault(self, owner: str, key: str, message: str) -> None:
        self.result.faults.append(Fault(owner, key, message))

    def variable(self, owner: str, key: str, name: str) -> Variable | None:
        """The variable of a name; a fault where there is none."""
        found = variable_of(self.mechanism, name)
        if found is None:
            what = "has no single variable" if name in self.mechanism.joints else "is no joint"
            self.fault(owner, key, f"'{name}' {what} that could be coupled")
        return found

    def follows(self, joint: Joint) -> None:
        """A joint that follows another."""
        follows = joint.follows
        assert follows is not None
        name = joint.name if follows.variable is None else f"{joint.name}.{follows.variable}"
        own = self.variable(joint.name, "follows", name)
        other = self.variable(joint.name, "follows", follows.joint)
        if own is None or other is None:
            return
        if own == other:
            self.fault(joint.name, "follows", f"joint '{joint.name}' cannot follow itself")
            return
        self.add(
            Relation(
                joint.name,
                "follows",
                ((own, _ONE), (other, weighted((-1.0, follows.ratio)))),
                follows.offset,
                own.is_length,
                members=(own.name, other.name),
            )
        )

    def couple(self, coupling: Coupling) -> None:
        """One row of the couplings."""
        if coupling.kind.joins_links:
            self.wheels(coupling)
            return
        key = coupling.kind.value
        members = [self.variable(coupling.name, key, name) for name in coupling.members]
        found = [one for one in members if one is not None]
        if len(found) < len(members):
            return
        if len(set(found)) < len(found):
            self.fault(coupling.name, key, "a joint cannot be coupled with itself")
            return
        ratios: list[Formula] = []
        match coupling.kind:
            case CouplingKind.RELATION:
                # by its first factor, so that the equation is one of the first variable
                ratios = [
                    _ONE,
                    *(quotient(one, coupling.numbers[0]) for one in coupling.numbers[1:]),
                ]
            case CouplingKind.RACK:
                ratios = [_ONE, weighted((-1.0, coupling.numbers[0]))]
            case CouplingKind.SCREW:
                ratios = [_ONE, weighted((-1 / math.tau, coupling.numbers[0]))]
            case _:
                ratios = [_ONE, _ZERO]
        kinds = {CouplingKind.RACK: "rack", CouplingKind.SCREW: "nut"}
        if coupling.kind in kinds and not (found[0].is_length and not found[1].is_length):
            wrong = 0 if not found[0].is_length else 1
            verb = "slide" if wrong == 0 else "turn"
            part = ("rack" if wrong == 0 else "pinion", "nut" if wrong == 0 else "screw")
            place = part[coupling.kind is CouplingKind.SCREW]
            text = f"'{found[wrong].name}' does not {verb}: the {place} must"
            self.fault(coupling.name, place, text)
            return
        terms = tuple(zip(found, ratios, strict=True))
        offset = coupling.offset
        if offset is not None and coupling.kind is CouplingKind.RELATION:
            offset = quotient(offset, coupling.numbers[0])
        self.add(
            Relation(
                coupling.name,
                key,
                terms,
                self.offset(coupling, terms) if offset is None else offset,
                found[0].is_length,
                coupling.profile,
                self.repeats(coupling, found[-1]),
                tuple(one.name for one in found),
                coupling.guide,
            )
        )

    def repeats(self, coupling: Coupling, cam: Variable) -> bool:
        """Whether the table of a cam that turns ends where it began, a turn later."""
        table = coupling.profile
        if not isinstance(table, tuple) or cam.is_length or len(table) < 2:
            return False
        try:
            x0, y0, x1, y1 = (
                number.evaluate(self.values) for knot in (table[0], table[-1]) for number in knot
            )
        except NumberError:
            return False
        return abs(x1 - x0 - math.tau) < 1e-9 and abs(y1 - y0) <= 1e-9 * max(1.0, abs(y0))

    def wheels(self, coupling: Coupling) -> None:
        """Gears and belts: their angles are those against the link that carries both axes."""
        try:
            axes = gear_axes(self.mechanism, coupling, self.values)
        except AxisError as error:
            self.fault(coupling.name, coupling.kind.value, str(error))
            return
        except (NumberError, KeyError):
            return  # reported with the number itself, or with the parent
        a, b = coupling.numbers
        if coupling.kind is CouplingKind.GEARS:
            if axes.are_parallel and not self.check_centre(coupling, axes.distance):
                return
            sign = axes.sense if not coupling.internal else -axes.sense
        else:
            sign = axes.sense if coupling.crossed else -axes.sense
        # angle of the first + sign · (second size / first size) · angle of the second
        ratio = quotient(b, a)
        parts: dict[str, list[tuple[float, Formula]]] = {}
        for joint, side in axes.first.turns.items():
            parts.setdefault(joint, []).append((side, _ONE))
        for joint, side in axes.second.turns.items():
            parts.setdefault(joint, []).append((side * sign, ratio))
        terms = []
        for joint, weights in parts.items():
            names = [name for name, _ in self.mechanism.joints[joint].type.info.variables]
            shown = joint if len(names) == 1 else f"{joint}.{names[0]}"
            terms.append((Variable(joint, 0, shown, False), weighted(*weights)))
        made = tuple(terms)
        self.add(
            Relation(
                coupling.name,
                coupling.kind.value,
                made,
                self.offset(coupling, made) if coupling.offset is None else coupling.offset,
                False,
                members=coupling.members,
            )
        )

    def check_centre(self, coupling: Coupling, distance: float) -> bool:
        """Whether the axes of gears are as far apart as their teeth need; a fault where not."""
        try:
            first, second = (number.evaluate(self.values) for number in coupling.numbers)
            module = None if coupling.module is None else coupling.module.evaluate(self.values)
        except NumberError:
            return False
        teeth = abs(first - second) if coupling.internal else first + second
        if teeth == 0:
            self.fault(coupling.name, "teeth", "a ring must have more teeth than its pinion")
            return False
        wanted = None if module is None else module * teeth / 2
        if wanted is not None and abs(distance - wanted) > _CENTRE * wanted:
            sign = "-" if coupling.internal else "+"
            self.fault(
                coupling.name,
                "module",
                f"the axes of '{coupling.members[0]}' and '{coupling.members[1]}' are "
                f"{1e3 * distance:.6g} mm apart, but module {1e3 * (module or 0):.6g} mm with "
                f"{first:g} and {second:g} teeth needs {1e3 * wanted:.6g} mm: "
                f"module · ({max(first, second):g} {sign} {min(first, second):g}) / 2",
            )
            return False
        return True

    def offset(self, coupling: Coupling, terms: Sequence[tuple[Variable, Formula]]) -> Formula:
        """What a relation adds up to at the start, or 0."""
        if not _holds_at_start(coupling):
            return _ZERO
        return weighted(*((1.0, product(ratio, self.start(one))) for one, ratio in terms))

    def start(self, variable: Variable) -> Formula:
        """The start of a variable: the file's, one that follows from couplings, or 0."""
        joint = self.mechanism.joints[variable.joint]
        if joint.start:
            return joint.start[variable.index]
        deduced = self.result.starts.get((variable.joint, variable.index))
        if deduced is not None:
            return deduced
        limits = joint.limits[variable.index] if variable.index < len(joint.limits) else None
        if limits is None:
            return _ZERO
        try:
            low, high = (end.evaluate(self.values) for end in limits)
        except NumberError:
            return _ZERO
        return limits[0] if low > 0 else limits[1] if high < 0 else _ZERO

    def deduce_starts(self) -> None:
        """Starts that the file leaves out and that follow from others by a relation."""
        known = {
            (variable.joint, variable.index)
            for relation in self.result.found
            for variable, _ in relation.terms
            if self.mechanism.joints[variable.joint].start
        }
        waiting = list(self.result.found)
        while waiting:
            # a relation that has one unknown left; where none has, one takes its defaults
            ready = [one for one in waiting if len(_unknown(one, known)) <= 1]
            leaders = {(one.terms[0][0].joint, one.terms[0][0].index) for one in waiting}
            free = [
                one
                for one in waiting
                if not any((v.joint, v.index) in leaders for v, _ in one.terms[1:])
            ]
            relation = (ready or free or waiting)[0]
            waiting.remove(relation)
            unknown = _unknown(relation, known)
            if unknown:
                first = relation.terms[0][0]
                at = (first.joint, first.index)
                target = at if at in unknown else unknown[0]
                formula = self.solved(relation, target)
                if formula is not None:
                    self.result.starts[target] = formula
            known.update((one.joint, one.index) for one, _ in relation.terms)

    def solved(self, relation: Relation, target: tuple[str, int]) -> Formula | None:
        """The start of one variable by a relation, the others at theirs."""
        parts: list[tuple[float, Formula]] = [(1.0, relation.offset)]
        own = _ONE
        for variable, ratio in relation.terms:
            if (variable.joint, variable.index) == target:
                own = ratio
            else:
                parts.append((-1.0, product(ratio, self.start(variable))))
        cam = relation.terms[-1][0]
        if relation.profile is not None:
            if (cam.joint, cam.index) == target:
                return None
            profile = self.profile_at(relation, self.start(cam))
            if profile is None:
                return None
            parts.append((1.0, profile))
        return quotient(weighted(*parts), own)

    def profile_at(self, relation: Relation, start: Formula) -> Formula | None:
        """How high a cam's follower stands at the start."""
        profile = relation.profile
        if isinstance(profile, Formula):
            return substituted(profile, CAM_VARIABLE, start)
        assert profile is not None
        try:
            rows = [[number.evaluate(self.values) for number in knot] for knot in profile]
            x = start.evaluate(self.values)
        except NumberError:
            return None
        from kinegen.kernels.reference.base.profile import spline, spline_bends

        knots = np.array(rows)
        bends = spline_bends(knots, relation.repeats)
        return Formula.constant(spline(knots, bends, relation.repeats, x)[0])

    def check_profiles(self) -> None:
        """Profiles of cams are smooth where the cams start."""
        for relation in self.result.found:
            profile, cam = relation.profile, relation.terms[-1][0]
            if not isinstance(profile, Formula) or relation.guide:
                continue
            message = profile_fault(profile, self.values, self.start(cam))
            if message:
                self.fault(relation.name, "profile", message)

    def find_contradictions(self) -> None:
        """Linear relations that no values of the variables can meet together."""
        if self.result.faults:
            return
        linear = [one for one in self.result.found if one.profile is None]
        columns: dict[tuple[str, int], int] = {}
        for relation in linear:
            for variable, _ in relation.terms:
                columns.setdefault((variable.joint, variable.index), len(columns))
        kept = np.zeros((0, len(columns) + 1))
        for relation in linear:
            row = np.zeros(len(columns) + 1)
            try:
                for variable, ratio in relation.terms:
                    row[columns[variable.joint, variable.index]] = ratio.evaluate(self.values)
                row[-1] = relation.offset.evaluate(self.values)
            except NumberError:
                return
            size = float(np.abs(row[:-1]).max(initial=0.0))
            if size == 0:
                text = "its ratios are all 0: nothing is coupled"
                self.fault(relation.name, relation.kind, text)
                return
            both = np.vstack([kept, row / size])
            ranks = [np.linalg.matrix_rank(A, tol=_CONTRADICTION) for A in (both[:, :-1], both)]
            if ranks[0] < ranks[1]:
                touched = {(v.joint, v.index) for v, _ in relation.terms}
                others = [
                    one.name
                    for one in linear[: len(kept)]
                    if any((v.joint, v.index) in touched for v, _ in one.terms)
                ]
                named = " and ".join(f"'{name}'" for name in others) or "the others"
                self.fault(
                    relation.name,
                    relation.kind,
                    f"it contradicts {named}: no values of the joints meet both",
                )
                return
            kept = both

    def add(self, relation: Relation) -> None:
        self.result.found.append(relation)


def _unknown(relation: Relation, known: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    at = [(variable.joint, variable.index) for variable, _ in relation.terms]
    return [one for one in at if one not in known]


# Formulas of formulas


def _made(text: str, steps: Sequence[Step], names: frozenset[str]) -> Formula:
    if names:
        return Formula(text, None, (tuple(steps), (), names))
    stack: list[float] = []
    for operation, payload in steps:
        if operation == "const":
            stack.append(float(payload))
            continue
        b = stack.pop() if operation != "neg" else None
        a = stack.pop()
        result, reason = apply(operation, *((a,) if b is None else (a, b)))
        if reason:
            raise NumberError(f"'{text}' cannot be computed: {reason}")
        stack.append(result)
    return Formula(text, stack[0])


def weighted(*parts: tuple[float, Formula]) -> Formula:
    """The sum of factors times formulas."""
    steps: list[Step] = []
    texts: list[str] = []
    names: frozenset[str] = frozenset()
    for factor, formula in parts:
        if factor == 0 or formula.value == 0:
            continue
        one = [*formula.postfix()]
        if factor != 1:
            one += [("const", factor), ("mul", 0)]
        texts.append(formula.text if factor == 1 else f"{factor:g}·({formula.text})")
        names |= formula.names
        steps += one if not steps else [*one, ("add", 0)]
    return _made(" + ".join(texts), steps, names) if steps else _ZERO


def product(a: Formula, b: Formula) -> Formula:
    """One formula times another."""
    if a.value == 1 or b.value == 1:
        return b if a.value == 1 else a
    if a.value == 0 or b.value == 0:
        return _ZERO
    text = f"({a.text})·({b.text})"
    return _made(text, [*a.postfix(), *b.postfix(), ("mul", 0)], a.names | b.names)


def quotient(a: Formula, b: Formula) -> Formula:
    """One formula by another."""
    if b.value == 1 or a.value == 0:
        return a
    text = f"({a.text})/({b.text})"
    return _made(text, [*a.postfix(), *b.postfix(), ("div", 0)], a.names | b.names)


def substituted(formula: Formula, name: str, by: Formula) -> Formula:
    """A formula with another one in the place of a name."""
    if name not in formula.names:
        return formula
    steps: list[Step] = []
    for step in formula.postfix():
        steps += by.postfix() if step == ("name", name) else [step]
    names = (formula.names - {name}) | by.names
    if not names:
        return Formula.constant(formula.evaluate({name: by.evaluate({})}))
    return Formula(f"{formula.text} at {name} = {by.text}", None, (tuple(steps), (), names))
