"""Values of ROS messages: times and what is in headers, as numbers and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["Time", "header", "list_of", "numbers", "pose_of", "quaternion", "seconds_of", "vector"]


class Time(NamedTuple):
    """A time or duration of a message; each transport writes it in its own way."""

    sec: int
    nanosec: int

    @staticmethod
    def of(seconds: float) -> Time:
        """The nearest whole nanosecond."""
        whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
        return Time(whole, rest)


def seconds_of(value: Any, what: str) -> float:
    """A time of a client [s]: ``sec`` and ``nanosec``, ``secs`` and ``nsecs``, or a number."""
    if value is None:
        return 0.0
    if isinstance(value, Mapping):
        whole = value.get("sec", value.get("secs", 0))
        rest = value.get("nanosec", value.get("nsecs", 0))
        parts = [whole or 0, rest or 0]
    elif isinstance(value, tuple) and len(value) == 2:
        parts = list(value)
    else:
        parts = [value, 0]
    if not all(_is_number(one) for one in parts):
        raise UsageError(f"{what} is {value!r}: use seconds and nanoseconds as numbers")
    return float(parts[0]) + 1e-9 * float(parts[1])


def numbers(value: Any, what: str) -> list[float]:
    """A list of finite numbers of a client; none where nothing is given."""
    found = list_of(value, what)
    for one in found:
        if not _is_number(one):
            raise UsageError(f"{what} has {one!r}, which is not a finite number")
    return [float(one) for one in found]


def list_of(value: Any, what: str) -> list[Any]:
    """A list of a client; empty where nothing is given."""
    if value is None:
        return []
    if not isinstance(value, list | tuple | np.ndarray):
        raise UsageError(f"{what} is {type(value).__name__}: use a list")
    return list(value)


def header(time: float, frame: str = "") -> dict[str, Any]:
    """A header with a time [s]."""
    return {"stamp": Time.of(time), "frame_id": frame}


def vector(values: Any) -> dict[str, float]:
    """x, y, z."""
    x, y, z = (float(one) for one in values)
    return {"x": x, "y": y, "z": z}


def quaternion(wxyz: Any) -> dict[str, float]:
    """As messages have it, w last."""
    w, x, y, z = (float(one) for one in wxyz)
    return {"x": x, "y": y, "z": z, "w": w}


def pose_of(pose: Floats) -> tuple[dict[str, float], dict[str, float]]:
    """Position and quaternion of a pose of seven numbers."""
    return vector(pose[4:]), quaternion(pose[:4])


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
