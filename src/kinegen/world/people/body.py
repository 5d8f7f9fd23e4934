"""Body: a person as capsules, from the head down to the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.people.capsules import Capsules
from kinegen.world.people.person import EYES, Person, Side, rest_hand
from kinegen.world.people.triangles import Triangles

__all__ = ["Body", "body_of"]

# Sizes of a person of the usual height [m]: representative ones, after tables of body sizes.
SKULL = 0.095
BEHIND = 0.075
"""The middle of the head is behind the eyes."""
SHOULDERS = (0.24, 0.18, 0.065)
"""Below the eyes, to the side, radius."""
CHEST, WAIST = (0.32, 0.085, 0.115), (0.09, 0.06, 0.11)
"""The trunk's halves: below the eyes, above the hips; to the side; radius."""
HIPS = 0.93
LOWEST = 0.3
"""Of the upright height of the eyes: nobody is lower, even where the floor is."""
LIFT, SWING = 0.35, 0.8
"""How far a foot behind is lifted, and how far arms swing, as shares of the stride."""
HIP_ASIDE, THIGH, SHANK, ANKLE = 0.09, 0.44, 0.42, 0.08
UPPER_ARM, FOREARM, WRIST = 0.29, 0.26, 0.055
"""WRIST: from the middle of the palm."""
LEAST_HIPS, LEAST_HANDS = 0.18, 0.14
"""Of someone who crouches: heights of hips, and of hands that hang down."""
CROUCH = 0.85
"""Share of what the eyes are lower by that the legs yield."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What sensors detect of a person."""

    capsules: Capsules
    parts: tuple[str, ...]
    """What each capsule is: 'head', 'trunk', 'arm', 'hand', 'leg'."""
    mesh: Triangles | None = None
    """Of a person that cameras see."""

    @property
    def surface(self) -> Capsules | Triangles:
        """What is measured: the mesh, else the capsules."""
        return self.capsules if self.mesh is None else self.mesh


class _Builder:
    """Collects the capsules of one body."""

    def __init__(self, person: Person, up: Floats, floor: float | None) -> None:
        self.size = person.size
        eyes, self.up = person.head.translation, up
        self.ahead = _level(person.head.rotation, up)
        self.left = np.cross(up, self.ahead)
        upright = EYES * self.size
        height = upright if floor is None else float(eyes @ up) - floor
        # lower eyes: the person crouches; higher eyes: the person hovers
        height = min(max(height, LOWEST * upright), upright)
        self.tall = height / self.size
        self.feet: Floats = eyes - height * up - BEHIND * self.size * self.ahead
        self.rows: list[tuple[str, Floats, Floats, float]] = []

    def at(self, x: float, y: float, z: float) -> Floats:
        """A place of the body: ahead and left of its middle, above the feet [m of the person]."""
        turned = x * self.ahead + y * self.left + z * self.up
        return np.asarray(self.feet + self.size * turned)

    def add(self, part: str, start: Floats, end: Floats, radius: float) -> None:
        """One capsule; its radius is in metres of the person."""
        self.rows.append((part, start, end, radius * self.size))

    def limb(self, part: str, ends: tuple[Floats, Floats], bones: tuple[float, float],
             radii: tuple[float, float], bends: Floats) -> None:  # fmt: skip
        """Two bones between two places, bent to a side as far as they are too long."""
        start, end = ends
        first, second = (self.size * one for one in bones)
        along = end - start
        far = float(np.linalg.norm(along))
        joint = (start * second + end * first) / (first + second)
        if 1e-9 < far < first + second:
            axis = along / far
            share = (far**2 + first**2 - second**2) / (2 * far)
            share = min(max(share, -first), first)
            aside = bends - (bends @ axis) * axis
            aside /= max(float(np.linalg.norm(aside)), 1e-9)
            joint = start + share * axis + math.sqrt(max(first**2 - share**2, 0.0)) * aside
        self.add(part, start, joint, radii[0])
        self.add(part, joint, end, radii[1])


