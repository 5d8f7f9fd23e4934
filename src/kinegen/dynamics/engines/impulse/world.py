"""World: rigid bodies in maximal coordinates, joined by whatever holds them; the impulse engine's.

A mechanism becomes one by :class:`~kinegen.dynamics.engines.impulse.engine.ImpulseEngine`; here
worlds are built body by body, with joints that no mechanism file knows: points on planes and on
curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.engines.impulse.order import elimination_order
from kinegen.errors import UsageError
from kinegen.kernels import BoundImpulse, Floats, Ints, impulse
from kinegen.kernels.protocols.impulse import (
    AXIS_SIZE,
    BOND_SIZE,
    BONDS,
    TOUCH_SIZE,
    AxisNumber,
    BondType,
)

__all__ = ["Impulses", "World"]

SOFT = (AxisNumber.ROTOR, AxisNumber.DAMPING, AxisNumber.STIFFNESS)
"""Numbers of an axis that make a row."""
IDENTITY = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])


@dataclass(slots=True)
class Impulses:
    """How the impulse engine runs."""

    step: float = 1e-3
    """[s]"""
    gap: float = 1e-7
    """Widest gap of a joint after a step, Dmax [m, rad]."""
    speed: float = 1e-4
    """Fastest opening of a joint after a step, Vmax [m/s]."""
    iterations: int = 20
    """Most corrections of all joints at once in a step."""
    sweeps: int = 0
    """0: all corrections at once, directly. Otherwise Gauss-Seidel, so many sweeps at most."""
    stops: bool = True
    """Whether ends of travel stop joints."""
    friction: bool = True
    """Whether joints have their dry friction."""
    restitution: float = 0.0
    """How joints bounce off their ends of travel: 0 not, 1 wholly."""


@dataclass(eq=False)
class World:
    """Bodies, what joins them, springs and pairs that may touch; body 0 is the ground.

    Bodies have their frame in the centre of mass along the principal axes of inertia.
    """

    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    """[m/s²]"""
    bodies: list[Floats] = field(default_factory=lambda: [np.zeros(4)])
    """Mass [kg] and principal moments [kg m²] of each; mass 0: held still."""
    poses: list[Floats] = field(default_factory=lambda: [np.array([1.0, 0, 0, 0, 0, 0, 0])])
    """Start: quaternion wxyz and centre [m]."""
    twists: list[Floats] = field(default_factory=lambda: [np.zeros(6)])
    """Start: velocity of the centre [m/s], angular velocity [rad/s], world axes."""
    bonds: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Type, body a, body b, first q, first v."""
    bond_numbers: list[Floats] = field(default_factory=list)
    axes: list[Floats] = field(default_factory=list)
    curves: list[tuple[Floats, bool]] = field(default_factory=list)
    touches: list[tuple[int, int, int]] = field(default_factory=list)
    touch_numbers: list[Floats] = field(default_factory=list)
    start_q: list[float] = field(default_factory=list)
    mechanism: tuple[Ints, Floats] = field(
        default_factory=lambda: (np.zeros(0, np.int32), np.zeros(0))
    )
    """Blocks of the compiled mechanism whose couplings join variables of the bonds; empty: none."""
    couplings: list[tuple[int, ...]] = field(default_factory=list)
    """Bodies of each of its couplings, each body once."""

    def add_body(
        self,
        mass: float,
        inertia: npt.ArrayLike,
        centre: npt.ArrayLike = (0.0, 0.0, 0.0),
        *,
        quat: npt.ArrayLike = (1.0, 0.0, 0.0, 0.0),
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        spin: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> int:
        """A body; returns its number.

        Args:
            mass: [kg]; 0 holds it still.
            inertia: Its three principal moments [kg m²].
            centre: Where its centre of mass is [m].
            quat: Its principal axes, wxyz.
            velocity: Of the centre [m/s].
            spin: Angular velocity, world axes [rad/s].
        """
        moments = np.asarray(inertia, dtype=np.float64)
        if moments.shape != (3,) or not (mass >= 0 and np.isfinite(mass)):
            raise UsageError("a body needs a mass and three principal moments of inertia")
        if mass > 0 and not (np.isfinite(moments).all() and moments.min() > 0):
            raise UsageError(
                f"body {len(self.bodies)} has principal moments {moments.tolist()}: they must be "
                "positive; replace a point by a ball of small radius"
            )
        self.bodies.append(np.concatenate(([mass], moments)))
        turn = np.asarray(quat, dtype=np.float64)
        self.poses.append(np.concatenate((turn / np.linalg.norm(turn), np.asarray(centre, float))))
        self.twists.append(np.concatenate((np.asarray(velocity, float), np.asarray(spin, float))))
        return len(self.bodies) - 1

    def join(
        self,
        type_: BondType,
        a: int,
        b: int,
        X_aF: npt.ArrayLike = IDENTITY,
        X_bM: npt.ArrayLike = IDENTITY,
        *,
        pitch: float = 0.0,
        axes: npt.ArrayLike | None = None,
        curve: tuple[Floats, bool] | None = None,
        q: Sequence[float] | None = None,
    ) -> int:
        """A joint between frame F on body a and M on body b; returns its number.

        Args:
            type_: What it holds. Points of b are M's origin, planes of a are xy of F, curves of a
                are in F.
            a: First body.
            b: Second body.
            X_aF: Transform of 12 numbers: rotation by rows, translation.
            X_bM: The same on b.
            pitch: Of a screw [m per turn].
            axes: Per variable: rotor, damping, Coulomb friction, breakaway, Stribeck speed,
                stiffness, rest, lower and upper end.
            curve: Cubics (segments, 4, 3) by powers, and whether it closes: :func:`curve_through`.
            q: Its variables at the start: needed where angles count turns.
        """
        for body in (a, b):
            if not 0 <= body < len(self.bodies):
                raise UsageError(
                    f"body {body} is not in the world: use 0 to {len(self.bodies) - 1}"
                )
        if a == b:
            raise UsageError(f"a joint needs two different bodies, got {a} twice")
        if (type_ is BondType.POINT_ON_CURVE) != (curve is not None):
            raise UsageError("a point on a curve needs its curve; other joints take none")
        nq, nv = BONDS[type_].nq, BONDS[type_].nv
        numbers = (
            np.zeros((nv, AXIS_SIZE))
            if axes is None
            else np.asarray(axes, float).reshape(nv, AXIS_SIZE)
        )
        if axes is None:
            numbers[:, 7:] = -np.inf, np.inf
        self.bonds.append((int(type_), a, b, len(self.start_q), len(self.axes)))
        self.bond_numbers.append(
            np.concatenate((np.asarray(X_aF, float), np.asarray(X_bM, float), [pitch]))
        )
        self.axes.extend(numbers)
        self.curves.append((np.zeros((0, 4, 3)), False) if curve is None else curve)
        default = [1.0, *[0.0] * (nq - 1)] if nq > nv else [0.0] * nq
        self.start_q.extend(default if q is None else [float(value) for value in q])
        return len(self.bonds) - 1

    def add_spring(
        self,
        a: int,
        point_a: npt.ArrayLike,
        b: int,
        point_b: npt.ArrayLike,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float = 0.0,
    ) -> int:
        """A spring and damper between points of two bodies, in their frames; returns its number."""
        if not (stiffness >= 0 and damping >= 0 and rest >= 0):
            raise UsageError(
                "stiffness, damping and rest length of a spring must not be negative, got "
                f"{stiffness!r}, {damping!r} and {rest!r}"
            )
        ends = [[*IDENTITY[:9], *np.asarray(p, float)] for p in (point_a, point_b)]
        numbers = [0, damping, 0, 0, 0, stiffness, rest, -np.inf, np.inf]
        return self.join(BondType.SPRING, a, b, *ends, axes=[numbers])

    def touch_plane(
        self, a: int, point: npt.ArrayLike, radius: float, b: int, place: npt.ArrayLike,
        normal: npt.ArrayLike, *, friction: float = 0.0, restitution: float = 0.0,
        torsional: float = 0.0, rolling: float = 0.0,
    ) -> None:  # fmt: skip
        """Let a ball on body a (radius 0: a corner) meet a plane of body b, all in their frames."""
        n = np.asarray(normal, float)
        self.touches.append((0, a, b))
        self.touch_numbers.append(
            np.array(
                [
                    *np.asarray(point),
                    radius,
                    *np.asarray(place),
                    *(n / np.linalg.norm(n)),
                    0.0,
                    friction,
                    restitution,
                    torsional,
                    rolling,
                ],
                float,
            )
        )

    def touch_ball(
        self, a: int, point: npt.ArrayLike, radius: float, b: int, place: npt.ArrayLike,
        other: float, *, friction: float = 0.0, restitution: float = 0.0,
        torsional: float = 0.0, rolling: float = 0.0,
    ) -> None:  # fmt: skip
        """Let a ball on body a meet a ball on body b, in their frames."""
        self.touches.append((1, a, b))
        self.touch_numbers.append(
            np.array(
                [
                    *np.asarray(point),
                    radius,
                    *np.asarray(place),
                    0.0,
                    0.0,
                    1.0,
                    other,
                    friction,
                    restitution,
                    torsional,
                    rolling,
                ],
                float,
            )
        )

    def bind(self, options: Impulses | None = None, *, kernels: Any = None) -> BoundImpulse:
        """The world in the kernels, at its start.

        Args:
            options: How to run.
            kernels: Module to use instead of the one that runs.
        """
        bonds = np.array(self.bonds, dtype=np.int32).reshape(-1, 5)
        axes = np.array(self.axes, dtype=np.float64).reshape(-1, AXIS_SIZE)
        moves = [bool(body[0] > 0) for body in self.bodies]
        pairs = [
            (int(a), int(b))
            if BONDS[type_].held or np.any(axes[v : v + BONDS[type_].nv, SOFT] != 0)
            else (-1, -1)
            for type_, a, b, _, v in bonds
        ]
        order = elimination_order(pairs, moves, self.couplings)
        first = np.cumsum([0, *(len(cubics) for cubics, _ in self.curves)]).astype(np.int32)
        cubics = np.concatenate([np.zeros((0, 4, 3)), *(c for c, _ in self.curves)])
        make = impulse if kernels is None else kernels.BoundImpulse
        made: BoundImpulse = make(
            np.array(self.bodies, dtype=np.float64),
            bonds,
            np.array(self.bond_numbers, dtype=np.float64).reshape(-1, BOND_SIZE),
            axes,
            np.array(self.gravity, dtype=np.float64),
            first,
            cubics.astype(np.float64),
            np.array([closed for _, closed in self.curves], dtype=np.int32),
            order.tie, order.first, order.row, order.update_first, order.update, order.pieces,
            order.sweep, *self.mechanism,
            np.cumsum([0, *map(len, self.couplings)]).astype(np.int32),
            np.array([body for bodies in self.couplings for body in bodies], dtype=np.int32),
        )  # fmt: skip
        chosen = options or Impulses()
        made.set(
            chosen.step, chosen.gap, chosen.speed, chosen.iterations, chosen.sweeps,
            chosen.stops, chosen.friction, chosen.restitution,
        )  # fmt: skip
        made.set_touches(
            np.array(self.touches, dtype=np.int32).reshape(-1, 3),
            np.array(self.touch_numbers, dtype=np.float64).reshape(-1, TOUCH_SIZE),
        )
        made.start(
            np.array(self.poses), np.array(self.twists), np.array(self.start_q, dtype=np.float64),
            self._curve_starts(), 0.0,
        )  # fmt: skip
        return made

    def _curve_starts(self) -> Floats:
        """Parameter of the nearest point of each curve, found on a fine comb."""
        out = np.zeros(len(self.bonds))
        for j, (cubics, _) in enumerate(self.curves):
            if not len(cubics):
                continue
            _, a, b, _, _ = self.bonds[j]
            F = _matrix(self.poses[a]) @ _frame(self.bond_numbers[j][:12])
            M = _matrix(self.poses[b]) @ _frame(self.bond_numbers[j][12:24])
            p = (np.linalg.inv(F) @ M)[:3, 3]
            t = np.linspace(0, 1, 33)[:-1]
            powers = np.stack([t**k for k in range(4)])
            comb = np.einsum("kt,ski->sti", powers, cubics).reshape(-1, 3)
            out[j] = int(np.argmin(np.linalg.norm(comb - p, axis=1))) / len(t)
        return out


def _matrix(pose: Floats) -> Floats:
    """Homogeneous matrix of a pose."""
    w, x, y, z = pose[:4]
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, 3] = pose[4:]
    return out


def _frame(numbers: Floats) -> Floats:
    """Homogeneous matrix of a transform."""
    out = np.eye(4)
    out[:3, :3] = numbers[:9].reshape(3, 3)
    out[:3, 3] = numbers[9:]
    return out
