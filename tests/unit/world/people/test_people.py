"""People in worlds: bodies, placements, sensors, and going back to where they were."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from kinegen.world.people import people as registry
from kinegen.world.people.body import body_of
from kinegen.world.people.person import EYES, standing

ROOM = """raff: 1
name: room
world: {floor: 0, step: 2 ms, seed: 3}
joints: [{name: arm, parent: base, shape: {box: [0.1, 0.1, 1]}, motor: true}]
sensors:
  - {name: guard, type: person, parent: base, at: {xyz: [0, 0, 1]}, range: [0, 6], rate: 100,
     noise: {distance: 5 mm}}
  - {name: ray, type: distance, parent: base, at: {xyz: [0.3, 0, 1.2]}, range: [0, 6]}
  - {name: scan, type: lidar, parent: base, at: {xyz: [0.3, 0, 1.2]}, rate: 50, rays: 90}
"""
UP = np.array([0.0, 0.0, 1.0])


def room(more: str = "", **options: Any) -> kg.World:
    return kg.World(ROOM + more, **options)


def read(world: kg.World, *names: str) -> list[float]:
    return [float(world.signals[name].value) for name in names]


def test_a_body_reaches_from_head_to_floor_also_of_who_crouches() -> None:
    for eyes in (EYES, 1.2, 0.8):
        person = standing("a", (1, 2, 0.3 + eyes - EYES), facing=1.0)
        body = body_of(person, UP, 0.3)
        low = np.minimum(body.capsules.starts, body.capsules.ends)[:, 2] - body.capsules.radii
        high = np.maximum(body.capsules.starts, body.capsules.ends)[:, 2] + body.capsules.radii
        assert low.min() == pytest.approx(0.3, abs=0.03)
        assert high.max() == pytest.approx(0.3 + eyes + 0.11, abs=0.01)
    tall = body_of(standing("a", (0, 0, 0), height=2.0), UP, None)
    assert tall.capsules.ends[0, 2] + tall.capsules.radii[0] == pytest.approx(2.0, abs=0.01)


def test_rays_and_the_sensor_detect_who_is_placed_and_no_more_who_is_removed() -> None:
    with room() as world:
        world.run(0.1)
        assert read(world, "ray", "guard.count", "guard.gesture") == [6, 0, 0]
        assert math.isnan(world.signals["guard.position"].value[0])
        world.people.stand("anna", (2, 0, 0), facing=math.pi)
        world.run(0.1)
        ray, count = read(world, "ray", "guard.count")
        assert count == 1 and 1.4 < ray < 1.7
        assert np.min(world.signals["scan.distances"].value) == pytest.approx(ray, abs=0.1)
        far = float(np.linalg.norm(world.signals["guard.position"].value))
        assert float(world.signals["guard.distance"].value) == pytest.approx(far, abs=0.03)
        world.people.stand("ben", (3, 1, 0), gesture="grasp")
        world.people.stand("anna", (2, 0, 0), gesture="point", side="left")
        world.run(0.1)
        assert read(world, "guard.gesture", "guard.count") == [3, 2]  # grasp before point
        world.people.stand("eve", (-4, 0, 0), gesture="stop")
        world.run(0.1)
        assert read(world, "guard.gesture", "guard.count") == [2, 3]
        for name in ("anna", "ben", "eve"):
            world.people.remove(name)
        world.run(0.1)
        assert read(world, "ray", "guard.count") == [6, 0]


def test_a_field_of_view_leaves_out_who_stands_beside() -> None:
    cone = "  - {name: cone, type: person, at: {xyz: [0, 0, 1]}, field_of_view: 60 deg}\n"
    with room(cone) as world:
        world.people.stand("anna", (0, 2, 0))
        world.run(0.1)
        assert read(world, "guard.count", "cone.count") == [1, 0]
        world.people.stand("anna", (2, 0, 0))
        world.run(0.1)
        assert read(world, "guard.count", "cone.count") == [1, 1]


def test_going_back_places_people_again_without_a_moment_for_each() -> None:
    def walk(world: kg.World, steps: int) -> list[float]:
        found = []
        for i in range(steps):
            world.people.stand("anna", (3 - 0.01 * i, 0.1 * math.sin(i), 0), gesture="stop")
            world.run(0.034)
            found += read(world, "guard.distance", "ray")
        return found

    with room(keyframes=0.5) as world, room() as twin:
        first = walk(world, 60)
        assert walk(twin, 60) == first  # bit for bit
        moments = len(world.timeline.keyframes._regular) + len(world.timeline.keyframes._changes)
        assert moments <= 6
        end = world.time
        world.go_to(1.02)
        assert read(world, "guard.distance", "ray") == first[58:60]
        world.go_to(0.034 * 45)
        assert read(world, "guard.distance", "ray") == first[88:90]
        world.go_to(end)
        assert read(world, "guard.distance", "ray") == first[-2:]
        # a change in the past takes another way
        world.go_to(1.02)
        world.people.remove("anna")
        world.run(0.1)
        assert "anna" not in world.people and world.recorded.last == pytest.approx(1.12)
        assert read(world, "guard.count") == [0]
        world.go_to(0.5)
        assert "anna" in world.people
        # nobody is placed now, where somebody was the last time
        world.run(0.2)
        assert world.recorded.last == pytest.approx(0.7)


def test_a_snapshot_knows_who_was_there() -> None:
    with room() as world:
        world.run(0.1)
        alone = world.snapshot()
        world.people.stand("anna", (2, 0, 0))
        world.run(0.1)
        both = world.snapshot()
        world.restore(alone)
        assert [*world.people] == []
        world.run(0.05)
        assert read(world, "guard.count") == [0]
        world.restore(both)
        assert [*world.people] == ["anna"]


def test_the_record_of_placements_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_PLACEMENTS", 40)
    with room(keyframes=0.1) as world:
        for i in range(100):
            world.people.stand("anna", (3 - 0.01 * i, 0, 0))
            world.run(0.01)
        assert len(world.people._journal) <= 40
        assert world.recorded.first > 0.5
        place = world.people["anna"].head.translation[0]
        world.go_to(world.recorded.first)
        world.go_to(1.0)
        assert world.people["anna"].head.translation[0] == place


VISITOR = """people:
  - {name: visitor, height: 1.8 m, route: [{time: 0 s, xyz: [3, 0, 0]},
     {time: 1 s, xyz: [1.5, 0, 0]}, {time: 1.4 s, gesture: stop, hand: left},
     {time: 1.8 s, gesture: none}]}
