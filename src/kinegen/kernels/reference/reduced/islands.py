"""Islands: parts of mechanisms that act on each other by contacts, and on no others."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kinegen.kernels.layout import Ints
from kinegen.kernels.reference.reduced.engine import ReducedEngine, loop_rows

__all__ = ["find_islands"]


def find_islands(
    e: ReducedEngine, link_a: Ints, link_b: Ints
) -> list[tuple[list[int], NDArray[np.bool_]]]:
    """Contacts of each island, and which variables are its, (nv,).

    Contacts between links that cannot move belong to none.
    """
    leader = list(range(e.nv))

    def find(variable: int) -> int:
        while leader[variable] != variable:
            variable = leader[variable]
        return variable

    def join(variables: Iterable[int]) -> None:
        leaders = {find(int(v)) for v in variables}
        for each in leaders:
            leader[each] = min(leaders)

    # joints and loops hold a part together
    moved = [_moved_by(e, link) for link in range(e.links)]
    for variables in moved:
        join(variables)
    for row in loop_rows(e, e.q)[0]:
        join(np.flatnonzero(row))
    pairs = list(zip(link_a.tolist(), link_b.tolist(), strict=True))
    for a, b in pairs:
        join([*moved[a][:1], *moved[b][:1]])
    contacts: dict[int, list[int]] = {}
    for i, (a, b) in enumerate(pairs):
        for variable in [*moved[a][:1], *moved[b][:1]][:1]:
            contacts.setdefault(find(variable), []).append(i)
    owner = np.array([find(v) for v in range(e.nv)])
    return [(list_, owner == island) for island, list_ in contacts.items()]


def _moved_by(e: ReducedEngine, link: int) -> list[int]:
    """Variables of the tree that move a link."""
    if link == 0:
        return []
    J = np.empty((6, e.nv))
    e.model.site_jacobian(e.q, link, np.zeros(3), -1, np.empty(7), J)
    return np.flatnonzero(J.any(axis=0) & e.tree).tolist()
