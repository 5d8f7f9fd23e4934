"""Meshes of people: what worlds detect of them, and what is no such mesh."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import KinegenError
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.people import people as registry
from kinegen.world.people.body_mesh import body_mesh
from tests.unit.world.people.support import figure
from tests.unit.world.people.test_people import read, room


def test_rays_lidars_and_the_person_sensor_measure_the_mesh() -> None:
    with room() as world:
        # the sensors' rays start 0.3 m ahead at a height of 1.2 m, that of the trunk
        world.people.place("ada", mesh=figure((2, 0, 0)))
        world.run(0.1)
        front = 2 + float(figure().vertices[:, 0].min())  # of the trunk
        assert read(world, "ray") == [pytest.approx(front - 0.3, abs=0.01)]
        scan = world.signals["scan.distances"].value
        # in each direction as far as the flat front of the trunk, which is 0.52 m wide
        azimuths = world.sensors["scan"].azimuths  # type: ignore[attr-defined]
        ahead = np.abs(azimuths) < math.atan2(0.2, front - 0.3)
        assert ahead.sum() >= 3
        assert scan[ahead] == pytest.approx((front - 0.3) / np.cos(azimuths[ahead]), abs=0.02)
        beside = np.abs(azimuths) > math.atan2(0.33, front - 0.3)
        assert (scan[beside] == scan.max()).all()
        # the sensor at the origin, 1 m high: noise of 5 mm
        assert read(world, "guard.distance") == [pytest.approx(front, abs=0.04)]
        place = world.signals["guard.position"].value
        assert place[0] == pytest.approx(front, abs=0.01) and abs(place[1]) < 0.3
        # between the legs a ray passes; capsules of a person would be in its way
        world.people.place("ada", mesh=figure((2, 0, 0.9)))
        world.run(0.1)
        assert read(world, "ray") == [6]


def test_hands_show_gestures_and_the_head_may_be_known(tmp_path: Path) -> None:
    head = SE3(SO3.exp([0, 0, 1.0]), np.array([2.0, 0, 1.64]))
    hand = kg.world.Hand("right", head, "stop")
    with room() as world:
        person = world.people.place("ada", head, [hand], mesh=figure((2, 0, 0)))
        assert person.head is head
        world.run(0.05)
        assert read(world, "guard.gesture", "guard.count") == [2, 1]
        # without one, it is below the top of the mesh
        person = world.people.place("ada", mesh=figure((2, 1, 0)))
        assert person.head.translation == pytest.approx([2, 1, 1.64], abs=0.05)
        assert person.head.rotation == pytest.approx(np.eye(3))
        world.people.place("ada", head)
        world.run(0.05)
        assert world.people["ada"].mesh is None


def test_a_narrow_view_measures_the_nearest_part_within_it() -> None:
    cone = (
        "  - {name: cone, type: person, at: {xyz: [0, 0, 1.65]}, field_of_view: 8 deg}\n"
        "  - {name: aside, type: person, at: {xyz: [0, 0, 1.65], rpy: [0, 0, 90 deg]}, "
        "field_of_view: 60 deg}\n"
    )
    with room(cone) as world:
        world.people.place("ada", mesh=figure((2, 0, 0)))
        world.run(0.1)
        assert read(world, "cone.count", "aside.count") == [1, 0]
        head = 2 + float(figure().vertices[figure().vertices[:, 2] > 1.55][:, 0].min())
        assert read(world, "cone.distance") == [pytest.approx(head, abs=0.05)]


def test_going_back_brings_back_the_mesh_of_then() -> None:
    with room() as world:
        found = []
        for i in range(10):
            world.people.place("ada", mesh=figure((3 - 0.1 * i, 0, 0)))
            world.run(0.1)
            found.append(read(world, "ray", "guard.distance"))
        assert len({tuple(one) for one in found}) == 10
        world.go_to(0.4)
        assert read(world, "ray", "guard.distance") == found[3]
        assert world.people["ada"].mesh is not None
        world.go_to(1.0)
        assert read(world, "ray", "guard.distance") == found[-1]
        moment = world.snapshot()
        world.people.remove("ada")
        world.run(0.1)
        assert read(world, "ray") == [6]
        world.restore(moment)
        world.run(0.1)
        assert read(world, "ray") == [found[-1][0]]


def test_a_mesh_is_kept_once_while_its_person_moves_and_memory_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mesh = body_mesh(figure((2, 0, 0)), "ada")
    with room(keyframes=0.1) as world:
        for i in range(20):
            world.people.place("ada", SE3(SO3.identity(), np.array([2, 0.01 * i, 1.6])), mesh=mesh)
            world.run(0.01)
        assert world.people._bytes == mesh.nbytes
        monkeypatch.setattr(registry, "MOST_BYTES", 6 * mesh.nbytes)
        for i in range(40):
            world.people.place("ada", mesh=figure((2, 0.01 * i, 0)))
            world.run(0.01)
        assert world.people._bytes <= 6 * mesh.nbytes and len(world.people._journal) <= 6
        assert world.recorded[0] > 0.5
        y = world.people["ada"].head.translation[1]
        world.go_to(world.recorded[0])
        world.go_to(0.6)
        assert world.people["ada"].head.translation[1] == y


def test_what_is_no_mesh_is_refused() -> None:
    whole = figure()
    wrong = SimpleNamespace(**vars(whole))
    wrong.triangles = whole.triangles + len(whole.vertices)
    far = SimpleNamespace(**vars(whole))
    far.vertices = whole.vertices + 1e7
    few = SimpleNamespace(**vars(whole))
    few.colours = whole.colours[:5]
    empty = SimpleNamespace(**vars(whole))
    empty.triangles = whole.triangles[:0]
    large = SimpleNamespace(**vars(whole))
    large.triangles = np.tile(whole.triangles, (200, 1))
    with room() as world:
        for mesh, message in [
            (wrong, "must refer to vertices 0 to"),
            (far, "within 1e[+]06 m"),
            (few, "has 5 colours for"),
            (empty, "has no triangles"),
            (large, "use at most 100,000"),
            (np.zeros((3, 3)), "must be a kinegen.hull.Hull or a TriangleMesh, got ndarray"),
        ]:
            with pytest.raises(KinegenError, match=message):
                world.people.place("ada", mesh=mesh)
        with pytest.raises(KinegenError, match="person 'ada' needs a head or a mesh"):
            world.people.place("ada")
        assert len(world.people) == 0
        world.people.place("ada", mesh=TriangleMesh(whole.vertices, whole.triangles))


def test_a_log_has_each_mesh_once_and_deletes_it_with_its_person(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    path = tmp_path / "run.mcap"
    with room() as world:
        world.log(path)
        world.people.place("ada", mesh=figure((2, 0, 0)))
        world.run(0.2)
        world.people.place("ada", mesh=figure((2, 1, 0)))
        world.run(0.2)
        world.people.stand("ada", (2, 0, 0))
        world.run(0.2)
    with path.open("rb") as file:
        found = [
            json.loads(message.data)
            for _, _, message in reader.make_reader(file).iter_messages(["/people"])
        ]
    skins = [entity for one in found for entity in one["entities"] if entity["id"] == "mesh of ada"]
    assert len(found) > 10 and len(skins) == 2
    count = len(figure().triangles)
    assert [len(one["triangles"][0]["indices"]) for one in skins] == [3 * count] * 2
    first = [tuple(point.values()) for point in skins[0]["triangles"][0]["points"]]
    assert np.array(first) == pytest.approx(figure((2, 0, 0)).vertices, abs=1e-6)
    assert [one["id"] for message in found for one in message["deletions"]] == ["mesh of ada"]
