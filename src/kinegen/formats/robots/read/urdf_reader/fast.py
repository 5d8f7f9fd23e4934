"""URDF files without faults, by the compiled reader.

It declines files with faults and with what is rare. The reader of ``urdf.py``, which says what the
compiled one does, then reads them, or says what is wrong with them.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from kinegen.errors import Problem
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    Robot,
    RobotJoint,
    RobotLink,
    RobotShape,
)
from kinegen.formats.robots.read.unread import not_read
from kinegen.formats.robots.read.urdf_reader.words import no_bounds, no_limit
from kinegen.formats.robots.transform import IDENTITY
from kinegen.kernels import backend

__all__ = ["PROTOTYPES", "fast_urdf_robot"]

_KINDS = (MotionKind.HINGE, MotionKind.SLIDER, MotionKind.FIXED, MotionKind.FREE,
          MotionKind.PLANAR, MotionKind.BALL)  # fmt: skip
"""As ``UrdfKind`` of native/robots/urdf.hpp."""

PROTOTYPES = (
    RobotLink("", 0),
    RobotShape(""),
    RobotJoint("", MotionKind.FIXED, "", "", 0),
    Mimic("", 1.0, 0.0),
    _KINDS,
    IDENTITY,
)
"""What the compiled reader makes others like: it fills in what a file says."""


class _Offsets:
    """The text of a file in which places are bytes from its beginning."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self._data: bytes | None = None
        self._last = 0, 1
        """Where a line begins, and its number: the next place is mostly behind it."""

    def problem(self, at: Any, message: str) -> Problem:
        """Something to say about the element that begins there."""
        if self._data is None:
            self._data = self.text.encode()
        start = self._data.rfind(b"\n", 0, at) + 1
        begin, line = self._last if self._last[0] <= start else (0, 1)
        line += self._data.count(b"\n", begin, start)
        self._last = start, line
        return Problem(self.file, line, len(self._data[start:at].decode()) + 1, message)


@functools.cache
def _reader() -> backend.UrdfReader | None:
    """The compiled reader; None where it is not installed."""
    return backend.urdf_reader(*PROTOTYPES)


def fast_urdf_robot(text: str, file: str) -> Robot | None:
    """The robot of a URDF text; None where the compiled reader declines it."""
    reader = _reader()
    found = None if reader is None else reader.read(text)
    if found is None:
        return None
    name, links, joints, remarks = found
    robot = Robot(name or os.path.splitext(os.path.basename(file))[0], _Offsets(text, file))
    robot.links, robot.joints = links, joints
    for kind, offset, first, second, count in remarks:
        message = (
            not_read(first, second, count) if kind == 0
            else no_limit(first, second) if kind == 1 else no_bounds(first)
        )  # fmt: skip
        robot.leave_out(offset, message)
    return robot
