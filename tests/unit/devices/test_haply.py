"""An Inverse3 through Haply's service, here a fake one that answers as the documentation says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest

import kinegen as kg
from kinegen.devices import HaplyDevice, HapticLink, HapticThread
from kinegen.devices.haply import LIMITS, force_message, state_of
from kinegen.devices.link import UdpTransport
from kinegen.errors import UsageError
from tests.support.waiting import needs_thread

STATE = {"cursor_position": {"x": 0.03, "z": 0.01}, "cursor_velocity": {"x": 0, "y": 0, "z": 0}}


class FakeService:
    """Answers each message with one state, and keeps the forces that it was sent."""

    def __init__(self) -> None:
        from websockets.sync.server import serve

        self.forces: list[dict[str, float]] = []
        self.profiles: list[str] = []
        self._server = serve(self._speak, "127.0.0.1", 0)
        self.address = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _speak(self, connection: object) -> None:
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.server import ServerConnection

        assert isinstance(connection, ServerConnection)
        try:
            while True:
                rows = [{"device_id": "049D", "state": STATE}]
                connection.send(json.dumps({"inverse3": rows, "wireless_verse_grip": []}))
                said = json.loads(connection.recv())
                (row,) = said["inverse3"]
                assert row["device_id"] == "049D"
                self.forces.append(row["commands"]["set_cursor_force"]["values"])
                if "session" in said:
                    self.profiles.append(said["session"]["configure"]["profile"]["name"])
        except ConnectionClosed:
            pass

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()


@pytest.fixture
def service() -> Iterator[FakeService]:
    pytest.importorskip("websockets")
    made = FakeService()
    yield made
    made.close()


@needs_thread
def test_a_hand_at_the_service_pulls_an_arm_and_feels_it(service: FakeService) -> None:
    sim = kg.Simulation(kg.load("arm-6"), gravity=(0, 0, 0), record=0)
    pull = sim.pull("tool", stiffness=200, damping=10)
    port = UdpTransport("127.0.0.1:0")
    start = pull.grip.state(sim.engine.q, sim.engine.v).place
    link = HapticLink(sim, pull, port, origin=start.tolist())
    device = HaplyDevice(service.address)
    with HapticThread(device, dynamics=f"127.0.0.1:{port.port}") as thread:
        assert thread.settings.force_most == LIMITS.force
        for _ in range(100):  # until it pulls: 3 cm and 200 N/m would be 6 N
            link.run(0.1)
            if any(abs(force["x"]) > 0.01 for force in service.forces):
                break
        else:
            pytest.fail(f"no force reached the service: {thread.trouble.words}")
    port.close()
    assert service.profiles == ["kinegen"] and device.answers > 0
    assert all(abs(x) <= LIMITS.force for force in service.forces for x in force.values())
    assert service.forces[-1] == {"x": 0, "y": 0, "z": 0}  # released at the end
    assert pull.energy != 0


def test_messages_are_read_and_nonsense_is_refused() -> None:
    rows = [{"device_id": 7, "state": STATE}]
    grip = [{"state": {"orientation": {"w": 0, "z": 1}, "buttons": {"a": False, "b": True}}}]
    found = state_of(json.dumps({"inverse3": rows, "verse_grip": grip}))
    assert found is not None and found.device == "7"
    assert found.position == (0.03, 0.0, 0.01) and found.quaternion == (0, 0, 0, 1)
    assert found.buttons == 2
    assert state_of(json.dumps({"inverse3": rows}), "8") is None
    odd = {"cursor_position": {"x": float("nan")}}
    for words in ("", "[]", "{}", '{"inverse3": 3}', '{"inverse3": [{}]}',
                  json.dumps({"inverse3": [{"device_id": "a", "state": odd}]})):  # fmt: skip
        assert state_of(words) is None
    said = json.loads(force_message("a", (1.0, 0.0, -2.0)))
    assert said["inverse3"][0]["commands"]["set_cursor_force"]["values"]["z"] == -2.0


def test_a_service_that_is_not_there_is_reported() -> None:
    pytest.importorskip("websockets")
    with pytest.raises(UsageError, match=r"does not answer at ws://127\.0\.0\.1:9"):
        HapticThread(HaplyDevice("127.0.0.1:9"))
    with pytest.raises(UsageError, match="must begin with ws://"):
        HaplyDevice("http://localhost:10001")