"""


def test_a_visitor_of_the_file_walks_and_raises_a_hand() -> None:
    with room(VISITOR) as world:
        assert [*world.people] == ["visitor"]
        world.run(0.5)
        person = world.people["visitor"]
        assert person.head.translation[0] == pytest.approx(2.25, abs=0.01)
        assert person.head.rotation[:, 0] == pytest.approx([-1, 0, 0], abs=1e-9)  # looks ahead
        assert person.gesture == "none"
        near, code = read(world, "guard.distance", "guard.gesture")
        world.run(1.0)
        later, shown = read(world, "guard.distance", "guard.gesture")
        assert later < near and (code, shown) == (0, 2)
        assert [hand.side for hand in world.people["visitor"].hands] == ["left"]
        world.run(0.5)
        assert read(world, "guard.gesture") == [0]
        world.go_to(1.5)
        assert read(world, "guard.distance", "guard.gesture") == [later, 2]
        # a call places the visitor elsewhere from now on
        world.people.stand("visitor", (0, 4, 0))
        world.run(0.05)
        assert world.people["visitor"].head.translation[1] == 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "people: [{name: a, route: [{time: 1 s}, {time: 1 s}]}]",
            "must increase: 1 s comes",
        ),
        ("people: [{name: a, height: 3 kg}]", "height"),
        ("people: [{name: a, at: {xyz: [0, 0, 0]}}]", "where a person stands is 'xyz'"),
        ("people: [{name: arm}]", "the name 'arm' is already used"),
        ("people: [{name: a, gesture: wave}]", "wave"),
        ("people: [{name: a, height: 9 m}]", "a person can be at most 3 m tall, not 9 m"),
    ],
)
def test_rows_that_cannot_be_meant_are_reported(rows: str, message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        room(rows + "\n")


def test_calls_that_cannot_be_meant_are_refused() -> None:
    with room() as world:
        people, head = world.people, kg.SE3.identity()
        hand = kg.world.Hand("right", head)
        for call, message in [
            (lambda: people.stand("", (0, 0, 0)), "name"),
            (lambda: people.stand("a", (0, math.nan, 0)), "three finite numbers"),
            (lambda: people.stand("a", (0, 0, 0), gesture="wave"), "gestures: none, point"),
            (lambda: people.stand("a", (0, 0, 0), color="drak"), "drak"),
            (lambda: people.stand("arm", (0, 0, 0)), "is a link or object"),
            (lambda: people.place("a", head, [hand, hand]), "two right hands"),
            (lambda: people.place("a", [1, 2, 3]), r"must be a kinegen\.SE3"),
            (lambda: people.place("a", head, scale=0), "scale"),
            (lambda: people.remove("nobody"), "nobody"),
        ]:
            with pytest.raises(KinegenError, match=message):
                call()
        assert len(people) == 0


def test_noise_belongs_to_the_distance_and_not_to_codes() -> None:
    with pytest.raises(KinegenError, match="gesture"):
        room("  - {name: bad, type: person, noise: {gesture: 1}}\n")


def test_a_camera_sees_the_person_in_their_colour() -> None:
    pytest.importorskip("mujoco")
    eye = (
        "  - {name: eye, type: camera, rate: 10, pixels: [120, 90], images: [color, depth, "
        "segmentation], at: {xyz: [-1, 0, 1.2]}, field_of_view: 60 deg}\n"
    )
    with room(eye) as world:
        world.run(0.05)
        before = np.array(world.signals["eye.depth"].value)
        world.people.stand("anna", (2, 0.6, 0), facing=math.pi, color="red", gesture="stop")
        world.run(0.11)
        color, depth, numbers = (
            np.array(world.signals[f"eye.{one}"].value)
            for one in ("color", "depth", "segmentation")
        )
        names = world.sensors["eye"].names  # type: ignore[attr-defined]
        hers = numbers == names.index("anna")
        assert 150 < hers.sum() < 3000
        assert np.mean(color[hers, 0] > 1.5 * color[hers, 1]) > 0.6
        assert 2.0 < depth[hers].min() < 3.1
        assert np.median(before[hers] - depth[hers]) > 1
        world.people.remove("anna")
        world.run(0.1)
        assert not (world.signals["eye.segmentation"].value == names.index("anna")).any()


def test_a_log_has_bodies_and_deletes_who_left(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    import json

    path = tmp_path / "run.mcap"
    with room() as world:
        world.log(path)
        world.people.stand("anna", (2, 0, 0), gesture="stop")
        world.run(0.1)
        world.people.remove("anna")
        world.run(0.1)
    with path.open("rb") as file:
        rows = [
            json.loads(message.data)
            for _, _, message in reader.make_reader(file).iter_messages(["/people"])
        ]
    [entity] = rows[0]["entities"]
    assert entity["id"] == "person anna" and len(entity["cylinders"]) > 15
    assert entity["texts"][0]["text"] == "anna: stop"
    assert [one["id"] for row in rows for one in row["deletions"]] == ["person anna"]


@pytest.mark.parametrize("at", ["abc", None, (1, 2), (math.nan, 0, 0), 5])
def test_a_place_that_is_none_is_named(at: object) -> None:
    with pytest.raises(UsageError, match="position of person 'a' must be three finite numbers"):
        standing("a", at)  # type: ignore[arg-type]
