from __future__ import annotations

import math

import pytest

from kinegen.errors import KinegenError
from tests.support.worlds import world

BASE = """raff: 1
joints: [{name: A, parent: base, motor: true, mass: 1, shape: {box: [0.1, 0.1, 0.1]}}]
"""


def measured(objects: str, sensor: str, time: float = 0.002) -> float:
    text = f"{BASE}objects:\n{objects}sensors: [{{name: eye, type: distance, {sensor}}}]\n"
    with world(text) as one:
        one.run(time)
        return float(one.signals["eye"].value)


def test_a_sphere_is_where_the_closed_form_says() -> None:
    ball = "  - {name: ball, shape: {sphere: 0.3}, fixed: true, at: {xyz: [2, 0.1, 0]}}\n"
    # the ray y = 0 meets the sphere about (2, 0.1) of radius 0.3 at 2 - sqrt(0.3² - 0.1²)
    assert measured(ball, "parent: A") == pytest.approx(2 - math.sqrt(0.08), abs=1e-9)


def test_a_box_is_met_at_its_face() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.5, 0, 0]}}\n"
    assert measured(box, "parent: A") == pytest.approx(1.3, abs=1e-9)
    # turned by 30 degrees it looks along a longer way
    turned = "parent: A, at: {rpy: [0, 0, 30 deg]}"
    assert measured(box, turned) == pytest.approx(1.3 / math.cos(math.radians(30)), abs=1e-9)


def test_where_there_is_nothing_it_reports_the_farthest() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.5, 0, 0]}}\n"
    assert measured(box, "parent: A, range: [0, 1]") == 1.0
    assert measured(box, "parent: A, range: [1.4, 3]") == 1.4
    assert measured(box, "parent: A, at: {rpy: [0, 0, 180 deg]}, range: [0, 3]") == 3.0


def test_resolution_rounds_and_a_delay_waits() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.523, 0, 0]}}\n"
    assert measured(box, "parent: A, resolution: 0.05") == pytest.approx(1.3, abs=1e-12)
    assert math.isnan(measured(box, "parent: A, delay: 5 ms", 0.005))
    assert measured(box, "parent: A, delay: 5 ms", 0.006) == pytest.approx(1.323, abs=1e-9)


def test_all_measurements_of_a_dead_sensor_are_lost() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.5, 0, 0]}}\n"
    assert math.isnan(measured(box, "parent: A, dropout: 1", 0.1))


def test_the_share_of_lost_measurements_is_that_of_the_file() -> None:
    text = f"{BASE}sensors: [{{name: e, type: encoder, parent: A, dropout: 0.3}}]\n"
    with world(text) as one:
        one.run(2.0)
        # the standard deviation of 2000 draws is 20: four of them
        assert one.sensors["e"].lost == pytest.approx(600, abs=82)


def test_a_range_without_length_is_refused() -> None:
    with pytest.raises(KinegenError, match="it must begin at 0 or more"):
        measured("  - {name: b, shape: {sphere: 1}, fixed: true}\n", "parent: A, range: [1, 1]")


def test_without_a_parent_it_stands_on_the_ground() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.5, 0, 0]}}\n"
    placed = "at: {xyz: [0, 0.6, 0]}"  # beside the link
    assert measured(box, placed) == pytest.approx(1.3, abs=1e-9)


def test_noise_stays_in_the_range_and_nothing_has_none() -> None:
    box = "  - {name: box, shape: {box: [0.4, 2, 2]}, fixed: true, at: {xyz: [1.21, 0, 0]}}\n"
    text = f"{BASE}objects:\n{box}sensors:\n" + "".join(
        f"  - {{name: {name}, type: distance, parent: A, noise: 0.2, range: [1, 3], "
        f"at: {{rpy: [0, 0, {turn} deg]}}}}\n"
        for name, turn in (("near", 0), ("empty", 180))
    )
    with world(text) as one:
        seen = []
        for _ in range(60):
            one.step()
            seen.append((float(one.signals["near"].value), float(one.signals["empty"].value)))
    near, empty = zip(*seen, strict=True)
    assert min(near) == 1.0 and max(near) <= 3.0 and len(set(near)) > 20
    assert set(empty) == {3.0}  # nothing there is no measurement


@pytest.mark.parametrize(
    ("sensor", "says"),
    [
        ("type: imu, noise: 5 mm", "'mm' is a unit of length"),
        ("type: imu, noise: {rate: 5 mm}", "'mm' is a unit of length"),
        ("type: imu, resolution: {torque: 1}", "output 'torque'"),
        ("type: distance, noise: 1 deg", "'deg' is a unit of angle"),
        ("type: encoder, noise: 0.1 deg", "velocity: …"),
    ],
)
def test_noise_of_another_unit_is_refused(sensor: str, says: str) -> None:
    with pytest.raises(KinegenError, match=says):
        world(f"{BASE}sensors: [{{name: eye, parent: A, {sensor}}}]\n")
