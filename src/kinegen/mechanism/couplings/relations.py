"""Couplings as equations: a sum of ratio times variable, less a profile, is an offset."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kinegen.errors import NumberError
from kinegen.mechanism.couplings.cam_profiles import profile_fault
from kinegen.mechanism.couplings.contradictions import find_contradiction
from kinegen.mechanism.couplings.formula_sums import ONE, ZERO, product, quotient, weighted
from kinegen.mechanism.couplings.gear_axes import AxisError, gear_axes
from kinegen.mechanism.couplings.relation import Fault, Relation, Relations, Variable, variable_of
from kinegen.mechanism.couplings.relation_starts import RelationStarts
from kinegen.mechanism.graph import Coupling, CouplingKind, Joint, Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.rules.numbers import evaluate_parameters

__all__ = ["find_relations"]

_CENTRE = 1e-3
"""Share by which a centre distance may differ from the one that the module gives."""


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
    finder.starts.deduce()
    for coupling in own:
        if _holds_at_start(coupling):
            finder.couple(coupling)
    order = [*(joint.name for joint in followers), *mechanism.couplings]
    result.found.sort(key=lambda one: order.index(one.name))
    finder.check_profiles()
    if not result.faults:
        fault = find_contradiction(result.found, finder.values)
        result.faults += [] if fault is None else [fault]
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
        self.starts = RelationStarts(mechanism, values, result)

    def fault(self, owner: str, key: str, message: str) -> None:
        self.result.faults.append(Fault(owner, key, message))

    def variable(self, owner: str, key: str, name: str) -> Variable | None:
        """The variable of a name; a fault where there is none."""
        found = variable_of(self.mechanism, name)
        if found is None:
            what = "has no single variable" if name in self.mechanism.joints else "is not a joint"
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
                ((own, ONE), (other, weighted((-1.0, follows.ratio)))),
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
                    ONE,
                    *(quotient(one, coupling.numbers[0]) for one in coupling.numbers[1:]),
                ]
            case CouplingKind.RACK:
                ratios = [ONE, weighted((-1.0, coupling.numbers[0]))]
            case CouplingKind.SCREW:
                ratios = [ONE, weighted((-1 / math.tau, coupling.numbers[0]))]
            case _:
                ratios = [ONE, ZERO]
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
            parts.setdefault(joint, []).append((side, ONE))
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
            return ZERO
        return weighted(*((1.0, product(ratio, self.starts.of(one))) for one, ratio in terms))

    def check_profiles(self) -> None:
        """Profiles of cams are smooth where the cams start."""
        for relation in self.result.found:
            profile, cam = relation.profile, relation.terms[-1][0]
            if not isinstance(profile, Formula) or relation.guide:
                continue
            message = profile_fault(profile, self.values, self.starts.of(cam))
            if message:
                self.fault(relation.name, "profile", message)

    def add(self, relation: Relation) -> None:
        self.result.found.append(relation)
