"""LeRobot's own SO-101 classes drive a simulated one; `make test-bridges` installs LeRobot."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kinegen as kg

pytest.importorskip("lerobot", reason="LeRobot is not installed: use make test-bridges")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals"),
    pytest.mark.filterwarnings("default"),  # LeRobot and what it imports warn of much
]
JOINTS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]


def test_follower_and_leader(tmp_path: Path) -> None:
    from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig
    from lerobot.teleoperators.so_leader import SO101Leader, SO101LeaderConfig

    with kg.bridges.Bridge("so101", ["feetech"], hold=True) as bridge:
        port = bridge.endpoints["feetech"]
        follower = SO101Follower(
            SO101FollowerConfig(port=port, id="virtual", calibration_dir=tmp_path)
        )
        follower.bus.connect()
        # what lerobot-calibrate would find: the limits that the servos have
        follower.calibration = follower.bus.read_calibration()
        follower.bus.calibration = follower.calibration
        assert follower.is_calibrated
        follower._save_calibration()
        follower.bus.disconnect()

        follower.connect(calibrate=False)
        seen = follower.get_observation()
        assert set(seen) == {f"{name}.pos" for name in JOINTS}
        wanted = {"shoulder_pan.pos": seen["shoulder_pan.pos"] + 10.0}
        for _ in range(60):
            follower.send_action(wanted)
            seen = follower.get_observation()
            time.sleep(1 / 30)
        assert seen["shoulder_pan.pos"] == pytest.approx(wanted["shoulder_pan.pos"], abs=3)
        follower.disconnect()
        assert not bridge.state.servos["shoulder_pan"].on

        leader = SO101Leader(SO101LeaderConfig(port=port, id="virtual", calibration_dir=tmp_path))
        leader.connect(calibrate=False)
        action = leader.get_action()
        assert set(action) == {f"{name}.pos" for name in JOINTS}
        leader.disconnect()


def test_the_command_line_teleoperates(tmp_path: Path) -> None:
    """Two simulated arms: torque is taken from the leader, which sinks, and the other follows."""
    kg.export(kg.load("so101"), tmp_path / "virtual.json", format="lerobot")
    command = [str(Path(sys.executable).parent / "lerobot-teleoperate"), "--teleop_time_s=60"]
    with (
        kg.bridges.Bridge("so101", ["feetech"], hold=True) as leader,
        kg.bridges.Bridge("so101", ["feetech"], hold=True) as follower,
    ):
        for word, kind, one in (("robot", "follower", follower), ("teleop", "leader", leader)):
            command += [
                f"--{word}.type=so101_{kind}", f"--{word}.port={one.endpoints['feetech']}",
                f"--{word}.id=virtual", f"--{word}.calibration_dir={tmp_path}",
            ]  # fmt: skip

        def lift(bridge: kg.bridges.Bridge) -> float:
            return float(bridge.state.servos["shoulder_lift"].position)

        start = lift(leader)
        log = tmp_path / "log.txt"
        with log.open("w") as said:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env={**os.environ, "HF_HUB_OFFLINE": "1"},
            )  # fmt: skip
        try:

            def follows() -> bool:
                assert process.poll() is None, log.read_text()[-3000:]
                return abs(lift(leader) - start) > 0.3 > 10 * abs(lift(leader) - lift(follower))

            end = time.monotonic() + 180  # LeRobot takes half a minute to start
            while not follows():
                assert time.monotonic() < end, (start, lift(leader), lift(follower))
                time.sleep(0.02)
        finally:
            process.terminate()
            process.wait(60)
