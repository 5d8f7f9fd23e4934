"""Live frames: how a running simulation stands, packed; ``web/src/wire/live-frame.ts`` reads them.

The body, little endian: six uint32 (nq, nv, hands, objects, joints, flags), then float64: the
``FACTS``, q, efforts, saturations, per hand ``HAND`` numbers, per object its pose (wxyz xyz), per
joint its reaction (force and moment in world axes). Joints are 0 where reactions are not told.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels import Floats
from kinegen.studio.wire.codec import WireError

__all__ = ["FACTS", "HAND", "LiveFrame", "pack_live", "unpack_live"]

FACTS = (
    "time", "pace", "kinetic", "potential", "work", "drift", "scale", "gap", "angle_gap",
    "velocity_gap", "widest_gap", "contacts", "clearance", "near_link", "near_object", "least",
    "least_object",
)  # fmt: skip
"""Time [s]; simulated per real second; energies [J]; largest change of the balance so far and the
energy that it is compared with [J]; loops now [m, rad, m/s] and widest so far [m]; distance to the
nearest object [m] (inf: nothing is near; negative: depth), whose link and which object (-1: none),
and the least so far."""
HAND = 13
"""Its number, force on the mechanism (3) [N], where it holds (3) [m], stiffness [N/m], damping
[N s/m], depth [m], moment on the mechanism (3) [N m]."""
_COUNTS = struct.Struct("<6I")


@dataclass(slots=True, eq=False)
class LiveFrame:
    """How a simulation stands, in the page's order of joints."""

    facts: dict[str, float]
    q: Floats
    efforts: Floats
    """Of the motors, (nv,) [N m, N]."""
    saturated: Floats
    """1 where a motor is at its limit, (nv,)."""
    hands: Floats = field(default_factory=lambda: np.zeros((0, HAND)))
    objects: Floats = field(default_factory=lambda: np.zeros((0, 7)))
    reactions: Floats = field(default_factory=lambda: np.zeros((0, 6)))
    flags: int = 0
    """1: a hand leads a motion that is followed."""


def pack_live(frame: LiveFrame) -> bytes:
    """The body of a frame."""
    counts = (
        len(frame.q), len(frame.efforts), len(frame.hands), len(frame.objects),
        len(frame.reactions), frame.flags,
    )  # fmt: skip
    facts = np.array([frame.facts[name] for name in FACTS])
    parts = (
        facts, frame.q, frame.efforts, frame.saturated, frame.hands, frame.objects,
        frame.reactions,
    )  # fmt: skip
    numbers = np.concatenate([np.asarray(part, dtype="<f8").ravel() for part in parts])
    return _COUNTS.pack(*counts) + numbers.tobytes()


def unpack_live(body: bytes) -> LiveFrame:
    """The frame of a body; WireError when it is none."""
    if len(body) < _COUNTS.size:
        raise WireError(f"a live frame has at least {_COUNTS.size} bytes, got {len(body)}")
    nq, nv, hands, objects, joints, flags = _COUNTS.unpack_from(body)
    sizes = (len(FACTS), nq, nv, nv, HAND * hands, 7 * objects, 6 * joints)
    if len(body) != _COUNTS.size + 8 * sum(sizes):
        raise WireError(f"a live frame of these counts has other than {len(body)} bytes")
    numbers = np.frombuffer(body, dtype="<f8", offset=_COUNTS.size).astype(np.float64)
    facts, q, efforts, saturated, rows, poses, reactions = np.split(numbers, np.cumsum(sizes)[:-1])
    return LiveFrame(
        dict(zip(FACTS, facts.tolist(), strict=True)), q, efforts, saturated,
        rows.reshape(-1, HAND), poses.reshape(-1, 7), reactions.reshape(-1, 6), flags,
    )  # fmt: skip
