"""Which device a name stands for; devices are plug-ins, the built-in ones too."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kinegen.devices.device import Device
from kinegen.errors import unknown_name

__all__ = ["BUILT_IN", "GROUP", "device_names", "make_device"]

GROUP = "kinegen.devices"
"""Entry-point group: every entry names a callable that makes a :class:`Device`."""

BUILT_IN = {
    "delta": "kinegen.devices.delta:DeltaDevice",
    "hand": "kinegen.devices.device:SimulatedHand",
    "udp": "kinegen.devices.device:UdpDevice",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


@cache
def _entries() -> dict[str, EntryPoint]:
    entries = {name: EntryPoint(name, value, GROUP) for name, value in BUILT_IN.items()}
    return entries | {entry.name: entry for entry in entry_points(group=GROUP)}


def device_names() -> tuple[str, ...]:
    """Names of all registered devices; none is loaded for it."""
    return tuple(_entries())


def make_device(name: str, *arguments: Any, **options: Any) -> Device:
    """A device by its name; a plug-in that cannot be loaded is skipped with a warning."""
    entries = _entries()
    maker: Any = None
    if name in entries:
        try:
            maker = entries[name].load()
        except Exception as error:
            warnings.warn(
                f"device plug-in '{name}' ({entries[name].value}) is skipped: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
    if maker is None:
        good = [other for other in entries if other != name]
        raise unknown_name("device", name, "Kinegen or its plug-ins", good)
    made: Device = maker(*arguments, **options)
    return made
