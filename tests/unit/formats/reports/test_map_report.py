import re
import xml.etree.ElementTree as ET

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.reports.map_report import map_report
from kinegen.mechanism.model import Model
from kinegen.workspace.maps.joint_map import JointMap


@pytest.fixture(scope="module")
def lynx() -> Model:
    return kg.load("lynx6").compile()


@pytest.fixture(scope="module")
def found(lynx: Model) -> JointMap:
    box = {"x": (0.1, 0.32, 23), "y": (0.1, 0.1, 1), "z": (0.2, 0.2, 1)}
    return kg.workspace.joint_map(lynx, box, wrist_angle=0.0)


def _words(data: bytes) -> list[str]:
    return [part.text or "" for part in ET.fromstring(data).iter() if part.tag.endswith("text")]


def test_a_chart_and_a_lamp_for_each_joint_that_moves(lynx: Model, found: JointMap) -> None:
    words = _words(map_report(found))
    for word in ("q1: waist [°]", "q2: shoulder [°]", "q3: elbow [°]", "q4: wrist [°]"):
        assert word in words
    assert "q1 waist: in range" in words and "q3 elbow: out of range" in words
    assert not any("gripper" in word for word in words)


def test_what_is_out_of_range_is_red(lynx: Model, found: JointMap) -> None:
    svg = map_report(found).decode()
    # shoulder and elbow; waist and wrist stay within
    assert len(re.findall(r'stroke="#d5402b" stroke-width="3"', svg)) == 2


def test_all_joints_in_one_chart(lynx: Model, found: JointMap) -> None:
    words = _words(map_report(found, combined=True))
    assert "joint values [°]" in words and "elbow" in words and "q3: elbow [°]" not in words


def test_a_box_has_a_family_of_lines(lynx: Model) -> None:
    box = {"x": (0.15, 0.25, 5), "y": (0.1, 0.2, 3), "z": (0.2, 0.2, 1)}
    found = kg.workspace.joint_map(lynx, box, wrist_angle=0.0)
    svg = map_report(found, along="x").decode()
    assert len(re.findall(r'stroke="#c3cad4"', svg)) == 4 * 3
    with pytest.raises(UsageError, match="no axis"):
        map_report(found, along="w")
