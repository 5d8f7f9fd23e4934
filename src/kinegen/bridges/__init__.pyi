"""Bridges: a simulated robot on the wires that real ones have, for unmodified control software."""

from kinegen.bridges.bridge import Bridge as Bridge
from kinegen.bridges.process.physics import local_robot as local_robot
from kinegen.bridges.robot import PictureReading as PictureReading
from kinegen.bridges.robot import Robot as Robot
from kinegen.bridges.robot import SignalReading as SignalReading
from kinegen.bridges.servos.servo import Servo as Servo
from kinegen.bridges.state import BridgeState as BridgeState
from kinegen.bridges.state import ServoReading as ServoReading
from kinegen.bridges.transport.serial_wire import SerialWire as SerialWire
from kinegen.bridges.transport.wire import Wire as Wire
from kinegen.bridges.transport.wire import WireOptions as WireOptions
from kinegen.bridges.world_bridge import WorldBridge as WorldBridge
