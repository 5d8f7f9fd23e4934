"""Impulses with bounds: dry friction, ends of travel, contacts with friction."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.impulse import RowAction
from kinegen.kernels.reference.base.manifold import swing_angle
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.impulse.gaps import variables_of
from kinegen.kernels.reference.impulse.joints import NV, SPHERICAL, is_ball, rotation
from kinegen.kernels.reference.impulse.rows import axis_row, inverse_mass_rows, pair_row
from kinegen.kernels.reference.impulse.swing import swing_ahead, widened, widening_row
from kinegen.kernels.reference.impulse.world import Limit, World, bond_frames
from kinegen.kernels.tolerances import QUIET, STANDSTILL

__all__ = ["limit_speeds", "list_limits", "look_at_limits", "meet_limits", "prepare_limits"]

DOUBTFUL_MASS, DOUBTFUL_SHARE = 100.0, 0.005
"""A contact that feels so many times the mass of all bodies may feel the joints' rows alone, if it
moves less by this share when their load grows."""
LIMIT_SWEEPS, LIMIT_ACCURACY = 300, 1e-12
"""Sweeps over all limits, and the change against the largest impulse at which they end."""
PAIRED = ("slide", "roll")
"""Kinds whose limits come in pairs, which share a disc."""
SWING_RETURN = 0.1
"""Speed at which an overrun swing limit is taken back [rad/s]."""


Responses = tuple[Floats, Floats, Floats]
"""Change of twists by unit impulses, of joints' impulses, and of limits."""


def dry_friction(axis: Floats, speed: float) -> float:
    """Dry friction at a speed: Coulomb's, more below Stribeck's speed."""
    dry = float(axis[2])
    if axis[3] > dry:
        if axis[4] > 0:
            dry += float((axis[3] - dry) * np.exp(-((speed / axis[4]) ** 2)))
        elif abs(speed) < STANDSTILL:
            dry = float(axis[3])
    return dry


def reachable(gap: float) -> float:
    """Part of a gap that a step may close: not all of one that is overrun."""
    return 0.9 * gap if gap < -1e-4 else 0.0


def limit_speeds(w: World, V: Floats) -> Floats:
    """Speeds of all limits."""
    return np.array([limit.row @ V.ravel() for limit in w.limits])


def list_limits(w: World, when: str, V: Floats) -> None:
    """What may need an impulse."""
    w.limits = []
    list_axes(w, when, V)
    for i in range(len(w.touches)):
        list_touch(w, i, when, V)


def list_axes(w: World, when: str, V: Floats) -> None:
    """Dry friction and ends of travel."""
    h = w.step
    for j, (type_, _, _, q0, v0) in enumerate(w.bonds):
        for k in range(NV[type_]):
            v, axis = v0 + k, w.axes[v0 + k]
            row = axis_row(w, j, k)
            u = float(row @ V.ravel())
            if w.friction and when != "impact" and (axis[2] or axis[3]):
                most = 0.5 * h * dry_friction(axis, u)
                w.limits.append(Limit("dry", row, -most, most, bond=j, of=v))
            swings = type_ == SPHERICAL and k == 0 and axis[8] < np.pi
            if not w.stops or (is_ball(type_) and not swings):
                continue
            at, more = float(w.q[q0 + k]), 0.0
            if swings:
                row, at = widening_row(w, j, V), swing_angle(w.q[q0 : q0 + 4])
                u = float(row @ V.ravel())
                more = widened(w, j, at, u, V)
            reach = 2 * h * abs(u) + 1e-3 if when == "ahead" else 1e-6
            for side in (-1.0,) if swings else (1.0, -1.0):
                end = axis[7] if side > 0 else axis[8]
                gap, closing = side * (at - end), -side * u
                if not gap < reach:
                    continue
                throws = w.stop_restitution > 0 and closing > QUIET
                if when == "impact" and not (throws and gap <= 0.5 * closing * h):
                    continue
                if when != "impact" and throws:
                    continue
                reached = min(0.0, gap + SWING_RETURN * h) if swings else reachable(gap)
                aim = side * (reached + more) / h if when == "ahead" else 0.0
                if when == "impact":
                    aim = -w.stop_restitution * u
                low, high = (0.0, np.inf) if side > 0 else (-np.inf, 0.0)
                kind = "lower" if side > 0 else "upper"
                w.limits.append(Limit(kind, row, low, high, aim, bond=j, of=v))


