"""The workspace of an arm as a cloud: a million poses, computed directly by the kernels."""

from __future__ import annotations

import numpy as np

import kinegen as kg

model = kg.load("ur5e").compile()

# a million quasi-random configurations within the joint limits, tool positions only
cloud = kg.kinematics.point_cloud(model, "tool", 1_000_000)
print(f"points: {len(cloud):,}")

# distance of the tool from the shoulder
shoulder = kg.pose(model, None, "shoulder_lift").translation
reach = np.linalg.norm(cloud - shoulder, axis=1)
print(f"reach from the shoulder: {reach.min():.3f} m to {reach.max():.3f} m")

# a grid instead: two joints are swept, the others stay at the file's start
grid = kg.kinematics.grid_positions(
    model, ["tool"], {"shoulder_lift": (-2.0, -0.5, 50), "elbow": (0.5, 2.0, 60)}
)
print(f"grid: {grid.shape[0]} × {grid.shape[1]} poses")

# the cloud is reproducible, even if only a part of it is computed
assert np.array_equal(kg.kinematics.point_cloud(model, "tool", 10, first=500), cloud[500:510])
# no point is farther away than the length of all links together
assert reach.max() < 0.425 + 0.3922 + 0.1333 + 0.0997 + 0.0996
corner = kg.pose(model, {"shoulder_lift": -2.0, "elbow": 0.5}, "tool").translation
assert np.allclose(grid[0, 0, 0], corner)
