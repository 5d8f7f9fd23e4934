"""Touch: a hand that pushes or pulls any part of a mechanism while it is simulated.

W. Son, K. Kim, B. Jang, B. Choi, "Interactive dynamic simulation schemes for articulated bodies
through haptic interface", ETRI Journal 25(1), 2003: push (equations 2 and 3) and pull (equation 4).
Forces are those at the end of the step that they act in: no stiffness makes them explode.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.touch.grip import Grip, GripState, effective_mass, point_of
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.results import Result
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["Hand", "Impedance", "Pull", "Push", "Touch", "TouchForce", "unit_of"]

Hand: TypeAlias = npt.ArrayLike | SE3 | Callable[[float], npt.ArrayLike | SE3]
"""Where a hand is: a place [m] or a pose, or one for every time [s]."""

RATE = 20.0
"""Angular frequency [rad/s] of a usual hand's spring with the mass that it feels: 3 Hz, as soft as
an arm, stiff enough to lead."""
STIFF_RATE = 60.0
"""The same for a finger that presses."""
REST_MOST = 200.0
"""Acceleration [m/s²] of a point by itself beyond which it is an impact."""
_ONES = np.eye(6)
FORCE_MOST = 500.0
"""Force [N] of a strong hand: what one gives where nothing else is said."""


@dataclass(frozen=True, slots=True, eq=False)
class TouchForce(Result):
    """The force on a hand at one time."""

    time: float
    """[s]"""
    force: Floats
    """On the hand, world axes [N], (3,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Impedance(Result):
    """The stiffness and damping of a hand for position and rotation, world axes."""

    stiffness: Floats
    """Linear and angular [N/m, N m/rad], (6, 6)."""
    damping: Floats
    """Linear and angular [N s/m, N m s/rad], (6, 6)."""


class Touch(ABC):
    """A hand at one point: it applies loads to the mechanism and receives a force."""

    def __init__(self, grip: Grip, hand: Hand, period: float) -> None:
        self.grip = grip
        self.name = ""
        """For those who make several, and for copies: what belongs to whom."""
        self.period = period
        """For how long a force is held [s]."""
        self._hand = hand
        self._speed: Floats | None = None
        self.is_held = True
        """Whether the hand is there at all."""
        self.is_active = False
        """Whether it acted in the last step."""
        self.wrench = np.zeros(6)
        """Force [N] and moment [N m] on the hand in the last step, world axes."""
        self.place = np.zeros(3)
        """Where the point was [m]."""
        self.target = np.zeros(3)
        """Where the hand, or the tip of a push, was [m]."""
        self.strength = 1.0
        """Share of the force that acts: hands that fade away."""
        self.energy = 0.0
        """Given to the mechanism since the beginning [J]."""
        self.credit: float | None = None
        """Energy that may be given from now on [J]; None: as much as it takes. For hands that are
        far away, whose reports arrive late."""
        self.trace: list[TouchForce] | None = None
        """What the hand felt in every step, once it is a list."""
        self.rest = np.zeros(6)
        """Acceleration of the point without the hand, as it was in the last step [m/s², rad/s²]."""
        self._before: tuple[Floats, Floats] | None = None
        self._moved: tuple[int, Floats, Floats] | None = None
        self._W = np.zeros((6, 6))

    @property
    def force(self) -> Floats:
        """On the hand [N], (3,)."""
        return self.wrench[:3]

    def release(self) -> None:
        """Release the mechanism."""
        self.is_held = self.is_active = False
        self.wrench = np.zeros(6)
        self._before = self._moved = None

    def move(self, hand: Hand, velocity: npt.ArrayLike | None = None) -> None:
        """Move the hand.

        Args:
            hand: Position or pose, or a function of time that returns one.
            velocity: Of the hand [m/s] or linear and angular [m/s, rad/s]; None: by differences
                where the hand is given by time, or at rest.
        """
        self._hand = hand
        self._speed = None if velocity is None else _speed(velocity)

    def __call__(self, time: float, q: Floats, v: Floats) -> Loads | None:
        """Loads on the mechanism now."""
        if not self.is_held:
            return None
        state = self.grip.state(q, v)
        self._book(state)
        force, state = self._force(time, q, v, state)
        self.place = state.place
        force = force * self.strength
        self.is_active = bool(force.any())
        if self.is_active and self.credit is not None:
            force = self._affordable(force, state)
        self.wrench = -force
        self._before = state.place, force
        self._moved = self.grip.link, state.twist, self._W @ force
        if self.trace is not None:
            self.trace.append(TouchForce(time, self.force.copy()))
        if not self.is_active:
            return None
        wrench = force.copy()
        wrench[3:] += _cross(state.arm, force)
        links = np.array([self.grip.link], dtype=np.int32)
        return Loads(np.zeros(self.grip.model.nv), wrench[None], links)

    @abstractmethod
    def _force(
        self, time: float, q: Floats, v: Floats, state: GripState
    ) -> tuple[Floats, GripState]:
        """Force and moment on the mechanism, (6,), and the point where they act."""

    def _feel(self, q: Floats, state: GripState) -> tuple[Floats, Floats]:
        """Mobility of the point, (6, 6), and what it does by itself, as it did in the last step."""
        self._W = self.grip.mobility(q, state.J)
        self.rest = np.zeros(6)
        if self._moved is not None and self._moved[0] == self.grip.link:
            _, before, given = self._moved
            rest = (state.twist - before) / self.period - given
            # an impact will not come again in the next step
            if float(np.abs(rest[:3]).max()) < REST_MOST:
                self.rest = rest
        return self._W, self.rest

    def _where(self, time: float) -> tuple[Floats, Floats | None, Floats]:
        """The hand's place, rotation if it has one, and velocity (6,)."""
        place, rotation = _placed(self._hand(time) if callable(self._hand) else self._hand)
        if self._speed is not None:
            return place, rotation, self._speed
        speed = np.zeros(6)
        if callable(self._hand):
            before, turned = _placed(self._hand(time - self.period))
            speed[:3] = (place - before) / self.period
            if rotation is not None and turned is not None:
                speed[3:] = SO3.from_matrix(rotation @ turned.T).log() / self.period
        return place, rotation, speed

    def _book(self, state: GripState) -> None:
        """What the last force did, by the way that the point made (rotation by its speed)."""
        if self._before is None:
            return
        (place, force), self._before = self._before, None
        done = float(force[:3] @ (state.place - place) + force[3:] @ state.twist[3:] * self.period)
        self.energy += done
        if self.credit is not None:
            self.credit -= done

    def _affordable(self, force: Floats, state: GripState) -> Floats:
        """The force, smaller where it would give more than the credit until the next step."""
        h, most = self.period, max(0.0, self.credit or 0.0)
        a = float(force @ state.twist) * h
        c = float(force @ self._W @ force) * h * h
        if a + c <= most or c <= 0:
            return force
        return np.asarray(force * ((math.sqrt(a * a + 4 * c * most) - a) / (2 * c)))


class Push(Touch):
    """A tip that presses on a surface: c = k d along the normal, never pulling."""

    def __init__(
        self,
        grip: Grip,
        q: Floats,
        hand: Hand,
        *,
        period: float,
        normal: npt.ArrayLike | None = None,
        stiffness: float | None = None,
        damping: float = 0.0,
        radius: float = 0.0,
        force_most: float = FORCE_MOST,
        surfaces: Collisions | None = None,
    ) -> None:
        """Bring a tip to a surface.

        Args:
            grip: The touched point of the surface.
            q: Configuration now.
            hand: The tip's middle.
            period: For how long a force is held [s].
            normal: Out of the surface, world axes; the finger pushes on against it. None: as the
                shapes of ``surfaces`` say, at every step.
            stiffness: k [N/m]; None: by the mass that is felt.
            damping: Against the speed of the depth [N s/m].
            radius: Of the tip [m].
            force_most: [N]
            surfaces: Where the tip touches is then asked of these at every step: any link.
        """
        super().__init__(grip, hand, period)
        self.stiffness = _usual(grip, q, STIFF_RATE)[0] if stiffness is None else stiffness
        self.damping = damping
        self.radius = radius
        self.force_most = force_most
        self.surfaces = surfaces
        self.depth = 0.0
        """How deep the tip was in the surface [m]; negative: away from it."""
        self.normal = np.zeros(3)
        """Out of the surface where it was touched last, world axes."""
        _positive(self.stiffness, "stiffness")
        _positive(damping, "damping")
        if surfaces is None:
            if normal is None:
                raise UsageError(
                    "a push needs surfaces to touch, or the normal of the touched surface: specify "
                    "normal=[x, y, z]"
                )
            self.normal = unit_of(normal)

    def _force(
        self, time: float, q: Floats, v: Floats, state: GripState
    ) -> tuple[Floats, GripState]:
        tip, _, speed = self._where(time)
        self.target = tip
        if self.surfaces is not None:
            state = self._onto(tip, q, v)
        else:
            self.depth = float(self.normal @ (state.place - tip)) + self.radius
        if self.depth <= 0:
            return np.zeros(6), state
        # the normal force as it will be at the end of the step
        n, h, k = self.normal, self.period, self.stiffness
        W, rest = self._feel(q, state)
        D = self.damping + h * k
        rate = float(n @ (state.twist[:3] + h * rest[:3] - speed[:3]))
        c = (k * self.depth + D * rate) / (1 + D * h * float(n @ W[:3, :3] @ n))
        return np.concatenate([-min(max(0.0, c), self.force_most) * n, np.zeros(3)]), state

    def find(self, q: Floats, time: float = 0.0) -> None:
        """Find the point where the tip would touch."""
        if self.surfaces is not None:
            self._onto(self._where(time)[0], q, np.zeros(self.grip.model.nv))

    def _onto(self, tip: Floats, q: Floats, v: Floats) -> GripState:
        """Move the grip to where the tip touches or is nearest now."""
        near = None if self.surfaces is None else self.surfaces.nearest(q, tip, radius=self.radius)
        if near is None:
            self.depth = -math.inf
        else:
            if self._before is not None:
                self._book(self.grip.state(q, v))
            self.normal, self.depth = near.normal, -near.distance
            self.grip.slide(q, near.link, near.point)
        return self.grip.state(q, v)


class Pull(Touch):
    """A spring and a damper between a point, or the pose of a part there, and the hand."""

    def __init__(
        self,
        grip: Grip,
        q: Floats,
        hand: Hand,
        *,
        period: float,
        stiffness: npt.ArrayLike | None = None,
        damping: npt.ArrayLike | None = None,
        angular_stiffness: npt.ArrayLike | None = None,
        angular_damping: npt.ArrayLike | None = None,
        force_most: float = FORCE_MOST,
    ) -> None:
        """Take hold of a point.

        Args:
            grip: The point.
            q: Configuration now.
            hand: Where the hand is; with a pose, it turns the link too.
            period: For how long a force is held [s].
            stiffness: A number or a 3 × 3 matrix [N/m]; None: by the mass that is felt.
            damping: The same [N s/m]; None: no overshoot.
            angular_stiffness: [N m/rad]; None: by the inertia that is felt.
            angular_damping: [N m s/rad].
            force_most: [N]
        """
        super().__init__(grip, hand, period)
        k, b, ka, ba = _usual(grip, q, RATE)
        self.has_pose = _placed(hand(0.0) if callable(hand) else hand)[1] is not None
        """Whether the hand turns the link too."""
        self._K, self._B = np.zeros((6, 6)), np.zeros((6, 6))
        self.tune(
            k if stiffness is None else stiffness,
            b if damping is None else damping,
            ka if angular_stiffness is None else angular_stiffness,
            ba if angular_damping is None else angular_damping,
        )
        self.force_most = force_most

    @property
    def stiffness(self) -> Floats:
        """(3, 3) [N/m]."""
        return self._K[:3, :3].copy()

    @property
    def damping(self) -> Floats:
        """(3, 3) [N s/m]."""
        return self._B[:3, :3].copy()

    @property
    def impedance(self) -> Impedance:
        """Stiffness and damping of position and rotation."""
        return Impedance(self._K.copy(), self._B.copy())

    def tune(
        self,
        stiffness: npt.ArrayLike | None = None,
        damping: npt.ArrayLike | None = None,
        angular_stiffness: npt.ArrayLike | None = None,
        angular_damping: npt.ArrayLike | None = None,
    ) -> None:
        """Change stiffness and damping while it is held; values not given stay unchanged."""
        for matrix, part, value, what in (
            (self._K, slice(0, 3), stiffness, "stiffness"),
            (self._B, slice(0, 3), damping, "damping"),
            (self._K, slice(3, 6), angular_stiffness, "angular stiffness"),
            (self._B, slice(3, 6), angular_damping, "angular damping"),
        ):
            if value is not None:
                matrix[part, part] = _matrix3(value, what)

    def _force(
        self, time: float, q: Floats, v: Floats, state: GripState
    ) -> tuple[Floats, GripState]:
        place, rotation, speed = self._where(time)
        self.target = place
        h, size = self.period, 6 if self.has_pose else 3
        away = np.zeros(6)
        away[:3] = place - state.place
        if rotation is not None and self.has_pose:
            away[3:] = SO3.from_matrix(rotation @ state.rotation.T).log()
        K, B = self._K[:size, :size], self._B[:size, :size]
        W, rest = self._feel(q, state)
        W, rate = W[:size, :size], (speed - state.twist - h * rest)[:size]
        # the force as it will be at the end of the step: (1 + (h B + h² K) W) F = K e + (B + h K) ė
        D = B + h * K
        F = np.linalg.solve(_ONES[:size, :size] + h * D @ W, K @ away[:size] + D @ rate)
        strength = float(np.linalg.norm(F[:3]))
        if strength > self.force_most:
            F = F * (self.force_most / strength)
        return np.concatenate([F, np.zeros(6 - size)]), state


def _usual(grip: Grip, q: Floats, rate: float) -> tuple[float, float, float, float]:
    """Stiffness and damping, linear and angular, by the mass and inertia that the hand feels.

    Near singular poses and beside hinges a part feels heavier than all that moves: no spring is
    made for more than that.
    """
    model = grip.model
    state = grip.state(q, np.zeros(model.nv))
    W = grip.mobility(q, state.J)
    moving = float(model.inertia[1:, 0].sum())
    mass = min(effective_mass(W), moving)
    inertia = min(effective_mass(W[3:, 3:]), moving * model.size**2)
    return mass * rate**2, 2 * mass * rate, inertia * rate**2, 2 * inertia * rate


def unit_of(normal: npt.ArrayLike) -> Floats:
    """A direction of length 1, or an error that says so."""
    n = point_of(normal, "a normal")
    if not np.linalg.norm(n) > 0:
        raise UsageError("a normal must have a direction, got zeros")
    return np.asarray(n / np.linalg.norm(n))


def _cross(a: Floats, b: Floats) -> tuple[float, float, float]:
    """Of three numbers each; NumPy's own spends its time on axes."""
    ax, ay, az = a.tolist()
    bx, by, bz = b[:3].tolist()
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def _placed(hand: npt.ArrayLike | SE3) -> tuple[Floats, Floats | None]:
    if isinstance(hand, SE3):
        return np.asarray(hand.translation), hand.rotation
    return point_of(hand, "the position of a hand"), None


def _speed(values: npt.ArrayLike) -> Floats:
    found = np.array(values, dtype=np.float64)
    if found.shape not in {(3,), (6,)} or not np.isfinite(found).all():
        raise UsageError(
            f"the velocity of a hand must be three or six finite numbers, got {values!r}"
        )
    return np.concatenate([found, np.zeros(6 - len(found))])


def _matrix3(value: npt.ArrayLike, what: str) -> Floats:
    found = np.array(value, dtype=np.float64)
    matrix = found * np.eye(3) if found.ndim == 0 else found
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        raise UsageError(f"{what} must be a number or a 3 × 3 matrix, got {value!r}")
    if np.linalg.eigvalsh((matrix + matrix.T) / 2)[0] < -1e-9 * max(1.0, np.abs(matrix).max()):
        raise UsageError(f"{what} must not be negative in any direction, got {value!r}")
    return np.asarray(matrix)


def _positive(value: float, what: str) -> None:
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
        raise UsageError(f"{what} of a push must not be negative, got {value!r}")
