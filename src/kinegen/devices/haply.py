"""HaplyDevice: an Inverse3 through the Inverse service of Haply, JSON over a WebSocket.

The service answers each message with one state, so a thread of its own asks as fast as it answers,
and translates both ways: the handle's position for the haptic thread, its force for the handle.
Protocol: Haply's documentation of the Inverse SDK, version 3.5, "WebSocket protocol".
"""

from __future__ import annotations

import json
import math
import secrets
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kinegen.devices.client import DeviceClient
from kinegen.devices.device import DeviceLimits
from kinegen.errors import UsageError

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

    from kinegen.devices.haptic import HapticThread

__all__ = ["SERVICE", "HaplyDevice", "HaplyState", "force_message", "state_of"]

SERVICE = "ws://localhost:10001"
"""Where the service listens unless it was configured otherwise."""
LIMITS = DeviceLimits(force=8.0, force_rate=5000.0)
"""Below what an Inverse3 can do, so that its own limits never distort a force."""
PATIENCE = 0.25
"""A service that has not answered for so long is asked again [s]."""
AGAIN = 1.0
"""[s] Between two attempts to reach a service that has gone."""
GRIPS = ("wireless_verse_grip", "verse_grip")
"""Handles with an orientation and buttons, in the order in which they are used."""


class HaplyState(NamedTuple):
    """What one message of the service says about the first Inverse3."""

    device: str
    """Its id."""
    position: tuple[float, float, float]
    """[m]"""
    velocity: tuple[float, float, float]
    """[m/s]"""
    quaternion: tuple[float, float, float, float]
    """Of the handle, wxyz; no rotation without one that is measured."""
    buttons: int
    """One bit each."""


def state_of(message: str | bytes, device: str = "") -> HaplyState | None:
    """The state of a device in a message of the service; None if there is none.

    Args:
        message: JSON.
        device: Its id; empty: the first one.
    """
    try:
        data = json.loads(message)
        rows = [row for row in data.get("inverse3", ()) if device in ("", str(row["device_id"]))]
        if not rows:
            return None
        state = rows[0]["state"]
        x, y, z = _numbers(state["cursor_position"], "xyz")
        u, v, w = _numbers(state.get("cursor_velocity", {}), "xyz")
        grip: Mapping[str, Any] = next(
            (data[kind][0].get("state", {}) for kind in GRIPS if data.get(kind)), {}
        )
        turn = grip.get("orientation") or {"w": 1.0}
        a, b, c, d = _numbers(turn, "wxyz")
        size = math.sqrt(a * a + b * b + c * c + d * d)
        if not 0.5 < size < 2:
            return None
        pressed = [bool(one) for one in (grip.get("buttons") or {}).values()]
        buttons = sum(1 << i for i, one in enumerate(pressed[:32]) if one)
        return HaplyState(
            str(rows[0]["device_id"]), (x, y, z), (u, v, w),
            (a / size, b / size, c / size, d / size), buttons,
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        return None


def force_message(device: str, force: tuple[float, float, float], *, is_first: bool = False) -> str:
    """The command that sets the force on the handle [N]."""
    values = dict(zip("xyz", force, strict=True))
    commands = {"set_cursor_force": {"values": values}}
    message: dict[str, Any] = {"inverse3": [{"device_id": device, "commands": commands}]}
    if is_first:
        message["session"] = {"configure": {"profile": {"name": "kinegen"}}}
    return json.dumps(message)


class HaplyDevice:
    """An Inverse3, reported by Haply's Inverse service on this or another machine."""

    def __init__(
        self, service: str = SERVICE, *, device_id: str = "", limits: DeviceLimits = LIMITS
    ) -> None:
        """Describe it; it is reached when the haptic thread starts.

        Args:
            service: Address of the service, "ws://host:port" or "host:port".
            device_id: Which Inverse3; none: the first one of the service.
            limits: Largest force and torque of the device.
        """
        self.service = service if "://" in service else f"ws://{service}"
        if not self.service.startswith(("ws://", "wss://")):
            raise UsageError(
                f"the address of Haply's service must begin with ws://, such as {SERVICE}, got "
                f"{service!r}"
            )
        self.device_id, self.limits = device_id, limits
        self.answers, self.bad = 0, 0
        """Messages with a position, and without one."""
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def connect(self, thread: HapticThread) -> None:
        """Connect to the service and start translating; UsageError if it does not answer."""
        first = self._open()
        # a way of our own into the thread, which nobody else can use
        key = secrets.token_bytes(32)
        port = thread.loop.device("127.0.0.1", 0, "", 0, key)
        client = DeviceClient(f"127.0.0.1:{port}", key=key, limits=self.limits)
        self._thread = threading.Thread(
            target=self._serve, args=(first, client), name="haply", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Release the motors and disconnect from the service."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(2.0)
            self._thread = None

    def _open(self) -> ClientConnection:
        try:
            from websockets.exceptions import WebSocketException
            from websockets.sync.client import connect
        except ImportError as error:
            raise UsageError(
                "Haply's service needs the package websockets: pip install 'kinegen[studio]'"
            ) from error
        try:
            return connect(self.service, open_timeout=3, compression=None, proxy=None)
        except (OSError, ValueError, WebSocketException) as error:
            raise UsageError(
                f"Haply's service does not answer at {self.service} ({error}): start Haply Hub or "
                "the Inverse service, or specify its address as 'port'"
            ) from error

    def _serve(self, first: ClientConnection, client: DeviceClient) -> None:
        """Translate until the end; a service that goes away is looked for again."""
        from websockets.exceptions import WebSocketException

        service: ClientConnection | None = first
        try:
            while not self._end.is_set():
                try:
                    if service is None:
                        service = self._open()
                    self._exchange(service, client)
                except (OSError, WebSocketException, UsageError):
                    service = None
                    client.receive()
                    self._end.wait(AGAIN)
        finally:
            client.close()

    def _exchange(self, service: ClientConnection, client: DeviceClient) -> None:
        """One connection: a state comes in, a force goes out, until the end."""
        found, is_first, asked = self.device_id, True, time.monotonic()
        with service:
            while not self._end.is_set():
                try:
                    state = state_of(service.recv(timeout=PATIENCE), found)
                except TimeoutError:
                    state = None
                client.receive()  # in every cycle: it releases the force of a silent thread
                force = (0.0, 0.0, 0.0)
                if state is None:
                    self.bad += 1
                    # no new position: no force, and no hurry
                    self._end.wait(max(0.0, asked + 0.01 - time.monotonic()))
                else:
                    self.answers += 1
                    found, force = state.device, client.force
                    client.send(
                        state.position, velocity=state.velocity, quaternion=state.quaternion,
                        buttons=state.buttons,
                    )  # fmt: skip
                asked = time.monotonic()
                service.send(force_message(found, force, is_first=is_first) if found else "{}")
                is_first = False
            if found:
                service.send(force_message(found, (0.0, 0.0, 0.0)))


def _numbers(row: Mapping[str, Any], names: str) -> tuple[float, ...]:
    """Finite numbers by name, 0 where one is left out."""
    found = tuple(float(row.get(name, 0.0)) for name in names)
    if not all(map(math.isfinite, found)):
        raise ValueError("not finite")
    return found
