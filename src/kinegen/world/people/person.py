"""Person: where somebody's head and hands are, and what the hands show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.raff.sections.world import LONGEST_NAME, TALLEST
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.people.body_mesh import BodyMesh

__all__ = [
    "EYES",
    "GESTURES",
    "HEIGHT",
    "STRENGTH",
    "Gesture",
    "Hand",
    "Person",
    "Side",
    "check_person",
    "rest_hand",
    "shown_hand",
    "standing",
]

Gesture = Literal["none", "point", "stop", "grasp"]
Side = Literal["left", "right"]

GESTURES: tuple[Gesture, ...] = ("none", "point", "stop", "grasp")
"""By their code: the number of a ``person`` sensor's signal."""
STRENGTH: tuple[Gesture, ...] = ("none", "point", "grasp", "stop")
"""Weakest first: of several hands, the strongest gesture counts."""
HEIGHT = 1.75
"""Of a person where none is given [m]."""
EYES = 1.64
"""Height of the eyes of a person of that height, standing upright [m]."""
FARTHEST = 1e6
"""[m]"""
_SHOWN: dict[Gesture, tuple[Floats, Floats, Floats]] = {
    # ahead, outwards and up from the eyes [m]; along the fingers; out of the back of the hand
    "stop": (np.array([0.42, 0.2, -0.12]), np.array([0, 0, 1.0]), np.array([-1.0, 0, 0])),
    "point": (np.array([0.48, 0.16, -0.34]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0])),
    "grasp": (np.array([0.38, 0.16, -0.44]), np.array([1.0, 0, 0]), np.array([0, 0.6, 0.8])),
    "none": (np.array([-0.06, 0.22, -0.8]), np.array([0, 0, -1.0]), np.array([0, 1.0, 0])),
}
"""Where a hand is that shows a gesture; of one that shows none, at its side."""


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A hand of a person."""

    side: Side
    pose: SE3
    """X_WH of the middle of the palm: x along the fingers, z out of the back of the hand."""
    gesture: Gesture = "none"
    holds: str = ""
    """Link or object that it holds; empty: nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """A person in a world: sensors detect people, nothing collides with them."""

    name: str
    head: SE3
    """X_WP between the eyes: x ahead, z up."""
    hands: tuple[Hand, ...] = ()
    """The hands with a known pose; other arms hang down."""
    scale: float = 1.0
    """Metres of the world per metre of the person."""
    height: float = HEIGHT
    """[m of the person]"""
    color: str = "steelblue"
    stride: float = 0.0
    """Distance of the right foot ahead and of the left foot behind; the arms move the opposite way
    [m of the person]."""
    mesh: BodyMesh | None = None
    """The body as cameras saw it; None: one of capsules."""

    @property
    def size(self) -> float:
        """Length in the world of one metre of a person of the usual height."""
        return self.scale * self.height / HEIGHT

    @property
    def gesture(self) -> Gesture:
        """The more important gesture of the two hands."""
        shown = [STRENGTH.index(hand.gesture) for hand in self.hands]
        return STRENGTH[max(shown, default=0)]


def check_person(given: Person) -> Person:
    """The same person, checked: of right types, with finite places and sizes."""
    name = given.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise UsageError(f"a person's name must be a text of printable characters, got {name!r}")
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"a person's name must have at most {LONGEST_NAME} characters, got {len(name)}"
        )
    who = f"person '{name}'"
    _check_place(given.head, f"the head of {who}")
    if not all(isinstance(hand, Hand) for hand in given.hands):
        raise UsageError(f"the hands of {who} must be kinegen.world.Hand objects")
    sides = [hand.side for hand in given.hands]
    for hand in given.hands:
        if hand.side not in ("left", "right"):
            raise UsageError(f"a hand of {who} must be 'left' or 'right', got {hand.side!r}")
        if hand.gesture not in GESTURES:
            raise UsageError(
                f"the gesture of the {hand.side} hand of {who} is {hand.gesture!r}; "
                f"gestures: {', '.join(GESTURES)}"
            )
        if not isinstance(hand.holds, str):
            raise UsageError(
                f"what a hand of {who} holds must be given by name, got {hand.holds!r}"
            )
        _check_place(hand.pose, f"the {hand.side} hand of {who}")
    if len(set(sides)) < len(sides):
        raise UsageError(f"{who} has two {sides[0]} hands")
    if not is_number(given.scale) or not 1e-6 <= given.scale <= 1e6:
        raise UsageError(
            f"the scale of {who} must be a number from 1e-6 to 1e6, got {given.scale!r}"
        )
    if not is_number(given.height) or not 0 < given.height <= TALLEST:
        raise UsageError(
            f"the height of {who} must be positive and at most {TALLEST:g} m, got {given.height!r}"
        )
    if not is_number(given.stride):
        raise UsageError(f"the stride of {who} must be a number [m], got {given.stride!r}")
    return given


