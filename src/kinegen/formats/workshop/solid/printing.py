"""Printing: meshes of all solid parts, and where they lie on the bed of a printer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kinegen.formats.workshop.solid.mesh import PartMesh, mesh_of, shared_room
from kinegen.formats.workshop.solid.part import SolidAssembly, SolidPart
from kinegen.kernels import Floats

__all__ = ["PrintedPart", "bed_places", "printed_parts"]

MOST_PAIRS = 8
"""That a message names."""
_TOUCH = 1e-10
"""[m³] Less than a tenth of a cubic millimetre in common is rounding."""
_SPACING = 4.0
"""Between parts [mm]."""


@dataclass(frozen=True, slots=True, eq=False)
class PrintedPart:
    """A part with its mesh."""

    part: SolidPart
    mesh: PartMesh

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of the box around it [mm]."""
        return self.mesh.vertices.min(axis=0), self.mesh.vertices.max(axis=0)


def printed_parts(assembly: SolidAssembly) -> tuple[list[PrintedPart], list[str]]:
    """The meshes of all parts, and what a maker should know."""
    found = [PrintedPart(part, mesh_of(part)) for part in assembly.parts]
    messages = list(assembly.messages)
    for one in found:
        if one.mesh.pieces > 1 and not one.part.remark:
            messages.append(
                f"part '{one.part.name}' falls into {one.mesh.pieces} pieces: its joints leave no "
                "room for a bar; use smaller sizes"
            )
    return found, messages + _overlaps(found)


def _overlaps(parts: Sequence[PrintedPart]) -> list[str]:
    """Parts that get in each other's way where they are, as where the axes of joints cross."""
    links = [one for one in parts if one.part.places and not one.part.remark]
    boxes = []
    for one in links:
        X = one.part.X_WS
        placed = one.mesh.vertices @ X.so3.matrix.T + 1000 * X.translation
        boxes.append((placed.min(axis=0), placed.max(axis=0)))
    pairs = []
    for (k, one), (n, other) in combinations(enumerate(links), 2):
        (low, high), (low2, high2) = boxes[k], boxes[n]
        apart = bool((low > high2).any() or (low2 > high).any())
        if not apart and shared_room(one.part, one.mesh, other.part, other.mesh) > _TOUCH:
            pairs.append(f"'{one.part.name}' and '{other.part.name}'")
    if not pairs:
        return []
    listed = ", ".join(pairs[:MOST_PAIRS]) + (", …" if len(pairs) > MOST_PAIRS else "")
    return [f"parts overlap in this pose; use smaller sizes or another pose: {listed}"]


def bed_places(parts: Sequence[PrintedPart]) -> list[Floats]:
    """How far each part is shifted so that all lie side by side on a bed, (3,) [mm]."""
    boxes = [one.bounds for one in parts]
    area = sum(float(np.prod(high[:2] - low[:2] + _SPACING)) for low, high in boxes)
    room = max(1.2 * math.sqrt(area), *(float(high[0] - low[0]) for low, high in boxes))
    order = sorted(range(len(parts)), key=lambda k: -float(boxes[k][1][1] - boxes[k][0][1]))
    places: list[Floats] = [np.zeros(3)] * len(parts)
    x = y = row = 0.0
    for k in order:
        low, high = boxes[k]
        width, depth = (float(side) for side in (high - low)[:2])
        if x > 0 and x + width > room:
            x, y, row = 0.0, y + row + _SPACING, 0.0
        places[k] = np.array([x, y, 0.0]) - low
        x, row = x + width + _SPACING, max(row, depth)
    return places
