"""Which port a word stands for."""

from __future__ import annotations

from kinegen.drive.port import Port
from kinegen.errors import UsageError, did_you_mean

__all__ = ["KINDS", "port_class"]

KINDS = ("feetech", "dynamixel", "dynamixel1", "ssc32")
"""Servos that can be driven."""


def port_class(kind: str) -> type[Port]:
    """The class of a kind of servos."""
    from kinegen.drive.register_port import Dynamixel1Port, DynamixelPort, FeetechPort
    from kinegen.drive.ssc32_port import Ssc32Port

    classes = (FeetechPort, DynamixelPort, Dynamixel1Port, Ssc32Port)
    if kind not in KINDS:
        raise UsageError(
            f"'{kind}' is not a kind of servo{did_you_mean(kind, KINDS)}; kinds: {', '.join(KINDS)}"
        )
    return dict(zip(KINDS, classes, strict=True))[kind]
