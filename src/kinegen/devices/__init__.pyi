"""Devices: hands, real or simulated, that feel a mechanism at 1 kHz, here or over the network."""

from kinegen.devices.client import DeviceClient as DeviceClient
from kinegen.devices.declared import DeclaredDevice as DeclaredDevice
from kinegen.devices.declared import declared_devices as declared_devices
from kinegen.devices.delta import DeltaDevice as DeltaDevice
from kinegen.devices.delta import DeltaHandle as DeltaHandle
from kinegen.devices.device import Device as Device
from kinegen.devices.device import DeviceLimits as DeviceLimits
from kinegen.devices.device import SimulatedHand as SimulatedHand
from kinegen.devices.device import Trouble as Trouble
from kinegen.devices.device import UdpDevice as UdpDevice
from kinegen.devices.haply import HaplyDevice as HaplyDevice
from kinegen.devices.haptic import HapticReport as HapticReport
from kinegen.devices.haptic import HapticThread as HapticThread
from kinegen.devices.haptic import Lateness as Lateness
from kinegen.devices.key import new_key as new_key
from kinegen.devices.key import read_key as read_key
from kinegen.devices.link import HapticLink as HapticLink
from kinegen.devices.process import HapticProcess as HapticProcess
from kinegen.devices.registry import device_names as device_names
from kinegen.devices.registry import make_device as make_device
from kinegen.devices.rotation import IncrementalRotation as IncrementalRotation
