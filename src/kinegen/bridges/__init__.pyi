"""Bridges: a simulated robot on the wires that real ones have, for unmodified control software."""

from kinegen.bridges.physics import local_robot as local_robot
from kinegen.bridges.robot import Robot as Robot
from kinegen.bridges.serial_wire import SerialWire as SerialWire
from kinegen.bridges.servo import Servo as Servo
from kinegen.bridges.wire import Wire as Wire
from kinegen.bridges.wire import WireOptions as WireOptions
from kinegen.bridges.world_bridge import WorldBridge as WorldBridge
