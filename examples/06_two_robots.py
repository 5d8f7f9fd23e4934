"""Two robots in one model: two included files, each with its own placement and parameters."""

import numpy as np

import kinegen as kg

CELL = """\
raff: 1
name: cell
robots:
  - {name: left, include: puma560, at: {xyz: [0, 0.8, 0]}}
  - {name: right, include: puma560, at: {xyz: [0, -0.8, 0], rpy: [0, 0, 180 deg]},
     parameters: {flange: 120 mm}}
frames:
  - {name: meeting_point, parent: base, xyz: [0.6, 0, 0.8]}
"""

mechanism = kg.load(CELL)
model = mechanism.compile()
print(model)
print("joints:", ", ".join(mechanism.joints))

# Names of an included robot begin with its own name; so do its parameters.
X_WL = kg.pose(model, {"left.waist": -0.5}, "left.tool")
X_WR = kg.pose(model, {"right.waist": 0.5}, "right.tool")
print("left tool: ", X_WL.translation.round(3))
print("right tool:", X_WR.translation.round(3))
print("flanges:   ", model.parameters["left.flange"], model.parameters["right.flange"])

# Both arms are in one Jacobian; each frame depends on its own arm only.
J_left = kg.jacobian(model, None, "left.tool")
J_right = kg.jacobian(model, None, "right.tool")
mixed = kg.kinematics.augmented_jacobian(
    model,
    None,
    [
        kg.kinematics.FrameTask("left.tool"),
        kg.kinematics.FrameTask("right.tool", kg.kinematics.TaskKind.POINT),
    ],
)

alone = kg.load("puma560").compile()
X_PT = kg.pose(alone, frame="tool")
assert model.nv == 12
assert np.allclose(J_left[:, 6:], 0)
assert np.allclose(J_right[:, :6], 0)
assert mixed.shape == (6 + 3, 12)
assert np.allclose(mixed, np.vstack([J_left, J_right[:3]]))
# The left arm is the PUMA, shifted; the right one is rotated and has a longer flange.
shift = kg.SE3(translation=np.array([0, 0.8, 0]))
assert kg.pose(model, frame="left.tool").is_close(shift @ X_PT)
alone.parameters["flange"] = 0.12
X_WP = kg.SE3(kg.SO3.from_rpy(0, 0, np.pi), np.array([0, -0.8, 0]))
assert kg.pose(model, frame="right.tool").is_close(X_WP @ kg.pose(alone, frame="tool"))
