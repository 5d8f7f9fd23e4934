"""A robot under the hands of a person: follows, plays, is taught; stops when nobody is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import kinegen as kg
from kinegen.drive.helm import Helm, serial_ports
from kinegen.errors import UsageError
from tests.support.bridged import arm
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")
pytest.importorskip("serial", reason="pyserial is not installed")

CALM = 60.0
"""Patience where a test is not about it [s]: the machine may be busy."""
STEP = 0.02
"""Three steps of the encoder, and how far the arm sags [rad]."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers may take longer: the machine may be busy with other tests."""
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 20_000)


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge(arm(), ["feetech"], gravity=[0, 0, 0], hold=True) as made:
        yield made


@pytest.fixture
def helm(bridge: kg.bridges.Bridge) -> Iterator[Helm]:
    with Helm(arm(), bridge.endpoints["feetech"], speed=1.0, patience=CALM) as made:
        yield made


def shown(bridge: kg.bridges.Bridge, name: str) -> float:
    return float(bridge.state.servos[name].position)


def test_it_follows_a_pose_from_where_the_arm_is(bridge: kg.bridges.Bridge, helm: Helm) -> None:
    q = np.array([0.4, 0.2])
    with pytest.raises(UsageError, match="switch them on first"):
        helm.follow(lambda: q)
    before = helm.look()
    assert before.state == "off"
    helm.start()
    # motors are on with their goals where the arm is
    assert helm.look().goals == pytest.approx(before.positions, abs=STEP)
    helm.follow(lambda: q)
    assert helm.look().task == "follow"
    wait_for(lambda: abs(shown(bridge, "lift") - 0.4) < STEP)
    q = np.array([0.1, 9.0])  # beyond a limit: it goes to the limit
    wait_for(lambda: abs(shown(bridge, "hand") - np.pi / 2) < 3 * STEP)
    helm.stop("by the user")
    assert helm.look().state == "stopped" and helm.look().reason == "by the user"
    wait_for(lambda: helm.look().task == "")
    with pytest.raises(UsageError, match="switch them on first"):
        helm.follow(lambda: q)
    helm.start()
    assert helm.look().reason == "" and helm.look().state == "on"


def test_commands_alone_do_not_say_that_a_person_is_there(bridge: kg.bridges.Bridge) -> None:
    path = bridge.endpoints["feetech"]
    with Helm(arm(), path, speed=0.05, patience=0.2) as helm:
        helm.start()
        far = shown(bridge, "lift") - 1.4
        helm.follow(lambda: [far, 0.0])  # commands in every cycle, but no heartbeat
        wait_for(lambda: helm.look().state == "stopped")
        assert helm.look().reason == "no heartbeat for 200 ms"
        assert shown(bridge, "lift") > far + 1.0


def test_it_plays_ends_early_and_compares(bridge: kg.bridges.Bridge, helm: Helm) -> None:
    model = arm().compile()
    motion = kg.Recording.of(model, [[0.0, 0.0], [0.2, 0.1], [0.3, 0.0]], [0.0, 0.2, 0.4])
    helm.start(twin=True)
    assert 0 < helm.play(motion) <= 1
    wait_for(lambda: helm.look().task == "")
    assert helm.look().state == "on" and helm.look().reason == ""
    wait_for(lambda: abs(shown(bridge, "lift") - 0.3) < STEP)
    # the simulated twin got the same goals
    wait_for(lambda: abs(helm.look().twin[0] - 0.3) < 3 * STEP)
    slow = kg.Recording.of(model, [[0.3, 0.0], [-0.3, 0.0]], [0.0, 500.0])
    helm.play(slow)
    helm.finish()
    # it holds where it was, and its motors are on
    assert helm.look().state == "on" and helm.look().task == ""
    assert helm.look().goals[0] > 0.2
    bad = kg.Recording.of(model, [[0.0, 0.0], [0.0, 4.0]], [0.0, 1.0])
    with pytest.raises(UsageError, match="beyond its limits"):
        helm.play(bad)


def test_it_is_taught(bridge: kg.bridges.Bridge, helm: Helm) -> None:
    helm.start()
    helm.teach()
    wait_for(lambda: helm.look().state == "off")
    wait_for(lambda: not bridge.state.servos["lift"].on)
    taught = helm.finish()
    assert taught is not None and set(taught.joints) == {"lift", "hand"}
    assert taught.values[-1] == pytest.approx(helm.look().positions, abs=STEP)
    assert helm.finish() is None


def test_limits_change_while_it_is_on(helm: Helm) -> None:
    helm.start()
    fast = helm.drive.travel.speeds.copy()
    helm.set_limits(0.5, 0.3)
    assert helm.drive.travel.speeds == pytest.approx(0.5 * fast)
    assert helm.drive.torque == 0.3
    with pytest.raises(UsageError, match="torque must be above 0"):
        helm.set_limits(0.5, 2.0)
    assert helm.drive.torque == 0.3


def test_it_knows_whether_a_file_is_that_of_the_robot(helm: Helm) -> None:
    assert helm.drive.matches(arm())
    assert helm.drive.matches(arm(0.3))  # another mass, the same servos
    assert not helm.drive.matches(kg.load("so101"))
    other = kg.load(arm().to_raff().replace("name: hand", "name: fist"))
    assert not helm.drive.matches(other)


def test_a_virtual_robot_and_the_ports_of_this_computer() -> None:
    with Helm(arm(), "virtual", patience=CALM) as helm:
        assert helm.is_virtual and len(helm.look().positions) == 2
    assert all(one.device for one in serial_ports())
