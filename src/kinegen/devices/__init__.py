"""Devices: hands, real or simulated, that feel a mechanism at 1 kHz, here or over the network."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.devices.client import DeviceClient
    from kinegen.devices.delta import DeltaDevice, DeltaHandle
    from kinegen.devices.device import Device, DeviceLimits, SimulatedHand, Trouble, UdpDevice
    from kinegen.devices.haptic import HapticThread
    from kinegen.devices.key import new_key, read_key
    from kinegen.devices.link import HapticLink
    from kinegen.devices.process import HapticProcess
    from kinegen.devices.registry import device_names, make_device
    from kinegen.devices.rotation import IncrementalRotation

_HOMES = {
    "client": "DeviceClient",
    "delta": "DeltaDevice DeltaHandle",
    "device": "Device DeviceLimits SimulatedHand Trouble UdpDevice",
    "haptic": "HapticThread",
    "key": "new_key read_key",
    "link": "HapticLink",
    "process": "HapticProcess",
    "registry": "device_names make_device",
    "rotation": "IncrementalRotation",
}

__all__ = [
    "DeltaDevice",
    "DeltaHandle",
    "Device",
    "DeviceClient",
    "DeviceLimits",
    "HapticLink",
    "HapticProcess",
    "HapticThread",
    "IncrementalRotation",
    "SimulatedHand",
    "Trouble",
    "UdpDevice",
    "device_names",
    "make_device",
    "new_key",
    "read_key",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
