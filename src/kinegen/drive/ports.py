"""Which port a kind of servo stands for; ports are plug-ins, the built-in ones too."""

from __future__ import annotations

from typing import Any

from kinegen.drive.port import Port
from kinegen.plug_ins import PlugIns

__all__ = ["BUILT_IN", "GROUP", "PORTS"]

GROUP = "kinegen.ports"
"""Entry-point group: every entry names a subclass of :class:`~kinegen.drive.port.Port`."""

BUILT_IN = {
    "feetech": "kinegen.drive.register_port:FeetechPort",
    "dynamixel": "kinegen.drive.register_port:DynamixelPort",
    "dynamixel1": "kinegen.drive.register_port:Dynamixel1Port",
    "ssc32": "kinegen.drive.ssc32_port:Ssc32Port",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


def _is_port(one: Any) -> bool:
    return isinstance(one, type) and issubclass(one, Port)


PORTS = PlugIns[type[Port]]("servo kind", GROUP, BUILT_IN, _is_port, "a Port class")
