"""Rosbridge with roslibpy, unmodified, and with frames that roslibpy does not send."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import kinegen as kg
from kinegen.bridges.wires.rosbridge import _is_allowed
from kinegen.errors import UsageError

client = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")

LEGS = [f"leg{i}" for i in range(1, 7)]


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge("stewart", ["rosbridge:0"], step=2e-3) as made:
        yield made


@pytest.fixture(scope="module")
def seen(bridge: kg.bridges.Bridge) -> Any:
    """What a program with roslibpy saw."""
    pytest.importorskip("roslibpy", reason="roslibpy is not installed")
    address = bridge.endpoints["rosbridge"].split(":")
    program = [sys.executable, "-m", "tests.support.clients.roslibpy", *address]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Raw:
    """A WebSocket that sends whatever it is given."""

    def __init__(self, bridge: kg.bridges.Bridge, **options: Any) -> None:
        self._opened = client.connect(f"ws://{bridge.endpoints['rosbridge']}", **options)

    def __enter__(self) -> Raw:
        self.socket = self._opened.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def send(self, **frame: Any) -> None:
        self.socket.send(json.dumps(frame))

    def next(self, op: str) -> Any:
        """The next frame of an operation."""
        while True:
            found = json.loads(self.socket.recv(30))
            if found["op"] == op:
                return found

    def call(self, service: str, **args: Any) -> Any:
        self.send(op="call_service", service=service, args=args, id="c")
        return self.next("service_response")


def test_a_trajectory_moves_the_six_motors_of_a_stewart_platform(seen: Any) -> None:
    # a cubic that ends at 3.3 m; the motors carry the platform and sag by some millimetres
    assert seen["legs"] == pytest.approx([3.3] * 6, abs=0.03)
    assert seen["stamp"]["secs"] == seen["stamp"]["sec"]


def test_an_action_reports_feedback_and_its_result(seen: Any) -> None:
    assert seen["results"] == [["SUCCEEDED", 0], ["CANCELED", 0]]
    assert seen["feedback"]["joint_names"] == LEGS
    assert len(seen["feedback"]["error"]["positions"]) == 6
    assert "limits are 2.4 and 4 m" in seen["failure"]


def test_actions_of_ros_1(seen: Any) -> None:
    assert seen["old"][0] == {"error_code": 0, "error_string": ""}
    assert seen["refused"]["error_code"] == -2


def test_a_client_finds_topics_types_services_time_and_the_robot(
    bridge: kg.bridges.Bridge, seen: Any
) -> None:
    wanted = {"/joint_states", "/tf", "/tf_static", "/clock", "/robot_description"}
    assert wanted <= set(seen["topics"])
    assert seen["type"] == "tf2_msgs/msg/TFMessage"
    assert seen["for_type"] == ["/joint_states"]
    assert "/rosapi/get_time" in seen["services"]
    assert seen["service_type"] == "rosapi_msgs/srv/Topics"
    assert seen["nodes"] == ["/kinegen"]
    assert 0 < seen["time"] <= bridge.state.time
    assert seen["description"].startswith("<?xml") and "loop cut at" in seen["description"]
    with Raw(bridge) as raw:
        found = raw.call("rosapi/topics_and_raw_types")["values"]
        i = found["topics"].index("/joint_states")
        assert "MSG: std_msgs/msg/Header" in found["typedefs_full_text"][i]
        rows = raw.call("/rosapi/message_details", type="std_msgs/Header")["values"]["typedefs"]
        assert rows[0]["fieldnames"] == ["stamp", "frame_id"]
        asked = {"type": "actionlib_msgs/msg/GoalStatusArray"}
        rows = raw.call("/rosapi/message_details", **asked)["values"]["typedefs"]
        # roslib.js looks up types of fields by their names
        inner = {kind for row in rows for kind in row["fieldtypes"] if "/" in kind}
        assert inner <= {row["type"] for row in rows} and len(inner) == 4
        status = next(row for row in rows if row["type"] == "actionlib_msgs/GoalStatus")
        assert status["constvalues"][status["constnames"].index("SUCCEEDED")] == "3"
        wrong = raw.call("/rosapi/topisc")
        assert wrong["result"] is False and "did you mean '/rosapi/topics'" in wrong["values"]


def test_names_of_ros_2_get_its_times_alone(bridge: kg.bridges.Bridge) -> None:
    with Raw(bridge) as raw:
        raw.send(op="subscribe", topic="/clock", type="rosgraph_msgs/msg/Clock")
        assert set(raw.next("publish")["msg"]["clock"]) == {"sec", "nanosec"}


def test_throttle_queue_and_unsubscribe(bridge: kg.bridges.Bridge) -> None:
    with Raw(bridge) as raw:
        raw.send(op="subscribe", topic="/clock", throttle_rate=100, id="slow")
        times = [raw.next("publish")["msg"]["clock"] for _ in range(4)]
        seconds = [one["sec"] + 1e-9 * one["nanosec"] for one in times]
        # simulated time lags behind the clock on the wall on a busy machine, never the reverse
        assert seconds[-1] - seconds[0] > 0.1
        raw.send(op="unsubscribe", topic="/clock", id="slow")
        raw.call("/rosapi/nodes")
        with pytest.raises(TimeoutError):
            raw.socket.recv(0.3)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("no json", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1]", "an object with 'op'"),
        ('{"op": "subscribr"}', "did you mean 'subscribe'"),
        ('{"op": ["publish"]}', "is not supported"),
        ('{"op": "subscribe"}', "needs 'topic'"),
        ('{"op": "subscribe", "topic": "/tf", "type": "std_msgs/String"}', "is of type tf2_msgs"),
        ('{"op": "subscribe", "topic": "/tf", "throttle_rate": -1}', "throttle_rate is -1"),
        ('{"op": "subscribe", "topic": "/x", "compression": "cbor"}', "is sent uncompressed"),
        ('{"op": "publish", "topic": "/joint_states", "msg": {}}', "the robot publishes"),
        ('{"op": "publish", "topic": "/joint_trajectory_controller/joint_trajectory",'
         ' "msg": {"joint_names": ["leg9"]}}', "leg9"),
        ('{"op": "cancel_action_goal", "action": "/x", "id": "y"}', "no goal 'y'"),
        ('{"op": "set_level", "level": 3}', "level 3"),
    ],
)  # fmt: skip
def test_errors_are_reported_to_the_client(
    bridge: kg.bridges.Bridge, frame: str, words: str
) -> None:
    with Raw(bridge) as raw:
        raw.socket.send(frame)
        found = raw.next("status")
        assert found["level"] == "error" and words in found["msg"]
        assert raw.call("/rosapi/nodes")["result"] is True


def test_clients_reach_each_other(bridge: kg.bridges.Bridge) -> None:
    with Raw(bridge) as first, Raw(bridge) as second:
        second.send(op="subscribe", topic="/chatter")
        second.call("/rosapi/nodes")
        first.send(op="advertise", topic="/chatter", type="std_msgs/String")
        first.send(op="publish", topic="/chatter", msg={"data": "hello"})
        assert second.next("publish")["msg"] == {"data": "hello"}
        assert "/chatter" in first.call("/rosapi/topics")["values"]["topics"]


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f":{port}: address already in use.*another port"):
            kg.bridges.Bridge("so101", ["rosbridge"], port=port, clock="client")


def test_wires_agree_to_one_step() -> None:
    """Commanded over Feetech's bus, watched over rosbridge; a client holds the clock."""
    serial = pytest.importorskip("serial", reason="pyserial is not installed")
    with kg.bridges.Bridge(
        "so101", ["feetech", "rosbridge:0"], tcp=True, clock="client", period=0.02
    ) as made:
        feetech = {row["bridge"]: row for row in made.wires}["feetech"]
        with Raw(made) as raw, serial.serial_for_url(feetech["url"], timeout=30) as bus:
            raw.send(op="subscribe", topic="/joint_states", type="sensor_msgs/msg/JointState")
            raw.call("/rosapi/nodes")
            for cycle in range(5):
                data = bytes([1, 5, 3, 42]) + (2048 + 20 * cycle).to_bytes(2, "little")
                bus.write(b"\xff\xff" + data + bytes([~sum(data) & 0xFF]))
                bus.read(6)
                assert raw.call("/kinegen/advance", seconds=0.02)["result"] is True
                state = raw.next("publish")["msg"]
                while state["header"]["stamp"] != _stamp(0.02 * (cycle + 1)):
                    state = raw.next("publish")["msg"]
                now = made.state
                assert now.time == pytest.approx(0.02 * (cycle + 1))
                for name, position in zip(state["name"], state["position"], strict=True):
                    assert now.servos[name].position == position
        assert now.servos["shoulder_pan"].position > 1e-3


