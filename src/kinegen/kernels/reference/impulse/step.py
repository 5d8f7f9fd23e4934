"""Steps of the impulse engine after Visum, made symmetric: halves of all forces at both ends."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.impulse import LOAD_SIZE, ImpulseTuple
from kinegen.kernels.reference.base.profile import is_cam
from kinegen.kernels.reference.impulse.ahead import Look, close_direct, turns_fast
from kinegen.kernels.reference.impulse.couplings import coupling_gap, is_length, place_rows
from kinegen.kernels.reference.impulse.gaps import all_gaps
from kinegen.kernels.reference.impulse.limits import limit_speeds, list_limits
from kinegen.kernels.reference.impulse.loads import add_step_work, kick, kinetic, potential
from kinegen.kernels.reference.impulse.rows import read_speeds
from kinegen.kernels.reference.impulse.soft import (
    push_late,
    read_rotors,
    set_soft_rows,
    settle_soft_rows,
)
from kinegen.kernels.reference.impulse.speeds import (
    add_flight_work,
    agree,
    collide,
    is_looped,
    widest_opening,
)
from kinegen.kernels.reference.impulse.sweeps import (
    FAST_TURN,
    close_at_end,
    close_by_sweeps,
    foresee,
    keep_passive,
    scale_speeds,
    slow_down,
)
from kinegen.kernels.reference.impulse.world import World

__all__ = ["run", "start_at", "step"]

WIDE_TURN, HALVINGS = 0.25, 7
"""Turn of a body in a step [rad] beyond which it is made in halves, and how often."""
STEADY, SWINGING, ALIKE = 3e-5, 1e-3, 8
"""Energy that a step may change: against the motion, at most so, and against the steps before."""

Held = tuple[Floats, Floats, Floats, Floats, Floats, float]
"""What a step starts from: poses, twists, q, v, rotors, work."""


def run(w: World, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats) -> ImpulseTuple:
    """Run steps; see the protocol."""
    w.efforts, w.loads, w.load_numbers = efforts, loads, load_numbers.reshape(-1, LOAD_SIZE)
    start, widest, contacts, iterations, done = w.time, np.zeros(3), 0, 0, 0
    status = 0
    place_rows(w)
    if w.balance == np.inf:
        w.balance = kinetic(w) + potential(w) - w.work
    if steps == 0:
        _, gap, angle = all_gaps(w, w.poses)
        widest[:] = gap, angle, widest_opening(w)
        for c in range(w.coupling_count):
            part = 0 if is_length(w, c) else 1
            widest[part] = max(widest[part], abs(coupling_gap(w, c, w.poses)))
    while done < steps:
        held = hold_state(w)
        found = whole_step(w)
        if found is None:
            status = 1
            break
        widest, contacts = np.maximum(widest, found[0]), found[1]
        iterations += found[2]
        if w.sweeps:
            guard(w, held)
        done += 1
        w.time = start + done * w.step
    w.v = read_speeds(w, w.twists)
    return (
        done, status, w.time, float(widest[0]), float(widest[1]), float(widest[2]),
        kinetic(w), potential(w),
        w.work, contacts, iterations, iterations * len(w.bonds),
    )  # fmt: skip


def whole_step(w: World) -> tuple[Floats, int, int] | None:
    """One step, in parts where bodies turn far or it does not close; None: not even so."""
    whole, first, held = w.step, 0, hold_state(w)
    while not w.sweeps and first < HALVINGS and turns_fast(w, w.twists, WIDE_TURN):
        w.step, first = w.step / 2, first + 1
    for depth in range(first, HALVINGS + 1):
        if depth:
            w.lam[:] = 0
        carried, late = np.zeros(len(w.J)), dict[int, Floats]()
        widest: Floats = np.zeros(3)
        contacts, iterations, closed = 0, 0, True
        for _ in range(1 << depth):
            gaps, miss, contacts, count = step(w)
            widest, iterations = np.maximum(widest, gaps), iterations + count
            carried += w.lam + w.last
            late = {j: p + late.get(j, 0) for j, p in w.late.items()}
            most = max(w.gap_limit, 1e-6 if depth == HALVINGS else 1e-9)
            closed = bool(w.sweeps) or max(gaps[0], gaps[1], miss) <= most
            if not (closed and np.isfinite(w.twists).all()):
                break
        if closed:
            w.v = read_speeds(w, w.twists)
            add_step_work(w, *held[:4])
        if closed and keeps_energy(w, is_shortest=depth == HALVINGS):
            w.carried, w.step = (carried, late), whole
            if depth:
                w.lam[:] = 0
            return widest, contacts, iterations
        restore_state(w, held)
        w.step /= 2
    w.step = whole
    return None


def step(w: World) -> tuple[Floats, float, int, int]:
    """Half the forces; impulses that close the joints ahead; flight; the other half; speeds.

    Returns gap, angle gap and opening; miss of soft rows; contacts; iterations.
    """
    h, V = w.step, w.twists
    # bodies that meet are thrown back, then half of all forces act
    set_soft_rows(w, starts=True)
    contacts = collide(w, V)
    start = V.copy()
    kick(w, V, h / 2)
    # impulses that close the joints where the flight ends
    list_limits(w, "ahead", V)
    was = limit_speeds(w, start)
    is_fast = w.sweeps > 0 and turns_fast(w, V, FAST_TURN)
    poses, speeds, gap, angle, miss, turns = close_ahead(w, V, is_fast=is_fast)
    add_flight_work(w, was, V, speeds, starts=True)
    left = V.copy()
    # there
    settle_soft_rows(w, poses)
    w.poses, w.twists = poses, speeds
    place_rows(w)
    V = w.twists
    # the other half of all forces, then impulses that make speeds agree
    set_soft_rows(w, starts=False)
    start = V.copy()
    kick(w, V, h / 2)
    push_late(w, V)
    list_limits(w, "now", V)
    was = limit_speeds(w, start)
    agree(w, V)
    add_flight_work(w, was, V, left, starts=False)
    contacts += sum(1 for limit in w.limits if limit.kind == "touch" and limit.p > 0)
    opening = widest_opening(w)
    if is_fast:
        slow_down(w, gap)
    read_rotors(w, V)
    return np.array([gap, angle, opening]), miss, contacts, turns


def close_ahead(w: World, V: Floats, *, is_fast: bool) -> Look:
    """Impulses that close all joints at the step's end: all at once, or in sweeps."""
    if w.sweeps:
        w.lam[:] = 0
        foresee(w, V)
        return close_at_end(w, V) if is_fast else close_by_sweeps(w, V)
    if is_looped(w) and w.limits and len(w.touches):
        w.lam[:] = 0  # loops and contacts share what joints bore
    V += (w.Y @ w.lam).reshape(-1, 6)
    return close_direct(w, V)


