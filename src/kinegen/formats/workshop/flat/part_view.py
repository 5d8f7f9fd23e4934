"""A flat part while it is built: its links, seen along the normal of the plane of motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from kinegen.formats.drawing.pictures.theme import THEMES, fill_of
from kinegen.formats.workshop.flat.outline import Point
from kinegen.formats.workshop.flat.part import FlatPart, Hole, Mark, Placed, Slot
from kinegen.formats.workshop.flat.plane import PlaneOfMotion
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import Role, link_shapes
from kinegen.spatial.pose import SE3

__all__ = ["PartView", "part_colors", "part_mass"]


class PartView:
    """Holes, slots and marks of a part, collected joint by joint."""

    def __init__(
        self,
        model: Model,
        plane: PlaneOfMotion,
        links: list[int],
        poses: Sequence[SE3],
        near: float,
        color: str,
    ) -> None:
        self.model, self.plane, self.links, self.near = model, plane, links, near
        self.color = color
        self.link = links[0]
        """The one whose frame the part has."""
        self.name = model.link_names[self.link]
        self.is_ground = 0 in links
        self.holes: list[Hole] = []
        self.slots: list[Slot] = []
        self.marks: list[Mark] = []
        self._poses = {link: poses[link] for link in links}
        # Axes V of the part's plane in its link: first as the plane has them in this pose.
        self._R_LV = poses[self.link].so3.matrix.T @ plane.R_WP
        self._p_LV = np.zeros(3)

    def add_hole(
        self,
        link: int,
        p_L: Floats,
        *,
        joints: tuple[str, ...],
        formula: str | None = None,
        of_origin: bool = False,
        guide: bool = False,
    ) -> None:
        """A hole for the pin of a joint; holes in one place become one, unless they guide."""
        at, known = self._seen(link, p_L), link == self.link
        new = Hole(at, joints, formula if known else None, of_origin and known)
        for k, hole in enumerate(self.holes):
            if not guide and math.dist(hole.at, at) <= self.near:
                self.holes[k] = replace(
                    hole,
                    joints=tuple(dict.fromkeys(hole.joints + joints)),
                    formula=hole.formula or new.formula,
                    of_origin=hole.of_origin or new.of_origin,
                )
                return
        self.holes.append(new)

    def add_slot(self, link: int, ends: Sequence[Floats], joint: str) -> None:
        """A slot for the guide pins of a slide."""
        self.slots.append(Slot(self._seen(link, ends[0]), self._seen(link, ends[1]), joint))

    def add_frame(self, link: int, p_L: Floats, name: str, *, drilled: bool) -> None:
        """The mark or hole of a frame; none where there is a hole already."""
        at = self._seen(link, p_L)
        if any(math.dist(at, hole.at) <= self.near for hole in self.holes):
            return
        if drilled:
            self.holes.append(Hole(at, (), frame=name))
        else:
            self.marks.append(Mark(at, name))

    def part(self) -> FlatPart:
        """The part with x along its longest distance; the ground as it stands."""
        if not self.is_ground:
            self._align()
        density, mass = part_mass(self.model, self.link)
        names = tuple(self.model.link_names[link] for link in self.links)
        return FlatPart(
            self.name, names, self.is_ground, tuple(self.holes), tuple(self.slots),
            tuple(self.marks), self.placed(self._poses[self.link]),
            self.color, density, mass,
        )  # fmt: skip

    def placed(self, X_WL: SE3) -> Placed:
        """Where the part is in the plane when its link has this pose."""
        x_P = self.plane.R_WP.T @ (X_WL.so3.matrix @ self._R_LV[:, 0])
        return Placed(
            *self.plane.point(X_WL.apply(self._p_LV)), math.atan2(float(x_P[1]), float(x_P[0]))
        )

    def _seen(self, link: int, p_L: Floats) -> Point:
        """A point of one of its links in the part's own plane."""
        X_LN = self._poses[self.link].inverse() @ self._poses[link]
        x, y, _ = self._R_LV.T @ (X_LN.apply(p_L) - self._p_LV)
        return float(x), float(y)

    def _align(self) -> None:
        """Turn the axes so that x runs from the first to the second of the outermost points."""
        ends = [point for slot in self.slots for point in (slot.start, slot.end)]
        points = [*(hole.at for hole in self.holes), *ends, *(mark.at for mark in self.marks)]
        pairs = list(combinations(points, 2))
        if not pairs:
            pairs = [(point, point) for point in points[:1]] or [((0.0, 0.0), (0.0, 0.0))]
        a, b = max(pairs, key=lambda pair: math.dist(*pair))
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        c, s = math.cos(angle), math.sin(angle)

        def turned(point: Point) -> Point:
            x, y = point[0] - a[0], point[1] - a[1]
            return c * x + s * y, c * y - s * x

        self.holes = [replace(hole, at=turned(hole.at)) for hole in self.holes]
        self.marks = [replace(mark, at=turned(mark.at)) for mark in self.marks]
        self.slots = [
            replace(slot, start=turned(slot.start), end=turned(slot.end)) for slot in self.slots
        ]
        self._p_LV = self._p_LV + self._R_LV @ np.array([*a, 0.0])
        self._R_LV = self._R_LV @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def part_colors(model: Model) -> list[str]:
    """Colours of all links as pictures show them: '#rrggbb'."""
    theme, found = THEMES["light"], []
    shapes = link_shapes(model, values=dict(model.parameters), colors=model.link_colors)
    for link, own in enumerate(shapes):
        body = (shape for shape in own if shape.role not in (Role.JOINT, Role.MOTOR))
        shape = next(body, None)
        plain = theme.platform if link else theme.ground
        found.append(plain if shape is None else fill_of(shape, theme))
    return found


def part_mass(model: Model, link: int) -> tuple[float | None, float | None]:
    """Density [kg/m³] and mass [kg] of a link as its file gives them, None where it does not."""
    source = model.compiled_from
    own = source.base if link == 0 else None
    if link and (joint := source.joints.get(model.link_names[link])) is not None:
        own = joint.link
    if own is None:
        return None, None
    values = dict(model.parameters)
    return (
        None if own.density is None else own.density.evaluate(values),
        None if own.mass is None else own.mass.evaluate(values),
    )
