"""Real robots, played by the virtual bus and reached through the makers' own packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import kinegen as kg
from kinegen.drive.comparison import Comparison
from kinegen.drive.robot_drive import MISSED
from kinegen.drive.teaching import teach
from kinegen.errors import LinkError, NameNotFoundError, StoppedError, UsageError
from tests.support.bridged import arm
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")
pytest.importorskip("dynamixel_sdk", reason="dynamixel-sdk is not installed")
pytest.importorskip("serial", reason="pyserial is not installed")

KINDS = ["feetech", "dynamixel", "dynamixel1", "ssc32"]
CALM = 30.0
"""Patience where a test is not about it [s]: the machine may be busy."""
STEP = 0.02
"""Three steps of the coarsest encoder, and how far the arm sags [rad]."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers may take longer: the machine may be busy with other tests."""
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 20_000)


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge(arm(), KINDS, gravity=[0, 0, 0], hold=True) as made:
        yield made


def driven(bridge: kg.bridges.Bridge, kind: str, **options: object) -> kg.drive.Drive:
    given = {"patience": CALM, "speed": 1.0, "at": {} if kind == "ssc32" else None} | options
    return kg.drive.Drive(arm(), bridge.endpoints[kind], kind, **given)  # type: ignore[arg-type]


def shown(bridge: kg.bridges.Bridge, name: str) -> float:
    return float(bridge.state.servos[name].position)


@pytest.mark.parametrize("kind", KINDS)
def test_it_starts_where_the_robot_is_and_moves_where_it_shall(
    bridge: kg.bridges.Bridge, kind: str
) -> None:
    target = 0.1 * (1 + KINDS.index(kind))
    with driven(bridge, kind) as drive:
        before = drive.positions
        if kind != "ssc32":  # which takes our word for it
            assert before["lift"] == pytest.approx(shown(bridge, "lift"), abs=STEP)
        drive.start()
        assert drive.goals == pytest.approx(before, abs=STEP)
        drive.move({"lift": target})
        wait_for(lambda: abs(shown(bridge, "lift") - target) < STEP)
        assert shown(bridge, "hand") == pytest.approx(before["hand"], abs=STEP)
        wait_for(lambda: abs(drive.positions["lift"] - target) < STEP)
        assert drive.q[0] == pytest.approx(target, abs=STEP)


def test_a_deserted_robot_stops_and_can_start_again(bridge: kg.bridges.Bridge) -> None:
    with driven(bridge, "feetech", patience=0.2, speed=0.02) as drive:
        drive.start()
        drive.targets = {"lift": 1.5}
        wait_for(lambda: drive.state == "stopped")
        assert drive.reason == "no command for 200 ms"
        assert abs(shown(bridge, "lift")) < 1.4
        with pytest.raises(StoppedError, match="no command for 200 ms"):
            drive.targets = {"lift": 0.0}
        drive.start()
        assert drive.state == "on"


def test_stop_holds_or_switches_off(bridge: kg.bridges.Bridge) -> None:
    for on_stop in ("hold", "off"):
        with driven(bridge, "dynamixel", on_stop=on_stop, speed=0.05) as drive:
            drive.start()
            drive.targets = {"lift": -1.5}
            drive.stop()
            assert drive.state == "stopped" and drive.reason == "by the program"
            wait_for(lambda on=on_stop == "hold": bridge.state.servos["lift"].on is on)
            with pytest.raises(StoppedError):
                drive.heartbeat()


def test_what_is_called_in_every_cycle_can_stop_it(bridge: kg.bridges.Bridge) -> None:
    def press(_: kg.drive.Drive) -> None:
        raise KeyboardInterrupt

    with driven(bridge, "feetech", speed=0.05) as drive:
        drive.start()
        with pytest.raises(KeyboardInterrupt):
            drive.move({"lift": 1.0}, each=press)
        assert drive.reason == "by the user"


def test_limits_of_the_file_are_kept(bridge: kg.bridges.Bridge) -> None:
    with driven(bridge, "feetech") as drive:
        drive.start()
        with pytest.raises(UsageError, match=r"'hand' is 2 rad, beyond its limits -1.571 to 1.571"):
            drive.targets = {"hand": 2.0}
        with pytest.raises(kg.errors.KinegenError, match="did you mean 'hand'"):
            drive.targets = {"hnad": 0.0}
        drive.track({"hand": 9.0})
        assert drive.targets["hand"] == pytest.approx(np.pi / 2)
        drive.stop()


