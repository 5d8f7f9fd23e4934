"""The workspaces of an arm and a linkage, and how far backlash moves the linkage's handle."""

from __future__ import annotations

import math

import kinegen as kg

arm = kg.load("lynx6").compile()
cloud = kg.cloud(arm, factor=15)  # figure 5 of the 3D-RAS paper
print(f"{cloud.pose_count} poses, {cloud.point_count} points in {cloud.elapsed:.3f} s")
assert cloud.pose_count == 12 * 6 * 6 * 12

body = kg.workspace.boundary(kg.cloud(arm, count=100_000, frames=["tool"]).points[:, 0])
size = body.measure
print(f"the tool reaches {1000 * size.value:.1f} ± {1000 * size.error:.1f} litres")
assert body.pieces == 1

linkage = kg.load("eight-bar").compile()
zone = kg.zone(linkage, step=math.radians(2))
for mode in zone.modes:
    print(f"{mode.name}: {mode.count} points, {mode.measure.value:.3f} m²")
assert zone.method == "triangles" and len(zone.modes) == 2

loose = kg.workspace.backlash(linkage, angle=math.radians(0.5))
print(f"half a degree of backlash moves the handle by {1000 * loose.worst:.2f} mm at worst")
assert loose.worst < 0.01
