"""Impulses that push one way and rub, by projected Gauss-Seidel until they change no more.

Without direct steps in between, which only make the compiled ones faster.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats

__all__ = ["Kind", "Rows", "solve_impulses"]

PLAIN_SWEEPS, PLAIN_ACCURACY = 3000, 1e-11
"""Sweeps over all rows, and the change against the whole at which they end."""


class Kind(enum.IntEnum):
    """What a row may do."""

    PUSH = 1
    """One way."""
    PAIR = 2
    """This row and the next, together up to a share of their push."""
    SECOND = 3
    SHARE = 4
    """Both ways, up to a share of its push."""


@dataclass(slots=True, eq=False)
class Rows:
    """Rows of all contacts."""

    Y: Floats
    """(rows, dof)"""
    before: Floats
    """Speeds (rows,)."""
    kind: list[Kind]
    push: list[int]
    """Row of the push that each belongs to."""
    limit: Floats
    """Share of the push (rows,)."""


def solve_impulses(
    rows: Rows, aims: Floats, *, pushes_only: bool = False
) -> tuple[Floats, Floats, int]:
    """Impulses p, Yᵀ p, and the sweeps; aims: speeds that rows shall have (-inf: any)."""
    Y, before = rows.Y, rows.before
    own = np.einsum("ij,ij->i", Y, Y)
    p, x = np.zeros(len(Y)), np.zeros(Y.shape[1])
    count = 0
    for count in range(PLAIN_SWEEPS):
        last = x.copy()
        for i in range(len(Y)) if count % 2 == 0 else range(len(Y) - 1, -1, -1):
            kind, most = rows.kind[i], rows.limit[i] * p[rows.push[i]]
            if kind == Kind.PUSH:
                if own[i] > 1e-14 and aims[i] > -np.inf:
                    wanted = max(0.0, p[i] + (aims[i] - before[i] - Y[i] @ x) / own[i])
                    x = x + (wanted - p[i]) * Y[i]
                    p[i] = wanted
            elif pushes_only or kind == Kind.SECOND:
                continue
            else:
                part = slice(i, i + (2 if kind == Kind.PAIR else 1))
                both = float(own[part].max())
                if not both > 1e-14:
                    continue
                wants = p[part] + (aims[part] - before[part] - Y[part] @ x) / both
                size = float(np.linalg.norm(wants))
                if size > most:
                    wants *= most / size
                x = x + (wants - p[part]) @ Y[part]
                p[part] = wants
        if float(np.linalg.norm(x - last)) <= PLAIN_ACCURACY * float(np.linalg.norm(x)):
            break
    return p, x, count
