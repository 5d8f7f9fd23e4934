"""The joints, loops, couplings and frames of a model, and their places in its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, NewType

from kinegen.joint_types import JointType
from kinegen.raff.formulas.formula import Formula

__all__ = [
    "CouplingTerm",
    "FrameIndex",
    "JointIndex",
    "LinkIndex",
    "LinkMass",
    "ModelCoupling",
    "ModelFrame",
    "ModelJoint",
    "ModelLoop",
    "SiteIndex",
]

LinkIndex = NewType("LinkIndex", int)
JointIndex = NewType("JointIndex", int)
FrameIndex = NewType("FrameIndex", int)
SiteIndex = NewType("SiteIndex", int)
"""A link (its index) or a named frame (link count + its index)."""


@dataclass(frozen=True, slots=True)
class ModelJoint:
    """A joint's place in the arrays."""

    name: str
    type: JointType
    parent: LinkIndex
    child: LinkIndex
    """The link it carries; for a cut joint the link it lands on."""
    q: slice
    """Its part of q."""
    v: slice
    """Its part of v."""
    placement: int
    """Row of its frame F on the parent in ``Model.transforms``."""
    is_cut: bool
    has_motor: bool
    has_start: bool
    """Whether the file states where it starts."""


@dataclass(frozen=True, slots=True)
class ModelLoop:
    """A loop, closed by its cut joint."""

    joint: JointIndex
    placement: int
    """Row of the frame K on the link it lands on in ``Model.transforms``."""


@dataclass(frozen=True, slots=True)
class ModelCoupling:
    """A relation between joint variables: one more loop, of whose six rows one is used."""

    name: str
    """Its own, or that of the joint that follows another."""
    kind: str
    """gears, belt, chain, rack, screw, relation, cam, or follows."""
    members: tuple[str, ...]
    """What it joins, as a person says it: links of gears and belts, else joint variables."""
    joints: tuple[JointIndex, ...]
    """Of its terms, in their order; a cam's own joint is the last."""
    loop: int
    """Its number among the loops and couplings, whose rows are six each."""
    is_length: bool
    """Whether its residual is a length [m]; else an angle [rad]."""
    guide: str = ""
    """The guide whose curve it is, one coordinate of it; empty for couplings of the file."""

    @property
    def row(self) -> int:
        """The one row of all that is not zero."""
        return 6 * self.loop + (0 if self.is_length else 3)

    @property
    def text(self) -> str:
        """What it is, for a sentence: ``coupling 'mesh' between 'sun' and 'planet'``."""
        quoted = [f"'{name}'" for name in self.members]
        if self.guide:
            return f"the curve of guide '{self.guide}'"
        if self.kind == "follows":
            return f"joint {quoted[0]}, which follows {quoted[1]},"
        listed = ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
        return f"coupling '{self.name}' between {listed}"


class CouplingTerm(NamedTuple):
    """One variable of a coupling."""

    joint: ModelJoint
    variable: int
    """Which of the joint's."""
    ratio: float
    """What multiplies it; 0 for a cam's own."""


@dataclass(frozen=True, slots=True)
class ModelFrame:
    """A named frame on a link."""

    name: str
    link: LinkIndex
    placement: int


@dataclass(slots=True)
class LinkMass:
    """What the file gives of a link's mass; the rest follows from its shape."""

    mass: bool
    centre: bool
    inertia: bool
    formula: Formula | None
    """Of its density."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to the shape."""
        return self.mass and self.inertia

    def density(self, values: Mapping[str, float]) -> float | None:
        """Its density [kg/m³] with these parameters, None where not given."""
        return None if self.formula is None else self.formula.evaluate(values)
