"""USD files that are written: text that every reader of USD takes, names that it allows."""

from __future__ import annotations

import re
from pathlib import Path

import kinegen as kg
from kinegen.formats.robots.write.usd_text import quoted, tuple_text

TEXT = """raff: 1
name: two-bars
joints:
  - {name: shoulder-1, parent: base, alpha: 90 deg, start: 0.3, limits: [-90 deg, 2], friction: 0.5}
  - {name: S, parent: shoulder-1, type: screw, pitch: 0.1, d: 0.4,
     motor: {torque: 4, kp: 18, kd: 1}}
frames:
  - {name: tip, parent: S, d: 0.1}
"""


def test_joints_drives_and_names(tmp_path: Path) -> None:
    done = kg.export(kg.load(TEXT), tmp_path / "bars.usda")
    text = (tmp_path / "bars.usda").read_text(encoding="utf-8")
    assert text.startswith('#usda 1.0\n(\n    defaultPrim = "two_bars"')
    assert 'def Xform "shoulder_1"' in text and 'custom string kinegen:name = "shoulder-1"' in text
    assert "float physics:lowerLimit = -90" in text  # degrees
    damping = re.search(r"drive:angular:physics:damping = ([\d.]+)", text)
    assert damping is not None and abs(float(damping[1]) - 0.5 * 3.14159265 / 180) < 1e-9
    screw = text[text.index('def PhysicsJoint "S"') :]
    assert '"PhysicsLimitAPI:transX"' in screw and '"PhysicsLimitAPI:transZ"' not in screw
    assert "float drive:rotZ:physics:maxForce = 4" in screw
    said = "\n".join(done.notes)
    assert "'shoulder-1' is not a valid name in USD: 'shoulder_1'" in said
    assert "joint 'S' turns and slides freely: UsdPhysics has no screws" in said


def test_texts_cannot_break_out() -> None:
    assert quoted('a "b" \\ c') == '"a \\"b\\" \\\\ c"'
    assert quoted('two\nlines"""') == '"""two\nlines\\"\\"\\""""'
    assert tuple_text([1, 0.5, 1e-17]) == "(1, 0.5, 0)"
