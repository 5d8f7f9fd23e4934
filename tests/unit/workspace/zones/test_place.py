from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.zones.place import Slice, SliceTries, ability, usual_ability


def at_home(name: str) -> tuple[kg.Model, np.ndarray]:
    model = kg.load(name).compile()
    return model, kg.assemble(model).q


@pytest.mark.parametrize(
    ("name", "frame", "kind", "axes", "holds"),
    [
        ("stewart", "handle", Slice.PLACE, 3, True),
        ("stewart", "handle", Slice.TURN, 3, True),
        ("delta", "tool", Slice.PLACE, 3, True),
        ("delta", "tool", Slice.TURN, 0, True),
        ("3-rrr", "handle", Slice.PLACE, 2, True),
        ("3-rrr", "handle", Slice.TURN, 1, True),
        ("five-bar", "handle", Slice.PLACE, 2, False),  # it turns as it goes
    ],
)
def test_what_frames_can_do(name: str, frame: str, kind: Slice, axes: int, holds: bool) -> None:
    model, home = at_home(name)
    found = ability(model, home, frame, kind)
    assert found.axes.shape == (3, axes)
    np.testing.assert_allclose(found.axes.T @ found.axes, np.eye(axes), atol=1e-12)
    if axes:
        assert found.holds_rest == holds
    if axes == 2:
        np.testing.assert_allclose(found.axes, np.eye(3)[:, :2], atol=1e-9)


def test_cells_are_solved_from_their_neighbours() -> None:
    model, home = at_home("3-rrr")
    can = ability(model, home, "handle", Slice.PLACE)
    tries = SliceTries(model, home, "handle", Slice.PLACE, can, 0.02)
    cells = np.array([[0, 0], [1, 0], [0, -1], [60, 0]])
    qs, good = tries(np.repeat(home[None], 4, axis=0), cells)
    assert good.tolist() == [True, True, True, False]
    np.testing.assert_allclose(
        kg.pose(model, qs[2], "handle").translation, tries.targets(cells)[2], atol=1e-7
    )


def test_limits_are_kept_unless_left_aside() -> None:
    model, home = at_home("stewart")
    can = ability(model, home, "handle", Slice.PLACE)
    high = np.array([[0, 0, 3]])
    for limits, wanted in ((True, False), (False, True)):
        tries = SliceTries(model, home, "handle", Slice.PLACE, can, 0.5, limits=limits)
        assert tries(home[None], high)[1].tolist() == [wanted]


def test_a_frame_that_cannot_turn_is_refused() -> None:
    model, home = at_home("delta")
    can = ability(model, home, "tool", Slice.TURN)
    with pytest.raises(UsageError, match="cannot rotate at a fixed position"):
        SliceTries(model, home, "tool", Slice.TURN, can, 0.1)


def test_special_poses_do_not_count() -> None:
    # at its start the four-bar's cranks are parallel: for a moment its coupler does not turn
    model, home = at_home("four-bar")
    frame = model.site_names[-1]
    assert ability(model, home, frame, Slice.PLACE).holds_rest
    assert not usual_ability(model, home, frame, Slice.PLACE).holds_rest
    model, home = at_home("stewart")
    assert usual_ability(model, home, "handle", Slice.PLACE).axes.shape == (3, 3)
