"""Physics: the world of a bridge, paced to the clock on the wall in a process of its own."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

from kinegen.bridges.process import pipes
from kinegen.bridges.process.block import Block
from kinegen.bridges.process.layout import Layout
from kinegen.bridges.process.plant import Plant
from kinegen.bridges.robot import Robot
from kinegen.errors import KinegenError, UsageError
from kinegen.mechanism.any_model import AnyModel, mechanism_of
from kinegen.mechanism.graph import Mechanism
from kinegen.world.clock.pace import run_paced

__all__ = ["LocalPhysics", "PhysicsProcess", "SharedPhysics", "local_robot"]

FOREVER = 1 << 62
"""A step that nobody reaches."""
CLOSED = "the bridge was closed"
"""Why a world ends well."""


class LocalPhysics:
    """A world in this process, which stands still until it is advanced."""

    def __init__(self, mechanism: Mechanism, *, hold: bool, options: Mapping[str, Any]) -> None:
        """Set it up; arguments as for :class:`~kinegen.bridges.process.plant.Plant`."""
        self.plant = Plant.of(mechanism, hold=hold, options=options)
        self.layout: Layout = self.plant.layout
        self.state, self.commands = self.plant.state, self.plant.commands
        self.pictures = self.plant.pictures

    @property
    def reason(self) -> str:
        """Why it stopped; empty while it runs."""
        return self.plant.world.reason

    def advance(self, steps: int) -> None:
        """Make some steps."""
        self.plant.advance(steps)

    def close(self) -> None:
        """End it."""
        self.plant.close()


def local_robot(
    model: AnyModel, *, period: float = 0.02, hold: bool = False, **world: Any
) -> Robot:
    """A robot in this process, for tests of a protocol; its time advances only on request.

    Args:
        model: What is simulated.
        period: Default time step of :meth:`Robot.advance` [s].
        hold: Whether the motors are on.
        world: Options of its :class:`~kinegen.world.world.World`.
    """
    mechanism = mechanism_of(model)
    physics = LocalPhysics(mechanism, hold=hold, options=world)
    return Robot(mechanism, physics, clock="client", period=period, hold=hold)


class SharedPhysics:
    """A world that another process runs by its own clock."""

    def __init__(self, layout: Layout, paths: Sequence[str]) -> None:
        """Look at the blocks that the other process has shared."""
        self.layout = layout
        self.state, self.commands, *self.pictures = (Block.opened(path) for path in paths)

    @property
    def reason(self) -> str:
        """Why it stopped; empty while it runs."""
        return ""

    def advance(self, steps: int) -> None:
        """Not here: simulated time follows real time."""
        raise UsageError("simulated time follows real time here")

    def close(self) -> None:
        """Nothing: whoever runs the world ends it."""


class PhysicsProcess(SharedPhysics):
    """A world in a process of its own, which runs by the clock on the wall."""

    def __init__(self, mechanism: Mechanism, *, hold: bool, options: Mapping[str, Any]) -> None:
        """Start it; arguments as for :class:`~kinegen.bridges.process.plant.Plant`."""
        self._process = pipes.start("kinegen.bridges.process.physics")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        self._reason = ""
        try:
            pipes.send(self._orders, (mechanism, hold, dict(options)))
            word, found = pipes.receive(self._answers)
        except (EOFError, OSError):
            self.close()
            raise KinegenError("the process of the simulation could not be started") from None
        if word == "error":
            self.close()
            raise UsageError(found)
        super().__init__(*found)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def reason(self) -> str:
        """Why it stopped; empty while it runs."""
        return self._reason

    def close(self) -> None:
        """End it."""
        pipes.end(self._process)

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError, ValueError):
            while True:
                _, self._reason = pipes.receive(self._answers)
        self._reason = self._reason or "the process of the simulation has ended"


def main() -> None:
    """What the process does until its pipe is closed."""
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what agents print does not belong into the pipe
    try:
        mechanism, hold, options = pipes.receive(orders)
        plant = Plant.of(mechanism, hold=hold, options=options)
        plant.share()
    except KinegenError as error:
        pipes.send(answers, ("error", str(error)))
        return
    except EOFError:
        return
    pipes.send(answers, ("ready", (plant.layout, plant.paths)))
    world, closed = plant.world, threading.Event()

    def listen() -> None:
        with contextlib.suppress(OSError):
            orders.read()  # returns when the other end is closed, or dead
        world.stop(CLOSED)
        closed.set()

    threading.Thread(target=listen, daemon=True).start()
    try:
        run_paced(world, FOREVER, 1.0)
    except KinegenError as error:
        world.stop(str(error))
    with contextlib.suppress(OSError):
        pipes.send(answers, ("stopped", world.reason))
    closed.wait()  # until then wires ask for the last state
    plant.close()


if __name__ == "__main__":
    main()
