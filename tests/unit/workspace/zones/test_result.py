from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.bodies.measure import Measure
from kinegen.workspace.zones.result import Zone, ZoneMode, mode_named


def test_points_of_all_modes_in_one_list() -> None:
    size = Measure(1.0, 0.1, 2, 4, 4, 0.5)
    modes = tuple(
        ZoneMode(name, np.full((n, 3), float(n)), np.zeros((n, 1)), size)
        for name, n in (("home", 2), ("other", 3))
    )
    model = kg.load("five-bar").compile()
    zone = Zone(model, "tool", 0.1, "triangles", "inputs", ("a",), {}, 10, modes, size, 0.1)
    assert [mode.count for mode in modes] == [2, 3]
    np.testing.assert_array_equal(zone.points[:, 0], [2, 2, 3, 3, 3])
    np.testing.assert_array_equal(zone.mode_index, [0, 0, 1, 1, 1])
    assert zone.columns()["mode"].tolist() == ["home"] * 2 + ["other"] * 3
    assert zone.to_dict()["mechanism"] == "five-bar" and "reach" not in zone.to_dict()
    assert mode_named(zone, "other") is modes[1]
    with pytest.raises(kg.errors.NameNotFoundError, match=r"modes: home, other|did you mean"):
        mode_named(zone, "others")
    with pytest.raises(kg.errors.UsageError, match="poses=True"):
        zone.configuration(0)


def test_a_point_leads_back_to_its_configuration() -> None:
    model = kg.load("five-bar").compile()
    zone = kg.zone(model, step=0.5, modes="all", poses=True)
    count = len(zone.points)
    for point in (0, zone.modes[0].count, count - 1):
        found = kg.pose(model, zone.configuration(point), zone.frame).translation
        assert np.allclose(found, zone.points[point], atol=1e-9)
    with pytest.raises(kg.errors.UsageError, match=f"from 0 to {count - 1:,}, not {count}"):
        zone.configuration(count)
