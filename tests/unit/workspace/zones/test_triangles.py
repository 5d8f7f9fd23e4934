from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.zones.planar import planar_linkage
from kinegen.workspace.zones.triangles import construct
from tests.support.mechanisms.planar import CONSTRUCTIONS, construction, home_inputs


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_home_comes_back(name: str) -> None:
    built = construction(name)
    model = built.linkage.model
    frame = model.site_names[-1]
    inputs = home_inputs(built, frame)
    point = built.points(inputs, [frame])[0, :, 0]
    np.testing.assert_allclose(point, kg.pose(model, built.linkage.q, frame).translation[:2],
                               atol=1e-12)  # fmt: skip
    turn = built.configurations(inputs)[:, 0] - built.linkage.q
    np.testing.assert_allclose(np.remainder(turn + np.pi, 2 * np.pi), np.pi, atol=1e-9)


def test_the_other_side_of_a_join_is_the_mirror_image() -> None:
    built = construction("five-bar")
    other = built.with_signs([-built.home_signs[0]])
    inputs = np.array([[1.0, 2.0], [2.0, 1.5]])
    here, there = built.points(inputs, ["handle"])[0], other.points(inputs, ["handle"])[0]
    hinges = built.points(inputs, ["B", "D"])  # the couplers' ends on the cranks
    axis = hinges[1] - hinges[0]
    assert np.abs(np.sum((here - there) * axis, axis=0)).max() < 1e-12
    assert np.abs(here - there).max() > 0.1
    with pytest.raises(UsageError, match="1 signs of 1 or -1"):
        built.with_signs([0])


def test_the_eight_bar_needs_a_tilt_as_in_the_paper() -> None:
    model = kg.load("eight-bar").compile()
    linkage = planar_linkage(model, kg.assemble(model).q)
    assert linkage is not None
    assert construct(linkage, driven=["O", "B", "A"]) is None
    assert construct(linkage, driven=["O"]) is None
    built = construct(linkage, driven=["O", "B"], tilt="handle")
    assert built is not None and built.inputs == ("O", "B", "tilt")
    assert built.joins_behind("handle") == (0,)  # the third leg only holds


def test_inputs_of_another_shape_are_refused() -> None:
    with pytest.raises(UsageError, match="one row for each of A, E"):
        construction("five-bar").points(np.zeros((3, 2)), ["handle"])
