"""One end of a UDP conversation: who the other one is, the proof of it, and what is believed.

The first sender of a sensible packet is the peer until it has been silent for long. With a key
every packet ends with the sender's number of this session, the receiver's as the sender knows it,
and a tag over all that comes before. A packet counts only when it holds our own number: it was made
after we chose it, so it is no replay. native/haptic/session.hpp is the same.
"""

from __future__ import annotations

import hmac
import secrets
import struct
from collections import Counter
from collections.abc import Hashable, Sequence

from kinegen.devices.packets import (
    HEADER_BYTES,
    MAGIC,
    MAGIC_SEALED,
    Packet,
    PacketKind,
    pack,
    unpack_any,
    wrong_numbers,
)
from kinegen.kernels import HapticSequence, Heard, WrongField

__all__ = ["PIN_TIME", "SILENCE", "Session"]

SILENCE = 0.25
"""Time without news [s] after which the other side counts as gone."""
PIN_TIME = 1.0
"""Silence [s] after which another sender may become the peer, and a session ends."""
_NUMBERS = struct.Struct("<QQ")
TAG_BYTES = 16
TAIL_BYTES = _NUMBERS.size + TAG_BYTES


class Session:
    """Opens and seals packets."""

    def __init__(
        self, *kinds: PacketKind, key: bytes = b"", peer: Hashable = None, silence: float = SILENCE
    ) -> None:
        """Set up.

        Args:
            kinds: Packets that are heard.
            key: What both ends know; empty: packets are believed as they are.
            peer: Where the other side is; None: the first sender.
            silence: Time without news after which sequence numbers may begin again [s].
        """
        self.kinds, self.key, self.silence = kinds, key, silence
        self.peer: Hashable = peer
        """Where packets go; None: nobody has spoken."""
        self._fixed = peer is not None
        self._is_met = False
        self._ours, self._theirs, self._sequence = _new_number(), 0, 0
        self._sent = 0
        self._order = HapticSequence()
        self.last: Packet | None = None
        """The newest good packet."""
        self.last_at = -1e9
        """When it came [s]."""
        self._proven_at = -1e9
        self.is_restart = False
        """Whether it does not continue those before."""
        self.counts: Counter[Heard] = Counter()
        """What became of the packets so far."""
        self.wrong_field = WrongField.FINE
        """Which numbers were out of their bounds the last time."""

    def open(self, data: bytes, sender: Hashable, now: float) -> Packet | None:
        """A packet, if it is new and can be believed."""
        heard, packet = self.examine(data, sender, now)
        if heard is Heard.NEW and packet is not None:
            heard = self._judge(packet, now)
        self.counts[heard] += 1
        if heard is not Heard.NEW or packet is None:
            return None
        self.peer, self._is_met = sender, True
        self.last, self.last_at, self._proven_at = packet, now, now
        return packet

    def watch(self, now: float) -> None:
        """Once per step: a peer that fell silent has to introduce itself again."""
        if self._is_met and now - self._proven_at > PIN_TIME:
            self._is_met = False
            self._ours, self._theirs = _new_number(), 0
            if not self._fixed:
                self.peer = None

    def seal(self, kind: PacketKind, time: float, numbers: Sequence[float]) -> bytes:
        """The bytes of the next packet."""
        self._sent += 1
        echo = self.last.time if self.last else 0.0
        data = pack(kind, self._sent, time, echo, numbers, is_sealed=bool(self.key))
        if not self.key:
            return data
        data += _NUMBERS.pack(self._ours, self._theirs)
        return data + self._tag(data)

    def examine(self, data: bytes, sender: Hashable, now: float) -> tuple[Heard, Packet | None]:
        """What bytes are, before anybody looks at the meaning of their numbers."""
        tail = TAIL_BYTES if self.key else 0
        if len(data) < HEADER_BYTES:
            return Heard.BAD, None
        if data[:4] != (MAGIC_SEALED if self.key else MAGIC):
            is_other = data[:4] in {MAGIC, MAGIC_SEALED}
            return (Heard.UNPROVEN if is_other else Heard.BAD), None
        packet, is_finite = unpack_any(data[: len(data) - tail] if tail else data)
        if packet is None:
            return Heard.BAD, None
        # before the work of a proof
        if (self._is_met or self._fixed) and sender != self.peer:
            return Heard.STRANGER, None
        if self.key:
            heard = self._prove(data, sender, now, packet)
            if heard is not Heard.NEW:
                return heard, None
        return (Heard.NEW, packet) if is_finite else (Heard.BAD, None)

    def _prove(self, data: bytes, sender: Hashable, now: float, packet: Packet) -> Heard:
        if not hmac.compare_digest(self._tag(data[:-TAG_BYTES]), data[-TAG_BYTES:]):
            return Heard.UNPROVEN
        theirs, ours = _NUMBERS.unpack_from(data, len(data) - TAIL_BYTES)
        if ours != self._ours or theirs == 0:
            # a greeting, or a replay: it is answered at most
            if not self._is_met and theirs != 0:
                self._theirs = theirs
                self.peer = self.peer if self._fixed else sender
            return Heard.WAITING
        if self._is_met and theirs != self._theirs:
            return Heard.WAITING
        if self._is_met and packet.sequence <= self._sequence:
            return Heard.OLD
        self._theirs, self._sequence = theirs, packet.sequence
        self.peer, self._is_met, self._proven_at = sender, True, now
        return Heard.NEW

    def _judge(self, packet: Packet, now: float) -> Heard:
        if packet.kind not in self.kinds:
            return Heard.BAD
        wrong = wrong_numbers(packet)
        if wrong is not WrongField.FINE:
            self.wrong_field = wrong
            return Heard.WRONG
        is_silent = now - self.last_at > self.silence
        is_restart = self._order.next(packet.sequence % 2**32, is_silent)
        if is_restart is None:
            return Heard.OLD
        self.is_restart = is_restart
        return Heard.NEW

    def _tag(self, data: bytes) -> bytes:
        return hmac.digest(self.key, data, "sha256")[:TAG_BYTES]


def _new_number() -> int:
    return secrets.randbits(64) or 1
