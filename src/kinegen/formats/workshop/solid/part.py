"""Solid parts: what is printed or milled, as simple bodies that are joined and cut."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinegen.formats.workshop.flat.outline import Outline
from kinegen.mechanism.shapes.data import Primitive, Vector3
from kinegen.results import Columns, Result
from kinegen.spatial.pose import SE3

__all__ = ["Prism", "SolidAssembly", "SolidPart"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prism(Primitive):
    """An outline with openings, thickened along z from 0."""

    outline: Outline
    openings: tuple[Outline, ...] = ()
    """Holes and slots, from side to side."""
    thickness: float
    """[m]"""


@dataclass(frozen=True, slots=True)
class SolidPart:
    """A body: bars without the room of others, then bodies, then without what is cut from all."""

    name: str
    kind: str
    """Bar, plate, pin, cap and so on."""
    added: tuple[Primitive, ...]
    """In the part's own frame."""
    cut: tuple[Primitive, ...] = ()
    X_WS: SE3 = field(default_factory=SE3.identity)
    """Where it is in the pose that it was made in."""
    color: str = "#8a93a3"
    density: float | None = None
    """As in the file [kg/m³]."""
    mass_in_file: float | None = None
    """As in the file [kg]."""
    remark: str = ""
    """Why it is not quite what a maker wants; empty where it is."""
    kept_out: tuple[Primitive, ...] = ()
    """Room of other parts, which is cut from what was added so far."""
    bodies: tuple[Primitive, ...] = ()
    """What is added after that, such as bosses around holes."""
    places: tuple[tuple[str, Vector3], ...] = ()
    """Joints with their place in the part's frame [m]."""


@dataclass(frozen=True, slots=True)
class SolidAssembly(Result):
    """All solid parts of a mechanism."""

    name: str
    parts: tuple[SolidPart, ...]
    messages: tuple[str, ...]
    """Remarks for making the parts."""

    def columns(self) -> Columns:
        """One row per part: name, kind, place of its frame [mm], remark."""
        return {
            "part": [part.name for part in self.parts],
            "kind": [part.kind for part in self.parts],
            **{
                f"{axis} [mm]": [1000 * float(part.X_WS.translation[k]) for part in self.parts]
                for k, axis in enumerate("xyz")
            },
            "remark": [part.remark for part in self.parts],
        }
