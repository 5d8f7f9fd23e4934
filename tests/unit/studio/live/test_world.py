"""Worlds in a page: agents drive, signals are overridden, and no program starts without consent."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.studio.live import orders
from kinegen.studio.live.frames import LiveFrame, unpack_live
from kinegen.studio.live.loop import LiveLoop
from kinegen.studio.live.world import has_world, is_ours
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    CutSignal,
    DelaySignal,
    DisturbSignal,
    ForceSignal,
    FreezeSignal,
    GoToTime,
    LiveSettings,
    PlaySimulation,
    ReleaseSignals,
    ScaleSignal,
    SetAttribute,
    SetSimulation,
    SetTarget,
    SignalData,
    SignalOverride,
    SimulationOrder,
    StepSimulation,
    Touch,
    WriteLog,
)
from kinegen.world.agents.load import AGENTS
from kinegen.world.renderer import DrawingError

ROOM = """raff: 1
name: room
world: {floor: 0}
robots: [{name: cart, include: cart}]
objects:
  - {name: wall, shape: {box: [0.1, 4, 0.5]}, fixed: true, at: {xyz: [2, 0, 0.25]}}
sensors:
  - {name: nose, type: distance, parent: cart.chassis, at: {xyz: [0.23, 0, 0]}, range: [0, 3]}
