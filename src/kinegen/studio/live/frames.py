"""Live frames: the state of a running simulation, packed. ``make tables`` writes the page's reader.

The body, little endian: uint32, namely the counts in the order in which the parts of ``LiveFrame``
name them, then the flags; then float64, namely the facts, then the parts in their order.
"""

from __future__ import annotations

import struct
import typing
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.records import flat, parts, size_of
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.message import Vec3

__all__ = [
    "COUNTS",
    "PARTS",
    "LiveFacts",
    "LiveFrame",
    "LiveHand",
    "LiveTip",
    "Rows",
    "pack_live",
    "unpack_live",
]


@dataclass(frozen=True, slots=True)
class Rows:
    """A part of a frame: so many rows of numbers."""

    count: str
    """The name of their number; parts of the same name have equally many."""
    width: int | type = 1
    """Numbers of a row, or the record that a row is."""
    finite: bool = False
    """Whether a frame with other than finite numbers is refused."""

    @property
    def size(self) -> int:
        """Numbers of a row."""
        return self.width if isinstance(self.width, int) else size_of(self.width)


class LiveFacts(NamedTuple):
    """Single numbers about a running simulation."""

    time: float
    """[s]"""
    pace: float
    """Simulated seconds per second, recently."""
    kinetic: float
    """Kinetic energy [J]."""
    potential: float
    """Energy of gravity and springs [J]."""
    work: float
    """Work done from outside, minus losses [J]."""
    drift: float
    """Largest change of kinetic + potential - work so far [J]."""
    scale: float
    """The energy that the drift is compared with [J]."""
    gap: float
    """Opening of the loops now [m]."""
    angle_gap: float
    """The same for angles [rad]."""
    velocity_gap: float
    """The same for velocities [m/s]."""
    widest_gap: float
    """Widest opening so far [m]."""
    contacts: float
    """Number of contacts."""
    clearance: float
    """Distance to the nearest object [m]: infinite where nothing is near, negative in a hit."""
    near_link: float
    """The link that is nearest to an object, -1 for none."""
    near_object: float
    """The object that is nearest, -1 for none."""
    least: float
    """Least distance so far [m]."""
    least_object: float
    """The object that was nearest then."""
    recorded_from: float
    """The earliest time of a world that can be gone to [s]."""
    recorded: float
    """The latest [s]; not later than the earliest where none is kept."""


class LiveHand(NamedTuple):
    """A hand on a running simulation."""

    hand: float
    """The page's number for it."""
    force: Vec3
    """On the mechanism [N]."""
    place: Vec3
    """Where it holds [m]."""
    stiffness: float
    """[N/m]"""
    damping: float
    """[N s/m]"""
    depth: float
    """Depth of a push [m]."""
    moment: Vec3
    """On the mechanism [N m], of a hand that holds the whole pose."""
    client: float
    """Number of the page that the hand belongs to; 0: the file itself."""
    target: Vec3
    """Where the hand, or the tip of a push, is [m]."""


class LiveTip(NamedTuple):
    """The tip of a force device on a running simulation."""

    place: Vec3
    """Where the hand is [m]; NaN: it has not sent anything yet."""
    held: Vec3
    """The point that it holds or presses on [m]; NaN: none."""
    force: Vec3
    """On the hand [N]."""
    firm: float
    """Factor on the stiffness because of a singular pose nearby."""
    is_push: float
    """1 where it pushes, 0 where it pulls."""


