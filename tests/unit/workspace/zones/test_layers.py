"""Quality of zones: against finite differences under closed loops, and known singular poses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.workspace.clouds.layers import Layer
from kinegen.workspace.zones.layers import quality, with_layer


@pytest.mark.parametrize("name", ["five-bar", "delta", "3-rrr"])
def test_manipulability_agrees_with_finite_differences(name: str) -> None:
    model = kg.load(name).compile()
    q = kg.assemble(model).q
    frame, inputs = model.site_names[-1], kg.kinematics.inputs_of(model)
    columns = []
    for joint in inputs:
        ends = []
        for step in (1e-5, -1e-5):
            moved = q.copy()
            moved[model.joint(joint).q] += step
            closed, _ = close(model, moved, locked=inputs)
            ends.append(kg.pose(model, closed, frame).translation)
        columns.append((ends[0] - ends[1]) / 2e-5)
    values = np.linalg.svd(np.column_stack(columns), compute_uv=False)
    wanted = float(np.prod(values[values > 1e-6]))
    found = quality(model, frame, inputs, q[:, None], Layer.MANIPULABILITY)
    assert found[0] == pytest.approx(wanted, rel=1e-6)


def test_a_five_bar_is_singular_at_the_edge_of_its_zone() -> None:
    """Stretched legs take a direction from the handle: near the outline the quality vanishes."""
    model = kg.load("five-bar").compile()
    zone = kg.zone(model, step=math.radians(4), layer="singularity")
    assert zone.layer == "singularity" and zone.values is not None
    assert all(mode.qs is None for mode in zone.modes)
    reach = model.parameters["crank"] + model.parameters["coupler"]
    far = np.hypot(*zone.points[:, :2].T)
    edge = zone.values[far > 0.999 * reach]
    assert len(edge) and edge.max() < 0.5 * np.median(zone.values)


def test_layers_of_zones_by_place() -> None:
    model = kg.load("stewart").compile()
    zone = kg.workspace.zone_slice(model, step=0.6, layer="limits", poses=True)
    assert zone.values is not None and zone.modes[0].qs is not None
    assert zone.values.shape == (len(zone.points),)
    assert (zone.values >= -1e-9).all() and (zone.values <= 1).all()


def test_joint_values_and_density() -> None:
    model = kg.load("five-bar").compile()
    zone = kg.zone(model, step=math.radians(15), layer="joint:A", poses=True)
    assert zone.values is not None
    qs = np.concatenate([mode.qs for mode in zone.modes if mode.qs is not None])
    np.testing.assert_array_equal(zone.values, qs[:, model.joint("A").q.start])
    dense = with_layer(model, zone, "density").values
    assert dense is not None and dense.min() >= 1


def test_mistakes() -> None:
    model = kg.load("five-bar").compile()
    zone = kg.zone(model, step=0.3)
    assert zone.values is None
    with pytest.raises(UsageError, match="needs its poses"):
        with_layer(model, zone, "manipulability")
    with pytest.raises(UsageError, match="colour it by mode"):
        kg.zone(model, step=0.3, layer="link")