agents: [{name: driver, %s, rate: 50}]
"""
OURS = "program: explorer"
EXPLORER = ROOM.replace("- {name: nose", "\n  ".join(
    ["- {name: left, type: distance, parent: cart.chassis}",
     "- {name: right, type: distance, parent: cart.chassis}", "- {name: nose"])) % OURS  # fmt: skip


class Heard:
    """A loop with a world, and what it says."""

    def __init__(self, folder: Path, text: str, *, agents: bool = False, **settings: Any) -> None:
        self.answers: list[Message] = []
        self.frames: list[LiveFrame] = []
        self.loop = LiveLoop(self.hear)
        source = orders.Source(text, str(folder), None, agents)
        q = CompiledText.read(text, Project.again(str(folder)), None).start.tolist()
        self.started = self.ask(
            orders.Start(0, source, q, LiveSettings(**{"hold": True} | settings), False)
        )

    def hear(self, message: Message, more: bytes) -> None:
        if isinstance(message, orders.Frame):
            self.frames.append(unpack_live(more))
        else:
            self.answers.append(message)

    def ask(self, order: SimulationOrder) -> Any:
        order.request = 1
        self.loop.obey(order)
        found = [one for one in self.answers if isinstance(one, orders.Answered)][-1]
        return found.error or found.started

    @property
    def table(self) -> list[SignalData]:
        return [one for one in self.answers if isinstance(one, orders.SignalTable)][-1].signals

    @property
    def warnings(self) -> list[str]:
        return [one.message for one in self.answers if isinstance(one, orders.Warn)]

    def read(self, name: str) -> float:
        at = 0
        for row in self.table:
            if row.name == name:
                return float(self.frames[-1].signals[at])
            at += row.size
        raise AssertionError(name)


def test_an_agent_of_the_library_drives_and_a_forced_sensor_turns_it_away(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    assert heard.started.remarks == [] or "agent" not in "".join(heard.started.remarks)
    heard.ask(StepSimulation(0, 100))
    assert heard.frames[-1].facts.time == pytest.approx(0.1)
    assert heard.read("cart.wheel_rear_left.target") == pytest.approx(8.0)
    heard.loop.obey(ForceSignal("nose", 2.5))
    assert heard.read("nose.distance") == 2.5
    assert {row.name: row.override for row in heard.table}["nose.distance"] == "forced to 2.5 m"
    heard.loop.obey(ForceSignal("left.distance", 0.05))
    heard.ask(StepSimulation(0, 50))
    assert heard.read("cart.wheel_rear_left.target") == pytest.approx(-8.0)
    assert heard.frames[-1].rays[:, 7].sum() == 2
    heard.loop.obey(ReleaseSignals())
    assert not any(row.override for row in heard.table)


def test_a_page_is_told_what_agents_read_of_their_sensors(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(StepSimulation(0, 100))
    parts = [one for one in heard.answers if isinstance(one, orders.WorldParts)]
    assert {name for one in parts[0].sensors for name in one.read} == set()  # nobody has run yet
    read = {name for one in parts[-1].sensors for name in one.read}
    assert {"left.distance", "right.distance"} <= read
    assert read <= {name for one in parts[-1].sensors for name in one.signals}


def test_rays_end_where_they_hit(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(StepSimulation(0, 1))
    assert heard.loop.live is not None and heard.loop.live.world is not None
    sensors = list(heard.loop.live.world.world.sensors)
    nose = heard.frames[-1].rays[sensors.index("nose")]
    assert nose[3] == pytest.approx(1.95, abs=1e-3)  # the wall's face
    assert nose[6] == pytest.approx((nose[3] - nose[0]) / 3, abs=1e-4)
    heard.loop.obey(CutSignal("nose.distance"))
    assert len(heard.frames[-1].rays) == len(sensors) - 1  # no number, no ray


NOSE = "nose.distance"


@pytest.mark.parametrize(
    ("order", "text"),
    [(FreezeSignal(NOSE), "frozen"), (ScaleSignal(NOSE, 2.0), "scaled by 2"),
     (DelaySignal(NOSE, 0.1), "delayed by 0.1 s"),
     (DisturbSignal(NOSE, 0.01), "with noise of 0.01 m"), (CutSignal(NOSE), "cut")],
)  # fmt: skip
def test_all_overrides_reach_the_table(tmp_path: Path, order: SignalOverride, text: str) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(StepSimulation(0, 1))
    heard.loop.obey(order)
    assert {row.name: row.override for row in heard.table}[NOSE] == text


def test_a_wrong_override_is_reported(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.loop.obey(CutSignal("nosse"))
    heard.loop.obey(DelaySignal("nose.distance", -1.0))
    assert "nosse" in heard.warnings[0]
    assert "cannot be delayed" in heard.warnings[1]


def test_no_program_starts_without_consent(tmp_path: Path) -> None:
    """Neither a file of the folder, nor a module, nor a command."""
    trace = tmp_path / "started"
    code = f"open({str(trace)!r}, 'w').close()\ndef drive(time, seen): return {{}}\n"
    (tmp_path / "evil.py").write_text(code)
    for program in (
        'program: "evil.py:drive"', 'program: "evil:drive"', 'program: "this:s"',
        f"command: [touch, '{trace}']",
    ):  # fmt: skip
        heard = Heard(tmp_path, ROOM % program)
        heard.ask(StepSimulation(0, 50))
        assert any("kinegen studio --agents" in one for one in heard.started.remarks), program
        assert heard.frames[-1].signals.size > 0
        assert not trace.exists(), program
    heard = Heard(tmp_path, ROOM % 'program: "evil.py:drive"', agents=True)
    assert heard.started.remarks == [] or "--agents" not in "".join(heard.started.remarks)
    assert trace.exists()


@pytest.mark.parametrize(
    ("program", "ours"),
    [
        ("explorer", True),
        ("explorer ", False),
        ("nobody", False),
        ("explorer.py:Explorer", False),
        ("kinegen.world.library.explorer:Mapping", False),
        ("kinegen.world.library./../../evil.py:drive", False),
        ("os:system", False),
    ],
)
def test_only_what_the_library_offers_is_of_the_library(program: str, ours: bool) -> None:
    assert is_ours({"name": "driver", "program": program}) is ours
    assert not is_ours({"name": "driver", "program": program, "command": "touch x"})


def test_a_package_that_takes_the_name_of_an_agent_of_ours_is_not_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = EntryPoint("explorer", "evil:drive", AGENTS.group)
    monkeypatch.setitem(AGENTS.entries, "explorer", other)
    assert not is_ours({"name": "driver", "program": "explorer"})


def test_an_agent_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def drive(time, seen):\n    raise ValueError('no idea')\n")
    heard = Heard(tmp_path, ROOM % 'program: "bad.py:drive"', agents=True)
    heard.ask(StepSimulation(0, 100))
    assert sum("no idea" in one for one in heard.warnings) == 1
    assert any("driver" in one for one in heard.warnings)


def test_hands_pull_at_a_world_and_settings_go_on_from_there(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(StepSimulation(0, 20))
    heard.loop.obey(orders.HandTouches(1, Touch(1, "cart.chassis", (0, 0, 0), (0, 0, 1.0))))
    heard.ask(StepSimulation(0, 20))
    assert heard.frames[-1].hands[0].force[2] > 0
    heard.loop.obey(ForceSignal("nose.distance", 1.5))
    time, q = heard.frames[-1].facts.time, heard.frames[-1].q
    assert heard.ask(SetSimulation(0, LiveSettings(engine="impulse", hold=True))) is None
    assert heard.frames[-1].facts.time == pytest.approx(time)
    assert heard.frames[-1].q == pytest.approx(q, abs=1e-6)
    assert {row.name: row.override for row in heard.table}["nose.distance"] == "forced to 1.5 m"
    heard.ask(StepSimulation(0, 5))
    assert heard.frames[-1].facts.time == pytest.approx(time + 0.005)


def test_gravity_and_modes_are_those_of_the_page(tmp_path: Path) -> None:
    text = EXPLORER.partition("agents:")[0]
    heard = Heard(tmp_path, text, gravity=(0.0, 0.0, 0.0), modes={"cart.wheel_rear_left": "torque"})
    units = {row.name: row.unit for row in heard.table}
    assert units["cart.wheel_rear_left.target"] == "N m"
    height = heard.frames[-1].q[6]
    heard.ask(StepSimulation(0, 100))
    assert heard.frames[-1].q[6] == pytest.approx(height, abs=1e-4)
    heard = Heard(tmp_path, text, hold=False)
    assert "cart.wheel_rear_left.target" not in {row.name for row in heard.table}
    assert "leave the motors on" in Heard(tmp_path, EXPLORER, hold=False).started


def test_a_mechanism_without_sensors_is_no_world(tmp_path: Path) -> None:
    text = "raff: 1\njoints: [{name: A, parent: base, mass: 1}]\n"
    heard = Heard(tmp_path, text, hold=False)
    assert heard.loop.live is not None and heard.loop.live.world is None
    assert not has_world(heard.loop.live.compiled.mechanism)
    heard.loop.obey(CutSignal("x"))
    assert "no sensors" in heard.warnings[0]


def test_a_world_goes_back_and_forth_in_its_recorded_time(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(StepSimulation(0, 300))
    then = heard.frames[-1]
    heard.loop.obey(orders.HandTouches(1, Touch(1, "cart.chassis", (0, 0, 0), (0, 0, 1.0))))
    heard.ask(StepSimulation(0, 50))
    heard.loop.obey(orders.HandLeaves(1, 1))
    heard.ask(StepSimulation(0, 250))
    end = heard.frames[-1]
    assert (end.facts.recorded_from, end.facts.recorded) == pytest.approx((0, 0.6))
    heard.ask(GoToTime(0, 0.3))
    assert heard.frames[-1].facts.time == pytest.approx(0.3)
    assert heard.frames[-1].q.tolist() == then.q.tolist() and not heard.frames[-1].hands
    heard.ask(GoToTime(0, 0.32))  # while the hand pulled, which nobody does now
    assert not heard.frames[-1].hands
    heard.ask(GoToTime(0, 5.0))  # the end of what there is
    assert heard.frames[-1].q.tolist() == end.q.tolist()
    assert heard.frames[-1].signals.tolist() == end.signals.tolist()


def test_a_seed_of_the_page_is_used(tmp_path: Path) -> None:
    noisy = EXPLORER.replace("range: [0, 3]}", "range: [0, 3], noise: 10 mm}")
    read = []
    for seed in (None, 7, 7):
        heard = Heard(tmp_path, noisy, seed=seed)
        heard.ask(StepSimulation(0, 1))
        read.append(heard.read("nose.distance"))
    assert read[0] != read[1] == read[2]


SEVERAL = """raff: 1
name: two
world: {engines: {other: mujoco}}
joints:
  - {name: A, parent: base, axis: y, mass: 1, centre: [0.2, 0.2, 0],
     shape: {box: [0.4, 0.02, 0.02]}}
  - {name: other, parent: base, xyz: [0, 3, 0], axis: y, mass: 1, motor: {torque: 20},
     shape: {box: [0.4, 0.02, 0.02]}}
  - {name: B, parent: base, xyz: [0, 1, 0], axis: y, mass: 1, centre: [0.2, 0.2, 0],
     shape: {box: [0.4, 0.02, 0.02]}}
