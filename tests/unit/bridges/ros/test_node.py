"""Topics of a robot and its trajectory controller, without a transport; time is advanced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.ros.controller import ABORTED, CANCELED, SUCCEEDED
from kinegen.bridges.ros.definitions import FIELDS, plain_name, raw_text, text_of
from kinegen.bridges.ros.node import RosNode
from kinegen.bridges.ros.trajectory import TrajectoryError
from kinegen.spatial.pose import SE3
from tests.support.bridged import arm

SEEING = """
raff: 1
name: seeing
joints:
  - {name: turn, parent: base, limits: [-90 deg, 90 deg], mass: 0.5,
     motor: {torque: 5, kp: 50, kd: 5}}
frames: [{name: tip, parent: turn, d: 0.3}]
objects: [{name: wall, shape: {box: [0.1, 4, 2]}, at: {xyz: [2, 0, 0]}, fixed: true}]
sensors:
  - {name: laser, type: lidar, parent: turn, rays: 5, field_of_view: 120 deg, range: [0.1, 5]}
  - {name: dome, type: lidar, parent: base, rays: 4, layers: 2, range: [0.1, 5]}
  - {name: ahead, type: distance, parent: tip, range: [0.1, 5]}
  - {name: motion, type: imu, parent: tip}
  - {name: load, type: force, parent: turn}
  - {name: wheel, type: encoder, parent: turn}
  - {name: eye, type: camera, parent: tip, pixels: [8, 6], rate: 10}
