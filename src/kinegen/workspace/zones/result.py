"""What a zone is: points by assembly mode, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, unknown_name, whole_number
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result
from kinegen.workspace.bodies.gaps import Reach, SliceReach
from kinegen.workspace.bodies.measure import Measure
from kinegen.workspace.zones.exact import ExactZone

__all__ = ["Zone", "ZoneMode", "mode_named", "unit_of"]


@dataclass(frozen=True, slots=True, eq=False)
class ZoneMode:
    """The zone of one assembly mode."""

    name: str
    """'home' for the one of the file's start; joins with the side on which they differ, else a
    number."""
    points: Floats
    """Places of the frame [m], or rotation vectors from home [rad], (n, 3)."""
    inputs: Floats
    """Values of the inputs at each point, (n, inputs)."""
    measure: Measure
    """Area or volume."""
    qs: Floats | None = None
    """Configurations, (n, nq), if asked for: the zone frame by frame."""
    values: Floats | None = None
    """The layer's value at each point, (n,), if one was asked for."""

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Zone(Result):
    """The positions that a frame reaches."""

    model: Model
    frame: str
    step: float
    """Step between two values [rad], or side of the cells [m]."""
    method: str
    """'triangles' (intersecting circles, exact) or 'solver' (Newton steps from pose to pose)."""
    kind: str
    """'inputs' (joints are swept), 'place' or 'turn' (the frame itself is)."""
    inputs: tuple[str, ...]
    """What is swept: joints, or directions."""
    held: dict[str, float]
    """Inputs that hold [rad]."""
    tried: int
    """Number of poses tried, over all modes."""
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
    """Quantity of the points' values, as for clouds; None: no values."""

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.model.name

    @property
    def points(self) -> Floats:
        """Points of all modes, (n, 3)."""
        return np.concatenate([mode.points for mode in self.modes])

    @property
    def mode_index(self) -> npt.NDArray[np.int64]:
        """The index of the mode of each point, (n,)."""
        return np.repeat(np.arange(len(self.modes)), [mode.count for mode in self.modes])

    @property
    def values(self) -> Floats | None:
        """Values of all modes' points, (n,); None without a layer."""
        if self.layer is None:
            return None
        return np.concatenate([mode.values for mode in self.modes if mode.values is not None])

    def configuration(self, point: int) -> Floats:
        """The configuration of a point, (nq,); points are numbered mode after mode."""
        known = [mode.qs for mode in self.modes if mode.qs is not None]
        qs = np.concatenate([np.zeros((0, self.model.nq)), *known])
        if not len(qs):
            raise UsageError("this zone has no configurations: compute it with poses=True")
        return np.asarray(qs[whole_number(point, "a point of this zone", 0, len(qs) - 1)])

    def columns(self) -> Columns:
        """A row per point, mode after mode."""
        unit = "rad" if self.kind == "turn" else "m"
        names = np.array([mode.name for mode in self.modes])
        found = {
            "mode": names[self.mode_index],
            **dict(zip((f"{axis} [{unit}]" for axis in "xyz"), self.points.T, strict=True)),
        }
        values = self.values
        return found if values is None or self.layer is None else found | {self.layer: values}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Points of all modes with their mode, inputs and, if known, values and q."""
        found = {
            "modes": np.array([mode.name for mode in self.modes]),
            "mode": self.mode_index,
            "points": self.points,
            "inputs": np.concatenate([mode.inputs for mode in self.modes]),
        }
        values, qs = self.values, [mode.qs for mode in self.modes if mode.qs is not None]
        if values is not None:
            found["values"] = values
        return found | {"qs": np.concatenate(qs)} if len(qs) == len(self.modes) else found

    def to_dict(self) -> dict[str, Any]:
        """The sweep, the size, and the points of each mode."""
        left_out = {"model", "exact", "reach"}
        found = {k: v for k, v in Result.to_dict(self).items() if k not in left_out}
        return {"mechanism": self.name, **found}


def mode_named(zone: Zone, name: str) -> ZoneMode:
    """A mode of a zone."""
    for mode in zone.modes:
        if mode.name == name:
            return mode
    raise unknown_name("mode", name, "this zone", [mode.name for mode in zone.modes])


def unit_of(measure: Measure, kind: str) -> str:
    """The unit in which a zone of some kind is measured: turns have no length."""
    return f"rad^{measure.dimension}" if kind == "turn" else measure.unit
