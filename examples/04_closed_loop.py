"""A closed loop: measure its gap, close it, drag it, and find its other assembly mode."""

import math

import numpy as np

import kinegen as kg

model = kg.load("five-bar").compile()
gap = kg.kinematics.loop_gap(model)
print(f"five-bar at its start: gap {gap.distance:.1e} m, {gap.angle:.1e} rad")

# Turn only one crank: the loop opens at its cut joint C.
q = kg.configuration(model, {"A": math.radians(110)})
opened = kg.kinematics.loop_gap(model, q)
print(f"crank A turned alone:  gap {opened.distance:.1e} m")

# Close it with both cranks locked.
closed = kg.assemble(model, q, locked=["A", "E"])
handle = kg.pose(model, closed.q, "handle").translation
print(f"closed again:          gap {closed.gap:.1e} m, handle at {handle[:2].round(4)} m")

# The same cranks allow another pose, with the handle on the other side.
modes = kg.assembly_modes(model, closed.q)
for mode in modes:
    print(f"{mode.name}: handle at {kg.pose(model, mode.q, 'handle').translation[:2].round(4)} m")

# Mobility by rank: the loop leaves two of five degrees of freedom.
mobility = model.nv - int(
    np.linalg.matrix_rank(kg.kinematics.loop_jacobian(model, closed.q), tol=1e-9)
)
print("degrees of freedom:", mobility)

# Pull the handle to a target: the loop stays closed, and the reason states why the drag ended.
dragged = kg.drag(model, closed.q, kg.Handle("handle", position=[0.12, 0.3, 0]))
print("dragged:", dragged.reason)
too_far = kg.drag(model, closed.q, kg.Handle("handle", position=[0.9, 0.3, 0]))
print("dragged too far:", too_far.reason)

# Closed form: the handle is one coupler away from both crank pins.
crank, coupler, ground = (model.parameters[name] for name in ("crank", "coupler", "ground"))
B = crank * np.array([math.cos(math.radians(110)), math.sin(math.radians(110))])
D = np.array([ground, 0]) + crank * np.array([0, 1])
half = (D - B) / 2
reach = math.sqrt(coupler**2 - half @ half)
normal = np.array([-half[1], half[0]]) / np.linalg.norm(half)
expected = [B + half + reach * normal, B + half - reach * normal]

assert opened.distance > 0.01
assert closed.gap < 1e-10
assert np.allclose(handle[:2], expected[0], atol=1e-9)
assert mobility == 2
found = [kg.pose(model, mode.q, "handle").translation[:2] for mode in modes]
assert np.allclose(found, expected, atol=1e-9)
assert dragged.reached
assert not too_far.reached
assert kg.kinematics.loop_gap(model, too_far.q).distance < 1e-9
