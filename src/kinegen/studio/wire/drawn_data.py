"""DrawnData: solids that messages and questions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["DrawnData"]


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
