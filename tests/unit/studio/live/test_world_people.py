"""People of a session in a world that a page runs: placed while time passes, removed with them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.live import orders
from kinegen.studio.wire.frames import BodyFrame, pack_body
from kinegen.studio.wire.messages import (
    GoToTime,
    PersonGone,
    PersonSeen,
    StepSimulation,
    WorldPeople,
    WorldPerson,
)
from tests.unit.studio.live.test_world import Heard
from tests.unit.studio.session.test_people import PERSON
from tests.unit.world.people.support import figure

ROOM = """raff: 1
name: room
world: {floor: 0, step: 2 ms}
joints: [{name: arm, parent: base, shape: {box: [0.1, 0.1, 1]}, motor: true}]
people: [{name: Ada, xyz: [-3, 0, 0]}]
sensors: [{name: guard, type: person, parent: base, at: {xyz: [0, 0, 1]}}]
"""


def shown(heard: Heard) -> list[WorldPerson]:
    return [one for one in heard.answers if isinstance(one, WorldPeople)][-1].people


def step(heard: Heard, count: int = 50) -> None:
    heard.ask(StepSimulation(0, count))


@pytest.fixture
def heard(tmp_path: Path) -> Any:
    made = Heard(tmp_path, ROOM)
    yield made
    made.loop.close()


def test_people_of_the_session_are_detected_and_listed_under_names_of_their_own(
    heard: Heard,
) -> None:
    step(heard)
    assert [(one.name, one.client) for one in shown(heard)] == [("Ada", 0)]
    assert (heard.read("guard.count"), heard.read("guard.gesture")) == (1, 0)
    present = dataclasses.replace(PERSON, present=True)
    frames = len(heard.frames)
    heard.loop.obey(PersonSeen(4, "#3b82f6", present))
    assert len(heard.frames) == frames  # a pose that came is no reason for a frame
    step(heard)
    assert (heard.read("guard.count"), heard.read("guard.gesture")) == (2, 2)
    one = next(one for one in shown(heard) if one.client == 4)
    assert one.name == "Ada 2" and one.color == "#3b82f6"
    # head and hand are as the page sent them
    assert one.head == pytest.approx(PERSON.head, abs=1e-5)
    assert one.hands[0].gesture == "stop"
    assert one.hands[0].pose == pytest.approx(PERSON.hands[0].pose, abs=1e-5)
    assert len(one.body) % 8 == 0 and len(one.body) > 80
    heard.loop.obey(PersonGone(4))
    step(heard)
    assert (heard.read("guard.count"), heard.read("guard.gesture")) == (1, 0)


def test_going_back_shows_who_was_there_and_running_on_who_is_there_now(heard: Heard) -> None:
    step(heard)
    heard.loop.obey(PersonSeen(4, "#3b82f6", dataclasses.replace(PERSON, present=True)))
    step(heard, 200)
    heard.loop.obey(PersonGone(4))
    step(heard)
    assert heard.read("guard.count") == 1
    heard.ask(GoToTime(0, 0.2))
    assert heard.read("guard.count") == 2 and len(shown(heard)) == 2
    assert heard.frames[-1].facts.recorded == pytest.approx(0.3)  # nothing is forgotten by looking
    heard.ask(GoToTime(0, 0.3))
    assert heard.read("guard.count") == 1
    heard.ask(GoToTime(0, 0.2))
    step(heard)
    assert heard.read("guard.count") == 1


def test_somebody_whom_cameras_see_is_detected_as_their_mesh(heard: Heard) -> None:
    step(heard)
    absent = dataclasses.replace(PERSON, name="Ben")  # without a headset, at the page
    made = figure((2, 0, 0))
    frame = pack_body(BodyFrame(4, made.vertices, made.triangles, made.colours))
    heard.loop.obey(orders.PersonBody(4, len(frame)), frame)
    heard.loop.obey(PersonSeen(4, "#3b82f6", absent))
    step(heard)
    front = float(made.vertices[:, 0].min())
    assert heard.read("guard.count") == 2
    assert heard.read("guard.distance") == pytest.approx(front, abs=0.01)
    one = next(one for one in shown(heard) if one.client == 4)
    # pages have the mesh already; its head is below its top, and the page's pointer is no hand
    assert one.body == [] and one.hands == []
    assert one.head[4:] == pytest.approx([2, 0, 1.64], abs=0.05)
    # the next mesh is somewhere else
    made = figure((3, 0, 0))
    frame = pack_body(BodyFrame(4, made.vertices, made.triangles, made.colours))
    heard.loop.obey(orders.PersonBody(4, len(frame)), frame)
    step(heard)
    assert heard.read("guard.distance") == pytest.approx(front + 1, abs=0.01)
    # back in time, the mesh of then is measured
    heard.ask(GoToTime(0, 0.08))
    assert heard.read("guard.distance") == pytest.approx(front, abs=0.01)
    step(heard)
    assert heard.read("guard.distance") == pytest.approx(front + 1, abs=0.01)
    # in a headset, head and hands are known; without the mesh they are all there is
    heard.loop.obey(PersonSeen(4, "#3b82f6", dataclasses.replace(PERSON, present=True)))
    step(heard)
    one = next(one for one in shown(heard) if one.client == 4)
    assert one.head == pytest.approx(PERSON.head, abs=1e-5) and len(one.hands) == 1
    assert heard.read("guard.distance") == pytest.approx(front + 1, abs=0.01)
    heard.loop.obey(orders.PersonBody(4, 0))
    step(heard)
    assert len(next(one for one in shown(heard) if one.client == 4).body) > 80
