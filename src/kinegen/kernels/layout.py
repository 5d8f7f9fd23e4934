"""The two blocks a compiled model is made of: one int32 array, one float64 array.

Every part has a name here and its place follows from the header's counts. ``make tables`` writes
the same layout for the compiled kernels (``native/kernel/base/layout.hpp``) and the page.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "DRIVE_PARTS",
    "HEADER",
    "HEADER_SIZE",
    "INERTIA_SIZE",
    "INT_PARTS",
    "LAYOUT_VERSION",
    "OPERATIONS",
    "REAL_PARTS",
    "TRANSFORM_SIZE",
    "Blocks",
    "Counts",
    "Floats",
    "Ints",
    "Part",
]

Ints: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

HEADER = (
    "link", "joint", "loop", "frame", "placement", "parameter", "formula", "code", "constant",
    "dependent", "nq", "nv", "tree", "coupling", "term", "profile", "knot", "based",
)  # fmt: skip
"""Counts behind the layout's version at the beginning of the int block."""
HEADER_SIZE = 24
"""Room for some more."""
TRANSFORM_SIZE = 12
"""Rotation row by row (9), then translation (3)."""
INERTIA_SIZE = 10
"""Mass, centre (3), inertia xx yy zz xy xz yz about the centre."""
OPERATIONS = (
    "const name neg add sub mul div pow sin cos tan asin acos atan atan2 sqrt abs min max exp log "
    "floor ceil round hypot sign"
).split()
"""Operations of a formula's code, by number."""


class Part(NamedTuple):
    """A part of a block: some numbers for each of some things."""

    name: str
    of: str
    """The count in the header that says for how many things; empty: for one."""
    note: str
    width: int = 1
    """Numbers for each of them."""
    more: int = 0
    """Numbers behind them."""


INT_PARTS = (
    Part("joint_type", "joint", "code of its type"),
    Part("joint_parent", "joint", "link"),
    Part("joint_child", "joint", "link; for a cut joint the link it lands on"),
    Part("joint_q", "joint", "where its q begins"),
    Part("joint_v", "joint", "where its v begins"),
    Part("tree_order", "tree", "tree joints, each after the joint that carries its parent link"),
    Part("link_joint", "link", "the joint that carries the link, -1 for the base"),
    Part("loop_joint", "loop", "the cut joint of the loop; a coupling has a joint of no variables"),
    Part("frame_link", "frame", "the link it is fixed to"),
    Part("placement_kind", "placement", "how its six numbers are meant"),
    Part("based", "based", "(row of a placement on a frame, the frame's), frames first", width=2),
    Part("formula_target", "formula", "index of its result in values"),
    Part("formula_start", "formula", "where its code begins", more=1),
    Part("code", "code", "(operation, argument) pairs", width=2),
    Part("dependent_start", "parameter", "where its dependents begin", more=1),
    Part("dependents", "dependent",
         "formulas to run again when a parameter changes, in order; ~f: all from f on"),
    Part("coupling_length", "coupling", "1 where its residual is a length, 0 an angle"),
    Part("term_start", "coupling", "where its terms begin; a cam's variable is the last", more=1),
    Part("term_q", "term", "place of its variable in q"),
    Part("term_v", "term", "place of its variable in v"),
    Part("profile_start", "coupling", "where the code of a cam's formula begins", more=1),
    Part("profile", "profile", "(operation, argument) pairs; a name of -1 is the cam", width=2),
    Part("knot_start", "coupling", "where the knots of a cam's table begin", more=1),
    Part("table_repeats", "coupling", "1 where a cam's table comes round again after its end"),
)  # fmt: skip
"""The int block behind its header."""