def _check_place(place: Any, what: str) -> None:
    if not isinstance(place, SE3):
        raise UsageError(f"{what} must be a kinegen.SE3, got {type(place).__name__}")
    if not np.isfinite(place.pose).all() or np.abs(place.translation).max() > FARTHEST:
        raise UsageError(f"{what} must be within {FARTHEST:g} m of the origin")


def standing(
    name: str,
    at: Iterable[float],
    *,
    facing: float = 0.0,
    height: float = HEIGHT,
    gesture: Gesture = "none",
    side: Side = "right",
    color: str = "steelblue",
    stride: float = 0.0,
    shape: Gesture | None = None,
    raised: float = 1.0,
) -> Person:
    """A person that stands upright, z up.

    Args:
        name: Of the person.
        at: Where the feet are [m].
        facing: Direction in which they look, about z from the x axis [rad].
        height: [m]
        gesture: What the hand shows.
        side: Of that hand.
        color: Of the figure.
        stride: How far the right foot is ahead [m].
        shape: The gesture to which the hand is raised; None: the one that it shows.
        raised: Share of the way there from the side of the body.
    """
    try:
        feet = np.array(tuple(at), dtype=np.float64)
    except (TypeError, ValueError):
        feet = np.zeros(0)
    if feet.shape != (3,) or not np.isfinite(feet).all():
        raise UsageError(
            f"the position of person '{name}' must be three finite numbers x, y, z [m], got {at!r}"
        )
    if not is_number(facing):
        raise UsageError(
            f"the direction of person '{name}' must be a finite angle [rad], got {facing!r}"
        )
    if gesture not in GESTURES:
        raise UsageError(f"there is no gesture {gesture!r}; gestures: {', '.join(GESTURES)}")
    turn = SO3.exp([0.0, 0.0, facing])
    size = height / HEIGHT if is_number(height) else 1.0
    head = SE3(turn, feet + np.array([0.0, 0.0, EYES * size]))
    hands: tuple[Hand, ...] = ()
    shape = shape or gesture
    if shape != "none":
        hands = (Hand(side, head @ shown_hand(shape, side, size, raised), gesture),)
    return Person(name, head, hands, 1.0, height, color, stride)


def shown_hand(gesture: Gesture, side: Side, size: float = 1.0, raised: float = 1.0) -> SE3:
    """X_PH of a hand that shows a gesture, or of one on its way there from the side of the body."""
    out = 1.0 if side == "left" else -1.0
    at, fingers, back = _SHOWN[gesture]
    if raised < 1:
        rest_at, rest_fingers, rest_back = _SHOWN["none"]
        at = rest_at + raised * (at - rest_at)
        # a raised hand goes over the front
        swing = math.sin(math.pi * raised) * np.array([0.25, 0.0, 0.0])
        at = at + swing
        fingers = rest_fingers + raised * (fingers - rest_fingers) + swing
        back = rest_back + raised * (back - rest_back)
    mirror = np.array([1.0, out, 1.0])
    return SE3(_turn(fingers * mirror, back * mirror), size * at * mirror)


def rest_hand(side: Side, size: float, swing: float) -> SE3:
    """X_PH of a hand at the side of the body, swung ahead [m of the person]."""
    hangs = shown_hand("none", side, size)
    return SE3(hangs.so3, hangs.translation + size * swing * np.array([1.0, 0.0, 0.12]))


def _turn(fingers: Floats, back: Floats) -> SO3:
    """A rotation with x along the fingers and z out of the back of the hand."""
    x = fingers / np.linalg.norm(fingers)
    y = np.cross(back, x)
    y /= np.linalg.norm(y)
    return SO3.from_matrix(np.column_stack([x, y, np.cross(x, y)]))