"""


def test_a_world_on_several_engines_runs_with_hands_on_each(tmp_path: Path) -> None:
    heard = Heard(tmp_path, SEVERAL)
    assert heard.loop.live is not None
    assert [one.engine.name for one in heard.loop.live.simulations] == ["reduced", "mujoco"]
    assert heard.started.motors
    start = heard.frames[-1].q.copy()
    heard.loop.obey(SetTarget("other", [0.3]))
    heard.loop.obey(orders.HandTouches(1, Touch(1, "other", (0.1, 0, 0), (0.1, 3, 0.3))))
    heard.ask(StepSimulation(0, 100))
    moved = heard.frames[-1].q - start
    names = [joint.name for joint in heard.loop.live.page.joints if joint.q.stop > joint.q.start]
    fell = dict(zip(names, moved, strict=True))
    assert fell["A"] == pytest.approx(fell["B"]) and abs(fell["A"]) > 0.05
    assert 0 < abs(fell["other"]) and fell["other"] != pytest.approx(fell["A"])
    assert any(heard.frames[-1].hands[0].force)
    v = heard.loop.live.moment().v
    heard.ask(SetSimulation(0, LiveSettings(hold=True, step=5e-4)))
    assert heard.frames[-1].q == pytest.approx(start + moved)
    assert heard.loop.live.moment().v["other"] == pytest.approx(v["other"])
    heard.ask(GoToTime(0, 0.0))
    assert heard.frames[-1].facts.time == pytest.approx(0.1)  # where this engine began


def test_sensors_and_nodes_are_listed_and_a_node_is_given_an_attribute(tmp_path: Path) -> None:
    heard = Heard(tmp_path, EXPLORER)
    heard.loop.obey(SetAttribute("cart", "load", 0.7, "kg"))
    parts = [one for one in heard.answers if isinstance(one, orders.WorldParts)][-1]
    nose = next(one for one in parts.sensors if one.name == "nose")
    assert (nose.type, nose.node, nose.range) == ("distance", "cart.chassis", 3.0)
    assert nose.place == pytest.approx([1, 0, 0, 0, 0.23, 0, 0])
    assert {node.name: node.type for node in parts.nodes}["driver"] == "agent"
    assert next(node for node in parts.nodes if node.name == "cart").attributes == {"load": "0.7"}
    assert heard.read("cart.load") == 0.7
    assert {row.name: row.unit for row in heard.table}["cart.load"] == "kg"
    heard.loop.obey(SetAttribute("cartt", "load", 0.7))
    assert "did you mean 'cart'" in heard.warnings[-1]
    # it stands on its wheels, which the floor holds
    heard.ask(StepSimulation(0, 300))
    touches = heard.frames[-1].touches
    assert len(touches) >= 4 and touches[:, 5].sum() == pytest.approx(
        9.81 * heard.loop.live.model.inertia[1:, 0].sum(), rel=0.05
    )


SEEING = """raff: 1
name: seeing
objects: [{name: box, shape: {box: [1, 1, 1]}, fixed: true, at: {xyz: [2, 0, 0]}}]
sensors:
  - {name: eye, type: camera, pixels: [16, 12], rate: 100, images: [color, depth]}
