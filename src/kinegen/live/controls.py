"""Controls: sliders, buttons, choices, read-outs and plots in a program's panel of the page."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, did_you_mean
from kinegen.live.callbacks import Callback
from kinegen.live.core import Core
from kinegen.live.items import Item, T
from kinegen.live.values import number, packed, words
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.messages.items import MOST_NUMBERS, MOST_SERIES

__all__ = ["Button", "Checkbox", "Choice", "Plot", "Readout", "Slider"]

PLOTS = 1 / 30
"""[s] Plots are sent at most this often."""
F = TypeVar("F", bound=Callback)


class _Control(Item[T]):
    """A control that people use."""

    def __init__(self, core: Core, name: str, data: T) -> None:
        self._listeners: list[Callback] = []
        self._used = threading.Condition()
        super().__init__(core, name, data)
        core.listen(name, self._take)

    @property
    def label(self) -> str:
        """The text beside it."""
        return str(getattr(self._data, "label"))  # noqa: B009 - every control has one

    def _take(self, value: Any) -> None:
        """Somebody used it; runs in the reader's thread."""
        with self._used:
            self._set(value)
            self._used.notify_all()
        for function in self._listeners:
            self._core.callbacks.call(function, *self._arguments(), key=self._key())

    def _set(self, value: Any) -> None:
        raise NotImplementedError

    def _arguments(self) -> tuple[object, ...]:
        return (getattr(self._data, "value"),)  # noqa: B009

    def _key(self) -> str | None:
        return self.name  # the latest value counts

    def _listen(self, function: F) -> F:
        self._listeners.append(self._core.callbacks.check(function))
        return function


