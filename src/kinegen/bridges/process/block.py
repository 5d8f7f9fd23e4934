"""Block: numbers that one process writes and another reads, never half of them.

There are two places: the writer fills the one that was not written last, then says that it is the
last one. A writer that is interrupted in the middle of its work, even for long, leaves readers the
numbers before: nobody waits for anybody. A reader that was overtaken tries again; a checksum in
each place covers machines that reorder writes.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile

import numpy as np

from kinegen.errors import KinegenError
from kinegen.kernels import Floats

__all__ = ["Block"]

_TRIES = 10_000
"""A reader that was overtaken tries again; so often nobody is."""


class Block:
    """Some numbers with one writer."""

    def __init__(self, memory: Floats, path: str = "") -> None:
        """Over memory of the right size: use :meth:`local`, :meth:`shared` or :meth:`opened`."""
        self.path = path
        """Of the file that the other process opens; empty where there is none."""
        self._sequence = memory[:1].view(np.uint64)
        places = memory[1:].reshape(2, -1)
        self._sums = places[:, 0].view(np.uint64)
        self._numbers = places[:, 1:]

    @classmethod
    def local(cls, size: int) -> Block:
        """Within this process."""
        return cls(np.zeros(_length(size)))

    @classmethod
    def shared(cls, size: int) -> Block:
        """In a file that another process opens; in memory where the system has such files."""
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        handle, path = tempfile.mkstemp(prefix="kinegen-", suffix=".block", dir=folder)
        try:
            os.truncate(path, 8 * _length(size))
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
        """How many writes there were."""
        return int(self._sequence[0])

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self._numbers.shape[1])

    def first(self) -> float:
        """The first number of the last write."""
        return float(self._numbers[self.sequence & 1, 0])

    def write(self, values: Floats) -> None:
        """Write all numbers."""
        place = (self.sequence + 1) & 1
        self._numbers[place] = values
        self._sums[place] = self._numbers[place].view(np.uint64).sum()
        self._sequence[0] += np.uint64(1)

    def read(self) -> Floats:
        """A copy of all numbers as they were written together.

        Raises:
            KinegenError: The memory holds nothing that was written.
        """
        for _ in range(_TRIES):
            before = self.sequence
            found: Floats = self._numbers[before & 1].copy()
            checksum = self._sums[before & 1]
            if self.sequence == before and checksum == found.view(np.uint64).sum():
                return found
        raise KinegenError("the memory of the robot's state is damaged")


def _length(size: int) -> int:
    """Of the memory for some numbers: how often they were written, and two places for them."""
    return 1 + 2 * (1 + size)


def _mapped(handle: int) -> Floats:
    return np.frombuffer(mmap.mmap(handle, 0), dtype=np.float64)
