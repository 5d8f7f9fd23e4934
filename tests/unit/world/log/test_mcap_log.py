from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from tests.support.worlds import WHEEL, world

pytestmark = pytest.mark.slow

reader = pytest.importorskip("mcap.reader", reason="mcap is not installed")

SENSED = """objects: [{name: wall, shape: {box: [0.1, 2, 2]}, fixed: true, at: {xyz: [1, 0, 0]}}]
sensors:
  - {name: eye, type: distance, parent: W, noise: 0.01, rate: 50}
  - {name: scan, type: lidar, parent: W, rays: 8, rate: 50}
"""


def messages(path: Path) -> list[tuple[str, str, int, Any]]:
    """Topic, schema, time and contents of every message."""
    with path.open("rb") as file:
        return [
            (channel.topic, schema.name, message.log_time, json.loads(message.data))
            for schema, channel, message in reader.make_reader(file).iter_messages()
        ]


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, int, Any]]:
    path = tmp_path_factory.mktemp("log") / "run.mcap"
    with world(WHEEL, SENSED) as one:
        one.log(path, rate=50)
        one.command({"W": 2.0})
        one.run(0.05)
        one.signals["eye"].force(0.25)
        one.run(0.05)
    return messages(path)


def test_schemas_are_those_that_viewers_know(logged: list[tuple[str, str, int, Any]]) -> None:
    assert {(topic, schema) for topic, schema, _, _ in logged} == {
        ("/tf", "foxglove.FrameTransforms"),
        ("/joint_states", "foxglove.JointStates"),
        ("/bodies", "foxglove.SceneUpdate"),
        ("/contacts", "foxglove.SceneUpdate"),
        ("/events", "foxglove.Log"),
        ("/rays/eye", "foxglove.SceneUpdate"),
        ("/lidar/scan", "foxglove.LaserScan"),
        ("/state", "kinegen.State"),
        ("/signals/W", "kinegen.W"),
        ("/signals/eye", "kinegen.eye"),
        ("/signals/scan", "kinegen.scan"),
    }


def test_times_are_those_of_the_world(logged: list[tuple[str, str, int, Any]]) -> None:
    times = [time for topic, _, time, _ in logged if topic == "/joint_states"]
    assert times == [0, 20_000_000, 40_000_000, 60_000_000, 80_000_000, 100_000_000]


def test_messages_hold_what_there_was(logged: list[tuple[str, str, int, Any]]) -> None:
    last = {topic: message for topic, _, _, message in logged}
    joint = last["/joint_states"]["joints"][0]
    assert joint["name"] == "W" and joint["velocity"] == pytest.approx(2.0, rel=0.2)
    assert last["/state"]["q0"] == [joint["position"]]
    assert {one["child_frame_id"] for one in last["/tf"]["transforms"]} == {"base", "W"}
    assert len(last["/lidar/scan"]["ranges"]) == 8
    assert last["/signals/eye"] == {
        "timestamp": {"sec": 0, "nsec": 100_000_000}, "distance": 0.25, "overridden": ["distance"],
    }  # fmt: skip
    assert last["/events"]["message"] == "signal 'eye.distance' forced to 0.25 m"
    entities = {one["id"]: one for one in last["/bodies"]["entities"]}
    assert entities["wall"]["cubes"][0]["size"] == {"x": 0.1, "y": 2.0, "z": 2.0}
    assert entities["W"]["frame_id"] == "W" and len(entities["W"]["cylinders"]) == 1


def test_equal_seeds_write_equal_files(tmp_path: Path) -> None:
    for name in ("a.mcap", "b.mcap"):
        with world(WHEEL, SENSED, seed=5) as one:
            one.log(tmp_path / name)
            one.run(0.1)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_a_signal_that_comes_later_is_logged_too(tmp_path: Path) -> None:
    with world(WHEEL) as one:
        one.log(tmp_path / "run.mcap", rate=100)
        one.run(0.05)
        one.node("W")["load"] = 1.5
        one.run(0.05)
    rows = [m for topic, _, _, m in messages(tmp_path / "run.mcap") if topic == "/signals/W"]
    assert "load" not in rows[0] and rows[-1]["load"] == 1.5