def test_servos_get_limits_of_speed_and_torque(bridge: kg.bridges.Bridge) -> None:
    with driven(bridge, "feetech", fastest=0.5, torque=0.3) as drive:
        drive.start()
        port = drive.port
        with drive._lock:
            speed = port._bus.read2ByteTxRx(port._port, 1, 46)[0]  # type: ignore[attr-defined]
            limit = port._bus.read2ByteTxRx(port._port, 1, 48)[0]  # type: ignore[attr-defined]
        assert limit == 300
        assert speed == pytest.approx(1.5 * 0.5 * 4096 / (2 * np.pi), abs=1)


def test_a_motion_is_slowed_to_the_speeds_and_taught(bridge: kg.bridges.Bridge) -> None:
    with driven(bridge, "feetech") as drive, Comparison(drive) as compared:
        model = drive.model
        motion = kg.Recording.of(model, [[0, 0], [0.4, 0], [0.4, 0.1]], [0, 0.1, 0.2])
        drive.start()
        assert drive.play(motion, each=compared) == pytest.approx(
            0.25
        )  # 4 rad/s where 1 is allowed
        wait_for(lambda: abs(drive.positions["lift"] - 0.4) < STEP)
        found = compared.result()
        assert len(found.times) > 3
        assert max(found.largest.values()) < 0.4
        assert "difference of lift [rad]" in found.columns()
        taught = teach(drive, seconds=0.1)
        assert drive.state == "off"
        assert not bridge.state.servos["lift"].on
        assert taught.values[0, 0] == pytest.approx(0.4, abs=STEP)
    with pytest.raises(UsageError, match=r"at 1 s: the target of 'lift' is 3 rad"):
        drive.travel.fitted(kg.Recording.of(model, [[0, 0], [3, 0]], [0, 1]))


def test_errors_of_ports_say_what_to_do(bridge: kg.bridges.Bridge) -> None:
    with pytest.raises(LinkError, match="'/dev/nowhere' cannot be opened: it does not exist"):
        kg.drive.Drive(arm(), "/dev/nowhere")
    with pytest.raises(NameNotFoundError, match="did you mean 'feetech'"):
        kg.drive.Drive(arm(), "/dev/nowhere", "feetch")
    with pytest.raises(UsageError, match="do not measure positions"):
        kg.drive.Drive(arm(), bridge.endpoints["ssc32"], "ssc32")
    with pytest.raises(UsageError, match="speed must be above 0"):
        driven(bridge, "feetech", speed=2.0)


def test_missing_servos_and_wrong_speeds_are_named(
    bridge: kg.bridges.Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    # silence is what is tested here; where there is an answer, the last try waits for 3 s
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 300)
    text = "raff: 1\njoints:\n  - {name: lift, parent: base, motor: {id: %s, baud: %s}, mass: 1}\n"
    with pytest.raises(LinkError, match=r"no answer from 1 of 1 servos at 1000000 .*id 9 \(lift\)"):
        kg.drive.Drive(text % (9, 1_000_000), bridge.endpoints["feetech"])
    with pytest.raises(LinkError, match=r"id 1 answers at 1000000 bit/s: .*baud: 1000000"):
        kg.drive.Drive(text % (1, 500_000), bridge.endpoints["feetech"])


def test_a_silent_robot_is_given_up_when_it_moves_and_otherwise_waited_for(
    bridge: kg.bridges.Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinegen.drive.robot_drive.SILENCE", CALM)
    with driven(bridge, "feetech", speed=0.02) as drive:
        asked: list[int] = []

        def silent() -> None:
            asked.append(1)

        read = drive.port.read
        for turn in ("off", "on"):
            monkeypatch.setattr(drive.port, "read", silent)
            wait_for(lambda: len(asked) > 3 * MISSED)
            assert drive.state == turn  # at rest: nothing happens, and a busy computer may be late
            monkeypatch.setattr(drive.port, "read", read)
            before = drive.last_reading
            wait_for(lambda before=before: drive.last_reading is not before)
            asked.clear()
            drive.start()
        drive.targets = {"lift": 1.5}
        monkeypatch.setattr(drive.port, "read", silent)
        wait_for(lambda: drive.state == "lost")
        assert "servos have not answered" in drive.reason
    monkeypatch.setattr("kinegen.drive.robot_drive.SILENCE", 0.0)
    with driven(bridge, "feetech") as drive:
        monkeypatch.setattr(drive.port, "read", silent)
        wait_for(lambda: drive.state == "lost")


def test_a_lost_port_stops_and_says_so() -> None:
    with kg.bridges.Bridge(arm(), ["feetech"]) as made:
        drive = kg.drive.Drive(arm(), made.endpoints["feetech"], patience=CALM)
        drive.start()
    wait_for(lambda: drive.state == "lost")
    with pytest.raises(LinkError, match="was lost"):
        drive.targets = {"lift": 0.1}
    drive.close()
