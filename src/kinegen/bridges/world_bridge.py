"""WorldBridge: wires of a world that this process runs itself, such as that of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinegen.bridges.bridge import HubProcess
from kinegen.bridges.process.hub import HubOptions
from kinegen.bridges.process.plant import Plant
from kinegen.world.world import World

__all__ = ["WireInfo", "WorldBridge"]


@dataclass(frozen=True, slots=True)
class WireInfo:
    """A wire, for people."""

    kind: str
    robot: str
    """The included robot whose servos it has; empty where it has all."""
    endpoint: str
    """Device path or ``host:port``."""
    facts: tuple[str, ...]
    """Further facts for a client: speed, ids of the servos, other forms of the address."""


class WorldBridge(HubProcess):
    """Wires of a world, in a separate process; the owner of the world advances its time."""

    def __init__(
        self, world: World, kinds: Sequence[str], *, hold: bool = False, host: str = "127.0.0.1"
    ) -> None:
        """Open wires; commands and measurements are exchanged in every step of the world.

        Args:
            world: With its motors on.
            kinds: Protocols, such as 'feetech'; 'rosbridge:9090' gives a port.
            hold: Whether motors hold before their first command; robots with controllers have their
                motors on in any case.
            host: Address that TCP protocols listen on.
        """
        options = HubOptions(tuple(kinds), host, hold=hold)
        self.plant = Plant(world, hold=hold)
        self.plant.share()
        super().__init__()
        try:
            shared = (self.plant.layout, self.plant.paths)
            self._open("attach", (world.mechanism, options, *shared))
        finally:
            for block in (self.plant.state, self.plant.commands, *self.plant.pictures):
                block.remove()

    @property
    def table(self) -> list[WireInfo]:
        """All wires, described for users."""
        return [
            WireInfo(one["bridge"], one.get("robot", ""), one["endpoint"], tuple(_facts(one)))
            for one in self.wires
        ]

    def change(self, kinds: Sequence[str]) -> None:
        """Replace the wires, or keep all if that fails; wires that stay keep their clients."""
        self.wires = self._ask("wires", tuple(kinds))

    def follow(self, world: World, *, hold: bool = False) -> bool:
        """Continue with another world of the same mechanism.

        Motors that were commanded stay as commanded; ``hold`` applies to the others. Returns False
        if its servos or sensors differ: open another bridge then.
        """
        plant = Plant(world, hold=hold)
        if not plant.replace(self.plant):
            return False
        self.plant = plant
        return True


def _facts(row: Mapping[str, Any]) -> list[str]:
    """What a client has to know besides the endpoint."""
    found = []
    if "url" in row:
        found.append(str(row["url"]))
    if "interface" in row:
        found.append(f"interface {row['interface']}")
    if "channel" in row:
        found.append(f"channel {row['channel']}")
    for key in ("baud", "bitrate"):
        if key in row:
            found.append(f"{row[key]:,} bit/s")
    if "domain" in row:
        found.append(f"domain {row['domain']}")
    if "servos" in row:
        found.append(", ".join(f"{number} {name}" for number, name in row["servos"].items()))
    if "topics" in row:
        found.append(f"{len(row['topics'])} topics")
    return found
