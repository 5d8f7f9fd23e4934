"""Services of the robot for nodes of ROS 1: who holds the clock advances it."""

from __future__ import annotations

import asyncio
import hashlib
import struct
from typing import NamedTuple

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.node import NAME
from kinegen.bridges.ros1.tcpros import TcprosError, header, read_block
from kinegen.errors import KinegenError

__all__ = ["Services"]


class _Service(NamedTuple):
    """A service by its type; requests of all services here are empty."""

    type: str
    response: str
    """Definition of the answer."""

    @property
    def md5(self) -> str:
        """Of both definitions, one after the other."""
        return hashlib.md5(self.response.encode(), usedforsecurity=False).hexdigest()


class Services:
    """Calls over TCPROS; ``/kinegen/advance`` moves time on by a period."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.names = {
            f"{NAME}/advance": _Service("std_srvs/Trigger", "bool success\nstring message")
        }

    async def serve(
        self, asked: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the calls of one client.

        Raises:
            TcprosError: The service is not there, or of another type.
        """
        one = self.names.get(asked["service"])
        if one is None:
            known = ", ".join(self.names)
            raise TcprosError(f"unknown service '{asked['service']}'; services: {known}")
        if asked.get("md5sum") not in ("*", one.md5):
            raise TcprosError(f"{asked['service']} is {one.type} with the MD5 sum {one.md5}")
        writer.write(header({
            "callerid": NAME, "md5sum": one.md5, "type": one.type,
            "request_type": f"{one.type}Request", "response_type": f"{one.type}Response",
        }))  # fmt: skip
        await writer.drain()
        while asked.get("probe") != "1":
            await read_block(reader)
            writer.write(b"\1" + self._advance())
            await writer.drain()
            if asked.get("persistent") not in ("1", "true", "True"):
                return

    def _advance(self) -> bytes:
        try:
            self._robot.advance()
            good, text = True, f"{self._robot.time:.9g} s"
        except KinegenError as error:
            good, text = False, str(error)
        data = text.encode()
        body = struct.pack("<?I", good, len(data)) + data
        return struct.pack("<I", len(body)) + body
