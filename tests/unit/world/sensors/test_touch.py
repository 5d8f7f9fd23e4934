from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from tests.support.worlds import ARM, world

G = 9.81
BOX = """raff: 1
world: {floor: 0}
joints: [{name: body, type: free, parent: base, start: {xyz: [0, 0, 0.3]}, mass: 2,
          shape: {box: [0.2, 0.2, 0.2]}}]
sensors:
  - {name: pad, type: touch, parent: body}
  - {name: bump, type: bumper, parent: body, threshold: 1 N}
  - {name: list, type: contact, parent: body}
"""


@pytest.mark.parametrize("engine", ["reduced", "mujoco"])
def test_a_box_that_comes_to_rest_presses_with_its_weight(engine: str) -> None:
    with world(BOX, engine=engine) as one:
        one.run(0.1)  # falling
        assert (one.signals["pad"].value, one.signals["bump"].value) == (0.0, 0.0)
        assert one.signals["list.count"].value == 0
        one.run(1.4)
        # at rest: soft contacts creep by less than a hundredth of the weight
        assert one.signals["pad"].value == pytest.approx(2 * G, rel=0.01)
        assert one.signals["bump"].value == 1.0
        rows = one.signals["list.contacts"].value
        assert len(rows) == one.signals["list.count"].value >= 3
        assert rows[:, 3:6].sum(axis=0) == pytest.approx([0, 0, 2 * G], abs=0.2)
        assert rows[:, 2] == pytest.approx(0.0, abs=2e-3) and set(rows[:, 6]) == {0.0}


def test_a_world_without_contacts_has_no_touch() -> None:
    with pytest.raises(UsageError, match="nothing can touch in this world: add a floor"):
        world(ARM, "sensors: [{name: t, type: touch, parent: A}]\n")


def test_an_engine_that_reports_no_forces_is_named() -> None:
    with pytest.raises(UsageError, match="engine 'impulse' does not report the forces"):
        world(BOX, engine="impulse")
