"""A touched point as the protocol has it, on the NumPy kernels."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.haptic import HapticSettings
from kinegen.kernels.reference.haptic.point import TouchedPoint, hear, tick

__all__ = ["HapticPoint"]


class HapticPoint:
    """One touched point, stepped by the caller; see the protocol."""

    def __init__(self, settings: Floats) -> None:
        numbers = np.asarray(settings, dtype=float).tolist()
        self._point = TouchedPoint(HapticSettings(*numbers).checked())

    def hear(self, sequence: int, now: float, echo: float, reported: Floats, /) -> int:
        return hear(self._point, sequence, now, echo, reported)

    def tick(
        self,
        now: float,
        x: Floats,
        turn: Floats | None,
        v: Floats,
        is_faulty: bool,
        is_measured: bool = True,
        /,
    ) -> Floats:
        h = self._point
        tick(h, now, x, turn, v, is_faulty=is_faulty, is_measured=is_measured)
        return h.force[: 3 if turn is None else 6].copy()

    def state(self) -> tuple[Floats, float, float, float, float]:
        h = self._point
        place = np.concatenate([h.p, h.turn, h.u])
        return place, h.strength, h.ledger.total, h.removed, h.delay

    def counts(self) -> tuple[int, int, int, int, int, int]:
        h = self._point
        return h.ticks, h.fresh, h.reused, h.old, h.bad, h.limited

    def refusals(self) -> tuple[int, int, int, int, int]:
        h = self._point
        return h.wrong, int(h.wrong_field), h.gated, int(h.gate_reason), h.jumps

    def energies(self) -> tuple[float, float, float, float]:
        account = self._point.ledger
        return account.total, account.balance, account.kept, account.got
