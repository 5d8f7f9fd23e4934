"""Figures: how people look in the pictures of cameras: visor, fingers, a colour of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.drawing.colors import Color, color_of
from kinegen.world.people.people import Found
from kinegen.world.people.person import Gesture, Hand, Person

__all__ = ["Figure", "add_figures", "figures_of"]

_GLASS: Color = (0.07, 0.09, 0.115)
_EYE: Color = (0.91, 0.96, 1.0)
_LEGS = 0.45
"""Brightness of the legs, of that of the rest."""
FINGER = (0.0085, 0.055, 0.019)
"""Radius, length, and distance from the next one [m of the person]."""


class Figure(NamedTuple):
    """One shape of a person: a capsule between two places, or an ellipsoid."""

    color: Color
    start: Floats
    """[m]; of an ellipsoid its middle."""
    end: Floats
    size: Floats
    """Radius of a capsule three times, or the half axes of an ellipsoid."""
    rotation: Floats | None = None
    """Of an ellipsoid; None: a capsule."""


def figures_of(found: Found) -> Iterator[Figure]:
    """What is drawn of a person."""
    person, body = found.person, found.body
    color = color_of(person.color, 0)
    dark: Color = (_LEGS * color[0], _LEGS * color[1], _LEGS * color[2])
    capsules = body.capsules
    sides = iter(("left", "right"))  # as bodies have them
    shown = {hand.side for hand in person.hands}
    for part, start, end, radius in zip(
        body.parts, capsules.starts, capsules.ends, capsules.radii, strict=True
    ):
        if part == "hand" and next(sides) in shown:
            continue  # drawn with its fingers
        look = dark if part == "leg" else color
        yield Figure(look, start, end, np.full(3, radius))
    yield from _face(person)
    for hand in person.hands:
        yield from _hand(hand, person.size, color)


def _face(person: Person) -> Iterator[Figure]:
    size, X = person.size, person.head

    def at(x: float, y: float, z: float) -> Floats:
        return np.asarray(X.apply(size * np.array([x, y, z])))

    yield Figure(_GLASS, at(0.0, 0.055, 0), at(0.0, -0.055, 0), np.full(3, 0.042 * size))
    for aside in (0.034, -0.034):
        low, high = at(0.038, aside, -0.01), at(0.038, aside, 0.01)
        yield Figure(_EYE, low, high, np.full(3, 0.009 * size))


def _hand(hand: Hand, size: float, color: Color) -> Iterator[Figure]:
    """A palm, four fingers and a thumb that show the gesture."""
    X = hand.pose

    def at(x: float, y: float, z: float) -> Floats:
        return np.asarray(X.apply(size * np.array([x, y, z])))

    palm = size * np.array([0.05, 0.044, 0.02])
    yield Figure(color, at(0, 0, 0), at(0, 0, 0), palm, X.rotation)
    radius, length, apart = FINGER
    inside = -1.0 if hand.side == "left" else 1.0  # the way to the thumb
    for i in range(4):
        y = inside * apart * (1.5 - i)
        if _is_straight(hand.gesture, i):
            start, end = at(0.04, y, 0), at(0.045 + length, y, -0.006)
        else:
            start, end = at(0.046, y, -0.006), at(0.022, y, -0.036)
        yield Figure(color, start, end, np.full(3, radius * size))
    out = 0.062 if hand.gesture in ("stop", "none") else 0.036
    thumb = at(0.0, inside * 0.03, -0.01), at(0.042, inside * out, -0.014)
    yield Figure(color, *thumb, np.full(3, 0.0095 * size))


def _is_straight(gesture: Gesture, finger: int) -> bool:
    return gesture in ("stop", "none") or (gesture == "point" and finger == 0)


def add_figures(mj: Any, scene: Any, figures: list[Figure], number: int) -> None:
    """Add shapes to a scene that MuJoCo draws; in a segmentation they all have one number.

    Args:
        mj: The package.
        scene: After its own update.
        figures: Of one person.
        number: That its pixels get.
    """
    for one in figures:
        if scene.ngeom >= scene.maxgeom:
            return
        geom = scene.geoms[scene.ngeom]
        rgba = np.array([*one.color, 1.0], dtype=np.float32)
        if one.rotation is not None:
            mj.mjv_initGeom(
                geom, mj.mjtGeom.mjGEOM_ELLIPSOID, one.size, one.start, one.rotation.ravel(), rgba
            )
        else:
            none = np.zeros(3), np.zeros(3), np.eye(3).ravel()
            mj.mjv_initGeom(geom, mj.mjtGeom.mjGEOM_CAPSULE, *none, rgba)
            width = float(one.size[0])
            if np.linalg.norm(one.end - one.start) > 1e-9:
                mj.mjv_connector(geom, mj.mjtGeom.mjGEOM_CAPSULE, width, one.start, one.end)
        geom.category = mj.mjtCatBit.mjCAT_DECOR
        geom.segid, geom.objid = scene.ngeom, number
        geom.objtype = mj.mjtObj.mjOBJ_UNKNOWN
        geom.specular, geom.shininess = 0.3, 0.5
        scene.ngeom += 1
