"""Where coupled joints start: the file's starts, and those that follow from them by relations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from kinegen.errors import NumberError
from kinegen.mechanism.couplings.formula_sums import (
    ONE,
    ZERO,
    product,
    quotient,
    substituted,
    weighted,
)
from kinegen.mechanism.couplings.relation import Relation, Relations, Variable
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.sections.coupling import CAM_VARIABLE

__all__ = ["RelationStarts"]


class RelationStarts:
    """The starts of all variables; those that are deduced go into the result."""

    def __init__(
        self, mechanism: Mechanism, values: Mapping[str, float], result: Relations
    ) -> None:
        self.mechanism = mechanism
        self.values = values
        self.result = result

    def of(self, variable: Variable) -> Formula:
        """The start of a variable: the file's, one that follows from couplings, or 0."""
        joint = self.mechanism.joints[variable.joint]
        if joint.start:
            return joint.start[variable.index]
        deduced = self.result.starts.get((variable.joint, variable.index))
        if deduced is not None:
            return deduced
        limits = joint.limits[variable.index] if variable.index < len(joint.limits) else None
        if limits is None:
            return ZERO
        try:
            low, high = (end.evaluate(self.values) for end in limits)
        except NumberError:
            return ZERO
        return limits[0] if low > 0 else limits[1] if high < 0 else ZERO

    def deduce(self) -> None:
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
        own = ONE
        for variable, ratio in relation.terms:
            if (variable.joint, variable.index) == target:
                own = ratio
            else:
                parts.append((-1.0, product(ratio, self.of(variable))))
        cam = relation.terms[-1][0]
        if relation.profile is not None:
            if (cam.joint, cam.index) == target:
                return None
            profile = self.profile_at(relation, self.of(cam))
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


def _unknown(relation: Relation, known: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    at = [(variable.joint, variable.index) for variable, _ in relation.terms]
    return [one for one in at if one not in known]