def touch_gap(w: World, i: int, poses: Floats) -> tuple[float, Floats, Floats]:
    """Gap of a pair, its normal towards a, and where it touches."""
    kind, a, b = w.touches[i]
    numbers = w.touch_numbers[i]
    p = poses[a, 4:] + rotation(poses[a, :4]) @ numbers[:3]
    c = poses[b, 4:] + rotation(poses[b, :4]) @ numbers[4:7]
    if kind == 0:
        n = rotation(poses[b, :4]) @ numbers[7:10]
        gap = n @ (p - c) - numbers[3]
    else:
        distance = float(np.linalg.norm(p - c))
        n = (p - c) / distance
        gap = distance - numbers[3] - numbers[10]
    return float(gap), n, p - numbers[3] * n


def list_touch(w: World, i: int, when: str, V: Floats) -> None:
    """A pair that touches or may, and friction between them."""
    h, numbers = w.step, w.touch_numbers[i]
    quiet = QUIET + 4 * h * float(np.linalg.norm(w.gravity))
    _, a, b = (int(x) for x in w.touches[i])
    gap, n, place = touch_gap(w, i, w.poses)
    row = pair_row(w, RowAction.ALONG, n, place, b, a, 0.0)
    u = float(row @ V.ravel())
    throws = numbers[12] > 0 and u < -quiet
    reach = 2 * h * abs(u) + 1e-3 if when == "ahead" else 1e-6 + 10 * w.gap_limit
    if not (throws and gap <= -0.5 * u * h) if when == "impact" else throws or gap > reach:
        return
    # as high as from where they meet; what falls on what falls as well is not pulled towards it
    pull = float(w.gravity @ n) * ((w.inverse[a, 0] != 0) - int(w.inverse[b, 0] != 0))
    bounce = numbers[12] ** 2
    up = np.sqrt(max(0.0, bounce * u * u + 2 * pull * gap * (1 - bounce)))
    aim = {"impact": up, "ahead": reachable(gap) / h, "now": 0.0}[when]
    normal = len(w.limits)
    w.limits.append(Limit("touch", row, 0.0, np.inf, aim, of=i))
    if not (numbers[11] > 0 or numbers[13] > 0 or numbers[14] > 0):
        return
    arms = {body: place - w.poses[body, 4:] for body in (a, b)}
    slip = V[a, :3] + cross(V[a, 3:], arms[a]) - V[b, :3] - cross(V[b, 3:], arms[b])
    slip = slip - u * n
    if np.linalg.norm(slip) < 1e-9:
        slip = cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    slip = slip / np.linalg.norm(slip)
    points = tuple((body, rotation(w.poses[body, :4]).T @ arms[body]) for body in (b, a))
    side = cross(n, slip)
    ways = [("slide", d, numbers[11]) for d in (slip, side)]
    ways += [("spin", n, numbers[13])]
    ways += [("roll", d, numbers[14]) for d in (slip, side)]
    for kind, d, share in ways:
        if share > 0:
            along = RowAction.ALONG if kind == "slide" else RowAction.ABOUT
            w.limits.append(
                Limit(
                    kind,
                    pair_row(w, along, d, place, b, a, 0.0),
                    0,
                    0,
                    of=i,
                    normal=normal,
                    friction=share,
                    direction=d,
                    points=points,
                )
            )


