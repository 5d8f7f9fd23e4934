"""Contacts of the reduced engine: impulses at the end of a step, then places apart.

Without the ends of travel and the dry friction of joints, which the compiled engine meets together
with contacts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.reference.contact.impulses import Kind, Rows, solve_impulses
from kinegen.kernels.reference.reduced.engine import ReducedEngine, read_cuts
from kinegen.kernels.reference.reduced.forces import energy_of
from kinegen.kernels.reference.reduced.islands import find_islands
from kinegen.kernels.reference.reduced.stops import without_excess
from kinegen.kernels.reference.reduced.system import factor_masses, settle, solve_rows
from kinegen.kernels.tolerances import QUIET

__all__ = ["fastest_point", "meet_contacts"]

TOUCH_SLOP, TOUCH_SHARE = 1e-6, 0.2
"""Depth [m] that is left alone, and the share of the rest that a step takes away."""


def tangents(n: Floats) -> tuple[Floats, Floats]:
    """Two directions perpendicular to a unit vector and to each other."""
    x, y, z = np.abs(n)
    least = (0 if x < z else 2) if x < y else (1 if y < z else 2)
    s = np.cross(n, np.eye(3)[least])
    s /= np.linalg.norm(s)
    return s, np.cross(n, s)


def fastest_point(e: ReducedEngine, reach: Floats) -> float:
    """No point of any body is faster than this [m/s]."""
    twists = np.zeros((e.links, 6))
    e.model.link_twists(e.q, e.v, twists)
    linear, angular = (np.linalg.norm(twists[1:, part], axis=1) for part in (slice(3), slice(3, 6)))
    return float(np.max(linear + reach[1:] * angular, initial=0.0))


def aims_of(
    rows: Rows, gap: Floats, starting: Floats, restitution: Floats, h: float, gravity: float
) -> tuple[Floats, float]:
    """Speeds that rows shall have at least, and how long ago bodies bounced (nan: none did)."""
    quiet = max(QUIET, 2 * gravity * h)
    aims = np.zeros(len(rows.Y))
    pushes = [i for i, kind in enumerate(rows.kind) if kind == Kind.PUSH]
    aims[pushes] = np.nan
    weight = times = 0.0
    for i, e in zip(pushes, restitution, strict=True):
        speed = rows.before[i]
        if e > 0 and speed < -quiet and gap[i] + h * speed < 0:
            aims[i] = -np.inf
            if gap[i] + h / 2 * speed < 0:
                # as if it had bounced in the moment of the meeting, under a constant acceleration
                pull = (speed - starting[i]) / h
                met = speed**2 - 2 * pull * gap[i]
                since = 2 * gap[i] / (speed - math.sqrt(met)) if met > 0 else gap[i] / speed
                since = min(h, max(-h, since))
                aims[i] = max(0.0, -e * (speed - pull * since) + pull * since)
                weight, times = weight - speed, times - speed * since
    for i in pushes:
        if np.isnan(aims[i]):
            free = (rows.before[i] / 2 - gap[i] / h) / 1.5
            aims[i] = min(0.0, -gap[i] / h if weight else free)
    return aims, times / weight if weight else math.nan


def list_touches(
    e: ReducedEngine, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, surfaces: Floats
) -> tuple[Floats, Rows, Floats, Floats]:
    """L of H = L Lᵀ, the rows of contacts, J of them, and their directions (rows, 6)."""
    _, Y_loops, L = factor_masses(e, e.q)
    X = np.empty((e.links, TRANSFORM_SIZE))
    e.model.forward_links(e.q, X)
    J: list[Floats] = []
    along: list[Floats] = []
    kinds: list[Kind] = []
    push: list[int] = []
    limit: list[float] = []
    for a, b, p, n, surface in zip(link_a, link_b, points, normals, surfaces, strict=True):
        s, t = tangents(n)
        o, first = np.zeros(3), len(J)
        ways = [(Kind.PUSH, n, o, 0.0), (Kind.PAIR, s, o, surface[0])]
        ways += [(Kind.SECOND, t, o, surface[0])]
        if surface[2] > 0:
            ways += [(Kind.SHARE, o, n, surface[2])]
        if surface[3] > 0:
            ways += [(Kind.PAIR, o, s, surface[3]), (Kind.SECOND, o, t, surface[3])]
        at = np.zeros((6, e.nv))
        for link, sign in ((a, -1.0), (b, 1.0)):
            if link:
                local = X[link, :9].reshape(3, 3).T @ (p - X[link, 9:])
                rows, pose = np.empty((6, e.nv)), np.empty(7)
                e.model.site_jacobian(e.q, int(link), local, -1, pose, rows)
                at += sign * rows
        for kind, linear, angular, share in ways:
            J.append(linear @ at[:3] + angular @ at[3:])
            along.append(np.concatenate([linear, angular]))
            kinds.append(kind)
            push.append(first)
            limit.append(share)
    flat = np.array(J)[:, e.tree]
    Y = np.linalg.solve(L, flat.T)
    if Y_loops.shape[1]:
        Y = Y - Y_loops @ solve_rows(Y_loops, Y_loops.T @ Y)
    made = Rows(np.ascontiguousarray(Y.T), flat @ e.v[e.tree], kinds, push, np.array(limit))
    return L, made, flat, np.array(along)


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
    distances: Floats, surfaces: Floats, v_start: Floats,
) -> tuple[Floats, int]:  # fmt: skip
    """Push bodies apart that meet: what happens to links b (n, 6), and the sweeps it took."""
    energy = energy_of(e, e.q, e.v)
    found, speed, shift = np.zeros((len(link_a), 6)), np.zeros(e.nv), np.zeros(e.nv)
    most, acts = 0, False
    for contacts, own in find_islands(e, link_a, link_b):
        met = _meet_island(
            e, link_a[contacts], link_b[contacts], points[contacts], normals[contacts],
            distances[contacts], surfaces[contacts], v_start,
        )  # fmt: skip
        found[contacts] = met.found
        speed[own], shift[own] = met.speed[own], met.shift[own]
        e.work += met.work
        most, acts = max(most, met.sweeps), acts or met.acts
    e.v += speed
    if acts:
        shift_place(e, shift, energy)
    return found, most


class Met(NamedTuple):
    """What impulses of an island did."""

    found: Floats
    """To links b, (n, 6)."""
    speed: Floats
    """Change of speeds, (nv,)."""
    shift: Floats
    """Change of the place, (nv,)."""
    work: float
    sweeps: int
    acts: bool
    """Whether there is any change."""


def _meet_island(
    e: ReducedEngine, link_a: Ints, link_b: Ints, points: Floats, normals: Floats,
    distances: Floats, surfaces: Floats, v_start: Floats,
) -> Met:  # fmt: skip
    h, tree = e.step, e.tree
    L, rows, J, along = list_touches(e, link_a, link_b, points, normals, surfaces)
    pushes = np.array([kind == Kind.PUSH for kind in rows.kind])
    gap = np.zeros(len(J))
    gap[pushes] = distances
    gravity = float(np.linalg.norm(e.dynamics.masses.gravity_W))
    aims, since = aims_of(rows, gap, J @ v_start[tree], surfaces[:, 1], h, gravity)
    # impulses, their work, and what they do to speeds and places
    p, x, sweeps = solve_impulses(rows, aims)
    found = np.zeros((len(link_a), 6))
    np.add.at(found, np.cumsum(pushes) - 1, p[:, None] * along)
    by = rows.Y @ x
    work = float(p @ (rows.before + by / 2))
    bounces = not math.isnan(since)
    lever = since if bounces else h / 2
    gap = np.where(pushes, gap + lever * by, 0.0)
    thrown = pushes & (aims > 0) & (p > 0)
    gap = np.where(thrown & bounces, np.maximum(gap, 0.0), gap)
    speed, shift = np.zeros(e.nv), np.zeros(e.nv)
    speed[tree] = np.linalg.solve(L.T, x)
    shift[tree] = lever * speed[tree]
    # bodies that are too deep in each other move apart without gaining speed
    deep = bool(gap.min() < -TOUCH_SLOP)
    if deep:
        room = np.where(gap < -TOUCH_SLOP, TOUCH_SHARE * (-gap - TOUCH_SLOP), -gap)
        rows.before[:] = 0.0
        shift[tree] += np.linalg.solve(L.T, solve_impulses(rows, room, pushes_only=True)[1])
    return Met(found, speed, shift, work, sweeps, bool(p.any()) or deep)
