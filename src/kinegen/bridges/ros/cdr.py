"""Cdr: messages in the encoding of ROS 2, and the hashes of their types, by rosbags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.bridges.ros.definitions import plain_name, ros2_name
from kinegen.bridges.ros.source import Message
from kinegen.bridges.ros.values import Time
from kinegen.errors import UsageError

__all__ = ["CdrTypes"]

_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4
"""How rosbags marks what a field is."""


class CdrTypes:
    """The types of a release of ROS 2; messages are plain dictionaries on this side."""

    def __init__(self) -> None:
        """Those of Humble, whose messages later releases share.

        Raises:
            UsageError: rosbags is not installed.
        """
        try:
            from rosbags.typesys import Stores, get_typestore
        except ImportError:
            raise UsageError(
                "ros2 needs the packages rosbags and eclipse-zenoh: pip install 'kinegen[bridges]'"
            ) from None
        self._store: Any = get_typestore(Stores.ROS2_HUMBLE)

    def has(self, name: str) -> bool:
        """Whether a type is one of them."""
        return ros2_name(name) in self._store.fielddefs

    def hash_of(self, name: str) -> str:
        """Of a type's description (REP 2011): ``RIHS01_…``."""
        return str(self._store.hash_rihs01(ros2_name(name)))

    def encode(self, name: str, message: Message) -> bytes:
        """A message as CDR, little-endian."""
        made = self._made(ros2_name(name), message)
        return bytes(self._store.serialize_cdr(made, ros2_name(name)))

    def decode(self, name: str, data: bytes) -> Any:
        """A message of CDR as a dictionary.

        Raises:
            UsageError: The bytes are no such message.
        """
        try:
            found = self._store.deserialize_cdr(data, ros2_name(name))
        except Exception as error:  # any bytes may come: rosbags raises what it meets
            raise UsageError(f"this is no {plain_name(name)}: {error}") from None
        return _plain(found)

    def _made(self, name: str, value: Any) -> Any:
        fields = self._store.fielddefs[name][1]
        if isinstance(value, Time):
            value = {"sec": value.sec, "nanosec": value.nanosec}
        return self._store.types[name](
            **{key: self._part(what, value[key]) for key, what in fields}
        )

    def _part(self, what: Any, value: Any) -> Any:
        kind, inner = int(what[0]), what[1]
        if kind == _NAME:
            return self._made(inner, value)
        if kind in (_ARRAY, _SEQUENCE):
            item, word = inner[0], inner[0][1]
            if int(item[0]) == _NAME:
                return [self._made(word, one) for one in value]
            base = word[0] if isinstance(word, tuple) else word
            if base == "string":
                return list(value)
            if isinstance(value, bytes):
                return np.frombuffer(value, np.uint8)
            return np.asarray(value, base)
        return value


def _plain(value: Any) -> Any:
    """Dictionaries, lists and numbers."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {key: _plain(getattr(value, key)) for key in fields if not key.startswith("__")}
    return value
