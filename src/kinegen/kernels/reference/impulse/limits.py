"""Impulses with bounds: dry friction, ends of travel, contacts with friction, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import swing_angle, swing_axis
from kinegen.kernels.reference.impulse.loads import Loads
from kinegen.kernels.reference.impulse.rows import NV, SPHERICAL, is_ball, rotation, variables_of

__all__ = ["Limit", "Limits"]

DOUBTFUL_MASS, DOUBTFUL_SHARE = 100.0, 0.005
"""A contact that feels so many times the mass of all bodies may feel the joints' rows alone, if it
moves less by this share once more is asked of them."""

SWING_RETURN = 0.1
"""Speed at which an overrun swing limit is taken back [rad/s]."""
WAY_AROUND = 0.3
"""Way around a cone within a step [rad] up to which it is seen how far that widens the swing."""


@dataclass
class Limit:
    """One of them."""

    kind: str
    row: Floats
    low: float
    high: float
    aim: float = 0.0
    p: float = 0.0
    bond: int = -1
    of: int = -1
    normal: int = -1
    friction: float = 0.0
    direction: Floats = field(default_factory=lambda: np.zeros(3))
    points: tuple[tuple[int, Floats], ...] = ()
    """Places of the contact in both bodies, the pushed one last."""


Responses = tuple[Floats, Floats, Floats]


class Limits(Loads):
    """The part of a world that has bounds."""

    A: Floats
    yields: Floats
    limits: list[Limit]

    def limit_speeds(self, V: Floats) -> Floats:
        """Speeds of all limits."""
        return np.array([limit.row @ V.ravel() for limit in self.limits])

    def collide(self, V: Floats) -> int:
        """Throw back what meets; returns how many impulses there were."""
        self.list_limits("impact", V)
        if not self.limits:
            return 0
        was = self.limit_speeds(V)
        self.meet_limits(was, self.responses(), V)
        self.add_limit_work(was, V)
        return len(self.limits)

    def list_limits(self, when: str, V: Floats) -> None:
        """What may need an impulse."""
        self.limits = []
        self._list_axes(when, V)
        for i in range(len(self.touches)):
            self._list_touch(i, when, V)

    def _list_axes(self, when: str, V: Floats) -> None:
        h = self.step
        for j, (type_, _, _, q0, v0) in enumerate(self.bonds):
            for k in range(NV[type_]):
                v, axis = v0 + k, self.axes[v0 + k]
                row = self.axis_row(j, k)
                u = float(row @ V.ravel())
                if self.friction and when != "impact" and (axis[2] or axis[3]):
                    most = 0.5 * h * _dry(axis, u)
                    self.limits.append(Limit("dry", row, -most, most, bond=j, of=v))
                swings = type_ == SPHERICAL and k == 0 and axis[8] < np.pi
                if not self.stops or (is_ball(type_) and not swings):
                    continue
                at, more = float(self.q[q0 + k]), 0.0
                if swings:
                    row, at = self._widening_row(j, V), swing_angle(self.q[q0 : q0 + 4])
                    u = float(row @ V.ravel())
                    more = self._widened(j, at, u, V)
                reach = 2 * h * abs(u) + 1e-3 if when == "ahead" else 1e-6
                for side in (-1.0,) if swings else (1.0, -1.0):
                    end = axis[7] if side > 0 else axis[8]
                    gap, closing = side * (at - end), -side * u
                    if not gap < reach:
                        continue
                    throws = self.stop_restitution > 0 and closing > 1e-3
                    if when == "impact" and not (throws and gap <= 0.5 * closing * h):
                        continue
                    if when != "impact" and throws:
                        continue
                    reached = min(0.0, gap + SWING_RETURN * h) if swings else _reachable(gap)
                    aim = side * (reached + more) / h if when == "ahead" else 0.0
                    if when == "impact":
                        aim = -self.stop_restitution * u
                    low, high = (0.0, np.inf) if side > 0 else (-np.inf, 0.0)
                    kind = "lower" if side > 0 else "upper"
                    self.limits.append(Limit(kind, row, low, high, aim, bond=j, of=v))

    def _widening_row(self, j: int, V: Floats) -> Floats:
        """The row of a ball's swing; where every turn widens it, along the present one."""
        _, a, b, q0, _ = self.bonds[j]
        M = self.ends(j, self.poses)[1]
        along = swing_axis(self.q[q0 : q0 + 4])
        if not along.any():
            along = M[:3, :2].T @ (V[b, 3:] - V[a, 3:])
            along /= np.linalg.norm(along) or 1.0
        return self.row("about", M[:3, :2] @ along, M[:3, 3], a, b, 0.0)

    def _widened(self, j: int, swing: float, u: float, V: Floats) -> float:
        """By how much a ball's way around its cone widens the swing over a step."""
        _, a, b, _, _ = self.bonds[j]
        moved = np.cross(V[b, 3:] - V[a, 3:], self.ends(j, self.poses)[1][:3, 2])
        around = float(np.sqrt(max(0.0, float(moved @ moved) - u * u)))
        slope = float(np.tan(swing))
        if not abs(slope) > 1e-9:
            return 0.0
        return 0.5 * min(self.step * around / abs(slope), WAY_AROUND) ** 2 * slope

    def _touch(self, i: int, poses: Floats) -> tuple[float, Floats, Floats]:
        kind, a, b = self.touches[i]
        numbers = self.touch_numbers[i]
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

    def _list_touch(self, i: int, when: str, V: Floats) -> None:
        h, numbers = self.step, self.touch_numbers[i]
        quiet = 1e-3 + 4 * h * float(np.linalg.norm(self.gravity))
        _, a, b = (int(x) for x in self.touches[i])
        gap, n, place = self._touch(i, self.poses)
        row = self.row("along", n, place, b, a, 0.0)
        u = float(row @ V.ravel())
        throws = numbers[12] > 0 and u < -quiet
        reach = 2 * h * abs(u) + 1e-3 if when == "ahead" else 1e-6 + 10 * self.gap_limit
        if not (throws and gap <= -0.5 * u * h) if when == "impact" else throws or gap > reach:
            return
        aim = {"impact": -numbers[12] * u, "ahead": _reachable(gap) / h, "now": 0.0}[when]
        normal = len(self.limits)
        self.limits.append(Limit("touch", row, 0.0, np.inf, aim, of=i))
        if not numbers[11] > 0:
            return
        arms = {body: place - self.poses[body, 4:] for body in (a, b)}
        slip = V[a, :3] + np.cross(V[a, 3:], arms[a]) - V[b, :3] - np.cross(V[b, 3:], arms[b])
        slip = slip - u * n
        if np.linalg.norm(slip) < 1e-9:
            slip = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        slip = slip / np.linalg.norm(slip)
        points = tuple((body, rotation(self.poses[body, :4]).T @ arms[body]) for body in (b, a))
        for d in (slip, np.cross(n, slip)):
            self.limits.append(
                Limit(
                    "slide",
                    self.row("along", d, place, b, a, 0.0),
                    0,
                    0,
                    of=i,
                    normal=normal,
                    friction=numbers[11],
                    direction=d,
                    points=points,
                )
            )

    def look_at_limits(self, poses: Floats) -> Floats:
        """What limits look like at the step's end, per time of the step."""
        out = []
        for limit in self.limits:
            if limit.kind == "touch":
                out.append(self._touch(limit.of, poses)[0] / self.step)
            elif limit.kind == "slide":
                (b, in_b), (a, in_a) = limit.points
                moved = [
                    poses[x, 4:] + rotation(poses[x, :4]) @ local
                    - self.poses[x, 4:] - rotation(self.poses[x, :4]) @ local
                    for x, local in ((a, in_a), (b, in_b))
                ]  # fmt: skip
                out.append(float(limit.direction @ (moved[0] - moved[1])) / self.step)
            else:
                type_, _, _, q0, v0 = self.bonds[limit.bond]
                if is_ball(type_) and limit.kind == "dry":
                    out.append(float(limit.row @ self.twists.ravel()))
                    continue
                k, axis = limit.of - v0, self.axes[limit.of]
                variables = variables_of(type_, *self.ends(limit.bond, poses), self.q[q0:])
                after = variables[k]
                if is_ball(type_):
                    after = _swing_ahead(self.q[q0 : q0 + 4], variables)
                zero = {"dry": self.q[q0 + k], "lower": axis[7], "upper": axis[8]}[limit.kind]
                out.append(float(after - zero) / self.step)
        return np.array(out)

    def responses(self) -> Responses:
        """Change of twists by unit impulses with joints held, of joints' impulses, of limits."""
        if not self.limits:
            return np.zeros((0, 0)), np.zeros((len(self.J), 0)), np.zeros((0, 0))
        rows = np.array([limit.row for limit in self.limits])
        free = self.spread(rows)
        x = -np.linalg.solve(self.A, self.J @ free)
        moved = free + self.Y @ x
        G = rows @ moved
        # contacts that move only as far as the joints' rows give way do not move
        rho = self.J @ moved + np.where(self.row_v >= 0, self.yields, 0)[:, None] * x
        again = np.einsum("ij,ji->i", rows, moved - self.Y @ np.linalg.solve(self.A, rho))
        first = np.diag(G).copy()
        own = np.einsum("ij,ji->i", rows, free)
        for i, limit in enumerate(self.limits):
            doubtful = first[i] * DOUBTFUL_MASS * self.mass[self.moves].sum() <= 1
            moves = again[i] > max((1 - DOUBTFUL_SHARE) * first[i], 1e-12 * own[i])
            if limit.kind == "touch" and doubtful and not moves:
                G[i, i] = 0
        return moved, np.asarray(x, dtype=np.float64), G

    def meet_limits(self, value: Floats, responses: Responses, V: Floats) -> Floats:
        """Bounded impulses by sweeps; changes V, returns the change of the joints' impulses."""
        moved, x, G = responses
        by = np.zeros(len(self.limits))
        if not len(by):
            return np.zeros(len(self.J))
        value = value.copy()
        for _ in range(300):
            before = by.copy()
            for i, limit in enumerate(self.limits):
                own = float(limit.row @ self.spread(limit.row[None]).ravel())
                # friction: both directions at once, into the disc
                part = slice(i, i + 2) if limit.kind == "slide" else slice(i, i + 1)
                stiff = float(np.diag(G)[part].max())
                if stiff <= 1e-9 * own or (limit.kind == "slide" and i == limit.normal + 2):
                    continue
                pair = self.limits[part]
                old = np.array([one.p for one in pair])
                p = old + (np.array([one.aim for one in pair]) - value[part]) / stiff
                if limit.kind == "slide":
                    rim = limit.friction * self.limits[limit.normal].p
                    p *= min(1.0, rim / max(float(np.linalg.norm(p)), 1e-300))
                else:
                    p = np.clip(p, limit.low, limit.high)
                value += G[:, part] @ (p - old)
                by[part] += p - old
                for one, new in zip(pair, p, strict=True):
                    one.p = float(new)
            most = max(abs(limit.p) for limit in self.limits)
            if np.abs(by - before).max() <= 1e-12 * most:
                break
        V += (moved @ by).reshape(-1, 6)
        return np.asarray(x @ by)

    def add_limit_work(self, was: Floats, V: Floats) -> None:
        """Each impulse times the mean of the speeds before and after."""
        p = np.array([limit.p for limit in self.limits])
        self.work += float(p @ (0.5 * (was + self.limit_speeds(V))))

    @property
    def looped(self) -> bool:
        """Whether joints form loops."""
        return len(self.bonds) > int(self.moves.sum())

    def add_flight_work(self, was: Floats, V: Floats, flown: Floats, *, starts: bool) -> None:
        """The same at a step's start or end, told the velocities at the other end of its flight.

        Where a contact of loops rests the mean speed of the flight counts: bodies fly up and fall
        back.
        """
        now, other = self.limit_speeds(V), self.limit_speeds(flown)
        quiet = 1e-3 + 4 * self.step * float(np.linalg.norm(self.gravity))
        near, far = (now, was) if starts else (was, now)
        for i, limit in enumerate(self.limits):
            n = limit.normal if limit.kind == "slide" else i
            mean, ends = 0.5 * (near + other), far[i]
            rests = abs(mean[n]) < quiet and abs(far[n]) < quiet
            if self.looped and rests and limit.kind in ("touch", "slide"):
                self.work += limit.p * 0.5 * float(mean[i] + ends)
                continue
            self.work += limit.p * 0.5 * float(near[i] + ends)


def _dry(axis: Floats, speed: float) -> float:
    dry = float(axis[2])
    if axis[3] > dry:
        if axis[4] > 0:
            dry += float((axis[3] - dry) * np.exp(-((speed / axis[4]) ** 2)))
        elif abs(speed) < 1e-9:
            dry = float(axis[3])
    return dry


def _swing_ahead(before: Floats, after: Floats) -> float:
    """The swing of a rotation, in the direction alone in which the one before tilts."""
    was, now = rotation(before)[:, 2], rotation(after)[:, 2]
    sine = float(np.hypot(*was[:2]))
    if not sine > 1e-9:
        return swing_angle(after)
    return float(np.arctan2(was[:2] @ now[:2] / sine, now[2]))


def _reachable(gap: float) -> float:
    return 0.9 * gap if gap < -1e-4 else 0.0
