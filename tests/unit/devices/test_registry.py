"""Devices by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from kinegen.devices import SimulatedHand, device_names, make_device, registry
from kinegen.errors import KinegenError


def test_devices_have_names() -> None:
    assert set(device_names()) >= {"delta", "hand", "udp"}
    hand = make_device("hand", [[0.0, 1.0, 0.0, 0.0]], mass=0.3)
    assert isinstance(hand, SimulatedHand) and hand.mass == 0.3


def test_unknown_names_are_reported_with_the_known_ones() -> None:
    with pytest.raises(KinegenError, match=r"phantom.*delta"):
        make_device("phantom")


def test_a_broken_plug_in_is_skipped_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("omega", "kinegen_no_such_package:Omega", registry.GROUP)
    monkeypatch.setitem(registry.DEVICES.entries, "omega", broken)
    with pytest.warns(RuntimeWarning, match="'omega'"), pytest.raises(KinegenError, match="omega"):
        make_device("omega")
