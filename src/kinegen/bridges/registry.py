"""Which protocol a word stands for; protocols are plug-ins, Kinegen's own too."""

from __future__ import annotations

from kinegen.bridges.transport.wire import Wire
from kinegen.plug_ins import PlugIns

__all__ = ["BRIDGES", "BUILT_IN", "GROUP"]

GROUP = "kinegen.bridges"
"""Entry-point group: every entry names a :class:`~kinegen.bridges.transport.wire.Wire`."""

BUILT_IN = {
    "cia402": "kinegen.bridges.wires.cia402:Cia402Wire",
    "dynamixel": "kinegen.bridges.wires.dynamixel:DynamixelBus",
    "dynamixel1": "kinegen.bridges.wires.dynamixel1:Dynamixel1Bus",
    "feetech": "kinegen.bridges.wires.feetech:FeetechBus",
    "ros1": "kinegen.bridges.wires.ros1:Ros1Wire",
    "ros2": "kinegen.bridges.wires.ros2:Ros2Wire",
    "rosbridge": "kinegen.bridges.wires.rosbridge:RosbridgeWire",
    "rtde": "kinegen.bridges.wires.rtde:RtdeWire",
    "ssc32": "kinegen.bridges.wires.ssc32:Ssc32Board",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


def _is_wire(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Wire)


BRIDGES = PlugIns[type[Wire]]("bridge", GROUP, BUILT_IN, _is_wire, "a Wire class")
