"""Heat: currents and winding temperatures of motors, and the torque that is left when they are hot.

One node per motor: the winding, heated by its current and cooled towards its surroundings. This is
the first-order model of motor data sheets, with the thermal resistances of winding and housing in
one number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import NumberError
from kinegen.kernels import Floats, ServoRow, ServoState

__all__ = ["COPPER", "Heat"]

COPPER = 0.00393
"""Growth of the resistance of copper per kelvin, at 20 °C; that of the file is at 25 °C."""
KEYS = {
    "torque_constant": math.nan,
    "resistance": math.nan,
    "thermal_resistance": math.nan,
    "heat_capacity": math.nan,
    "ambient": 25.0,
    "derate": math.nan,
    "limit": math.inf,
}
"""Keys of a motor's ``thermal`` with what they are where the file gives none."""


class Heat:
    """The windings of the motors that have ``thermal`` data; others stay cold, without current."""

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any] | None],
        gear: Floats,
        values: Mapping[str, float],
        state: Floats | None = None,
    ) -> None:
        """Read the data.

        Args:
            rows: The motor's keys of each v, None where there is none.
            gear: Motor turns per joint turn, (nv,).
            values: Of the parameters, for formulas.
            state: Where currents and temperatures are kept, by
                :class:`~kinegen.kernels.ServoState`; None: in an array of its own.
        """
        having = [row is not None and "thermal" in row for row in rows]
        self.has: npt.NDArray[np.bool_] = np.array(having, dtype=np.bool_)
        """Which motors have data, (nv,)."""
        self._has_any = bool(self.has.any())
        self._seconds, self._decay = 0.0, np.ones(len(rows))
        table = {key: np.full(len(rows), default) for key, default in KEYS.items()}
        for i in np.flatnonzero(self.has).tolist():
            row = rows[i]
            assert row is not None
            for key, formula in row["thermal"].items():
                table[key][i] = float(formula.evaluate(values))
        limit = table["limit"]
        begin = np.where(np.isnan(table["derate"]), limit, table["derate"])
        if (self.has & (begin > limit)).any():
            raise NumberError("a motor cannot begin to derate above its limit temperature")
        self._per_ampere = np.where(self.has, table["torque_constant"] * gear, np.inf)
        self._resistance = np.where(self.has, table["resistance"], 0.0)
        self._to_air = np.where(self.has, table["thermal_resistance"], 1.0)
        self._capacity = np.where(self.has, table["heat_capacity"], 1.0)
        self.ambient: Floats = table["ambient"]
        """[°C], (nv,)."""
        self._begin, self._limit = begin, limit
        self._state = np.zeros((len(ServoState), len(rows))) if state is None else state
        self.reset()

    @property
    def current(self) -> Floats:
        """In the last step, (nv,) [A]."""
        found: Floats = self._state[ServoState.CURRENT]
        return found

    @property
    def temperature(self) -> Floats:
        """Of the windings, (nv,) [°C]."""
        found: Floats = self._state[ServoState.TEMPERATURE]
        return found

    def arrays(self) -> dict[ServoRow, Floats]:
        """The data as the kernels take it."""
        return {
            ServoRow.PER_AMPERE: self._per_ampere, ServoRow.RESISTANCE: self._resistance,
            ServoRow.TO_AIR: self._to_air, ServoRow.CAPACITY: self._capacity,
            ServoRow.AMBIENT: self.ambient, ServoRow.DERATE: self._begin,
            ServoRow.LIMIT: self._limit,
        }  # fmt: skip

    def reset(self) -> None:
        """Cold, as the surroundings."""
        self._state[ServoState.TEMPERATURE] = self.ambient
        self._state[ServoState.CURRENT] = 0.0

    @property
    def share(self) -> Floats:
        """What is left of each motor's effort: 1 up to the derating temperature, 0 at its limit."""
        if not self.has.any():
            return np.ones_like(self.temperature)
        with np.errstate(divide="ignore", invalid="ignore"):
            falling = (self._limit - self.temperature) / (self._limit - self._begin)
        left = np.where(self.temperature <= self._begin, 1.0, np.clip(falling, 0.0, 1.0))
        hot = self.temperature >= self._limit
        return np.where(self.has, np.where(hot, 0.0, left), 1.0)

    def left_of(self, efforts: Floats) -> Floats:
        """What is left of largest efforts (nv,), inf where they are not limited."""
        share = self.share
        with np.errstate(invalid="ignore"):
            return np.where(share >= 1, np.inf, np.where(share <= 0, 0.0, share * efforts))

    def warm(self, efforts: Floats, seconds: float) -> None:
        """Let the motors give efforts (nv,) for some time [s]; exact for a constant loss."""
        if not self._has_any:
            return
        if seconds != self._seconds:  # steps have one length most of the time
            self._seconds = seconds
            self._decay = np.exp(-seconds / (self._to_air * self._capacity))
        current, temperature = self.current, self.temperature
        np.divide(efforts, self._per_ampere, out=current)
        resistance = self._resistance * (1 + COPPER * (temperature - 25))
        final = self.ambient + current**2 * resistance * self._to_air
        np.copyto(temperature, final + (temperature - final) * self._decay, where=self.has)
