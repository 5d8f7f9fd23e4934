"""Table of geometric parameters of a SYMORO file: frames, antecedents, joint variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kinegen.formats.mechanisms.par_text import GEOMETRY, Item, ParText, formula_of
from kinegen.formats.mechanisms.symbols import ZERO, constant_part
from kinegen.formats.problems import Notes
from kinegen.joint_types import JointType
from kinegen.raff.formulas.formula import Formula

__all__ = ["SIX", "Counts", "ParFrame", "geometry_symbols", "read_counts", "read_frames"]

SIX = ("gamma", "b", "alpha", "d", "theta", "r")
_TYPES = {0: JointType.REVOLUTE, 1: JointType.PRISMATIC, 2: JointType.FIXED}


@dataclass(slots=True)
class ParFrame:
    """One column of the table of geometric parameters."""

    number: int
    ant: int
    type: JointType
    has_motor: bool
    six: dict[str, Formula]
    variable: str | None = None

    @property
    def is_identity(self) -> bool:
        """Whether it lies exactly on its antecedent."""
        return all(number.value == 0 for number in self.six.values())


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each thing a file has."""

    links: int
    """NL"""
    joints: int
    """NJ, with the cut ones"""
    is_mobile: bool
    """Whether its base floats."""

    @property
    def loops(self) -> int:
        """Number of loops, each with one cut joint."""
        return self.joints - self.links

    @property
    def frames(self) -> int:
        """NF: joints, and where the cut ones land."""
        return self.joints + self.loops


def read_counts(par: ParText, notes: Notes) -> Counts:
    """The sizes of a file; what is wrong with them goes to the notes."""

    def integer(key: str, otherwise: int | None) -> int:
        item = par.counts.get(key)
        if item is None:
            if otherwise is None:
                notes.add(0, f"'{key.upper()} = …' is missing")
            return otherwise or 0
        if not item.text.isdigit() or len(item.text) > 6:
            notes.add(item.offset, f"{key.upper()} must be a whole number, not '{item.text}'")
            return 0
        return int(item.text)

    links = integer("nl", None)
    joints = integer("nj", links)
    frames = integer("nf", 2 * joints - links)
    if not notes.problems:
        if links < 1:
            notes.add(par.counts["nl"].offset, "NL must be at least 1")
        elif joints < links:
            notes.add(par.counts["nj"].offset, f"NJ = {joints} cannot be less than NL = {links}")
        elif frames != 2 * joints - links:
            notes.add(
                par.counts["nf"].offset,
                f"NF must be NL + 2 (NJ - NL) = {2 * joints - links}: two frames for each of the "
                f"{joints - links} loops, not {frames}",
            )
    mobile = par.counts.get("is_mobile", Item("0", 0)).text.lower() in ("1", "true")
    return Counts(links, joints, mobile)


def read_frames(
    par: ParText, counts: Counts, notes: Notes, values: Mapping[str, Formula]
) -> list[ParFrame]:
    """All frames, joint variables removed from their numbers.

    Args:
        par: The file.
        counts: Its sizes.
        notes: Collects problems; the frames are only good if there are none.
        values: Numbers for symbols.
    """
    for key in ("ant", "sigma", "theta", "r", "alpha", "d"):
        if key not in par.lists:
            notes.add(0, f"the list '{key}' is missing")
    for key in GEOMETRY:
        given = par.lists.get(key)
        if given is not None and len(given) != counts.frames:
            notes.add(
                par.places[key],
                f"'{key}' has {len(given)} entries; NF = {counts.frames} frames need "
                f"{counts.frames}",
            )
    if notes.problems:
        return []
    frames: list[ParFrame] = []
    for index in range(counts.frames):
        number = index + 1
        sigma = _small(par, "sigma", index, 0, range(3), notes)
        kind = _TYPES[sigma]
        if number > counts.joints and kind.info.moves:
            notes.add(
                par.lists["sigma"][index].offset,
                f"frame {number} is the closing frame of cut joint {number - counts.loops}; its "
                f"sigma must be 2, not {sigma}",
            )
        six = {
            key: formula_of(par.lists[key][index], f"{key} of frame {number}", notes)
            if key in par.lists
            else ZERO
            for key in SIX
        }
        ant = _small(par, "ant", index, index, range(counts.frames + 1), notes)
        motor = _small(par, "mu", index, int(number <= counts.links), range(2), notes) == 1
        frames.append(ParFrame(number, ant, kind, motor, six))
    if not notes.problems:
        for frame in frames[: counts.joints]:
            _take_variable(frame, frames, par, notes, values)
        _check_ancestry(frames, par, notes)
    return frames


def _small(par: ParText, key: str, index: int, otherwise: int, allowed: range, notes: Notes) -> int:
    """A whole number of a list."""
    if key not in par.lists:
        return otherwise
    item = par.lists[key][index]
    text = item.text.removesuffix(".0")
    if not text.isdigit() or len(text) > 6 or int(text) not in allowed:
        notes.add(
            item.offset,
            f"{key} of frame {index + 1} must be {allowed[0]} to {allowed[-1]}, not '{item.text}'",
        )
        return otherwise if otherwise in allowed else allowed[0]
    return int(text)


def _take_variable(
    frame: ParFrame,
    frames: list[ParFrame],
    par: ParText,
    notes: Notes,
    values: Mapping[str, Formula],
) -> None:
    """Take the joint's variable out of theta or r: the symbol that stands nowhere else."""
    key = next((name for name, _ in frame.type.info.variables), None)
    if key is None or not frame.six[key].names:
        return
    formula = frame.six[key]
    elsewhere: set[str] = set()
    for other in frames:
        for name, number in other.six.items():
            if other is not frame or name != key:
                elsewhere |= number.names
    own = sorted(formula.names - elsewhere)
    if len(own) > 1:
        own = [name for name in own if name not in values] or own
    if len(own) > 1:
        own = [name for name in own if name.endswith(str(frame.number))] or own
    place = par.lists[key][frame.number - 1].offset
    what = f"{key} of frame {frame.number}"
    if len(own) > 1:
        listed = ", ".join(own)
        notes.add(place, f"{what}: which of {listed} is the variable? Give numbers for the others")
        return
    if not own:
        if formula.names <= set(values):
            return
        shared = ", ".join(sorted(formula.names))
        notes.add(
            place,
            f"{what}: '{formula.text}' uses {shared}, which other frames use too; a joint needs "
            "its own variable (or use a number for it)",
        )
        return
    rest = constant_part(formula, own[0])
    if rest is None:
        notes.add(
            place,
            f"{what}: '{formula.text}' must be the variable {own[0]} plus a constant: joints turn "
            "about and slide along +z",
        )
        return
    frame.variable, frame.six[key] = own[0], rest


def _check_ancestry(frames: list[ParFrame], par: ParText, notes: Notes) -> None:
    """Every chain of antecedents must end at the base."""
    for frame in frames:
        seen, at = {frame.number}, frame.ant
        while at:
            if at in seen:
                place = par.lists["ant"][frame.number - 1].offset if "ant" in par.lists else 0
                notes.add(place, f"ant of frame {frame.number}: its antecedents form a cycle")
                return
            seen.add(at)
            at = frames[at - 1].ant


def geometry_symbols(frames: Iterable[ParFrame]) -> list[str]:
    """Symbols of the geometry, in reading order, without the joints' variables."""
    found: list[str] = []
    for frame in frames:
        for key in SIX:
            number = frame.six[key]
            found += sorted(number.names - set(found), key=number.text.find)
    return found
