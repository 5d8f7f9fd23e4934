"""Cdr: messages in the encoding of ROS 2, and the hashes of their types."""

from __future__ import annotations

from typing import Any

from kinegen.bridges.ros.action_types import fields_of
from kinegen.bridges.ros.definitions import plain_name, ros2_name
from kinegen.bridges.ros.message_types import MessageTypes, plain
from kinegen.bridges.ros.source import Message
from kinegen.errors import UsageError

__all__ = ["CdrTypes"]


class CdrTypes(MessageTypes):
    """The types of Humble, whose messages later releases share."""

    def __init__(self) -> None:
        """All of them.

        Raises:
            UsageError: rosbags is not installed.
        """
        super().__init__("ros2", "ROS2_HUMBLE")
        self._store.register(fields_of())

    def hash_of(self, name: str) -> str:
        """Of a type's description (REP 2011): ``RIHS01_…``; of a service, that of its messages."""
        return str(self._store.hash_rihs01(self._known(name)))

    def encode(self, name: str, message: Message) -> bytes:
        """A message as CDR, little-endian."""
        made = self.made(self._known(name), message)
        return bytes(self._store.serialize_cdr(made, self._known(name)))

    def decode(self, name: str, data: bytes) -> Any:
        """A message of CDR as a dictionary.

        Raises:
            UsageError: The bytes are no such message.
        """
        try:
            found = self._store.deserialize_cdr(data, self._known(name))
        except Exception as error:  # any bytes may come: rosbags raises what it meets
            raise UsageError(f"this is not a {plain_name(name)}: {error}") from None
        return plain(found)

    def _known(self, name: str) -> str:
        """Types of actions and services have names of their own; others are messages."""
        return name if name in self._store.fielddefs else ros2_name(name)
