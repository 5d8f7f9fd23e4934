"""A closed loop: what its residual says, and how its Jacobian closes it again.

Kinegen's own solver is still to come. Until then a few lines of NumPy do for a small mechanism.
"""

import math

import numpy as np
import numpy.typing as npt

import kinegen as kg

model = kg.load("five-bar").compile()
distance, angle = kg.loop_gap(model)
print(f"five-bar at its start: gap {distance:.1e} m, {angle:.1e} rad")

# Turn one crank and nothing else: the loop opens at its cut joint C.
q = kg.configuration(model, {"A": math.radians(110)})
open_distance, _ = kg.loop_gap(model, q)
print(f"crank A turned alone:  gap {open_distance:.1e} m")


def closed(q: npt.NDArray[np.float64], held: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """The nearest q whose loops are closed while the held joints stay: Newton's method."""
    free = [joint.v.start for joint in model.joints if joint.name not in held]
    for _ in range(20):
        phi = kg.loop_residual(model, q)
        if np.abs(phi).max() < 1e-13:
            break
        v = np.zeros(model.nv)
        # Least squares: a planar loop has six rows, of which only three count.
        v[free] = np.linalg.lstsq(kg.loop_jacobian(model, q)[:, free], -phi, rcond=1e-9)[0]
        q = kg.integrate(model, q, v)
    return q


q = closed(q, held=("A", "E"))
distance, angle = kg.loop_gap(model, q)
handle = kg.pose(model, q, "handle").translation
print(f"closed again:          gap {distance:.1e} m, handle at {handle[:2].round(4)} m")

# Mobility by rank: five hinges, of which the loop leaves two free.
mobility = model.nv - int(np.linalg.matrix_rank(kg.loop_jacobian(model, q), tol=1e-9))
print("freedoms:", mobility)

# Closed form: the handle is one coupler away from both crank pins.
crank, coupler, ground = (model.parameters[name] for name in ("crank", "coupler", "ground"))
B = crank * np.array([math.cos(math.radians(110)), math.sin(math.radians(110))])
D = np.array([ground, 0]) + crank * np.array([0, 1])
half = (D - B) / 2
reach = math.sqrt(coupler**2 - half @ half)
normal = np.array([-half[1], half[0]]) / np.linalg.norm(half)

assert open_distance > 0.01
assert distance < 1e-12
assert np.allclose(handle[:2], B + half + reach * normal, atol=1e-12)
assert mobility == 2
