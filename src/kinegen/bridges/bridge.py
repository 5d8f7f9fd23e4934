"""Bridge: a simulated robot on wires, for a Python program; it runs in processes of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any, Literal, Self

from kinegen.bridges.process import pipes
from kinegen.bridges.process.hub import Hub, HubOptions
from kinegen.bridges.process.physics import SharedPhysics
from kinegen.bridges.process.priority import prefer_this_process
from kinegen.bridges.state import BridgeState
from kinegen.bridges.transport.traffic import WireTraffic
from kinegen.errors import KinegenError, UsageError
from kinegen.formats.load import loaded
from kinegen.mechanism.any_model import AnyModel

__all__ = ["Bridge", "HubProcess"]


class HubProcess:
    """Wires in a process of their own: a program that is busy does not delay an answer."""

    def __init__(self) -> None:
        """Start the process; what it speaks for comes next."""
        self._lock = threading.Lock()
        self._process = pipes.start("kinegen.bridges.bridge")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        self.wires: list[dict[str, Any]] = []
        """Each wire: ``bridge`` (its protocol), ``endpoint``, ids and speeds."""

    def __repr__(self) -> str:
        wires = ", ".join(f"{k}: {e}" for k, e in self.endpoints.items())
        return f"{type(self).__name__}({wires})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @property
    def endpoints(self) -> dict[str, str]:
        """Device path or ``host:port`` of each protocol, as ``'feetech'``.

        Robots of one file that have a bus each add their name: ``'feetech left'``.
        """
        return {
            " ".join(filter(None, (one["bridge"], one.get("robot")))): one["endpoint"]
            for one in self.wires
        }

    def traffic(self, count: int = 20) -> list[WireTraffic]:
        """What went over each wire: clients, counts, and the last packets in words."""
        rows: list[WireTraffic] = self._ask("traffic", count)
        return rows

    def close(self) -> None:
        """Close all wires."""
        pipes.end(self._process)

    def _open(self, word: str, value: Any) -> None:
        """Open the first wires; where that fails, the process ends."""
        try:
            self.wires = self._ask(word, value)
        except BaseException:
            self.close()
            raise

    def _ask(self, word: str, value: Any = None) -> Any:
        with self._lock:
            try:
                pipes.send(self._orders, (word, value))
                good, answer = pipes.receive(self._answers)
            except (EOFError, OSError, ValueError):
                raise KinegenError("the bridge is closed") from None
        if not good:
            raise UsageError(answer)
        return answer


class Bridge(HubProcess):
    """A simulated robot that unmodified control software talks to.

    Protocols and simulation run in separate processes. Use the bridge in a ``with`` block, or
    :meth:`close` it.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | AnyModel,
        kinds: Sequence[str] = ("feetech",),
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        tcp: bool = False,
        clock: Literal["wall", "client"] = "wall",
        period: float = 0.02,
        hold: bool | None = None,
        origins: Sequence[str] = (),
        **world: Any,
    ) -> None:
        """Start a robot and open its wires.

        Args:
            source: Name of a library mechanism, a RAFF file or text, a mechanism or a model.
            kinds: Protocols, such as 'feetech' and 'dynamixel'; 'rosbridge:9090' gives a port.
            host: Address that TCP protocols listen on.
            port: Port of the protocol with a TCP address.
            tcp: Whether serial protocols have TCP addresses instead of pseudo terminals.
            clock: 'wall': simulated time follows real time; 'client': it advances only when a
                client reads positions, or by :meth:`advance`.
            period: Time by which a client's cycle advances the simulation, with clock='client' [s].
            hold: Whether motors are on at the start; None: as on the real robots, where bus servos
                start off and robots with controllers on.
            origins: Origins of further web pages that may connect to rosbridge, besides those of
                this machine, such as 'https://example.org'; '*': all.
            world: ``engine``, ``step``, ``seed``, ``floor``, ``gravity``, ``q``, ``log`` (a file)
                of the world.
        """
        options = HubOptions(
            (kinds,) if isinstance(kinds, str) else tuple(kinds), host, port, tcp, clock, period,
            hold, world, tuple(origins),
        )  # fmt: skip
        super().__init__()
        self._open("start", (loaded(source), options))

    @property
    def state(self) -> BridgeState:
        """The robot now: time, servos and sensors by name, q."""
        state: BridgeState = self._ask("state")
        return state

    def advance(self, seconds: float | None = None) -> float:
        """Advance time, with clock='client'; None: by one period. Returns the time reached [s]."""
        time: float = self._ask("advance", seconds)
        return time


async def _serve(orders: IO[bytes], answers: IO[bytes]) -> None:
    """What the process of a bridge does until its pipe is closed."""
    loop = asyncio.get_running_loop()
    hub: Hub | None = None

    async def answer(word: str, value: Any) -> Any:
        nonlocal hub
        if word in ("start", "attach"):
            mechanism, options, *shared = value
            hub = Hub(mechanism, options, SharedPhysics(*shared) if shared else None)
            if options.clock == "wall":  # else the world runs in this process
                prefer_this_process()
            await hub.open()
            return hub.rows()
        assert hub is not None
        if word == "wires":
            await hub.change(value)
            return hub.rows()
        if word == "advance":
            hub.robot.advance(value)
            return hub.robot.time
        return hub.traffic(value) if word == "traffic" else hub.state()

    with contextlib.suppress(EOFError, OSError):
        while True:
            word, value = await loop.run_in_executor(None, pipes.receive, orders)
            try:
                pipes.send(answers, (True, await answer(word, value)))
            except KinegenError as error:
                pipes.send(answers, (False, str(error)))
    if hub is not None:
        await hub.close()


def main() -> None:
    """The process of a bridge."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asyncio.run(_serve(sys.stdin.buffer, answers))


if __name__ == "__main__":
    main()
