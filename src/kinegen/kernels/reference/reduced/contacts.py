"""Contacts of the reduced engine: impulses by projected Gauss-Seidel, then places apart.

Without the ends of travel and the dry friction of joints, which the compiled engine meets together
with contacts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.reduced.engine import ReducedEngine, read_cuts
from kinegen.kernels.reference.reduced.forces import energy_of
from kinegen.kernels.reference.reduced.stops import without_excess
from kinegen.kernels.reference.reduced.system import factor_masses, settle, solve_rows
from kinegen.kernels.tolerances import QUIET

__all__ = ["meet_contacts"]

TOUCH_SWEEPS, TOUCH_ACCURACY = 100, 1e-8
"""Sweeps over all contacts, and the change against the whole at which they end."""
TOUCH_SLOP, TOUCH_SHARE = 1e-6, 0.2
"""Depth [m] that is left alone, and the share of the rest that a step takes away."""


def tangents(n: Floats) -> tuple[Floats, Floats]:
    """Two directions perpendicular to a unit vector and to each other."""
    x, y, z = np.abs(n)
    least = (0 if x < z else 2) if x < y else (1 if y < z else 2)
    s = cross(n, np.eye(3)[least])
    s /= np.linalg.norm(s)
    return s, cross(n, s)


@dataclass(slots=True, eq=False)
class Touch:
    """Rows of all contacts, three each: the normal and two directions along the surface."""

    Y: Floats
    """(rows, dof)"""
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
    for count in range(TOUCH_SWEEPS):
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
        if np.linalg.norm(x - last) <= TOUCH_ACCURACY * np.linalg.norm(x):
            return x, count
    return x, TOUCH_SWEEPS


def list_touches(
    e: ReducedEngine, link_a: Ints, link_b: Ints, points: Floats, normals: Floats,
    distances: Floats, friction: Floats, guess: Floats,
) -> tuple[Floats, Touch, Floats]:  # fmt: skip
    """L of H = L Lᵀ, the rows of contacts, and their directions (n, 3, 3)."""
    _, Y_loops, L = factor_masses(e, e.q)
    X = np.empty((e.links, TRANSFORM_SIZE))
    e.model.forward_links(e.q, X)
    J, along = np.zeros((len(link_a), 3, e.nv)), np.zeros((len(link_a), 3, 3))
    for i, (a, b, p, n) in enumerate(zip(link_a, link_b, points, normals, strict=True)):
        along[i] = n, *tangents(n)
        for link, sign in ((a, -1.0), (b, 1.0)):
            if link:
                local = X[link, :9].reshape(3, 3).T @ (p - X[link, 9:])
                rows, pose = np.empty((6, e.nv)), np.empty(7)
                e.model.site_jacobian(e.q, int(link), local, -1, pose, rows)
                J[i] += sign * along[i] @ rows[:3]
    flat = J.reshape(-1, e.nv)[:, e.tree]
    Y = np.linalg.solve(L, flat.T)
    if Y_loops.shape[1]:
        Y = Y - Y_loops @ solve_rows(Y_loops, Y_loops.T @ Y)
    p = np.einsum("nij,nj->ni", along, guess)
    p[:, 0] = np.maximum(p[:, 0], 0.0)
    gap = np.zeros(len(flat))
    gap[::3] = distances
    touch = Touch(
        np.ascontiguousarray(Y.T), flat @ e.v[e.tree], gap, np.repeat(friction, 3),
        p.ravel().copy(),
    )  # fmt: skip
    return L, touch, along


def shift_place(e: ReducedEngine, shift: Floats, energy: float) -> None:
    """Move the place; speeds keep their world axes and bring no more energy than there was."""
    before = energy_of(e, e.q, e.v)
    moved = np.empty(e.nq)
    e.model.integrate(e.q, shift, moved)
    v = e.chart.turned(e.v, shift)
    e.q, e.v, _ = read_cuts(e, *settle(e, moved, v)[:2])
    e.v = without_excess(e, e.q, e.v, energy)
    e.work += energy_of(e, e.q, e.v) - before


def meet_contacts(
    e: ReducedEngine, link_a: Ints, link_b: Ints, points: Floats, normals: Floats,
    distances: Floats, friction: Floats, restitution: Floats, guess: Floats,
) -> tuple[Floats, int]:  # fmt: skip
    """Push bodies apart that meet: impulses on links b (n, 3), and the sweeps it took."""
    h, tree = e.step, e.tree
    energy = energy_of(e, e.q, e.v)
    L, touch, along = list_touches(e, link_a, link_b, points, normals, distances, friction, guess)
    aims, bounces = touch.aims(restitution, h, float(np.linalg.norm(e.dynamics.gravity_W)))
    # impulses, their work, and what they do to speeds and places
    x, sweeps = sweep(touch, aims, pushes_only=False)
    found = np.einsum("ni,nij->nj", touch.p.reshape(-1, 3), along)
    by = touch.Y @ x
    e.work += float(touch.p @ (touch.before + by / 2))
    gap = touch.gap + (0.0 if bounces else h / 2 * by)
    shift = np.zeros(e.nv)
    change = np.linalg.solve(L.T, x)
    touched = bool(touch.p[::3].any())
    e.v[tree] += change
    shift[tree] = 0.0 if bounces else h / 2 * change
    # bodies that are too deep in each other move apart without gaining speed
    deep = gap[::3].min() < -TOUCH_SLOP
    if deep:
        room = np.where(gap < -TOUCH_SLOP, TOUCH_SHARE * (-gap - TOUCH_SLOP), -gap)
        apart = Touch(touch.Y, np.zeros(len(gap)), gap, touch.friction, np.zeros(len(gap)))
        shift[tree] += np.linalg.solve(L.T, sweep(apart, room, pushes_only=True)[0])
    if touched or deep:
        shift_place(e, shift, energy)
    return found, sweeps
