"""Contacts of the reduced engine: impulses by projected Gauss-Seidel, then places apart.

Without the ends of travel and the dry friction of joints, which the compiled engine meets together
with contacts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats

__all__ = ["ACCURACY", "SHARE", "SLOP", "SWEEPS", "Touch", "sweep", "tangents"]

QUIET = 1e-3
"""Speed [m/s] of an impact below which nothing is thrown back."""
SWEEPS, ACCURACY = 100, 1e-8
SLOP, SHARE = 1e-6, 0.2
"""Depth [m] that is left alone, and the share of the rest that a step takes away."""


def tangents(n: Floats) -> tuple[Floats, Floats]:
    """Two directions square to a unit vector and to each other."""
    x, y, z = np.abs(n)
    least = (0 if x < z else 2) if x < y else (1 if y < z else 2)
    s = np.cross(n, np.eye(3)[least])
    s /= np.linalg.norm(s)
    return s, np.cross(n, s)


@dataclass(slots=True, eq=False)
class Touch:
    """Rows of all contacts, three each: the normal and two directions along the surface."""

    Y: Floats
    """(rows, freedoms)"""
    before: Floats
    """Speeds (rows,)."""
    gap: Floats
    """Of the normals' rows, (rows,)."""
    friction: Floats
    """(rows,)"""
    p: Floats
    """Impulses (rows,): a guess, then found."""

    def aims(self, restitution: Floats, h: float, gravity: float) -> tuple[Floats, bool]:
        """Speeds that the normals shall have at least (-inf: none), and whether any bounces."""
        quiet = max(QUIET, 2 * gravity * h)
        aims, bounces = np.full(len(self.p), np.nan), False
        for i in range(0, len(aims), 3):
            gap, speed, e = self.gap[i], self.before[i], restitution[i // 3]
            if e > 0 and speed < -quiet and gap + h * speed < 0:
                now = gap + h / 2 * speed < 0
                aims[i] = -e * speed if now else -np.inf
                bounces = bounces or bool(now)
        for i in range(0, len(aims), 3):
            if np.isnan(aims[i]):
                gap, speed = self.gap[i], self.before[i]
                aims[i] = min(0.0, -gap / h if bounces else (speed / 2 - gap / h) / 1.5)
        return aims, bounces


def sweep(touch: Touch, aims: Floats, *, pushes_only: bool) -> tuple[Floats, int]:
    """Yᵀ p with p swept until it changes no more; p is left in the touch."""
    Y, p, before = touch.Y, touch.p, touch.before
    own = np.einsum("ij,ij->i", Y, Y)
    x = p @ Y
    for count in range(SWEEPS):
        last = x.copy()
        order = range(len(p)) if count % 2 == 0 else range(len(p) - 1, -1, -1)
        for i in order:
            if i % 3 == 0:
                if own[i] > 1e-14 and aims[i] > -np.inf:
                    wanted = max(0.0, p[i] + (aims[i] - before[i] - Y[i] @ x) / own[i])
                    x = x + (wanted - p[i]) * Y[i]
                    p[i] = wanted
            elif i % 3 == 1 and not pushes_only:
                pair, both = slice(i, i + 2), max(own[i], own[i + 1])
                if not both > 1e-14:
                    continue
                wants = p[pair] - (before[pair] + Y[pair] @ x) / both
                limit, size = touch.friction[i] * p[i - 1], np.linalg.norm(wants)
                if size > limit:
                    wants *= limit / size
                x = x + (wants - p[pair]) @ Y[pair]
                p[pair] = wants
        if np.linalg.norm(x - last) <= ACCURACY * np.linalg.norm(x):
            return x, count
    return x, SWEEPS
