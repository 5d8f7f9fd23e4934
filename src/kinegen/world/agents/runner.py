"""Runner: asks something that decides, without letting it hold up or break the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kinegen.errors import KinegenError

__all__ = ["AgentError", "LateError", "Runner"]


class AgentError(KinegenError):
    """An agent gave no command: it raised, crashed, or printed something else."""


class LateError(AgentError):
    """An agent has not answered in the time it has."""


class Runner(Protocol):
    """What stands behind an agent: a Python object or a program."""

    def ask(self, count: int, time: float, seen: Mapping[str, Any]) -> None:
        """Ask for a command, at the world's step and time [s]."""
        ...

    def answer(self, wait: float | None) -> Mapping[str, Any]:
        """What it commands: values by name.

        Args:
            wait: Real time that it may still take [s]; None: as long as it likes.

        Raises:
            LateError: It has not answered yet.
            AgentError: It gave no command.
        """
        ...

    def reset(self, time: float) -> None:
        """The world has gone to another time [s]."""
        ...

    def keep(self) -> Any:
        """What its next answers depend on, where that is known."""
        ...

    def bring_back(self, kept: Any) -> None:
        """Go back to what was kept."""
        ...

    def close(self) -> None:
        """The world ends."""
        ...
