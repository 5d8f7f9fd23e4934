"""Block: numbers that one process writes and another reads, never half of them.

A sequence number is odd while the writer is at work, and a checksum covers machines that reorder
writes. Readers never wait for the writer, and the writer never waits for readers.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import time

import numpy as np

from kinegen.errors import KinegenError
from kinegen.kernels import Floats

__all__ = ["Block"]

_HEAD = 2
"""Sequence number and checksum come before the numbers."""
_TRIES = 10_000
"""A writer needs some microseconds: one that is not ready after so many looks is dead."""


class Block:
    """Some numbers with one writer."""

    def __init__(self, memory: Floats, path: str = "") -> None:
        """Over memory of the right size: use :meth:`local`, :meth:`shared` or :meth:`opened`."""
        self.path = path
        """Of the file that the other process opens; empty where there is none."""
        self._memory = memory
        self._words = memory.view(np.uint64)
        self._numbers = memory[_HEAD:]
        self._bits = self._words[_HEAD:]

    @classmethod
    def local(cls, size: int) -> Block:
        """Within this process."""
        return cls(np.zeros(size + _HEAD))

    @classmethod
    def shared(cls, size: int) -> Block:
        """In a file that another process opens; in memory where the system has such files."""
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        handle, path = tempfile.mkstemp(prefix="kinegen-", suffix=".block", dir=folder)
        try:
            os.truncate(path, 8 * (size + _HEAD))
            return cls(_mapped(handle), path)
        finally:
            os.close(handle)

    @classmethod
    def opened(cls, path: str) -> Block:
        """One that another process has shared; its file loses its name where that is possible."""
        handle = os.open(path, os.O_RDWR)
        try:
            made = cls(_mapped(handle), path)
        finally:
            os.close(handle)
        made.remove()
        return made

    def remove(self) -> None:
        """Remove the file's name: what is mapped stays; nothing is left behind when all end."""
        if self.path:
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    @property
    def sequence(self) -> int:
        """Changes with every write."""
        return int(self._words[0])

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self._numbers)

    def first(self) -> float:
        """The first number alone, of the last write or one that is under way."""
        return float(self._numbers[0])

    def write(self, values: Floats) -> None:
        """Write all numbers."""
        words = self._words
        words[0] += np.uint64(1)
        self._numbers[:] = values
        words[1] = self._bits.sum()
        words[0] += np.uint64(1)

    def read(self) -> Floats:
        """A copy of all numbers as they were written together.

        Raises:
            KinegenError: The writer died in the middle of its work.
        """
        words = self._words
        for count in range(_TRIES):
            before = words[0]
            found = self._numbers.copy()
            if not int(before) & 1 and words[0] == before:
                if words[1] == found.view(np.uint64).sum():
                    return found
            if count > 100:
                time.sleep(1e-5)
        raise KinegenError("the process that writes the robot's state has died")


def _mapped(handle: int) -> Floats:
    return np.frombuffer(mmap.mmap(handle, 0), dtype=np.float64)
