"""Can the arm weld these two pipes? Follow their seam; write a joint table and a report."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import kinegen as kg

model = kg.load("lynx6").compile()

# two pipes that intersect at right angles, within reach of the arm
weld = kg.curves.pipe_seam(0.04, 0.045, [0.15, 0.15, 0.1])
print(f"seam: {weld.length() * 1000:.1f} mm, {'closed' if weld.is_closed else 'open'}")

# the tool moves along it at 5 cm/s
path = kg.follow(model, weld, frame="tool", points=32, speed=0.05)
print(path)
fastest = np.degrees(np.abs(path.v).max(axis=0))
for joint, speed in zip(model.joints, fastest, strict=True):
    print(f"{joint.name}: up to {speed:.1f} °/s")

# a seam farther away is partly out of reach: the path reports where and why
far = kg.follow(model, weld.moved([0.1, 0.1, 0.05]), frame="tool", points=32)
for gap in far.gaps():
    print(f"points {gap.first} to {gap.last}: {gap.reason}")

# files for readers, programs and the real arm
folder = Path(tempfile.mkdtemp())
for name in ("weld.csv", "weld.ssc", "weld.pdf"):
    path.save(folder / name)

places = [kg.pose(model, q, "tool").translation for q in path.q]
assert path.is_complete
assert np.allclose(places, path.xyz, atol=1e-7)
assert 0 < far.reachable_count < 32
