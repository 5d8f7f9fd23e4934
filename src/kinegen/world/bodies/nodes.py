"""The nodes of a world: robots, links, objects, lights, sensors and agents by name."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.spatial.pose import SE3
from kinegen.world.agents.agent import Agent
from kinegen.world.bodies.mount import Mount
from kinegen.world.bodies.node import Node
from kinegen.world.bodies.stage import Stage
from kinegen.world.sensors.sensor import Sensor

__all__ = ["make_nodes"]


def make_nodes(
    stage: Stage, sensors: Mapping[str, Sensor], agents: Mapping[str, Agent]
) -> dict[str, Node]:
    """All nodes of a world."""
    signals, mechanism = stage.signals, stage.mechanism
    nodes: dict[str, Node] = {}

    def add(name: str, kind: str, parent: str = "", mount: Mount | None = None) -> None:
        nodes[name] = Node(signals, name, kind, parent, mount)

    for island in stage.islands:
        model, objects = island.model, island.simulation.system.object_names
        for index, name in enumerate(model.link_names):
            if name in nodes:
                continue  # the ground belongs to all islands
            kind = "object" if name in objects else "link"
            if any(other.startswith(f"{name}.") for other in model.link_names):
                kind = "robot"
            add(name, kind, name.rpartition(".")[0], Mount(island, index, SE3.identity()))
        for row in island.simulation.system.fixed_objects:
            if row["name"] not in nodes:
                add(row["name"], "object", "", Mount(island, 0, row["pose"]))
    if mechanism.name not in nodes:
        add(mechanism.name, "robot" if mechanism.joints else "world")
    for light in stage.lights:
        add(light.name, "light", light.parent, light.mount)
        nodes[light.name].set("intensity", light.intensity)
        nodes[light.name].set("color", light.color_name)
        nodes[light.name].set("type", light.kind)
    for name, sensor in sensors.items():
        kind = "camera" if sensor.kind == "camera" else "sensor"
        add(name, kind, sensor.parent, getattr(sensor, "mount", None))
    for name in agents:
        add(name, "agent")
    return nodes