def body_of(
    person: Person, up: Floats, floor: float | None, *, mesh: Triangles | None = None
) -> Body:
    """The body of a person.

    Args:
        person: Who.
        up: Away from gravity, a unit vector.
        floor: Its height along ``up`` [m]; None: there is none, and the person stands upright.
        mesh: Of the person, where that is known already.
    """
    if mesh is None and person.mesh is not None:
        mesh = Triangles(person.mesh.vertices, person.mesh.triangles)
    made = _Builder(person, up, floor)
    size, tall, at, head = made.size, made.tall, made.at, person.head
    hips = max(LEAST_HIPS, HIPS - CROUCH * (EYES - tall))
    crown = size * head.rotation[:, 2]
    skull = head.translation - BEHIND * size * head.rotation[:, 0]
    made.add("head", skull - 0.045 * crown, skull + 0.015 * crown, SKULL)
    made.add("head", skull - 0.08 * crown, at(0, 0, tall - 0.22), 0.055)
    below, aside, thick = SHOULDERS
    made.add("trunk", at(0, aside, tall - below), at(0, -aside, tall - below), thick)
    middle = at(0, 0, tall - CHEST[0]), at(0, 0, hips + WAIST[0])
    made.add("trunk", *middle, CHEST[2])
    made.add("trunk", at(0, HIP_ASIDE, hips), at(0, -HIP_ASIDE, hips), 0.085)
    known = {hand.side: hand.pose for hand in person.hands}
    sides: tuple[tuple[Side, int], ...] = (("left", 1), ("right", -1))
    for side, out in sides:
        chest = at(0, out * CHEST[1], tall - CHEST[0])
        made.add("trunk", chest, at(0, out * WAIST[1], hips + WAIST[0]), CHEST[2])
        # a positive stride has the right leg ahead, and the left arm
        ahead = -out * person.stride
        lift = LIFT * max(0.0, -ahead)
        hip, ankle = at(0, out * HIP_ASIDE, hips), at(ahead, out * HIP_ASIDE, ANKLE + lift)
        bends = made.ahead + 0.1 * out * made.left
        made.limb("leg", (hip, ankle), (THIGH, SHANK), (0.075, 0.055), bends)
        toes = at(ahead + 0.15, out * (HIP_ASIDE + 0.02), 0.04 + lift / 2)
        made.add("leg", at(ahead - 0.03, out * HIP_ASIDE, 0.04 + lift), toes, 0.04)
        palm = known.get(side)
        if palm is None:
            hangs = rest_hand(side, 1.0, out * SWING * person.stride).translation
            place = at(BEHIND + hangs[0], hangs[1], max(tall + hangs[2], LEAST_HANDS))
            fingers = -made.up
        else:
            place, fingers = palm.translation, palm.rotation[:, 0]
        wrist = place - WRIST * size * fingers
        bends = -made.up + 0.35 * out * made.left - 0.3 * made.ahead
        shoulder = at(0, out * aside, tall - below)
        made.limb("arm", (shoulder, wrist), (UPPER_ARM, FOREARM), (0.045, 0.038), bends)
        tips = place + 0.08 * size * fingers
        made.add("hand", wrist + 0.03 * size * fingers, tips, 0.036)
    parts, starts, ends, radii = zip(*made.rows, strict=True)
    return Body(Capsules(np.array(starts), np.array(ends), np.array(radii)), tuple(parts), mesh)


def _level(R: Floats, up: Floats) -> Floats:
    """Where someone faces, perpendicular to up; who looks straight down still faces somewhere."""
    ahead = R[:, 0] - (R[:, 0] @ up) * up
    if np.linalg.norm(ahead) < 1e-3:
        ahead = -math.copysign(1.0, R[:, 0] @ up) * R[:, 2]
        ahead = ahead - (ahead @ up) * up
    return np.asarray(ahead / np.linalg.norm(ahead))