def hold_state(w: World) -> Held:
    """What a step starts from."""
    parts = w.poses, w.twists, w.q, w.v, w.rotor
    poses, twists, q, v, rotor = (part.copy() for part in parts)
    return poses, twists, q, v, rotor, w.work


def restore_state(w: World, held: Held) -> None:
    """Start from there again."""
    w.poses, w.twists, w.q, w.v, w.rotor = (part.copy() for part in held[:5])
    w.work = held[5]
    place_rows(w)


def keeps_energy(w: World, *, is_shortest: bool) -> bool:
    """Whether a step kept its energy: loops may not where they jump over a singular pose."""
    has_cam = any(is_cam(w.blocks, c) for c in range(w.coupling_count) if w.blocks is not None)
    if w.sweeps or not (w.outward[:, 2].any() or has_cam):
        return True
    motion = kinetic(w)
    balance = motion + potential(w) - w.work
    w.swing = max(0.99 * w.swing, motion)
    change = abs(balance - w.balance)
    most = STEADY * w.swing + 1e-9 * (abs(balance) + motion)
    most = max(most, min(SWINGING * w.swing, ALIKE * w.change))
    if not (is_shortest or w.limits or change <= most):
        return False
    w.balance = balance
    w.change = max(change, 0.5 * w.change) if w.change < np.inf else change
    return True


def guard(w: World, held: Held) -> None:
    """Sweeps bring no energy; where bodies turned too far, all stay, at half the speed."""
    balance = w.balance
    if keep_passive(w) or not turns_fast(w, held[1], WIDE_TURN):
        return
    restore_state(w, held)
    scale_speeds(w, 0.5)
    w.balance = balance


def start_at(
    w: World, poses: Floats, twists: Floats, q: Floats, curve_at: Floats, time: float
) -> None:
    """Begin at poses and twists."""
    w.poses = np.array(poses, dtype=np.float64)
    w.poses[:, :4] /= np.linalg.norm(w.poses[:, :4], axis=1, keepdims=True)
    w.twists = np.where(w.moves[:, None], twists, 0.0)
    w.q, w.curve_at = np.array(q, dtype=np.float64), np.array(curve_at)
    w.time, w.work = time, 0.0
    w.balance, w.swing, w.change = np.inf, 0.0, np.inf
    w.limits = []
    place_rows(w)
    w.lam, w.last, w.late = np.zeros(len(w.J)), np.zeros(len(w.J)), {}
    w.carried = w.lam, {}
    w.efforts = np.zeros(len(w.axes))
    w.v = read_speeds(w, w.twists)
    w.rotor = w.v.copy()