class Slider(_Control[wire.SliderItem]):
    """A slider; ``value`` is the number that it shows."""

    def __init__(
        self, core: Core, name: str, label: str, low: float, high: float, value: float | None,
        step: float, unit: str,
    ) -> None:  # fmt: skip
        low, high = number(low, "the least value"), number(high, "the greatest value")
        if low >= high:
            raise UsageError(f"slider '{label}' goes from {low:g} to {high:g}; low must be less")
        start = low if value is None else number(value, f"slider '{label}'", least=low, most=high)
        step = number(step, "the step of a slider", least=0, most=high - low)
        super().__init__(
            core, name,
            wire.SliderItem(
                "slider", words(label, "a label", least=1), start, low, high, step,
                words(unit, "a unit"),
            ),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """The current number."""
        return self._data.value

    @value.setter
    def value(self, value: float) -> None:
        data = self._data
        self._change(value=number(value, f"slider '{data.label}'", least=data.low, most=data.high))

    def on_change(self, function: F) -> F:
        """Call a function with the value whenever a person moves the slider."""
        return self._listen(function)

    def _set(self, value: Any) -> None:
        self._data.value = float(value)


class Checkbox(_Control[wire.CheckboxItem]):
    """A checkbox."""

    def __init__(self, core: Core, name: str, label: str, value: bool) -> None:
        super().__init__(
            core, name, wire.CheckboxItem("checkbox", words(label, "a label", least=1), bool(value))
        )

    @property
    def value(self) -> bool:
        """Whether it is on."""
        return self._data.value

    @value.setter
    def value(self, value: bool) -> None:
        self._change(value=bool(value))

    def on_change(self, function: F) -> F:
        """Call a function with the value whenever a person switches the checkbox."""
        return self._listen(function)

    def _set(self, value: Any) -> None:
        self._data.value = bool(value)


class Choice(_Control[wire.ChoiceItem]):
    """A choice between several options."""

    def __init__(
        self, core: Core, name: str, label: str, options: Sequence[str], value: str | None
    ) -> None:
        given = [words(one, "an option", least=1) for one in options]
        if not given or len(set(given)) != len(given) or isinstance(options, str):
            raise UsageError(f"choice '{label}' needs a list of different texts, got {options!r}")
        self._options = given
        super().__init__(
            core, name,
            wire.ChoiceItem(
                "choice", words(label, "a label", least=1),
                given[0] if value is None else self._checked(value), given,
            ),
        )  # fmt: skip

    def _checked(self, value: str) -> str:
        if value not in self._options:
            hint = did_you_mean(str(value), self._options) or ";"
            raise UsageError(
                f"'{value}' is not an option{hint} options: {', '.join(self._options)}"
            )
        return value

    @property
    def value(self) -> str:
        """The selected option."""
        return self._data.value

    @value.setter
    def value(self, value: str) -> None:
        self._change(value=self._checked(value))

    def on_change(self, function: F) -> F:
        """Call a function with the option whenever a person selects another one."""
        return self._listen(function)

    def _set(self, value: Any) -> None:
        self._data.value = str(value)


class Button(_Control[wire.ButtonItem]):
    """A button; no press is lost."""

    def __init__(self, core: Core, name: str, label: str) -> None:
        self._presses = 0
        self._seen = 0
        super().__init__(core, name, wire.ButtonItem("button", words(label, "a label", least=1)))

    @property
    def presses(self) -> int:
        """How many times it was pressed."""
        return self._presses

    @property
    def pressed(self) -> bool:
        """Whether it was pressed since this property was last read."""
        with self._used:
            found, self._seen = self._presses > self._seen, self._presses
        return found

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is pressed; False if that does not happen within the timeout [s]."""
        with self._used:
            before = self._presses
            return self._used.wait_for(lambda: self._presses > before, timeout)

    def on_press(self, function: F) -> F:
        """Call a function without arguments at every press."""
        return self._listen(function)

    def _set(self, value: Any) -> None:
        self._presses += 1

    def _arguments(self) -> tuple[object, ...]:
        return ()

    def _key(self) -> str | None:
        return None  # every press counts


class Readout(Item[wire.ReadoutItem]):
    """A value beside its name."""

    def __init__(self, core: Core, name: str, label: str, value: object, unit: str) -> None:
        self._unit = words(unit, "a unit")
        super().__init__(
            core, name,
            wire.ReadoutItem("readout", words(label, "a label", least=1), self._text(value)),
        )  # fmt: skip

    @property
    def value(self) -> str:
        """The displayed value."""
        return self._data.value

    @value.setter
    def value(self, value: object) -> None:
        self._change(value=self._text(value))

    def _text(self, value: object) -> str:
        is_number = isinstance(value, (float, np.floating))
        text = f"{value:.4g}" if is_number else str(value)
        return words(f"{text} {self._unit}".strip(), "a read-out")


class Plot(Item[wire.PlotItem]):
    """Curves over time or another number, the newest values at the right."""

    def __init__(
        self, core: Core, name: str, label: str, names: Sequence[str], x_label: str, unit: str,
        span: int,
    ) -> None:  # fmt: skip
        if not 1 <= len(names) <= MOST_SERIES:
            raise UsageError(f"a plot has 1 to {MOST_SERIES} curves, got {len(names)}")
        self._rows: deque[tuple[float, ...]] = deque(maxlen=span)
        self._began = time.monotonic()
        self._adding = threading.Lock()
        super().__init__(
            core, name,
            wire.PlotItem(
                "plot", words(label, "a label", least=1), words(x_label, "the label of x"),
                words(unit, "a unit"), [words(one, "the name of a curve") for one in names], "",
            ),
        )  # fmt: skip

    def _show(self) -> None:
        self._core.show(self.name, self._made, apart=PLOTS)

    def _made(self) -> wire.PlotItem:
        """The item with its latest rows, made when it is sent."""
        with self._adding:
            rows = np.array(self._rows, dtype=float).reshape(-1, 1 + len(self._data.series))
        self._data.data = packed(rows, "<f8")
        return self._data

    @property
    def names(self) -> list[str]:
        """Names of the curves."""
        return list(self._data.series)

    def add(self, *values: float, x: float | None = None) -> None:
        """Add one value per curve, at x or now [s since the plot began]; NaN leaves a gap."""
        if len(values) != len(self._data.series):
            raise UsageError(
                f"plot '{self._data.label}' has {len(self._data.series)} curves "
                f"({', '.join(self._data.series)}), got {len(values)} values"
            )
        at = time.monotonic() - self._began if x is None else number(x, "x of a plot")
        row = (at, *(_value(value) for value in values))
        with self._adding:
            self._rows.append(row)
        self._show_again()

    def set(self, x: npt.ArrayLike, *curves: npt.ArrayLike) -> None:
        """Replace all values: x (n,), and n values per curve."""
        try:
            table = np.column_stack([np.asarray(one, dtype=float) for one in (x, *curves)])
        except (TypeError, ValueError):
            raise UsageError(
                f"plot '{self._data.label}' takes numbers: x and curves of the same length"
            ) from None
        if table.shape[1] != 1 + len(self._data.series) or table.size > MOST_NUMBERS // 2:
            raise UsageError(
                f"plot '{self._data.label}' takes x and {len(self._data.series)} curves of the "
                f"same length, got {len(curves)} of length {len(table)}"
            )
        with self._adding:
            self._rows = deque(
                map(tuple, table.tolist()), maxlen=max(len(table), self._rows.maxlen or 0)
            )
        self._show_again()

    def clear(self) -> None:
        """Remove all values; the time starts again at 0."""
        with self._adding:
            self._rows.clear()
            self._began = time.monotonic()
        self._show_again()


def plot_values(values: Sequence[Any]) -> tuple[list[str] | None, list[float]]:
    """The names and numbers of one row of a plot, given as numbers or as one mapping."""
    if len(values) == 1 and isinstance(values[0], Mapping):
        return [str(key) for key in values[0]], [_value(one) for one in values[0].values()]
    try:
        flat = np.concatenate([np.atleast_1d(np.asarray(one, dtype=float)) for one in values])
    except (TypeError, ValueError):
        raise UsageError(f"a plot takes numbers, got {values!r:.60}") from None
    return None, flat.tolist()


def _value(value: Any) -> float:
    """A value of a curve; NaN is a gap."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"a plot takes numbers, got {value!r:.60}") from None


Press = Callable[[], object]
