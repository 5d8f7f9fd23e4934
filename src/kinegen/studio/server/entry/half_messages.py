"""Half messages: what sockets have sent of messages that are not complete, and who must go for it.

A message may have 8 MB, and a connection may take its time with it. Many that never finish would
fill the memory, as would empty pieces, which have no size and yet are kept.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["MOST_PIECES", "HalfMessages"]

MOST_BYTES = 64 * 2**20
"""Of all half messages: eight of the largest."""
MOST_PIECES = 1000
"""Pieces of one message; browsers send each in one."""


class HalfMessages:
    """How much each socket holds, by the socket."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._held: dict[object, tuple[int, Callable[[], None]]] = {}
        self.total = 0
        """[bytes]"""

    def note(self, socket: object, size: int, abort: Callable[[], None]) -> None:
        """A socket holds so many bytes now; the one with the most ends when all hold too many."""
        self.forget(socket)
        if size:
            self._held[socket] = size, abort
            self.total += size
        while self.total > self._most:
            largest = max(self._held, key=lambda one: self._held[one][0])
            end = self._held[largest][1]
            self.forget(largest)
            end()

    def forget(self, socket: object) -> None:
        """A socket is gone, or its message complete."""
        size, _ = self._held.pop(socket, (0, None))
        self.total -= size
