"""Messages in the encoding of ROS 1, with the MD5 sums of their types."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

from kinegen.bridges.ros.definitions import FIELDS, plain_name, ros2_name
from kinegen.bridges.ros.message_types import MessageTypes, plain
from kinegen.bridges.ros.source import Message
from kinegen.errors import UsageError

__all__ = ["Ros1Types"]


class Ros1Types(MessageTypes):
    """The types of Noetic, and those of control_msgs and tf2_msgs that the robot needs."""

    def __init__(self) -> None:
        """All of them.

        Raises:
            UsageError: rosbags is not installed.
        """
        ours = tuple(one for one in FIELDS if one.partition("/")[0] in ("control_msgs", "tf2_msgs"))
        super().__init__("ros1", "ROS1_NOETIC", ours)
        self._described = cache(self._describe)

    def md5_of(self, name: str) -> str:
        """The sum by which nodes compare types."""
        return self._described(name)[1]

    def definition_of(self, name: str) -> str:
        """The text of a type and of all types in it."""
        return self._described(name)[0]

    def _describe(self, name: str) -> tuple[str, str]:
        text, md5 = self._store.generate_msgdef(ros2_name(name), ros_version=1)
        return str(text), str(md5)

    def encode(self, name: str, message: Message, count: int = 0) -> bytes:
        """A message with its length; ``count`` is the number in its header, where it has one."""
        made = self.made(ros2_name(name), message)
        data = bytearray(self._store.serialize_ros1(made, ros2_name(name)))
        if FIELDS[plain_name(name)].startswith("std_msgs/Header "):
            struct.pack_into("<I", data, 0, count & 0xFFFFFFFF)
        return struct.pack("<I", len(data)) + data

    def decode(self, name: str, data: bytes) -> Any:
        """A message without its length, as a dictionary.

        Raises:
            UsageError: The bytes are no such message.
        """
        try:
            found = self._store.deserialize_ros1(data, ros2_name(name))
        except Exception as error:  # any bytes may come: rosbags raises what it meets
            raise UsageError(f"this is not a {plain_name(name)}: {error}") from None
        return plain(found)
