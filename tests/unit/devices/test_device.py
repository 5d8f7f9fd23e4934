"""Devices: simulated hands, UDP devices, addresses."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.devices import Device, SimulatedHand, UdpDevice
from kinegen.devices.device import address_of
from kinegen.errors import KinegenError


def test_the_built_in_ones_are_devices() -> None:
    assert isinstance(SimulatedHand(), Device) and isinstance(UdpDevice(), Device)


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        ([[0, 0, 0]], {}, "rows of time, x, y, z"),
        (np.zeros((0, 4)), {}, "rows of time, x, y, z"),
        ([[0, 0, 0, 0], [0, 1, 0, 0]], {}, "increasing times"),
        ([[0, np.nan, 0, 0]], {}, "finite"),
        ([[0, 11.0, 0, 0]], {}, "within 10 m"),
        ([[0, 0, 0, 0]], {"mass": 0.0}, "needs a positive mass"),
        ([[0, 0, 0, 0]], {"mass": np.nan}, "needs a positive mass"),
        ([[0, 0, 0, 0]], {"mass": np.inf}, "needs a positive mass"),
        ([[0, 0, 0, 0]], {"stiffness": 1e300}, "needs a positive mass"),
        ([[0, 0, 0, 0]], {"damping": np.nan}, "needs a positive mass"),
    ],
)
def test_hands_are_described_well(table: object, options: dict[str, float], says: str) -> None:
    with pytest.raises(KinegenError, match=says):
        SimulatedHand(table, **options)  # type: ignore[arg-type]


def test_addresses() -> None:
    assert address_of("localhost:80") == ("localhost", 80)
    for text in ("localhost", ":80", "a:b", "host:70000", "host:²", "host:" + "9" * 99):
        with pytest.raises(KinegenError, match="host:port"):
            address_of(text)
