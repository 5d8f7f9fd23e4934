"""Import of SYMORO ``.par`` files: Khalil-Kleinfinger parameters, cut joints as extra frames.

Frames 1..NL are joints that carry a link. Frames NL+1..NJ are the cut joints of the loops: each
sits on one link and moves with its variable. Frames NJ+1..NF, in the same order, are where those
joints must land on the other link. (W. Khalil, J.-F. Kleinfinger, "A new geometric notation for
open and closed-loop robots", ICRA 1986, 1174-1180.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath

import numpy as np

from kinegen.formats.format import Format
from kinegen.formats.mechanisms.denavit_hartenberg import mechanism_name
from kinegen.formats.mechanisms.par_frames import (
    SIX,
    Counts,
    ParFrame,
    geometry_symbols,
    read_counts,
    read_frames,
)
from kinegen.formats.mechanisms.par_inertia import add_dynamics
from kinegen.formats.mechanisms.par_text import (
    GEOMETRY,
    ParText,
    formula_of,
    is_par_text,
    read_par_text,
)
from kinegen.formats.mechanisms.symbols import ZERO, readable_angle
from kinegen.formats.mechanisms.values import check_values
from kinegen.formats.problems import Notes
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Closure,
    Frame,
    Joint,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["FORMAT", "read_symoro"]

_ANGLES = ("gamma", "alpha", "theta")
BODY = "body"
"""Link of the floating base of a mobile robot."""
MOUNT = "mount"
"""Link fixed to the ground where the file's frame 0 is."""


def read_symoro(
    text: str,
    *,
    file: str = "robot.par",
    values: Mapping[str, Formula] | None = None,
    name: str | None = None,
) -> Mechanism:
    """The mechanism of a SYMORO file.

    Symbols become parameters; those of joint variables (``th1``) vanish, and a number given for
    one becomes the joint's start. Masses, inertias, friction and gravity are taken over where all
    their numbers are known; SYMORO's inertias are about the link's origin, RAFF's about its centre
    of mass.

    Args:
        text: The file's text.
        file: For error messages.
        values: Numbers for the symbols.
        name: Of the mechanism; by default the file's Robotname.

    Raises:
        FormatError: The file cannot be read, or symbols have no number; all problems at once.
    """
    values = values or {}
    notes = Notes(text, file)
    par = read_par_text(text, notes)
    counts = read_counts(par, notes)
    notes.raise_if_any()
    frames = read_frames(par, counts, notes, values)
    notes.raise_if_any()
    needed = geometry_symbols(frames)
    variables = {frame.variable for frame in frames if frame.variable}
    check_values(needed, values, variables | _dynamic_symbols(par, notes), file)
    robot = name or mechanism_name(par.robot or file)
    mechanism = Mechanism(robot, source=f"SYMORO file {PurePath(file).name}.")
    for symbol in needed:
        mechanism.parameters[symbol] = Parameter(symbol, values[symbol])
    ground = _add_mount(mechanism, par, values, notes)
    builder = _Builder(mechanism, frames, counts, values, ground)
    builder.build()
    add_dynamics(mechanism, par, builder.names, values, notes)
    notes.raise_if_any()
    return mechanism


def _read(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    FORMAT.check_options(options)
    return read_symoro(text, file=file, values=values, **options)


FORMAT = Format(
    "symoro",
    "SYMORO robot file (Khalil-Kleinfinger parameters)",
    (".par",),
    _read,
    options={"name": "name of the mechanism; default: the file's Robotname"},
    recognises=is_par_text,
)


def _dynamic_symbols(par: ParText, notes: Notes) -> set[str]:
    """Symbols outside the geometry; a number for them is welcome but not needed."""
    symbols: set[str] = set()
    silent = Notes("", notes.file)
    for key, items in par.lists.items():
        if key not in GEOMETRY:
            for item in items:
                symbols |= formula_of(item, key, silent).names
    return symbols


def _add_mount(
    mechanism: Mechanism, par: ParText, values: Mapping[str, Formula], notes: Notes
) -> str:
    """The link that frame 0 is: the base, or a fixed link where Z places frame 0 elsewhere."""
    items = par.lists.get("z", [])
    if not items:
        return BASE
    if len(items) != 16:
        notes.add(par.places["z"], f"Z has {len(items)} entries; a transformation has 16")
        return BASE
    numbers: list[float] = []
    for index, item in enumerate(items):
        formula = formula_of(item, f"Z, entry {index + 1}", notes)
        missing = sorted(formula.names - set(values))
        if missing:
            notes.add(item.offset, f"Z: symbol '{missing[0]}' has no number")
        else:
            numbers.append(formula.evaluate({n: f.evaluate({}) for n, f in values.items()}))
    if len(numbers) != 16:
        return BASE
    X = np.array(numbers).reshape(4, 4)
    R = X[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.abs(X[3] - (0, 0, 0, 1)).max() > 1e-9:
        notes.add(par.places["z"], "Z is not a rotation with a position, row by row")
        return BASE
    if np.abs(X - np.eye(4)).max() < 1e-12:
        return BASE
    roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[2, 1], R[2, 2]))
    if math.hypot(R[2, 1], R[2, 2]) < 1e-9:
        # Looking straight up or down, roll and yaw turn about the same axis: yaw does all.
        roll, yaw = 0.0, math.atan2(-R[0, 1], R[1, 1])
    x, y, z = (Formula.constant(float(p)) for p in X[:3, 3])
    turns = [readable_angle(Formula.constant(angle)) for angle in (roll, pitch, yaw)]
    placement = Placement(PlacementKind.POSE, (x, y, z, turns[0], turns[1], turns[2]))
    mechanism.joints[MOUNT] = Joint(MOUNT, JointType.FIXED, BASE, placement)
    return MOUNT


