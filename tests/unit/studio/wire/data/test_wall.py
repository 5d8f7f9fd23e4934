"""The wall of a file as pages get it, and as a page writes it."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices.head.pinhole import EYE_DISTANCE
from kinegen.errors import RaffError, UsageError
from kinegen.mechanism.graph import Mechanism
from kinegen.spatial.pose import SE3
from kinegen.studio.session.edits.structure import set_wall
from kinegen.studio.wire.data.wall import wall_data
from kinegen.studio.wire.messages import WallData
from kinegen.studio.wire.parts import ScreenEntry

TEXT = """raff: 1
parameters: {width: 2 m}
joints: [{name: A, parent: base}]
wall:
  screens:
    - {name: "1 left", lower_left: [-width, 2, 0], lower_right: [0, 2, 0], upper_left: [-width, 2, 1]}
    - {name: right, lower_left: [0, 2, 0], lower_right: [width, 2, 0], upper_left: [0, 2, 1], shows: red-cyan}
  eye: [50 cm, -1, 1.6]
"""  # noqa: E501


def of(mechanism: Mechanism) -> WallData:
    found = wall_data(mechanism, dict(mechanism.compile().parameters))
    assert found is not None
    return found


def test_numbers_of_a_wall_with_what_is_not_given() -> None:
    wall = of(kg.load(TEXT))
    assert [one.name for one in wall.screens] == ["1 left", "right"]
    assert wall.screens[0].lower_left == (-2.0, 2.0, 0.0)
    assert [one.shows for one in wall.screens] == ["centre", "red-cyan"]
    assert (wall.eye, wall.eye_distance, wall.scale) == ((0.5, -1.0, 1.6), EYE_DISTANCE, 1.0)
    assert wall.at == (1, 0, 0, 0, 0, 0, 0) and not wall.has_tracker
    # over the middle of the second of two screens, looking at the viewer
    X_RT = SE3.from_pose(wall.tracker)
    assert X_RT.translation == pytest.approx([1.0, 2.0, 1.0])
    way = np.array([0.5, -1.0]) - [1.0, 2.0]
    ahead = X_RT.rotation @ [0.0, 1.0, 0.0]
    assert ahead == pytest.approx([*(way / np.linalg.norm(way)), 0.0])
    assert X_RT.rotation @ [0.0, 0.0, 1.0] == pytest.approx([0.0, 0.0, 1.0])


def test_a_mechanism_without_a_wall_has_none() -> None:
    mechanism = kg.load("four-bar")
    assert wall_data(mechanism, {}) is None
    with pytest.raises(UsageError, match="no wall"):
        set_wall(mechanism, None)


def test_a_page_sets_and_removes_the_wall_and_nothing_else() -> None:
    mechanism = kg.load(TEXT + "lights: [{name: sun, type: directional}]\n")
    screen: ScreenEntry = {
        "name": "2", "lower_left": (0.0, 1.0, 0.5), "lower_right": (1.0, 1.0, 0.5),
        "upper_left": (0.0, 1.0, 1.25),
    }  # fmt: skip
    set_wall(mechanism, {"screens": [screen], "eye": (0.5, 0.0, 1.5), "scale": 0.1})
    text = mechanism.to_raff()
    assert '    - {name: "2", lower_left: [0, 1, 0.5]' in text.replace("'", '"')
    again = of(kg.load(text))
    assert [one.name for one in again.screens] == ["2"] and again.scale == 0.1
    assert text.startswith(TEXT[: TEXT.index("wall:")]) and "name: sun" in text
    set_wall(mechanism, None)
    assert "wall" not in mechanism.to_raff() and "name: sun" in mechanism.to_raff()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("upper_left: [0, 2, 1]", "upper_left: [1, 2, 1]", "perpendicular"),
        ("lower_right: [width, 2, 0]", "lower_right: [0, 2, 0]", "same place as lower_left"),
        ("name: right", 'name: "1 left"', "two screens have the name '1 left'"),
        ("shows: red-cyan", "shows: both", "side-by-side"),
        ("eye: [50 cm", "eye: [50 kg", "length"),
        ("  eye: [50 cm, -1, 1.6]", "", "needs 'eye'"),
        ("eye:", "head: [0, 0, 0]\n  eye:", "where the head is at first is 'eye'"),
        ("eye:", "scale: 0\n  eye:", "scale"),
    ],
)
def test_a_wrong_wall_is_refused_in_words(old: str, new: str, words: str) -> None:
    assert old in TEXT
    with pytest.raises(RaffError, match=words):
        kg.load(TEXT.replace(old, new))


def test_the_wall_of_an_included_file_is_remarked_upon(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "inner.raff").write_text(TEXT)
    (folder / "outer.raff").write_text("raff: 1\nrobots: [{name: a, include: inner.raff}]\n")
    mechanism = kg.load(folder / "outer.raff")
    assert mechanism.wall == {}
    assert any("wall of an included file" in one.message for one in mechanism.remarks)


def test_a_wall_survives_writing() -> None:
    from kinegen.mechanism.write import write

    mechanism = kg.load(TEXT)
    assert of(kg.load(write(mechanism.snapshot()))) == of(mechanism)
