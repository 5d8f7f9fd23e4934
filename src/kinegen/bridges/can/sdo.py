"""SdoServer: reads and writes of an object dictionary, expedited and in segments (CiA 301)."""

from __future__ import annotations

from kinegen.bridges.can.objects import Abort, Dictionary

__all__ = ["SdoServer"]

TOGGLE, BAD_COMMAND = 0x05030000, 0x05040001
LENGTH_DIFFERS = 0x06070010
LONGEST = 1024
"""Bytes of a write in segments."""


class SdoServer:
    """One transfer at a time; a new request ends an unfinished one."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._place = 0, 0
        self._rest: bytes | None = None
        """Of an upload."""
        self._taken: bytearray | None = None
        """Of a download."""
        self._size: int | None = None
        self._toggle = 0

    def answer(self, request: bytes) -> bytes | None:
        """The answer to a request of eight bytes; None where there is none."""
        if len(request) != 8:
            return None
        code = request[0] >> 5
        if code in (1, 2):
            self._place = int.from_bytes(request[1:3], "little"), request[3]
        try:
            if code == 1:
                return self._begin_download(request)
            if code == 0:
                return self._download(request)
            if code == 2:
                return self._begin_upload()
            if code == 3:
                return self._upload(request)
            if code == 4:
                self._rest = self._taken = None
                return None
            raise Abort(BAD_COMMAND)
        except Abort as abort:
            self._rest = self._taken = None
            return bytes([0x80]) + self._where() + abort.code.to_bytes(4, "little")

    def _where(self) -> bytes:
        return self._place[0].to_bytes(2, "little") + bytes([self._place[1]])

    def _begin_upload(self) -> bytes:
        data = self._dictionary.read(*self._place)
        if len(data) <= 4:
            self._rest = None
            return bytes([0x43 | (4 - len(data)) << 2]) + self._where() + data.ljust(4, b"\0")
        self._rest, self._toggle = data, 0
        return bytes([0x41]) + self._where() + len(data).to_bytes(4, "little")

    def _upload(self, request: bytes) -> bytes:
        if self._rest is None:
            raise Abort(BAD_COMMAND)
        self._check_toggle(request)
        part, self._rest = self._rest[:7], self._rest[7:]
        head = (request[0] & 0x10) | (7 - len(part)) << 1 | (not self._rest)
        if not self._rest:
            self._rest = None
        return bytes([head]) + part.ljust(7, b"\0")

    def _begin_download(self, request: bytes) -> bytes:
        one = self._dictionary.find(*self._place)
        if request[0] & 2:  # expedited
            count = 4 - (request[0] >> 2 & 3) if request[0] & 1 else one.kind.size
            self._dictionary.write(*self._place, request[4 : 4 + count])
            self._taken = None
        else:
            self._size = int.from_bytes(request[4:8], "little") if request[0] & 1 else None
            self._taken, self._toggle = bytearray(), 0
        return bytes([0x60]) + self._where() + bytes(4)

    def _download(self, request: bytes) -> bytes:
        if self._taken is None:
            raise Abort(BAD_COMMAND)
        self._check_toggle(request)
        self._taken += request[1 : 8 - (request[0] >> 1 & 7)]
        if len(self._taken) > LONGEST:
            raise Abort(LENGTH_DIFFERS)
        if request[0] & 1:
            taken, self._taken = bytes(self._taken), None
            if self._size is not None and self._size != len(taken):
                raise Abort(LENGTH_DIFFERS)
            self._dictionary.write(*self._place, taken)
        return bytes([0x20 | (request[0] & 0x10)]) + bytes(7)

    def _check_toggle(self, request: bytes) -> None:
        if request[0] & 0x10 != self._toggle:
            raise Abort(TOGGLE)
        self._toggle ^= 0x10