class _Builder:
    """Turns frames into joints."""

    def __init__(
        self,
        mechanism: Mechanism,
        frames: list[ParFrame],
        counts: Counts,
        values: Mapping[str, Formula],
        ground: str,
    ) -> None:
        self.mechanism, self.frames, self.counts, self.values = mechanism, frames, counts, values
        self.ground = ground
        self.names: list[str] = []
        """Link of every entry of the dynamic lists."""

    def build(self) -> None:
        """Tree joints first, then the cut ones."""
        if self.counts.is_mobile:
            self._add(Joint(BODY, JointType.FREE, self.ground, _placement({})))
            self.names.append(BODY)
        for frame in self.frames[: self.counts.links]:
            link, six = self._resolved(frame)
            self._add(self._joint(frame, link, six))
            self.names.append(f"j{frame.number}")
        for frame in self.frames[self.counts.links : self.counts.joints]:
            link, six = self._resolved(frame)
            joint = self._joint(frame, link, six)
            landing = self.frames[frame.number + self.counts.loops - 1]
            onto, where = self._resolved(landing)
            joint.closes = Closure(onto, _placement(where))
            self._add(joint)
        in_a_row = all(frame.ant == frame.number - 1 for frame in self.frames)
        if in_a_row and self.counts.loops == 0:
            last = f"j{self.counts.links}"
            self.mechanism.frames["tool"] = Frame("tool", last, _placement({}))

    def _add(self, joint: Joint) -> None:
        self.mechanism.joints[joint.name] = joint

    def _joint(self, frame: ParFrame, link: str, six: Mapping[str, Formula]) -> Joint:
        joint = Joint(f"j{frame.number}", frame.type, link, _placement(six))
        if frame.has_motor and frame.type.info.moves:
            joint.motors = ({},)
        if frame.variable is not None and frame.variable in self.values:
            joint.start = (self.values[frame.variable],)
        return joint

    def _resolved(self, frame: ParFrame) -> tuple[str, dict[str, Formula]]:
        """The link a frame sits on, and where: antecedents that are no links are stepped over."""
        six = frame.six
        at = frame.ant
        while at > self.counts.links:
            # A cut joint and the frame where it lands are the same place once the loop is closed.
            under = self.frames[at - 1 if at > self.counts.joints else at + self.counts.loops - 1]
            if under.is_identity:
                pass
            elif all(number.value == 0 for number in six.values()) and frame.variable is None:
                six = under.six
            else:
                return self._carrier(under), six
            at = under.ant
        return self._link(at), six

    def _link(self, number: int) -> str:
        if number == 0:
            return BODY if self.counts.is_mobile else self.ground
        return f"j{number}"

    def _carrier(self, frame: ParFrame) -> str:
        """A fixed link at a frame that others sit on."""
        name = f"f{frame.number}"
        if name not in self.mechanism.joints:
            link, six = self._resolved(frame)
            self._add(Joint(name, JointType.FIXED, link, _placement(six)))
        return name


def _placement(six: Mapping[str, Formula]) -> Placement:
    gamma, b, alpha, d, theta, r = (
        readable_angle(six.get(key, ZERO)) if key in _ANGLES else six.get(key, ZERO) for key in SIX
    )
    return Placement(PlacementKind.KLEINFINGER, (gamma, b, alpha, d, theta, r))