def look_at_limits(w: World, poses: Floats) -> Floats:
    """What limits look like at the step's end, per time of the step."""
    out = []
    for limit in w.limits:
        if limit.kind == "touch":
            out.append(touch_gap(w, limit.of, poses)[0] / w.step)
        elif limit.kind == "slide":
            (b, in_b), (a, in_a) = limit.points
            moved = [
                poses[x, 4:] + rotation(poses[x, :4]) @ local
                - w.poses[x, 4:] - rotation(w.poses[x, :4]) @ local
                for x, local in ((a, in_a), (b, in_b))
            ]  # fmt: skip
            out.append(float(limit.direction @ (moved[0] - moved[1])) / w.step)
        elif limit.kind in ("spin", "roll"):
            out.append(float(limit.row @ w.twists.ravel()))
        else:
            type_, _, _, q0, v0 = w.bonds[limit.bond]
            if is_ball(type_) and limit.kind == "dry":
                out.append(float(limit.row @ w.twists.ravel()))
                continue
            k, axis = limit.of - v0, w.axes[limit.of]
            variables = variables_of(type_, *bond_frames(w, limit.bond, poses), w.q[q0:])
            after = variables[k]
            if is_ball(type_):
                after = swing_ahead(w.q[q0 : q0 + 4], variables)
            zero = {"dry": w.q[q0 + k], "lower": axis[7], "upper": axis[8]}[limit.kind]
            out.append(float(after - zero) / w.step)
    return np.array(out)


def prepare_limits(w: World) -> Responses:
    """Change of twists by unit impulses with joints held, of joints' impulses, of limits."""
    if not w.limits:
        return np.zeros((0, 0)), np.zeros((len(w.J), 0)), np.zeros((0, 0))
    rows = np.array([limit.row for limit in w.limits])
    free = inverse_mass_rows(w, rows)
    x = -np.linalg.solve(w.A, w.J @ free)
    moved = free + w.Y @ x
    G = rows @ moved
    # contacts that move only as far as the joints' rows give way do not move
    rho = w.J @ moved + np.where(w.row_v >= 0, w.yields, 0)[:, None] * x
    again = np.einsum("ij,ji->i", rows, moved - w.Y @ np.linalg.solve(w.A, rho))
    first = np.diag(G).copy()
    own = np.einsum("ij,ji->i", rows, free)
    for i, limit in enumerate(w.limits):
        doubtful = first[i] * DOUBTFUL_MASS * w.mass[w.moves].sum() <= 1
        moves = again[i] > max((1 - DOUBTFUL_SHARE) * first[i], 1e-12 * own[i])
        if limit.kind == "touch" and doubtful and not moves:
            G[i, i] = 0
    return moved, np.asarray(x, dtype=np.float64), G


def meet_limits(w: World, value: Floats, responses: Responses, V: Floats) -> Floats:
    """Bounded impulses by sweeps; changes V, returns the change of the joints' impulses."""
    moved, x, G = responses
    by = np.zeros(len(w.limits))
    if not len(by):
        return np.zeros(len(w.J))
    value = value.copy()
    for _ in range(LIMIT_SWEEPS):
        before = by.copy()
        for i, limit in enumerate(w.limits):
            own = float(limit.row @ inverse_mass_rows(w, limit.row[None]).ravel())
            # friction: both directions at once, into the disc
            paired = limit.kind in PAIRED
            part = slice(i, i + 2) if paired else slice(i, i + 1)
            stiff = float(np.diag(G)[part].max())
            before_it = w.limits[i - 1]
            if paired and before_it.kind == limit.kind and before_it.of == limit.of:
                continue  # the second of a pair
            if stiff <= 1e-9 * own:
                continue
            pair = w.limits[part]
            old = np.array([one.p for one in pair])
            p = old + (np.array([one.aim for one in pair]) - value[part]) / stiff
            if limit.normal >= 0:
                rim = limit.friction * w.limits[limit.normal].p
                p *= min(1.0, rim / max(float(np.linalg.norm(p)), 1e-300))
            else:
                p = np.clip(p, limit.low, limit.high)
            value += G[:, part] @ (p - old)
            by[part] += p - old
            for one, new in zip(pair, p, strict=True):
                one.p = float(new)
        most = max(abs(limit.p) for limit in w.limits)
        if np.abs(by - before).max() <= LIMIT_ACCURACY * most:
            break
    V += (moved @ by).reshape(-1, 6)
    return np.asarray(x @ by)
