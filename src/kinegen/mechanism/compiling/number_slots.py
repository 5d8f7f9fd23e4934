"""Where each number of a model lives in its live block, by owner and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from kinegen.joint_types import JointType
from kinegen.kernels import Blocks
from kinegen.kernels.layout import DRIVE_PARTS, INERTIA_SIZE
from kinegen.mechanism.graph import PLACEMENT_KEYS, PlacementKind

if TYPE_CHECKING:
    from kinegen.mechanism.model import Model
    from kinegen.mechanism.model_parts import ModelCoupling

__all__ = ["DRIVE_SOURCES", "INERTIA_KEYS", "NumberSlot", "NumberSlots"]

DRIVE_SOURCES = {
    "gear": ("motor", "gear"),
    "rotor": ("motor", "inertia"),
    "viscous": ("friction", "viscous"),
    "coulomb": ("friction", "coulomb"),
    "breakaway": ("friction", "static"),
    "stribeck": ("friction", "stribeck"),
    "stiffness": ("spring", "stiffness"),
    "spring_damping": ("spring", "damping"),
    "spring_rest": ("spring", "rest"),
}
"""Where a file gives each number of a drive: section of the joint, key."""
INERTIA_KEYS = (
    "mass",
    *("centre." + axis for axis in "xyz"),
    *("inertia." + axes for axes in ("xx", "yy", "zz", "xy", "xz", "yz")),
)
assert len(INERTIA_KEYS) == INERTIA_SIZE


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """Where one number of the file lives, and the formula it follows, if any."""

    index: int
    formula: str | None


_Keys = Mapping[str, tuple[str, int]]
"""Of one kind of owner: key to part of the live block and place within the owner's own share."""


class NumberSlots:
    """Slots by owner and key, found from the layout.

    A joint has some thirty numbers: an object for each would be most of a large model.
    """

    def __init__(self, model: Model) -> None:
        self._blocks: Blocks = model.blocks
        self._joints = {joint.name: joint for joint in model.joints}
        self._base = model.link_names[0]
        self._frames = {frame.name: frame for frame in model.frames}
        self._couplings = {one.name: one for one in model.couplings if one.kind != "follows"}
        self._closures = {model.joints[loop.joint].name: loop.placement for loop in model.loops}
        self._labels = model.formulas
        self._latest: tuple[str, _Keys] = ("", {})
        """The owner that was asked for last: most often all its numbers are."""

    def get(self, owner: str, key: str) -> NumberSlot | None:
        """The slot of a number; None where the owner has none of that key."""
        found = self._keys(owner).get(key)
        if found is None:
            return None
        part, place = found
        index = self._first(owner, part) + place
        return NumberSlot(index, self._formulas.get(index))

    def keys(self, owner: str) -> list[str]:
        """The keys of an owner's numbers; none where there is no such owner."""
        return list(self._keys(owner))

    def owners(self) -> list[str]:
        """Joints, frames, couplings and the base."""
        return [*self._joints, *self._frames, *self._couplings, self._base]

    @cached_property
    def _formulas(self) -> dict[int, str]:
        targets = self._blocks.int_part("formula_target").tolist()
        return {index: text for index, (_, text) in zip(targets, self._labels, strict=True)}

    def _keys(self, owner: str) -> _Keys:
        known, keys = self._latest
        if known != owner:
            keys = self._find_keys(owner)
            self._latest = (owner, keys)
        return keys

    def _find_keys(self, owner: str) -> _Keys:
        kinds = self._blocks.int_part("placement_kind")
        joint = self._joints.get(owner)
        if joint is not None:
            closure = self._closures.get(owner)
            closes = -1 if closure is None else int(kinds[closure])
            return _keys_of_joint(joint.type, int(kinds[joint.placement]), closes)
        frame = self._frames.get(owner)
        if frame is not None:
            return _keys_of_frame(int(kinds[frame.placement]))
        coupling = self._couplings.get(owner)
        if coupling is not None:
            return self._keys_of_coupling(coupling)
        return _keys_of_base() if owner == self._base else {}

    def _keys_of_coupling(self, coupling: ModelCoupling) -> _Keys:
        number = coupling.loop - self._blocks.counts.cut
        first = int(self._blocks.int_part("term_start")[number])
        found = {f"ratio.{k}": ("ratio", first + k) for k in range(len(coupling.joints))}
        found["offset"] = ("offset", number)
        knots = self._blocks.int_part("knot_start")[number : number + 2].tolist()
        for n, knot in enumerate(range(*knots)):
            found |= {f"profile.{n}.{k}": ("knots", 2 * knot + k) for k in (0, 1)}
        return found

    def _first(self, owner: str, part: str) -> int:
        """The first of an owner's numbers in a part."""
        if part == "closes":
            return self._blocks.offset("placements") + 6 * self._closures[owner]
        first = self._blocks.offset(part)
        if owner == self._base or owner in self._couplings:
            return first
        joint = self._joints.get(owner)
        if joint is None:
            return first + 6 * self._frames[owner].placement
        if part in ("placements", "pitch"):
            return first + (6 if part == "placements" else 1) * joint.placement
        if part == "inertia":
            return first + INERTIA_SIZE * joint.child
        return first + int((joint.q if part == "start" else joint.v).start)


@cache
def _keys_of_joint(kind: JointType, placement: int, closes: int) -> _Keys:
    """Keys in the order of the live block; ``closes`` is -1 for a joint that carries a link."""
    found = dict(_keys_of_frame(placement))
    if closes >= 0:
        inner = PLACEMENT_KEYS[PlacementKind(closes)]
        found |= {f"closes.{key}": ("closes", i) for i, key in enumerate(inner)}
    if kind.info.has_pitch:
        found["pitch"] = ("pitch", 0)  # wins over the angle of a placement, which rpy.1 names
    variables = [name for name, _ in kind.info.variables]
    suffixes = [f".{name}" if len(variables) > 1 else "" for name in variables]
    for part in ("lower", "upper", "speed", "effort"):
        found |= {part + suffix: (part, k) for k, suffix in enumerate(suffixes)}
    nq = kind.info.nq
    found |= {f"start.{i}" if nq > 1 else "start": ("start", i) for i in range(nq)}
    if closes < 0:
        found |= {key: ("inertia", i) for i, key in enumerate(INERTIA_KEYS)}
    for part in DRIVE_PARTS:
        section, key = DRIVE_SOURCES[part]
        found |= {f"{section}.{key}{suffix}": (part, k) for k, suffix in enumerate(suffixes)}
    return found


@cache
def _keys_of_frame(placement: int) -> _Keys:
    keys = PLACEMENT_KEYS[PlacementKind(placement)]
    return {key: ("placements", i) for i, key in enumerate(keys)}


@cache
def _keys_of_base() -> _Keys:
    return {key: ("inertia", i) for i, key in enumerate(INERTIA_KEYS)} | {
        f"gravity.{axis}": ("gravity", i) for i, axis in enumerate("xyz")
    }
