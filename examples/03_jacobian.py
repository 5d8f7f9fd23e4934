"""How a frame moves when joints do: Jacobians, twists, and a fast callable for loops."""

import numpy as np

import kinegen as kg

model = kg.load("ur5e").compile()
frame = model.frames[-1].name
q = model.start()
v = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])

# Rows: velocity of the frame's origin [m/s], then angular velocity [rad/s], in world axes.
J = kg.jacobian(model, q, frame)
twist = J @ v
print(f"twist of '{frame}':", twist.round(4))

# The same in the frame's own axes, and for a point 10 cm in front of it.
J_own = kg.jacobian(model, q, frame, axes=frame)
J_point = kg.jacobian(model, q, frame, point=(0, 0, 0.1))

# How the Jacobian itself changes while the joints move.
J_dot = kg.kinematics.jacobian_dot(model, q, frame, v)

# For fast loops: no lookups, no allocation; every call fills the same two arrays.
evaluate = kg.kinematics.evaluator(model, frame)
at = evaluate(q)

# Check against a small step along v: the pose moves as J predicts, J changes as J_dot predicts.
h = 1e-6
before, after = (kg.kinematics.integrate(model, q, v, dt=s * h) for s in (-1, 1))
X_W0, X_W1 = kg.pose(model, before, frame), kg.pose(model, after, frame)
measured = (X_W1.translation - X_W0.translation) / (2 * h)
print("velocity measured over 2 µs:", measured.round(4))
assert np.allclose(measured, twist[:3], atol=1e-8)
assert np.allclose((X_W1.so3 @ X_W0.so3.inverse()).log() / (2 * h), twist[3:], atol=1e-8)
change = (kg.jacobian(model, after, frame) - kg.jacobian(model, before, frame)) / (2 * h)
assert np.allclose(change, J_dot, atol=1e-8)

X_WF = kg.pose(model, q, frame)
assert np.allclose(X_WF.rotation @ (J_own @ v)[:3], twist[:3])
arm = X_WF.so3.apply([0, 0, 0.1])
assert np.allclose((J_point @ v)[:3], twist[:3] + np.cross(twist[3:], arm))
assert np.array_equal(at.J, J)
assert np.allclose(at.pose, X_WF.pose)
