"""Flat parts: what a planar mechanism is cut from, with holes and slots at true scale."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kinegen.formats.workshop.flat.outline import (
    Outline,
    Point,
    circle,
    outline_around,
    slot_around,
)
from kinegen.formats.workshop.sizes import Sizes, millimetres

__all__ = ["FlatPart", "Hole", "Mark", "Pin", "Placed", "Slot"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A round hole."""

    at: Point
    """Its middle in the part's own plane [m]."""
    joints: tuple[str, ...]
    """Joints whose pin goes through it; empty for the hole of a frame."""
    formula: str | None = None
    """How far it is from the origin of its link, where one number of the file says it."""
    of_origin: bool = False
    """Whether it is the origin of its link."""
    frame: str = ""
    """The frame that it is for."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that the guide pins of a slide run in."""

    start: Point
    end: Point
    """Where the middles of the outermost pins are [m]."""
    joint: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that is marked and not cut: a named frame."""

    at: Point
    name: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A part somewhere on a plane: turned by an angle, then shifted."""

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0

    def point(self, at: Point) -> Point:
        """Where a point of the part is [m]."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        return self.x + c * at[0] - s * at[1], self.y + s * at[0] + c * at[1]


@dataclass(frozen=True, slots=True)
class FlatPart:
    """A part cut from a sheet. Its plane has x along its longest distance of holes."""

    name: str
    links: tuple[str, ...]
    """Links that it consists of: one, and those fixed on it."""
    is_ground: bool
    holes: tuple[Hole, ...]
    slots: tuple[Slot, ...]
    marks: tuple[Mark, ...]
    at: Placed
    """Where it is in the pose that it was made in."""
    color: str
    density: float | None = None
    """As in the file [kg/m³]."""
    mass_in_file: float | None = None
    """As in the file [kg]."""
    level: int = 0
    """In the stack: 0 is the lowest, that of the ground."""

    def outline(self, sizes: Sizes) -> Outline:
        """What is cut around it, half of the kerf outside of it."""
        grown = sizes.kerf / 2
        return outline_around(self.points, sizes.width / 2 + grown, sizes.corner_radius + grown)

    def cuts(self, sizes: Sizes) -> list[Outline]:
        """What is cut out of it: holes and slots, half of the kerf inside."""
        wide = sizes.drilled - sizes.kerf
        holes = [circle(hole.at, wide) for hole in self.holes]
        return holes + [slot_around(slot.start, slot.end, wide) for slot in self.slots]

    @property
    def points(self) -> list[Point]:
        """What the outline encloses [m]."""
        ends = [point for slot in self.slots for point in (slot.start, slot.end)]
        return [*(h.at for h in self.holes), *ends, *(m.at for m in self.marks)]

    @property
    def kind(self) -> str:
        """Bar, plate, disc, slider or ground plate."""
        if self.is_ground:
            return "ground plate"
        places = {(round(x, 9), round(y, 9)) for x, y in self.points}
        if len(places) == 1:
            return "disc"
        is_line = max(abs(y) for _, y in places) < 1e-9
        return "bar" if is_line else "plate"

    def area(self, sizes: Sizes) -> float:
        """Of the finished part, without its holes [m²]."""
        true = replace(sizes, kerf=0.0)
        return self.outline(true).area - sum(cut.area for cut in self.cuts(true))

    def volume(self, sizes: Sizes) -> float:
        """Of the finished part [m³]."""
        return self.area(sizes) * sizes.thickness

    def size(self, sizes: Sizes) -> tuple[float, float]:
        """Length and width of the rectangle around it [m]."""
        x0, y0, x1, y1 = self.outline(sizes).bounds
        return x1 - x0, y1 - y0

    def described(self, sizes: Sizes) -> str:
        """Its size for people."""
        length, width = self.size(sizes)
        return f"{millimetres(length).removesuffix(' mm')} × {millimetres(width)}"


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin that holds parts together, or guides one in the slot of another."""

    name: str
    joints: tuple[str, ...]
    type: str
    """Of its joints: 'revolute' or 'prismatic'."""
    parts: tuple[tuple[str, Point], ...]
    """Parts that it goes through, each with its place in the part's plane [m]."""

    def levels(self, parts: dict[str, FlatPart]) -> tuple[int, int]:
        """Lowest and highest level that it reaches."""
        found = [parts[name].level for name, _ in self.parts]
        return min(found), max(found)

    def length(self, parts: dict[str, FlatPart], sizes: Sizes) -> float:
        """Of what it clamps: all levels that it passes, with their washers [m]."""
        low, high = self.levels(parts)
        return (high - low) * sizes.step + sizes.thickness