def _stamp(time: float) -> dict[str, int]:
    whole, rest = divmod(round(time * 1e9), 10**9)
    return {"sec": whole, "nanosec": rest}


def test_a_client_that_does_not_read_gets_the_newest(bridge: kg.bridges.Bridge) -> None:
    """Nothing piles up for it, and others are served."""
    with Raw(bridge, max_queue=1, close_timeout=0.2) as lazy, Raw(bridge) as busy:
        lazy.send(op="subscribe", topic="/tf")
        lazy.send(op="subscribe", topic="/joint_states")
        time.sleep(0.5)
        for _ in range(20):
            assert busy.call("/rosapi/nodes")["result"] is True


@pytest.mark.parametrize(
    ("origin", "allowed", "is_taken"),
    [
        ("http://localhost:8000", (), True),
        ("https://[::1]", (), True),
        ("https://example.org", (), False),
        ("https://localhost.example.org", (), False),
        ("http://[", (), False),
        ("null", (), False),
        ("null", ("null",), True),
        ("https://example.org", ("https://example.org/",), True),
        ("https://example.org", ("*",), True),
    ],
)
def test_pages_of_other_origins_are_refused(
    origin: str, allowed: tuple[str, ...], is_taken: bool
) -> None:
    assert _is_allowed(origin, allowed) is is_taken


def test_a_refused_page_learns_how_to_be_allowed(bridge: kg.bridges.Bridge) -> None:
    refused = pytest.importorskip("websockets.exceptions").InvalidStatus
    before = bridge.traffic()[0]["errors"]
    with pytest.raises(refused) as error, Raw(bridge, origin="https://example.org"):
        pass
    assert error.value.response.status_code == 403
    assert b"--origin https://example.org" in error.value.response.body
    assert bridge.traffic()[0]["errors"] == before + 1
    with Raw(bridge, origin="http://localhost:3000") as page:
        assert page.call("/rosapi/nodes")["result"]
