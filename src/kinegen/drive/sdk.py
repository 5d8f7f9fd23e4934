"""SDKs: the makers' own packages, which come with the extra ``drive``."""

from __future__ import annotations

from typing import Any

from kinegen.errors import LinkError

__all__ = ["dynamixel_sdk", "feetech_sdk", "pyserial"]


def feetech_sdk() -> Any:
    """Feetech's package."""
    try:
        import scservo_sdk
    except ImportError:
        raise _missing("feetech-servo-sdk") from None
    return scservo_sdk


def dynamixel_sdk() -> Any:
    """The package of ROBOTIS."""
    try:
        import dynamixel_sdk
    except ImportError:
        raise _missing("dynamixel-sdk") from None
    return dynamixel_sdk


def pyserial() -> Any:
    """Serial ports."""
    try:
        import serial
        import serial.tools.list_ports
    except ImportError:
        raise _missing("pyserial") from None
    return serial


def _missing(package: str) -> LinkError:
    return LinkError(
        f"driving real servos needs the package {package}: pip install 'kinegen[drive]'"
    )
