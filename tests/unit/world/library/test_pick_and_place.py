from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.library.pick_and_place import EYE, FOCAL, TABLES, TOP, find

pytest.importorskip("mujoco")


@pytest.mark.slow
@pytest.mark.usefixtures("drawing")
def test_every_part_gets_to_the_table_of_its_colour() -> None:
    with kg.World("pick-and-place", keyframes=0) as world:
        world.run(13.6)
        poses = {name: world.node(name).pose for name in ("red1", "red2", "blue1", "blue2")}
        assert world.report().events == ()
    for name, pose in poses.items():
        x, y = TABLES[name[:-1]]
        side = -0.06 if name[-1] == "1" else 0.06  # the first one that came is nearer to the arm
        assert pose.translation == pytest.approx([x + side, y, TOP - 0.025], abs=5e-3), name
        assert np.abs(pose.so3.rpy).max() < 0.03, name  # however it lay on the belt


@pytest.mark.parametrize(("colour", "channel"), [("red", 0), ("blue", 2)])
@pytest.mark.parametrize("turn", [-0.5, 0.0, 0.3])
def test_it_finds_colour_place_and_direction(colour: str, channel: int, turn: float) -> None:
    picture = np.full((120, 90, 3), 120, np.uint8)
    # at each pixel: where its ray meets the tops of the parts
    scale = (EYE[2] - TOP) / (FOCAL * 120)
    x, y = np.meshgrid(
        (59.5 - np.arange(120)) * scale, (44.5 - np.arange(90)) * scale, indexing="ij"
    )
    x, y = x - 0.03, y + 0.02
    along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    picture[(abs(along) < 25e-3) & (abs(across) < 15e-3)] = np.eye(3, dtype=np.uint8)[channel] * 200
    found = find(picture)
    assert found is not None
    assert found[0] == colour
    assert found[1] == pytest.approx([EYE[0] + 0.03, EYE[1] - 0.02, turn], abs=0.03)
    assert found[1][:2] == pytest.approx([EYE[0] + 0.03, EYE[1] - 0.02], abs=1e-3)


def test_it_waits_until_a_part_is_wholly_in_the_picture() -> None:
    picture = np.full((60, 45, 3), 120, np.uint8)
    assert find(picture) is None
    picture[20:30, :10] = [200, 0, 0]
    assert find(picture) is None
    assert find(None) is None  # cameras are off
