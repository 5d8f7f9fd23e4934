"""SDF files that are written: names, worlds, chains, shifted variables."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError

TEXT = """raff: 1
name: cell
gravity: [0, 0, -1.6]
joints:
  - {name: A, parent: base, alpha: 90 deg, start: 0.3, limits: [-1, 2], motor: {torque: 5}}
  - {name: C, parent: A, type: cylindrical, d: 0.4, spring: {stiffness: 3, rest: 0.5}}
  - {name: F, parent: base, type: free}
frames:
  - {name: tip, parent: C, d: 0.1}
objects:
  - {name: table, shape: {cylinder: [1, 0.1]}, fixed: true, at: {xyz: [0, 0, -0.9]}}
"""


def test_joints_links_frames_and_the_world(tmp_path: Path) -> None:
    done = kg.export(kg.load(TEXT), tmp_path / "cell.sdf")
    root = ElementTree.parse(tmp_path / "cell.sdf").getroot()
    world = root.find("world")
    assert world is not None and world.findtext("gravity") == "0 0 -1.6"
    model, table = world.findall("model")
    assert table.get("name") == "table" and table.findtext("static") == "true"
    names = {one.get("name") for one in model.findall("link")}
    assert names == {"base", "A_link", "C", "F", "C_turn_link"}
    kinds = {one.get("name"): one.get("type") for one in model.findall("joint")}
    assert kinds == {
        "base_to_world": "fixed", "A": "revolute", "C_turn": "revolute", "C_slide": "prismatic",
    }  # fmt: skip
    # without loops variables keep their values: the pose is that of zero
    limit = model.find("joint[@name='A']/axis/limit")
    assert limit is not None and limit.findtext("lower") == "-1" and limit.findtext("effort") == "5"
    frame = model.find("frame")
    assert frame is not None and frame.attrib == {"name": "tip", "attached_to": "C"}
    spring = model.find("joint[@name='C_turn']/axis/dynamics")
    assert spring is not None and spring.findtext("spring_stiffness") == "3"
    said = "\n".join(done.notes)
    assert "link 'A' has the name of a joint" in said and "joint 'C' is written as a chain" in said


def test_with_loops_variables_count_from_the_pose(tmp_path: Path) -> None:
    done = kg.export(kg.load("five-bar"), tmp_path / "bars.sdf", q={"A": 2.0})
    root = ElementTree.parse(tmp_path / "bars.sdf").getroot()
    lower = root.findtext(".//joint[@name='A']/axis/limit/lower")
    wanted = kg.load("five-bar").compile()
    assert lower is not None
    assert float(lower) == pytest.approx(wanted.lower[wanted.joint("A").v.start] - 2.0)
    assert any("measured from the pose" in one and "A 2," in one for one in done.notes)
    assert root.find(".//joint[@name='C']") is not None  # the loop is there
    for suffix, home in ((".sdf", "model"), (".world", "world/model")):
        kg.export(kg.load("arm-6"), tmp_path / f"arm{suffix}")
        assert ElementTree.parse(tmp_path / f"arm{suffix}").getroot().find(home) is not None


def test_what_kinegen_reads_from_it_is_the_same_mechanism(tmp_path: Path) -> None:
    for name in ("arm-6", "five-bar", "stewart", "delta", "humanoid-30"):
        mechanism = kg.load(name)
        kg.export(mechanism, tmp_path / f"{name}.sdf")
        model, other = mechanism.compile(), kg.load(tmp_path / f"{name}.sdf").compile()
        assert len(other.loops) == len(model.loops)
        assert kg.mobility(other).finite == kg.mobility(model).finite
        q = kg.assemble(model).q if model.loops else model.zero()
        there = kg.assemble(other, other.zero()).q
        for link in model.link_names[1:]:
            own = f"{link}_link" if f"{link}_link" in other.site_names else link
            found = kg.pose(other, there, own).matrix
            np.testing.assert_allclose(found, kg.pose(model, q, link).matrix, atol=1e-7)
        total = model.inertia[1:, 0].sum()
        assert other.inertia[1:, 0].sum() == pytest.approx(total, rel=1e-6)


def test_loops_that_do_not_meet_are_refused_here_and_said_elsewhere(tmp_path: Path) -> None:
    bars = kg.load("five-bar")
    q = [0.1, 0.2, 0.3, 0.4, 0.5]
    with pytest.raises(FormatError, match=r"the loops are open .* use a pose in which the loops"):
        kg.export(bars, tmp_path / "a.sdf", q=q)
    assert kg.export(bars, tmp_path / "a.xml", q=q).notes[0].startswith("the loops are open")
