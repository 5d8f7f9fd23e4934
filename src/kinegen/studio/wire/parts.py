"""Parts that several messages contain: shapes and placements of files, solids that are drawn.

Those of files have the keys of the grammar; keys that are left out are not sent, so they are
mappings, not dataclasses. Numbers are SI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Required, TypedDict

from kinegen.studio.wire.message import Vec3

__all__ = [
    "DrawnData",
    "ObjectKeys",
    "PlacementData",
    "RowValue",
    "ScreenEntry",
    "Shape",
    "ShapeData",
    "Shows",
    "WallEntry",
]

Shows = Literal["centre", "left", "right", "side-by-side", "top-bottom", "red-cyan"]
"""Which eyes a screen shows, and for both of them how."""
RowValue = bool | float | str | list[float | str]
"""What a key of a row may be set to: a flag, a number [SI], a word or formula, a list of these."""


class PlacementData(TypedDict, total=False):
    """A placement, as in the file."""

    parent: str
    """Link or frame that it is relative to; left out: the world."""
    xyz: Vec3
    """[m]"""
    rpy: Vec3
    """Roll about x, then pitch about y, then yaw about z [rad]."""


class ShapeData(TypedDict, total=False):
    """A shape, as in the file, its numbers worked out; one of its kinds is given."""

    mesh: str
    """File of the project folder."""
    scale: float | Vec3
    """Of a mesh."""
    box: Vec3
    """Edge lengths [m]."""
    cylinder: tuple[float, float]
    """Radius and length [m]."""
    sphere: float
    """Radius [m]."""
    capsule: tuple[float, float]
    """Radius, and length between the caps' centres [m]."""
    heights: str | list[list[float]]
    """Rows of a height field, or the file that has them."""
    size: tuple[float, float]
    """Of a height field [m]."""
    height: float
    """Of a height field: what 1 in its table means [m]."""
    depth: float
    """Of a height field: how far its body extends below [m]."""
    xyz: Vec3
    """[m]"""
    rpy: Vec3
    """[rad]"""


Shape = str | ShapeData | list[str | ShapeData]
"""'auto', 'none', a mesh file, a shape, or a list of these."""


class ObjectKeys(TypedDict, total=False):
    """Keys of an object's row that change; null removes one, those left out stay unchanged."""

    shape: Shape
    at: PlacementData | None
    color: str | None
    fixed: bool | None


class ScreenEntry(TypedDict, total=False):
    """A screen of a wall, as in the file, by three of its corners in the room [m]."""

    name: Required[str]
    lower_left: Required[Vec3]
    lower_right: Required[Vec3]
    upper_left: Required[Vec3]
    shows: Shows


class WallEntry(TypedDict, total=False):
    """A wall of screens, as in the file; what is left out has its default."""

    screens: Required[list[ScreenEntry]]
    eye: Required[Vec3]
    """[m]"""
    eye_distance: float
    """[m]"""
    at: PlacementData
    scale: float
    tracker: PlacementData


@dataclass(slots=True)
class DrawnData:
    """A solid that is drawn for a coupling, fixed on a link."""

    link: int
    kind: Literal["box", "cylinder", "plate"]
    rotation: list[float]
    """R_LS, by rows."""
    translation: list[float]
    """p_LS, of its centre [m]."""
    role: Literal["bar", "joint", "motor", "ground", "tool"]
    branch: int
    tone: int
    color: str | None
    size: list[float]
    """Of a box: x, y, z; of a cylinder: radius, length; of a plate: thickness [m]."""
    outline: list[list[float]]
    """Of a plate: its corners [m]."""
