"""Signal: a named value with a unit and a time, which can be overridden on its way to readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.world.signalling.overrides import Cut, Delay, Force, Freeze, Noise, Override, Scale

if TYPE_CHECKING:
    from kinegen.world.signalling.signals import Signals

__all__ = ["Signal"]


class Signal:
    """A named value: sensors and agents write it, agents and actuators read it.

    Overrides (:meth:`force`, :meth:`freeze`, :meth:`scale`, :meth:`delay`, :meth:`noise`,
    :meth:`cut`) act at once and last until :meth:`release`.
    """

    def __init__(
        self,
        signals: Signals,
        name: str,
        unit: str = "",
        *,
        shape: tuple[int, ...] | None = (),
        writer: str = "",
        data: Floats | None = None,
    ) -> None:
        """Create a signal of a world, as :meth:`Signals.add` does.

        Args:
            signals: The world's.
            name: Such as ``arm.shoulder.position``.
            unit: Of the value; empty for counts and shares.
            shape: Of the numbers, () for a single one; None: no numbers but pictures or lists.
            writer: Name of the sensor, agent or joint that writes it.
            data: Where the numbers are kept; None: in a new array.
        """
        self._signals = signals
        self.name, self.unit, self.shape, self.writer = name, unit, shape, writer
        self.time = 0.0
        """When it was written last [s]."""
        self.version = 0
        """Counts what readers could have seen: equal versions are equal values."""
        self.override: Override | None = None
        """What stands between writer and readers, if anything."""
        self._written: Any = None
        self._data: Any = np.full(shape, np.nan) if data is None and shape is not None else data

    def __repr__(self) -> str:
        mark = f", {self.override.text}" if self.override is not None else ""
        unit = f" {self.unit}" if self.unit else ""
        return f"Signal('{self.name}': {self.text}{unit}{mark})"

    @property
    def value(self) -> Any:
        """The value for readers: a float, an array or a picture; NaN or None before the first."""
        if self.shape == ():
            return float(self._data)
        return self._data.copy() if self.shape is not None else self._data

    @property
    def written(self) -> Any:
        """The last value of the writer, even if it is overridden."""
        if self.override is None:
            return self.value
        return float(self._written) if self.shape == () else self._written

    @property
    def is_known(self) -> bool:
        """Whether it has a value."""
        if self.shape is None:
            return self._data is not None
        return not bool(np.isnan(self._data).any())

    @property
    def text(self) -> str:
        """The value for people, without its unit."""
        if self.shape is None:
            return "none" if self._data is None else f"{type(self._data).__name__}"
        if self.shape == ():
            return f"{float(self._data):.6g}"
        return np.array2string(self._data, precision=5, threshold=8, edgeitems=3)

    def write(self, value: Any) -> None:
        """Write a new value, as the signal's writer."""
        self.time = self._signals.time
        if self.override is not None:
            self._written = np.array(value, float) if self.shape is not None else value
            value = self.override(self._written, self.time)
        self._store(value)

    def refresh(self) -> None:
        """Apply the override again after the writer has changed the signal's array."""
        if self.override is not None:
            self._written = self._data.copy()
            self._store(self.override(self._written, self._signals.time))

    def set_back(self, value: Any, time: float, override: Override | None, written: Any) -> None:
        """Return to an earlier state."""
        self.override, self.time = override, time
        self._written = written if self.shape is None else np.array(written, float)
        self._store(value)

    # Overrides

    def force(self, value: npt.ArrayLike) -> None:
        """Override the signal with a value in its unit."""
        try:
            numbers = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(f"signal '{self.name}' takes numbers, got {value!r}") from None
        if self.shape is None:
            raise UsageError(f"signal '{self.name}' is not a number: freeze or cut it")
        if numbers.shape not in (self.shape, ()) or not np.isfinite(numbers).all():
            count = int(np.prod(self.shape))
            raise UsageError(
                f"signal '{self.name}' takes {count} finite number{'' if count == 1 else 's'}"
                f"{f' [{self.unit}]' if self.unit else ''}, got {value!r}"
            )
        self.put(Force(np.broadcast_to(numbers, self.shape).copy(), self.unit))

    def freeze(self) -> None:
        """Override the signal with its present value."""
        self.put(Freeze(self.value))

    def scale(self, factor: float, offset: float = 0.0) -> None:
        """Multiply written values by a factor and add an offset."""
        self._numbers_only("scaled", factor, offset)
        self.put(Scale(float(factor), float(offset), self.unit))

    def delay(self, seconds: float) -> None:
        """Delay written values by some time [s]."""
        self._numbers_only("delayed", seconds)
        if seconds < 0:
            raise UsageError(f"signal '{self.name}' cannot be delayed by {seconds!r} s")
        self.put(Delay(float(seconds)))

    def noise(self, deviation: float) -> None:
        """Add noise with a standard deviation in the signal's unit."""
        self._numbers_only("made noisy", deviation)
        self.put(Noise(float(deviation), self._signals.random(self.name), self.unit))

    def cut(self) -> None:
        """Cut the signal, so that readers get NaN; a motor whose target is cut brakes."""
        self.put(Cut())

    def release(self) -> None:
        """Remove the override, so that readers get written values again."""
        if self.override is not None:
            self.override = None
            self._signals.changed(self, "released")
            self._store(self._written)

    def put(self, override: Override) -> None:
        """Put any override between writer and readers, instead of the present one."""
        written = self.written
        if self.shape is not None:
            written = np.array(written, float)
        self.override, self._written = override, written
        self._signals.changed(self, override.text)
        self._store(override(written, self._signals.time))

    # Inside

    def _numbers_only(self, what: str, *numbers: float) -> None:
        if self.shape is None and what != "delayed":
            raise UsageError(f"signal '{self.name}' is not a number and cannot be {what}")
        for number in numbers:
            if isinstance(number, bool) or not np.isscalar(number) or not np.isfinite(number):
                raise UsageError(f"signal '{self.name}' must be {what} by a number, got {number!r}")

    def _store(self, value: Any) -> None:
        self.version += 1
        if self.shape is None:
            self._data = value
        else:
            self._data[...] = value
