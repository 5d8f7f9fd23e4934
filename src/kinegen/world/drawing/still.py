"""Still scenes: a model in one pose after another, as a renderer asks for it, without a world."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.world.people.people import Nobody

__all__ = ["Eye", "StillBodies", "StillScene"]


@dataclass(slots=True, eq=False)
class StillBodies:
    """Links of one model where they are now."""

    model: Model
    system: System
    poses: Floats
    """(link_count, 12)"""

    @property
    def simulation(self) -> StillBodies:
        """A renderer asks here for the system."""
        return self

    def link_poses(self) -> Floats:
        """Poses of all links, (link_count, 12)."""
        return self.poses


@dataclass(frozen=True, slots=True, eq=False)
class StillScene:
    """What a renderer draws."""

    mechanism: Any
    islands: list[StillBodies]
    people: ClassVar[Nobody] = Nobody()
    lights: tuple[()] = ()
    """The usual ones."""

    def notify(self, source: str, message: str) -> None:
        """Warn of what cannot be drawn."""
        warnings.warn(f"{source}: {message}", RuntimeWarning, stacklevel=2)


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """Where a camera is."""

    rotation: Floats
    """It looks along x, z is up."""
    position: Floats

    def place(self) -> tuple[Floats, Floats]:
        """Rotation (3, 3) and position [m]."""
        return self.rotation, self.position
