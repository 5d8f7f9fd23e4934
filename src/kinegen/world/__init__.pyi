"""Worlds: robots, objects, sensors and agents, and the one cycle that moves them."""

from kinegen.mechanism.load import world_names as world_names
from kinegen.world.agents.seen import Seen as Seen
from kinegen.world.bodies.node import Node as Node
from kinegen.world.clock.snapshot import Snapshot as Snapshot
from kinegen.world.clock.timeline import TimeSpan as TimeSpan
from kinegen.world.events import Event as Event
from kinegen.world.hands.hand import WorldHand as WorldHand
from kinegen.world.log.player import LogPlayer as LogPlayer
from kinegen.world.log.player import LogRow as LogRow
from kinegen.world.log.player import open_player as open_player
from kinegen.world.log.read import SignalTrace as SignalTrace
from kinegen.world.log.read import WorldLog as WorldLog
from kinegen.world.log.read import read_log as read_log
from kinegen.world.people.people import People as People
from kinegen.world.people.person import Hand as Hand
from kinegen.world.people.person import Person as Person
from kinegen.world.sensors.sensor import Output as Output
from kinegen.world.sensors.sensor import Sensor as Sensor
from kinegen.world.sensors.sensor import SensorMessage as SensorMessage
from kinegen.world.signalling.signal import Signal as Signal
from kinegen.world.signalling.signals import Signals as Signals
from kinegen.world.world import WorldReport as WorldReport
