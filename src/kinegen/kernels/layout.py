"""The two blocks a compiled model is made of: one int32 array, one float64 array.

``native/kernel/base/model.hpp`` states the same layout for the compiled kernels; the twins' tests
hold the two together. Every part has a name here and its place follows from the header's counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "DRIVE_PARTS",
    "DRIVE_SIZE",
    "INERTIA_SIZE",
    "LAYOUT_VERSION",
    "OPERATIONS",
    "TRANSFORM_SIZE",
    "Blocks",
    "Counts",
    "Floats",
    "Ints",
]

Ints: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

LAYOUT_VERSION = 2
HEADER_SIZE = 16
TRANSFORM_SIZE = 12
"""Rotation row by row (9), then translation (3)."""
INERTIA_SIZE = 10
"""Mass, centre (3), inertia xx yy zz xy xz yz about the centre."""
DRIVE_PARTS = (
    "gear",
    "rotor",
    "viscous",
    "coulomb",
    "breakaway",
    "stribeck",
    "stiffness",
    "spring_damping",
    "spring_rest",
)
"""Numbers of motor, friction and spring, one of each per v."""
DRIVE_SIZE = len(DRIVE_PARTS)

OPERATIONS = (
    "const name neg add sub mul div pow sin cos tan asin acos atan atan2 sqrt abs min max exp log "
    "floor ceil round hypot sign"
).split()
"""Operations of a formula's code, by number."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each thing a model has: the header of its int block, in order."""

    link: int
    joint: int
    loop: int
    frame: int
    parameter: int
    formula: int
    code: int
    constant: int
    dependent: int
    nq: int
    nv: int

    @property
    def tree(self) -> int:
        """Joints that carry a link: all but the cut ones."""
        return self.joint - self.loop

    @property
    def placement(self) -> int:
        """Placements: one per joint, then per loop, then per frame."""
        return self.joint + self.loop + self.frame

    def header(self) -> Ints:
        """The header as the kernels read it."""
        return np.array(
            [
                LAYOUT_VERSION,
                self.link,
                self.joint,
                self.loop,
                self.frame,
                self.placement,
                self.parameter,
                self.formula,
                self.code,
                self.constant,
                self.dependent,
                self.nq,
                self.nv,
                self.tree,
                0,
                0,
            ],
            dtype=np.int32,
        )

    @classmethod
    def read(cls, ints: Ints) -> Counts:
        """The counts that a block's header holds."""
        _, link, joint, loop, frame, _, parameter, formula, code, constant, dependent, nq, nv = (
            int(n) for n in ints[:13]
        )
        return cls(link, joint, loop, frame, parameter, formula, code, constant, dependent, nq, nv)

    def int_parts(self) -> Iterator[tuple[str, int]]:
        """Name and size of each part of the int block behind the header."""
        for name in ("joint_type", "joint_parent", "joint_child", "joint_q", "joint_v"):
            yield name, self.joint
        yield "tree_order", self.tree
        yield "link_joint", self.link
        yield "loop_joint", self.loop
        yield "frame_link", self.frame
        yield "placement_kind", self.placement
        yield "formula_target", self.formula
        yield "formula_start", self.formula + 1
        yield "code", 2 * self.code
        yield "dependent_start", self.parameter + 1
        yield "dependents", self.dependent

    def real_parts(self) -> Iterator[tuple[str, int]]:
        """Name and size of each part of the float block; 'values' are all up to the constants."""
        yield "parameters", self.parameter
        yield "placements", 6 * self.placement
        yield "pitch", self.joint
        for name in ("lower", "upper", "speed", "effort"):
            yield name, self.nv
        yield "start", self.nq
        yield "inertia", INERTIA_SIZE * self.link
        yield "gravity", 3
        for name in DRIVE_PARTS:
            yield name, self.nv
        yield "constants", self.constant
        yield "transforms", TRANSFORM_SIZE * self.placement


class Blocks:
    """Named views into a model's two blocks."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self.ints = ints
        self.reals = reals
        self.counts = Counts.read(ints)
        self._int_parts: dict[str, Ints] = {}
        self._real_parts: dict[str, Floats] = {}
        self._offsets: dict[str, int] = {}
        at = HEADER_SIZE
        for name, size in self.counts.int_parts():
            self._int_parts[name] = ints[at : at + size]
            at += size
        at = 0
        for name, size in self.counts.real_parts():
            self._real_parts[name] = reals[at : at + size]
            self._offsets[name] = at
            at += size

    def int_part(self, name: str) -> Ints:
        """A named part of the int block, as a view."""
        return self._int_parts[name]

    def real_part(self, name: str) -> Floats:
        """A named part of the float block, as a view."""
        return self._real_parts[name]

    def offset(self, name: str) -> int:
        """Where a part begins in the float block, which is also its first index in values."""
        return self._offsets[name]

    @property
    def value_count(self) -> int:
        """Parameters and numbers together."""
        return self._offsets["constants"]

    @staticmethod
    def empty(counts: Counts) -> Blocks:
        """New blocks of the right size: header written, all else zero."""
        ints = np.zeros(HEADER_SIZE + sum(n for _, n in counts.int_parts()), dtype=np.int32)
        ints[:HEADER_SIZE] = counts.header()
        return Blocks(ints, np.zeros(sum(n for _, n in counts.real_parts())))
