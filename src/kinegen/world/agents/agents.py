"""The agents of a world, from the rows of its file and from what a caller gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinegen.errors import UsageError
from kinegen.world.agents.agent import Agent
from kinegen.world.agents.load import make_runner
from kinegen.world.bodies.stage import Stage
from kinegen.world.sensors.sensor import Sensor

__all__ = ["make_agents"]


def make_agents(
    stage: Stage, sensors: Mapping[str, Sensor], given: Mapping[str, Any]
) -> dict[str, Agent]:
    """All agents by name.

    Args:
        stage: What they act on.
        sensors: Those of the world, by name.
        given: Functions, classes or objects by name of the agent, instead of what the file names;
            those that the file does not have are added.
    """
    rows = {row["name"]: row for row in stage.mechanism.scene.get("agents", ())}
    rows |= {name: {"name": name} for name in given if name not in rows}
    signals = {name: sensor.signals for name, sensor in sensors.items()}
    motors = [
        name
        for island in stage.islands
        if island.actuators is not None
        for name in island.actuators.joints
    ]
    opener = stage.mechanism.opener
    folder = opener.folder if opener is not None else None
    made: dict[str, Agent] = {}
    drives: dict[str, str] = {}
    for name, row in rows.items():
        runner = make_runner(row, given.get(name), folder)
        agent = Agent(row, stage, runner, sensors=signals, motors=motors)
        for joint in agent.joints:
            if joint in drives:
                raise UsageError(
                    f"agents '{drives[joint]}' and '{name}' both drive joint '{joint}': list the "
                    "joints of each under 'joints'"
                )
            drives[joint] = name
        made[name] = agent
    return made