"""


def test_pictures_come_at_the_rate_of_a_camera_and_only_those_that_are_wanted(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mujoco")
    heard = Heard(tmp_path, SEEING, hold=False, pictures=["eye.depth"])
    if heard.loop.live is None or heard.loop.live.world is None or heard.loop.live.world.blind:
        pytest.skip("nothing that draws without a window")
    for _ in range(25):
        heard.ask(StepSimulation(0, 1))
    heads = [one.head for one in heard.answers if isinstance(one, orders.PictureDrawn)]
    assert [one.signal for one in heads] == ["eye.depth"] * 3
    assert [one.time for one in heads] == pytest.approx([0, 0.01, 0.02])
    assert heads[0].low == pytest.approx(1.5, rel=1e-3)  # the face of the box


def test_without_a_renderer_cameras_are_blind_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise DrawingError("a camera draws with MuJoCo: install it")

    monkeypatch.setattr("kinegen.world.sensors.camera.RENDERERS.named", lambda _: missing)
    heard = Heard(tmp_path, SEEING, hold=False, pictures=["eye.depth"])
    assert "the page shows its own view" in "".join(heard.started.remarks)
    heard.ask(StepSimulation(0, 20))
    parts = [one for one in heard.answers if isinstance(one, orders.WorldParts)][-1]
    camera = parts.sensors[0].camera
    assert camera is not None and not camera.is_drawn and camera.images == ["color", "depth"]
    assert not any(isinstance(one, orders.PictureDrawn) for one in heard.answers)


def test_a_log_is_played_in_the_place_of_a_simulation(tmp_path: Path) -> None:
    with kg.World(EXPLORER) as world:
        world.log(tmp_path / "run.mcap")
        world.log(tmp_path / "run.csv")
        world.run(0.1)
        there = world.signals["cart.chassis.position"].value
        world.run(0.1)
    for name in ("run.mcap", "run.csv"):
        heard = Heard(tmp_path, EXPLORER, log=name)
        assert heard.frames[-1].facts.recorded == pytest.approx(0.2)
        heard.ask(GoToTime(0, 0.1))
        assert heard.frames[-1].q[:7] == pytest.approx(there, abs=1e-12)
        assert heard.read("nose.distance") == pytest.approx(1.72, abs=0.05)
        heard.ask(PlaySimulation(0))
        heard.loop.pass_time(0.05)
        assert heard.frames[-1].facts.time == pytest.approx(0.15)
        heard.loop.pass_time(1.0)
        assert not heard.loop.running and heard.frames[-1].facts.time == pytest.approx(0.2)
        heard.loop.obey(CutSignal("nose"))
        assert "cannot be changed" in heard.warnings[-1]
        heard.ask(PlaySimulation(0))  # again
        heard.loop.pass_time(0.02)
        assert heard.frames[-1].facts.time == pytest.approx(0.02)
        assert heard.loop.live is not None
        heard.loop.live.close()
    assert "no log" in Heard(tmp_path, EXPLORER, log="gone.csv").started
    other = "raff: 1\njoints: [{name: A, parent: base, mass: 1}]\n"
    assert "open the file of its world" in Heard(tmp_path, other, log="run.csv").started
    assert "not a path in the project" in Heard(tmp_path, other, log="../run.csv").started


def test_a_log_is_written_while_it_runs_and_finished_on_request(tmp_path: Path) -> None:
    pytest.importorskip("mcap", reason="mcap is not installed")
    heard = Heard(tmp_path, EXPLORER)
    heard.ask(WriteLog(0, record=True))
    heard.ask(StepSimulation(0, 100))
    heard.ask(WriteLog(0, record=False))
    begun, done = (one.log for one in heard.answers if isinstance(one, orders.LogWritten))
    assert (begun.file, begun.start, begun.end) == ("room.mcap", 0.0, None)
    assert done.end == pytest.approx(0.1) and done.size == (tmp_path / "room.mcap").stat().st_size
    times = kg.world.read_log(tmp_path / "room.mcap").signal("nose.distance").times
    assert times[-1] == pytest.approx(0.1)
    # the next one has a name of its own, and ends where the world goes to another time
    heard.ask(WriteLog(0, record=True))
    heard.ask(StepSimulation(0, 50))
    heard.ask(GoToTime(0, 0.05))
    last = [one.log for one in heard.answers if isinstance(one, orders.LogWritten)][-1]
    assert last.file == "room-2.mcap" and last.end == pytest.approx(0.15)
    heard.loop.close()