"""


def node(mechanism: Any, **options: Any) -> RosNode:
    robot = local_robot(mechanism, step=2e-3, hold=True, **options)
    made = RosNode.of(robot)
    made.open()
    return made


def heard(one: RosNode, *topics: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {topic: [] for topic in topics}
    for topic in topics:
        one.listen(topic, lambda p: found[p.topic].append(p.message))
    return found


def check_fields(kind: str, message: Any) -> None:
    """A message has the fields of its definition, and no others."""
    fields = dict(reversed(one.split()) for one in FIELDS[plain_name(kind)].split("; "))
    assert list(message) == list(fields)
    for name, inner in fields.items():
        plain, bracket, _ = inner.partition("[")
        if plain in FIELDS and not plain.startswith("builtin"):
            for part in message[name] if bracket else [message[name]]:
                check_fields(plain, part)


def test_transforms_and_joint_states_close_the_loops_of_a_stewart_platform() -> None:
    one = node(kg.load("stewart"))
    found = heard(one, "/tf", "/joint_states", "/tf_static", "/clock")
    goal = {f"leg{i}": 3.2 + 0.03 * i for i in range(1, 7)}
    one.take("/joint_trajectory_controller/joint_trajectory", {
        "joint_names": list(goal),
        "points": [{"positions": list(goal.values()), "time_from_start": {"secs": 1, "nsecs": 0}}],
    })  # fmt: skip
    one.robot.advance(1.2)
    state, q = found["/joint_states"][-1], one.robot.q
    values = dict(zip(state["name"], state["position"], strict=True))
    assert [values[name] for name in goal] == pytest.approx(list(goal.values()), abs=0.02)
    # all frames, chained up, are where Kinegen has them: universal and ball joints too
    rows = found["/tf"][-1]["transforms"] + found["/tf_static"][-1]["transforms"]
    parents = {row["child_frame_id"]: row for row in rows}

    def pose(frame: str) -> SE3:
        row = parents.get(frame)
        if row is None:
            return SE3.identity()
        p, r = row["transform"]["translation"], row["transform"]["rotation"]
        own = SE3.from_pose([r["w"], r["x"], r["y"], r["z"], p["x"], p["y"], p["z"]])
        return pose(row["header"]["frame_id"]) @ own

    for name in ("handle", "leg3", "platform"):
        frame, X = (name, SE3.identity()) if name == "handle" else one.description.link_of(name)
        assert pose(frame).is_close(kg.pose(one.robot.model, q, name) @ X, tolerance=1e-9)
    # of one tick
    assert state["header"]["stamp"] == rows[0]["header"]["stamp"] == found["/clock"][-1]["clock"]


def test_speeds_of_joints_are_slopes_of_their_positions() -> None:
    one = node(kg.load("stewart"))
    one.take("/joint_trajectory_controller/joint_trajectory", {
        "joint_names": ["leg1"],
        "points": [{"positions": [3.3], "velocities": [0.0], "time_from_start": {"sec": 1}}],
    })  # fmt: skip
    one.robot.advance(0.5)
    names, before, *_ = one.description.joint_state()
    one.robot.advance(0.002)
    _, _, rates, _ = one.description.joint_state()
    one.robot.advance(0.002)
    _, after, *_ = one.description.joint_state()
    slopes = (np.array(after) - np.array(before)) / 0.004
    assert max(abs(slopes)) > 0.05
    # of a second order in the step, with servos that push in between
    assert rates == pytest.approx(slopes, abs=5e-3)
    assert {"platform_x", "platform_y", "platform_z"} <= set(names)


def test_all_messages_have_the_fields_of_their_types() -> None:
    pytest.importorskip("mujoco", reason="cameras need mujoco")
    one = node(kg.load(SEEING))
    wanted = {
        "/laser/scan": "LaserScan", "/dome/points": "PointCloud2", "/ahead/range": "Range",
        "/motion/imu": "Imu", "/load/wrench": "WrenchStamped", "/eye/image_raw": "Image",
        "/eye/image_raw/compressed": "CompressedImage", "/eye/camera_info": "CameraInfo",
    }  # fmt: skip
    assert {t: k.rpartition("/")[2] for t, k in one.types.items() if t in wanted} == wanted
    found = heard(one, *one.sources)
    one.robot.advance(0.3)
    for topic, messages in found.items():
        assert messages, topic
        check_fields(one.types[topic], messages[-1])
        assert raw_text(one.types[topic]).startswith(text_of(one.types[topic]))
    scan = found["/laser/scan"][-1]
    assert len(scan["ranges"]) == 5 and np.isinf(scan["ranges"][0])
    # the wall's face is 1.95 m ahead
    assert scan["ranges"][2] == pytest.approx(1.95, abs=0.01)
    assert found["/ahead/range"][-1]["range"] == pytest.approx(1.65, abs=0.01)
    assert found["/motion/imu"][-1]["linear_acceleration"]["z"] == pytest.approx(9.81, abs=0.1)
    assert len(found["/eye/image_raw"]) == pytest.approx(3, abs=1)
    picture = found["/eye/image_raw"][-1]
    assert len(picture["data"]) == picture["height"] * picture["step"] == 6 * 24
    assert found["/eye/image_raw/compressed"][-1]["data"].startswith(b"\x89PNG")
    frames = {t["child_frame_id"] for t in found["/tf_static"][-1]["transforms"]}
    assert {"laser", "eye", "eye_optical_frame", "tip"} <= frames


class Recorded:
    """What a goal reports."""

    def __init__(self, one: RosNode, goal: dict[str, Any]) -> None:
        self.feedback: list[Any] = []
        self.ends: list[tuple[int, Any]] = []
        self.goal = one.controller.accept(
            goal, "g", self.feedback.append, lambda *end: self.ends.append(end)
        )


def going(value: float, time: float = 0.5, **more: Any) -> dict[str, Any]:
    point = {"positions": [value], "time_from_start": {"sec": 0, "nanosec": time * 1e9}}
    return {"trajectory": {"joint_names": ["lift"], "points": [point]}} | more


def test_goals_succeed_are_canceled_replaced_or_given_up() -> None:
    one = node(arm(), gravity=[0, 0, 0])
    tolerance = [{"name": "lift", "position": 0.05}]
    done = Recorded(one, going(0.4, goal_tolerance=tolerance))
    one.robot.advance(0.25)
    assert not done.ends and 3 <= len(done.feedback) <= 7
    desired = done.feedback[-1]["desired"]
    elapsed = desired["time_from_start"].nanosec * 1e-9
    assert desired["positions"] == pytest.approx([0.8 * elapsed]) and elapsed > 0.15
    one.robot.advance(1.0)
    assert done.ends == [(SUCCEEDED, {"error_code": 0, "error_string": ""})]
    assert one.robot.servo("lift").position == pytest.approx(0.4, abs=0.05)

    stopped = Recorded(one, going(-0.6, 1.0))
    one.robot.advance(0.5)
    one.controller.cancel(stopped.goal)
    one.robot.advance(1.0)
    assert stopped.ends[0][0] == CANCELED
    assert one.robot.servo("lift").position == pytest.approx(-0.1, abs=0.05)

    old = Recorded(one, going(-0.6, 1.0))
    new = Recorded(one, going(0.2, 0.2))
    assert old.ends[0][0] == CANCELED and "newer" in old.ends[0][1]["error_string"]
    one.robot.advance(0.4)
    assert new.ends[0][0] == SUCCEEDED

    fast = Recorded(one, going(-1.0, 0.02, path_tolerance=[{"name": "lift", "position": 0.01}]))
    one.robot.advance(0.1)
    assert fast.ends[0][0] == ABORTED and fast.ends[0][1]["error_code"] == -4

    # what nobody can hold: 0.0001 rad after a jump, within 0.05 s
    tight = [{"name": "lift", "position": 1e-4}]
    late = Recorded(one, going(1.0, 0.02, goal_tolerance=tight,
                               goal_time_tolerance={"sec": 0, "nanosec": 50_000_000}))  # fmt: skip
    one.robot.advance(0.2)
    assert late.ends[0][0] == ABORTED and late.ends[0][1]["error_code"] == -5
    assert "tolerance is 0.0001 rad" in late.ends[0][1]["error_string"]

    with pytest.raises(TrajectoryError, match="no points"):
        Recorded(one, {"trajectory": {"joint_names": ["lift"], "points": []}})
    with pytest.raises(TrajectoryError, match="path_tolerance names 'lft'"):
        Recorded(one, going(0, path_tolerance=[{"name": "lft"}]))


def test_two_runs_are_identical() -> None:
    def run() -> list[Any]:
        one = node(arm())
        found = heard(one, "/joint_states")
        one.take("/joint_trajectory_controller/joint_trajectory", going(0.3)["trajectory"])
        one.robot.advance(0.4)
        return found["/joint_states"]

    first = run()
    assert first == run()
    assert len(first) == 21  # at once, then every 20 ms
