"""Which device a name stands for; devices are plug-ins, the built-in ones too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinegen.devices.device import Device
from kinegen.plug_ins import PlugIns

__all__ = ["BUILT_IN", "DEVICES", "GROUP", "device_names", "make_device"]

GROUP = "kinegen.devices"
"""Entry-point group: every entry names a callable that makes a :class:`Device`."""

BUILT_IN = {
    "delta": "kinegen.devices.delta:DeltaDevice",
    "hand": "kinegen.devices.device:SimulatedHand",
    "haply": "kinegen.devices.haply:HaplyDevice",
    "udp": "kinegen.devices.device:UdpDevice",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""

DEVICES = PlugIns[Callable[..., Device]]("device", GROUP, BUILT_IN, callable, "callable")


def device_names() -> tuple[str, ...]:
    """Names of all registered devices; this loads none of them."""
    return DEVICES.names()


def make_device(name: str, *arguments: Any, **options: Any) -> Device:
    """A device by its name; a plug-in that cannot be loaded is skipped with a warning."""
    return DEVICES.named(name)(*arguments, **options)
