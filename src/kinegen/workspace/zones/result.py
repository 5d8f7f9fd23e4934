"""What a zone is: points by assembly mode, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.workspace.gaps import Reach, SliceReach
from kinegen.workspace.measure import Measure
from kinegen.workspace.zones.exact import ExactZone

__all__ = ["Zone", "ZoneMode", "unit_of"]


@dataclass(frozen=True, slots=True, eq=False)
class ZoneMode:
    """The zone of one way to assemble the mechanism."""

    name: str
    """'home' for the one of the file's start; joins with the side on which they differ, else a
    number."""
    points: Floats
    """Places of the frame [m], or rotation vectors from home [rad], (3, n)."""
    inputs: Floats
    """Values of the inputs at each point, (inputs, n)."""
    measure: Measure
    """Area or volume."""
    qs: Floats | None = None
    """Configurations, (nq, n), if asked for: the zone frame by frame."""
    values: Floats | None = None
    """The layer's value at each point, (n,), if one was asked for."""

    @property
    def count(self) -> int:
        """Number of points."""
        return int(self.points.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Zone:
    """Where a frame gets to."""

    name: str
    frame: str
    method: str
    """'triangles' (circles that cross, exact) or 'solver' (Newton steps from pose to pose)."""
    kind: str
    """'inputs' (joints are swept), 'place' or 'turn' (the frame itself is)."""
    inputs: tuple[str, ...]
    """What is swept: joints, or directions."""
    held: dict[str, float]
    """Inputs that hold [rad]."""
    tried: int
    """Poses that were tried, over all modes."""
    modes: tuple[ZoneMode, ...]
    measure: Measure
    """Area or volume of all modes together."""
    elapsed: float
    """Time it took [s]."""
    exact: ExactZone | None = None
    """Whether any point is reached, for planar linkages by the triangle method: bodies of such
    zones have outlines on the exact boundary."""
    reach: Reach | SliceReach | None = None
    """The same by the solver, from the poses of its points."""
    layer: str | None = None
    """What the points' values are, as for clouds; None: they have none."""

    @property
    def points(self) -> Floats:
        """Points of all modes, (3, n)."""
        return np.concatenate([mode.points for mode in self.modes], axis=1)

    @property
    def values(self) -> Floats | None:
        """Values of all modes' points, (n,); None without a layer."""
        if self.layer is None:
            return None
        return np.concatenate([mode.values for mode in self.modes if mode.values is not None])


def unit_of(measure: Measure, kind: str) -> str:
    """The unit in which a zone of some kind is measured: turns have no length."""
    return f"rad^{measure.dimension}" if kind == "turn" else measure.unit
