"""Contradictions between couplings: linear relations that cannot hold together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.errors import NumberError
from kinegen.mechanism.couplings.relation import Fault, Relation

__all__ = ["find_contradiction"]

_CONTRADICTION = 1e-9
"""Singular values of the equations, by the largest coefficient, that count as 0."""


def find_contradiction(relations: Sequence[Relation], values: Mapping[str, float]) -> Fault | None:
    """The first linear relation that no values of the variables meet together with those before."""
    linear = [one for one in relations if one.profile is None]
    columns: dict[tuple[str, int], int] = {}
    for relation in linear:
        for variable, _ in relation.terms:
            columns.setdefault((variable.joint, variable.index), len(columns))
    kept = np.zeros((0, len(columns) + 1))
    for relation in linear:
        row = np.zeros(len(columns) + 1)
        try:
            for variable, ratio in relation.terms:
                row[columns[variable.joint, variable.index]] = ratio.evaluate(values)
            row[-1] = relation.offset.evaluate(values)
        except NumberError:
            return None
        size = float(np.abs(row[:-1]).max(initial=0.0))
        if size == 0:
            text = "its ratios are all 0: nothing is coupled"
            return Fault(relation.name, relation.kind, text)
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
            return Fault(
                relation.name,
                relation.kind,
                f"it contradicts {named}: no joint values satisfy both",
            )
        kept = both
    return None
