"""Objects through the pipes of a process that Kinegen has started itself."""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any

__all__ = ["receive", "send"]

_LENGTH = struct.Struct("<Q")


def send(pipe: IO[bytes], value: Any) -> None:
    """Write a value for the other end of a pipe."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next value of a pipe; EOFError at its end."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)
