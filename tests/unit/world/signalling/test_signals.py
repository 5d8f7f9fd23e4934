from __future__ import annotations

import pytest

from kinegen.errors import NameNotFoundError, UsageError
from kinegen.world.signalling.signals import Signals


def test_a_short_name_stands_for_the_only_output() -> None:
    signals = Signals()
    signals.add("eye.distance", "m")
    signals.shorten("eye", "eye.distance")
    assert signals["eye"] is signals["eye.distance"]
    assert "eye" in signals and list(signals) == ["eye.distance"]


def test_unknown_names_are_refused_with_the_nearest() -> None:
    signals = Signals()
    signals.add("eye.distance")
    with pytest.raises(NameNotFoundError, match=r"did you mean 'eye\.distance'\?"):
        signals["eye.distanc"]


def test_two_signals_of_one_name_are_refused() -> None:
    signals = Signals()
    signals.add("A.position", writer="A")
    with pytest.raises(UsageError, match="rename 'eye'"):
        signals.add("A.position", writer="eye")


def test_overrides_are_listed_and_reported() -> None:
    signals, told = Signals(), []
    signals.watch = lambda signal, what: told.append((signal.name, what))
    one = signals.add("x")
    one.write(1.0)
    one.force(2)
    assert list(signals.overridden) == ["x"]
    signals.release()
    assert not signals.overridden and told == [("x", "forced to 2"), ("x", "released")]


def test_values_and_overrides_come_back() -> None:
    signals = Signals()
    one, two = signals.add("x"), signals.add("v", shape=(2,))
    one.write(1.0)
    two.write([1, 2])
    one.force(5)
    kept = signals.keep()
    one.release()
    one.write(7.0)
    two.write([3, 4])
    signals.bring_back(kept)
    assert (one.value, one.written, two.value.tolist()) == (5.0, 1.0, [1, 2])
    assert list(signals.overridden) == ["x"]
    one.release()
    assert one.value == 1.0
