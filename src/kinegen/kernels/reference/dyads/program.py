"""A planar linkage as a list of constructions that place its links one after the other."""

from __future__ import annotations

from kinegen.kernels.layout import Ints
from kinegen.kernels.protocols.dyads import DYAD_MOST_LINKS, DyadKind

__all__ = ["is_dyad_program"]


def is_dyad_program(ints: Ints, links: int, inputs: int, site_links: Ints) -> bool:
    """Whether every link and input that a program names is there."""
    if not 1 <= links <= DYAD_MOST_LINKS:
        return False
    for kind, m, a, n, b, p, number, _ in ints.tolist():
        if kind not in set(DyadKind) or not 0 < m < links:
            return False
        if kind in {DyadKind.TURN, DyadKind.JOIN} and not 0 <= a < links:
            return False
        if kind == DyadKind.JOIN:
            if not (0 < n < links and 0 <= b < links and (p == -1 or 0 < p < links)):
                return False
        elif number < 0 or number + (2 if kind == DyadKind.PLACE else 1) > inputs:
            return False
    return all(0 <= link < links for link in site_links.tolist())
