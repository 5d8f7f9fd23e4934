"""Signals: all signals of a world by name."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.world.clock.streams import stream
from kinegen.world.signalling.signal import Signal

__all__ = ["Signals"]


class Signals(Mapping[str, Signal]):
    """The signals of a world; the name of a sensor with one output stands for that signal."""

    def __init__(self, seed: int = 0) -> None:
        self.time = 0.0
        """Of the world [s]."""
        self.seed = seed
        self.overridden: dict[str, Signal] = {}
        """Those that are forced, frozen, scaled, delayed, noisy or cut, by name."""
        self.watch: Callable[[Signal, str], None] | None = None
        """Called with a signal whose override changed, and what is the case now."""
        self._all: dict[str, Signal] = {}
        self._short: dict[str, str] = {}

    def add(
        self,
        name: str,
        unit: str = "",
        *,
        shape: tuple[int, ...] | None = (),
        writer: str = "",
        data: Floats | None = None,
    ) -> Signal:
        """Add a signal; arguments as for :class:`Signal`."""
        if name in self._all:
            raise UsageError(
                f"there are two signals '{name}': rename '{writer or name.rpartition('.')[0]}'"
            )
        made = Signal(self, name, unit, shape=shape, writer=writer, data=data)
        self._all[name] = made
        return made

    def shorten(self, short: str, name: str) -> None:
        """Let a short name stand for a signal, such as ``eye`` for ``eye.distance``."""
        if short not in self._all:
            self._short[short] = name

    def __getitem__(self, name: str) -> Signal:
        found = self._all.get(name) or self._all.get(self._short.get(name, ""))
        if found is None:
            raise unknown_name("signal", name, "this world", self._all)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._all or name in self._short

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return f"Signals({', '.join(self._all)})"

    def release(self) -> None:
        """Release all overridden signals."""
        for signal in list(self.overridden.values()):
            signal.release()

    def changed(self, signal: Signal, what: str) -> None:
        """Record that the override of a signal has changed."""
        if signal.override is None:
            self.overridden.pop(signal.name, None)
        else:
            self.overridden[signal.name] = signal
        if self.watch is not None:
            self.watch(signal, what)

    def random(self, name: str) -> np.random.Generator:
        """Random numbers for the noise that an override adds to a signal."""
        return stream(self.seed, f"{name} (override)")

    def keep(self) -> dict[str, Any]:
        """All current values, for :meth:`bring_back`."""
        rows = {
            name: (one.value, one.time, copy.deepcopy(one.override), copy.deepcopy(one.written))
            for name, one in self._all.items()
        }
        return {"time": self.time, "rows": rows}

    def bring_back(self, kept: Mapping[str, Any]) -> None:
        """Return to earlier values; signals that were added since then have none."""
        self.time = kept["time"]
        self.overridden = {}
        for name, one in self._all.items():
            none = None if one.shape is None else np.full(one.shape, np.nan)
            value, time, override, written = kept["rows"].get(name, (none, 0.0, None, none))
            one.set_back(value, time, copy.deepcopy(override), written)
            if override is not None:
                self.overridden[name] = one
