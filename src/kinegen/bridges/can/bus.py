"""CanBus: all drives of a robot on one CAN bus."""

from __future__ import annotations

from kinegen.bridges.can.node import SYNC, CanNode, Frame
from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.wiring import Maker, wire_servos
from kinegen.errors import UsageError

__all__ = ["CanBus"]

HIGHEST = 127
"""Greatest id of a node."""


class CanBus:
    """The nodes, which all hear every frame."""

    def __init__(self, robot: Robot, maker: Maker, owner: str = "") -> None:
        """Of a robot.

        Args:
            robot: Whose servos are the drives.
            maker: What drives are where the file says nothing.
            owner: The included robot whose servos they are; empty: all.
        """
        self.robot = robot
        wired = wire_servos(robot, maker, owner)
        for one in wired:
            if not 1 <= one.id <= HIGHEST:
                raise UsageError(
                    f"the drive of '{one.servo.name}' has id {one.id}: ids of CAN nodes are 1 to "
                    f"{HIGHEST}"
                )
        self.nodes = [CanNode(one, wired) for one in wired]
        self.baud = wired[0].baud
        """[bit/s]"""

    def receive(self, frame: Frame) -> list[Frame]:
        """What all nodes send after a frame; look and send of the robot are the caller's."""
        if frame.id == SYNC and not frame.remote:
            return self._sync()
        asked = self.nodes
        if frame.id & 0x780 in (0x600, 0x700):  # for one node
            asked = [one for one in asked if one.id == frame.id & 0x7F]
        out = [one for node in asked for one in node.receive(frame, self.robot.time)]
        if self.robot.clock == "client" and max(node.reads for node in self.nodes) > 1:
            # a position that is read again begins a new cycle
            for node in self.nodes:
                node.reads = min(node.reads, 1) if node.reads > 1 else 0
            self.robot.advance()
            out += self.tick()
        return out

    def _sync(self) -> list[Frame]:
        """Targets take effect together; where clients hold the clock it moves on by a cycle."""
        if self.robot.clock == "client":
            out = [one for node in self.nodes for one in node.sync(self.robot.time)]
            cycle = max(node.objects.get(0x1006) for node in self.nodes) * 1e-6
            self.robot.advance(cycle or None)
            return out
        return [one for node in self.nodes for one in node.sync(self.robot.time)]

    def tick(self) -> list[Frame]:
        """What is sent by itself."""
        out = []
        for node in self.nodes:
            node.drive.step()
            out += node.tick(self.robot.time)
        return out
