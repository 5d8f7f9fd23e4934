"""ROS 1 with a node in little, and as a node of another master."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any
from xmlrpc.server import SimpleXMLRPCServer

import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.transport.wire import WireOptions
from kinegen.errors import UsageError
from tests.support.bridged import arm
from tests.support.clients import ros1 as little
from tests.support.waiting import wait_for

pytest.importorskip("rosbags", reason="rosbags is not installed")

from kinegen.bridges.ros1.encoding import Ros1Types
from kinegen.bridges.ros1.master import Master
from kinegen.bridges.wires.ros1 import Ros1Wire

CONTROLLER = "/joint_trajectory_controller"
TYPES = Ros1Types()
STATE, TRAJECTORY = "sensor_msgs/JointState", "trajectory_msgs/JointTrajectory"


@pytest.fixture(scope="module", autouse=True)
def no_master() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ROS_MASTER_URI", raising=False)
        yield


@pytest.fixture(scope="module")
def bridge(no_master: None) -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge("so101", ["ros1:0"], step=2e-3) as made:
        yield made


@pytest.fixture
def address(bridge: kg.bridges.Bridge) -> str:
    return bridge.endpoints["ros1"]


def moves(joint: str, position: float) -> dict[str, Any]:
    """A trajectory of one joint that takes 0.2 s."""
    point = {
        "positions": [position], "velocities": [], "accelerations": [], "effort": [],
        "time_from_start": {"sec": 0, "nanosec": 200_000_000},
    }  # fmt: skip
    stamp = {"sec": 0, "nanosec": 0}
    return {"header": {"stamp": stamp, "frame_id": ""}, "joint_names": [joint], "points": [point]}


def test_the_graph_and_the_parameters(bridge: kg.bridges.Bridge, address: str) -> None:
    master = little.master(address)
    types = dict(little.value(master.getTopicTypes("/me")))
    assert types["/joint_states"] == STATE
    assert types[f"{CONTROLLER}/follow_joint_trajectory/goal"].endswith("ActionGoal")
    published, taken, services = little.value(master.getSystemState("/me"))
    assert ["/tf", ["/kinegen"]] in published
    assert [f"{CONTROLLER}/joint_trajectory", ["/kinegen"]] in taken
    assert services == [["/kinegen/advance", ["/kinegen"]]]
    assert little.value(master.getParam("/me", "robot_description")).startswith("<?xml")
    assert little.value(master.getParam("/me", "/use_sim_time")) is True
    rows = [
        {"methodName": "setParam", "params": ["/me", "~gain", 2.5]},
        {"methodName": "getParam", "params": ["/me", "/me/gain"]},
        {"methodName": "no_such_method", "params": []},
    ]
    # ServerProxy hides names with dots
    first, second, third = getattr(master, "system.multicall")(rows)
    assert [first[0][2], second[0][2]] == [0, 2.5]
    assert "unknown method 'no_such_method'" in third["faultString"]
    node = little.Api(little.value(master.lookupNode("/me", "/kinegen")))
    assert little.value(node.getMasterUri("/me")) == bridge.wires[0]["url"]
    assert ["/clock", "rosgraph_msgs/Clock"] in little.value(node.getPublications("/me"))
    assert node.requestTopic("/me", "/nothing", [["TCPROS"]])[0] == -1
    assert node.requestTopic("/me", "/tf", [["UDPROS"]])[0] == 0
    # the robot keeps its name
    assert master.registerPublisher("/kinegen", "/tf", "x/Y", "http://127.0.0.1:9/")[0] == -1


def test_topics_come_with_their_definitions_and_numbers(address: str) -> None:
    with little.subscribed(address, "/joint_states", TYPES.md5_of(STATE)) as (stream, found):
        assert found["type"] == STATE and found["latching"] == "0"
        assert found["message_definition"] == TYPES.definition_of(STATE)
        states = [TYPES.decode(STATE, little.read_block(stream)) for _ in range(3)]
        node = little.Api(little.value(little.master(address).lookupNode("/me", "/kinegen")))
        assert ["o", "TCPROS", "/joint_states"] in [
            row[2:5] for row in little.value(node.getBusInfo("/me"))
        ]
    assert "elbow_flex" in states[0]["name"]
    first = states[0]["header"]["seq"]
    assert [one["header"]["seq"] for one in states] == [first, first + 1, first + 2]
    # one that is sent once is there for those who come later, whatever type they ask for
    with little.subscribed(address, "/robot_description", "*") as (stream, found):
        assert found["latching"] == "1"
        assert TYPES.decode("std_msgs/String", little.read_block(stream))["data"].startswith(
            "<?xml"
        )
    with little.subscribed(address, "/joint_states", "0" * 32) as (stream, found):
        assert "is sensor_msgs/JointState with the MD5 sum 3066dcd7" in found["error"]
        assert stream.recv(1) == b""


def test_a_trajectory_of_a_node_moves_the_arm(bridge: kg.bridges.Bridge, address: str) -> None:
    topic = f"{CONTROLLER}/joint_trajectory"

    def goal() -> float:
        return float(bridge.state.servos["elbow_flex"].goal)

    with little.Publisher(address, topic, TRAJECTORY, TYPES.md5_of(TRAJECTORY)) as node:
        assert node.connect()["md5sum"] == TYPES.md5_of(TRAJECTORY)
        node.stream.sendall(TYPES.encode(TRAJECTORY, moves("elbow_flex", 0.25)))
        wait_for(lambda: bridge.traffic()[0]["clients"] == 1)
        wait_for(lambda: goal() == pytest.approx(0.25))
        wrong = bridge.traffic()[0]["errors"]
        node.stream.sendall(TYPES.encode(TRAJECTORY, moves("elbow", 0.25)) + b"\3\0\0\0abc")
        wait_for(lambda: bridge.traffic()[0]["errors"] == wrong + 2)
        words = [one["words"] for one in bridge.traffic()[0]["last"]]
        assert any("joint 'elbow' has no motor here" in one for one in words)
        node.stream.close()  # the robot tries again
        assert node.connect()["topic"] == topic
        node.stream.sendall(TYPES.encode(TRAJECTORY, moves("elbow_flex", 0.5)))
        wait_for(lambda: goal() == pytest.approx(0.5))
        gone = node.uri
    # nobody listens there any more: the master removes it
    little.master(address).registerPublisher("/other", topic, TRAJECTORY, "http://127.0.0.1:9/")

    def publishers() -> list[Any]:
        return little.value(little.master(address).registerSubscriber("/x", topic, "*", gone))

    wait_for(lambda: publishers() == [])


def test_a_client_that_holds_the_clock_advances_it() -> None:
    with kg.bridges.Bridge("so101", ["ros1:0"], step=2e-3, clock="client", period=0.05) as made:
        master = little.master(made.endpoints["ros1"])
        place = little.value(master.lookupService("/me", "/kinegen/advance"))
        host, port = place.removeprefix("rosrpc://").split(":")
        fields = {
            "callerid": "/me",
            "service": "/kinegen/advance",
            "md5sum": "*",
            "persistent": "1",
        }
        with socket.create_connection((host, int(port)), 30) as stream:
            stream.sendall(little.header(fields | {"persistent": "1"}))
            found = little.read_header(stream)
            # of Debian's std_srvs
            assert found["md5sum"] == "937c9679a518e3a18d831e57125ea522"
            for _ in range(2):
                stream.sendall(b"\0\0\0\0")
                assert stream.recv(1) == b"\1"
                assert little.read_block(stream)[0] == 1
        assert made.state.time == pytest.approx(0.1)


@pytest.fixture
def foreign() -> Iterator[Master]:
    """Another master, which runs."""
    with SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False) as server:
        made = Master(f"http://127.0.0.1:{server.server_address[1]}/", lambda *call: None)
        for name, method in made.methods.items():
            server.register_function(method, name)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield made
        server.shutdown()


def wire() -> Ros1Wire:
    return Ros1Wire("ros1", local_robot(arm(), hold=True), WireOptions())


def test_a_robot_joins_the_master_of_the_environment(
    foreign: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_MASTER_URI", foreign.uri)

    async def joins() -> None:
        one = wire()
        await one.open()
        place = foreign.uri.removeprefix("http://").strip("/")
        assert one.endpoint == place and one.facts()["joined"] is True
        own = little.value(foreign.methods["lookupNode"]("/me", "/kinegen"))
        assert own == one.uri != foreign.uri

        def hears() -> int:
            with little.subscribed(place, "/robot_description", "*") as (stream, _):
                return len(little.read_block(stream))

        assert await asyncio.get_running_loop().run_in_executor(None, hears) > 100
        with pytest.raises(UsageError, match="already has a node /kinegen"):
            await wire().open()
        await one.close()

    asyncio.run(joins())
    assert foreign.methods["getSystemState"]("/me")[2] == [[], [], []]
    assert foreign.methods["hasParam"]("/me", "/use_sim_time")[2] is False


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("localhost:11311", "use an address such as http://localhost:11311"),
        ("http://localhost:x", "use an address such as http://localhost:11311"),
        ("http://nobody.invalid:11311", "no master answers there"),
    ],
)
def test_masters_that_are_none(uri: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_MASTER_URI", uri)
    with pytest.raises(UsageError, match=message):
        asyncio.run(wire().open())
