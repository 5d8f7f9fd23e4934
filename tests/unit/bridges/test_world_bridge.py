"""Wires of a world that somebody else runs."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

import kinegen as kg
from kinegen.bridges.world_bridge import WorldBridge
from kinegen.errors import UsageError
from kinegen.world.world import World
from tests.support.clients.feetech import FeetechClient


@pytest.fixture
def world() -> Iterator[World]:
    with World("so101", keyframes=0) as made:
        yield made


def run(world: World, seconds: float) -> None:
    for _ in range(round(seconds / world.step_length)):
        world.step()


def test_a_client_moves_the_world(world: World) -> None:
    with WorldBridge(world, ["feetech"]) as bridge:
        client = FeetechClient(bridge.endpoints["feetech"])
        begin = client.position()
        client.switch_on()
        client.aim(begin + 200)
        assert client.position() == begin  # its time stands still
        run(world, 1.5)
        # steps of the encoder; the servo gives a little under friction
        assert client.position() == pytest.approx(begin + 200, abs=12)
        # another world in its place: the client notices nothing but where the arm is
        with World("so101", keyframes=0) as other:
            assert bridge.follow(other)
            assert client.position() == begin
            run(other, 1.5)  # the command still holds
            assert client.position() == pytest.approx(begin + 200, abs=12)
        row = bridge.traffic()[0]
        assert row["clients"] is None and row["errors"] == 0
        assert any("goal position" in one["words"] for one in row["last"])
        client.close()


def test_another_mechanism_needs_other_wires(world: World) -> None:
    with WorldBridge(world, ["feetech"]) as bridge, World("lynx6", keyframes=0) as other:
        assert not bridge.follow(other)


def test_wires_come_and_go(world: World) -> None:
    with WorldBridge(world, ["feetech"]) as bridge, socket.create_server(("127.0.0.1", 0)) as busy:
        first = bridge.endpoints["feetech"]
        with pytest.raises(UsageError, match=r"rosbridge: cannot listen .* choose another port"):
            bridge.change(["feetech", f"rosbridge:{busy.getsockname()[1]}"])
        assert bridge.endpoints == {"feetech": first}
        run(world, 0.3)
        sunk = float(world.signals["shoulder_lift.position"].value)
        # a robot with a controller has its motors on
        bridge.change(["feetech", "rosbridge:0"])
        assert bridge.endpoints["feetech"] == first
        run(world, 0.5)
        assert float(world.signals["shoulder_lift.position"].value) == pytest.approx(sunk, abs=0.1)
        bridge.change(["rosbridge:0"])
        assert list(bridge.endpoints) == ["rosbridge"]
        assert bridge.traffic()[0]["clients"] == 0


def test_a_mechanism_without_motors_is_refused() -> None:
    text = "raff: 1\nname: bare\njoints: [{name: a, parent: base, mass: 1}]"
    with World(kg.load(text)) as bare, pytest.raises(UsageError, match="no motors"):
        WorldBridge(bare, ["feetech"])