_DRIVE = (
    Part("gear", "nv", "motor turns per turn of the joint"),
    Part("rotor", "nv", "inertia on the motor's side"),
    Part("viscous", "nv", "friction: effort per speed"),
    Part("coulomb", "nv", "sliding friction"),
    Part("breakaway", "nv", "static friction"),
    Part("stribeck", "nv", "speed at which static friction has faded, 0: at once"),
    Part("stiffness", "nv", "of the joint's spring"),
    Part("spring_damping", "nv", "of the joint's spring"),
    Part("spring_rest", "nv", "of the joint's spring"),
)
REAL_PARTS = (
    Part("parameters", "parameter", "as the file or an edit gives them"),
    Part("placements", "placement", "six numbers; first joints, then loops, then frames", width=6),
    Part("pitch", "joint", "of a screw"),
    Part("lower", "nv", "limit"),
    Part("upper", "nv", "limit"),
    Part("speed", "nv", "greatest speed of the motor"),
    Part("effort", "nv", "greatest effort of the motor"),
    Part("start", "nq", "the file's starting pose"),
    Part("inertia", "link", "mass, centre and inertia about it", width=INERTIA_SIZE),
    Part("gravity", "", "acceleration, world axes", width=3),
    *_DRIVE,
    Part("ratio", "term", "what multiplies its variable"),
    Part("offset", "coupling", "what the terms, less a cam's profile, add up to"),
    Part("knots", "knot", "of a cam's table: where, how high", width=2),
    Part("constants", "constant", "of the formulas' code"),
    Part(
        "transforms", "placement", "rotation row by row, translation; derived", width=TRANSFORM_SIZE
    ),
    Part("bends", "knot", "second derivative of its curve, and two numbers to work with; derived",
         width=3),
)  # fmt: skip
"""The float block; ``values`` are all its numbers up to the constants."""
DRIVE_PARTS = tuple(part.name for part in _DRIVE)
"""Numbers of motor, friction and spring, one of each per v."""

_SHAPE = HEADER, OPERATIONS, [part._replace(note="") for part in (*INT_PARTS, *REAL_PARTS)]
LAYOUT_VERSION = zlib.crc32(repr(_SHAPE).encode()) >> 1
"""Names exactly this layout: blocks and kernels of another one are refused."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each thing a model has."""

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
    coupling: int = 0
    """Relations between joint variables: the last of the loops, each with a joint of its own."""
    term: int = 0
    profile: int = 0
    knot: int = 0
    based: int = 0

    @property
    def cut(self) -> int:
        """Loops that a cut joint closes: all but the couplings, which come behind them."""
        return self.loop - self.coupling

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
        header = np.zeros(HEADER_SIZE, dtype=np.int32)
        header[: 1 + len(HEADER)] = LAYOUT_VERSION, *(getattr(self, name) for name in HEADER)
        return header

    @classmethod
    def read(cls, ints: Ints) -> Counts:
        """The counts that a block's header holds."""
        found = dict(zip(HEADER, ints[1 : 1 + len(HEADER)].tolist(), strict=True))
        return cls(*(found[name] for name in cls.__slots__))

    def parts(self) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Name and size of each part of the int block behind the header, and of the float block."""
        each = {name: getattr(self, name) for name in _COUNTED} | {"": 1}
        ints, reals = (
            [(name, width * each[of] + more) for name, of, _, width, more in parts]
            for parts in (INT_PARTS, REAL_PARTS)
        )
        return ints, reals


_COUNTED = {part.of for part in (*INT_PARTS, *REAL_PARTS) if part.of}
"""What there are parts for, one for each."""


class Blocks:
    """Named views into a model's two blocks."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self.ints = ints
        self.reals = reals
        self.counts = Counts.read(ints)
        int_parts, real_parts = self.counts.parts()
        self._int_parts: dict[str, Ints] = {}
        self._real_parts: dict[str, Floats] = {}
        self._offsets: dict[str, int] = {}
        at = HEADER_SIZE
        for name, size in int_parts:
            self._int_parts[name] = ints[at : at + size]
            at += size
        at = 0
        for name, size in real_parts:
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
        int_parts, real_parts = counts.parts()
        ints = np.zeros(HEADER_SIZE + sum(size for _, size in int_parts), dtype=np.int32)
        ints[:HEADER_SIZE] = counts.header()
        return Blocks(ints, np.zeros(sum(size for _, size in real_parts)))