@dataclass(slots=True, eq=False)
class LiveFrame:
    """The state of a running simulation, in the page's order of joints."""

    facts: LiveFacts
    q: Annotated[Floats, Rows("nq", finite=True)]
    """Configuration."""
    efforts: Annotated[Floats, Rows("nv")]
    """Efforts of the motors, per v [N m, N]."""
    saturated: Annotated[Floats, Rows("nv")]
    """1 where a motor is at its limit, per v."""
    hands: Annotated[list[LiveHand], Rows("hands", LiveHand)] = field(default_factory=list)
    """The hands that hold or press."""
    objects: Annotated[Floats, Rows("objects", 7)] = field(default_factory=lambda: np.zeros((0, 7)))
    """Poses of the objects that move by themselves: wxyz xyz each."""
    reactions: Annotated[Floats, Rows("joints", 6)] = field(
        default_factory=lambda: np.zeros((0, 6))
    )
    """Force and moment of each joint in world axes; empty where this frame does not have them."""
    transmitted: Annotated[Floats, Rows("couplings")] = field(default_factory=lambda: np.zeros(0))
    """Effort of each coupling on its first member [N m, N]; empty where reactions are."""
    signals: Annotated[Floats, Rows("signals")] = field(default_factory=lambda: np.zeros(0))
    """Numbers of all signals of a world, in the order of its table."""
    rays: Annotated[Floats, Rows("rays", 9)] = field(default_factory=lambda: np.zeros((0, 9)))
    """Rays of a world's sensors: start, end [m], share of the range; 1 where it is overridden; the
    number of the sensor."""
    touches: Annotated[Floats, Rows("touches", 6)] = field(default_factory=lambda: np.zeros((0, 6)))
    """Where bodies press on each other, and with which force on one of them [m, N]."""
    is_led: bool = False
    """Whether a hand leads a motion that is followed; bit 0 of the flags."""
    tips: Annotated[list[LiveTip], Rows("tips", LiveTip)] = field(default_factory=list)
    """The tips of force devices, in the order of the simulation's devices."""


PARTS: dict[str, Rows] = {
    name: hint.__metadata__[0]
    for name, hint in typing.get_type_hints(LiveFrame, include_extras=True).items()
    if typing.get_origin(hint) is Annotated
}
"""The parts behind the facts, by field."""
COUNTS = tuple(dict.fromkeys(part.count for part in PARTS.values()))
"""Names of the counts, in their order."""
_WORDS = struct.Struct(f"<{len(COUNTS) + 1}I{(len(COUNTS) + 1) % 2 * 4}x")
WORDS_SIZE = _WORDS.size
"""Bytes of counts and flags, a multiple of eight: the numbers behind them are read in place."""


def pack_live(frame: LiveFrame) -> bytes:
    """The body of a frame."""
    counts: dict[str, int] = {}
    numbers = [np.array(frame.facts)]
    for name, part in PARTS.items():
        rows = getattr(frame, name)
        counts[part.count] = len(rows)
        if isinstance(part.width, type):
            rows = [flat(row) for row in rows]
        numbers.append(np.asarray(rows, dtype="<f8").ravel())
    words = _WORDS.pack(*(counts[name] for name in COUNTS), int(frame.is_led))
    return words + np.concatenate(numbers, dtype="<f8").tobytes()


def unpack_live(body: bytes) -> LiveFrame:
    """The frame of a body; WireError when it is none."""
    if len(body) < _WORDS.size:
        raise WireError(f"a live frame has at least {_WORDS.size} bytes, got {len(body)}")
    *words, flags = _WORDS.unpack_from(body)
    counts = dict(zip(COUNTS, words, strict=True))
    sizes = [size_of(LiveFacts), *(counts[one.count] * one.size for one in PARTS.values())]
    if len(body) != _WORDS.size + 8 * sum(sizes):
        raise WireError(f"a live frame of these counts has other than {len(body)} bytes")
    numbers = np.frombuffer(body, dtype="<f8", offset=_WORDS.size).astype(np.float64)
    at = sizes[0]
    facts, found = LiveFacts(*numbers[:at].tolist()), {}
    for (name, part), size in zip(PARTS.items(), sizes[1:], strict=True):
        found[name] = _rows(part, numbers[at : at + size])
        at += size
    return LiveFrame(facts, **found, is_led=bool(flags & 1))


def _rows(part: Rows, numbers: Floats) -> Any:
    if isinstance(part.width, int):
        return numbers if part.width == 1 else numbers.reshape(-1, part.width)
    return [_record(part.width, row) for row in numbers.reshape(-1, part.size).tolist()]


def _record(record: type, row: list[float]) -> Any:
    found = (row[part] for part in parts(record))
    return record(*(tuple(value) if isinstance(value, list) else value for value in found))