def test_a_log_is_read_back_as_signals_events_and_a_motion(tmp_path: Path) -> None:
    with world(WHEEL, SENSED) as one:
        one.log(tmp_path / "run.mcap", rate=100)
        one.command({"W": 2.0})
        one.run(0.1)
        one.signals["eye"].force(0.25)
        one.run(0.1)
        last, mechanism = one.signals["W.position"].value, one.mechanism
    log = kg.world.read_log(tmp_path / "run.mcap")
    assert log.world == "wheel" and log.facts["seed"] == "0" and len(log.times) == 21
    position = log.signal("W.position")
    times, values = position.times, position.values
    assert times[-1] == pytest.approx(0.2) and values[-1] == last
    assert log.signal("scan.distances").values.shape == (21, 8)
    assert np.isnan(log.signal("eye.distance").values[0])  # not measured before the first step
    assert [event.message for event in log.events] == ["signal 'eye.distance' forced to 0.25 m"]
    motion = log.recording(mechanism)
    assert motion.at(0.2)[0] == pytest.approx(last) and motion.duration == pytest.approx(0.2)
    with pytest.raises(KinegenError, match=r"did you mean 'W\.position'"):
        log.signal("W.positio")
    with pytest.raises(KinegenError, match="has no joint"):
        log.recording(kg.load("five-bar"))


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_bytes(b"not a log")
    with pytest.raises(KinegenError, match="is not a log of a world"):
        kg.world.read_log(tmp_path / "run.mcap")
    kg.simulate(kg.load("five-bar"), time=0.05).save(tmp_path / "other.mcap")
    with pytest.raises(KinegenError, match="is an MCAP file, but not a log of a world"):
        kg.world.read_log(tmp_path / "other.mcap")


def test_a_long_log_needs_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    def peak(seconds: float) -> int:
        with world(WHEEL, keyframes=0) as one:
            one.run(0.2)
            one.log(tmp_path / "run.mcap", rate=1000)
            tracemalloc.start()
            one.run(seconds)
            found = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return found

    short, long = peak(0.5), peak(2.0)
    # a chunk of 256 kB is buffered and compressed either way; the rows alone would be 0.8 MB more
    assert (tmp_path / "run.mcap").stat().st_size > 0
    assert long < short + 400_000


def _arrow(drawn: dict[str, Any]) -> Any:
    """An arrow as a vector [m]: along x of its pose."""
    pose = kg.SE3.from_pose([*(drawn["pose"]["orientation"][key] for key in "wxyz"), 0, 0, 0])
    return pose.rotation[:, 0] * (drawn["shaft_length"] + drawn["head_length"])


def test_contacts_are_arrows_and_lists(tmp_path: Path) -> None:
    box = """raff: 1
name: box
world: {floor: 0}
joints:
  - {name: box, type: free, parent: base, mass: 2, start: {xyz: [0, 0, 0.05]},
     shape: {box: [0.1, 0.1, 0.1]}}
sensors: [{name: felt, type: contact, parent: box, rate: 50}]
"""
    with kg.World(box) as one:
        one.log(tmp_path / "box.mcap")
        one.run(0.3)
    heard = {
        topic: (schema, message) for topic, schema, _, message in messages(tmp_path / "box.mcap")
    }
    for topic in ("/contacts", "/contacts/felt"):
        schema, message = heard[topic]
        assert schema == "foxglove.SceneUpdate"
        (entity,) = message["entities"]
        (scale,) = entity["metadata"]
        arrows = entity["arrows"]
        assert len(arrows) == len(entity["spheres"]) == 4
        # together they are the weight, upwards
        whole = sum(_arrow(one) for one in arrows) / float(scale["value"].split()[0])
        assert whole == pytest.approx([0, 0, 2 * 9.81], rel=0.02, abs=0.2)
    schema, message = heard["/contacts/felt/list"]
    assert schema == "kinegen.Contacts"
    assert sum(one["force"]["z"] for one in message["contacts"]) == pytest.approx(19.62, rel=0.02)
    assert {one["other"] for one in message["contacts"]} == {"base"}
