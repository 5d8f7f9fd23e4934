"""A floating base: quaternions in q, tangent vectors in v, and steps between configurations."""

import numpy as np

import kinegen as kg

model = kg.load("humanoid-30").compile()
print(f"{model.name}: nq = {model.nq}, nv = {model.nv}")
root = next(joint for joint in model.joints if joint.type is kg.JointType.FREE)
balls = [joint.name for joint in model.joints if joint.type is kg.JointType.SPHERICAL]
print(f"floating: {root.name}; ball joints: {', '.join(balls)}")

# q has a unit quaternion per free or spherical joint, so it is longer than v. `integrate`
# moves it, never addition; `difference` is the inverse.
rng = np.random.default_rng(1)
q0 = model.start()
v = 0.5 * rng.standard_normal(model.nv)
q1 = kg.kinematics.integrate(model, q0, v, dt=0.1)
print("quaternion of the base:", q1[root.q][:4].round(4))
back = kg.kinematics.difference(model, q0, q1) / 0.1

# Velocity of a floating base: linear first, both parts in the base's own axes.
spin = np.zeros(model.nv)
spin[root.v] = [0.3, 0, 0, 0, 0, 1.0]
twists = kg.kinematics.link_twists(model, q0, spin)
body = model.site(root.name)
X_WB = kg.pose(model, q0, root.name)

# Moving for 2 s in small steps or in one step gives the same pose: a turn of 2 rad on a circle.
q = q0
for _ in range(200):
    q = kg.kinematics.integrate(model, q, spin, dt=0.01)
X_WE = kg.pose(model, q, root.name)
print("after 2 s:", X_WE.translation.round(4))

assert model.nq - model.nv == 1 + len(balls)
assert np.allclose(back, v)
assert np.allclose(np.linalg.norm(q1[root.q][:4]), 1)
assert np.allclose(twists[body], np.concatenate([X_WB.rotation @ [0.3, 0, 0], X_WB.rotation[:, 2]]))
assert X_WE.is_close(X_WB.plus([0.6, 0, 0, 0, 0, 2.0]))
assert np.allclose(q, kg.kinematics.integrate(model, q0, spin, dt=2.0), atol=1e-12)
