"""Simulate mechanisms: a closed loop under gravity, an arm that is held and pushed."""

from __future__ import annotations

import numpy as np

import kinegen as kg

# A five-bar in a vertical plane falls from its start; its loop stays closed.
five_bar = kg.load("five-bar")
run = kg.simulate(five_bar, time=0.5, gravity=(0, -9.81, 0))
print(f"five-bar: loops open by {run.max_gap:.1e} m, energy drift {run.energy_drift:.1e}")
assert run.complete and run.max_gap < 1e-9 and run.energy_drift < 1e-6

# A controller holds an arm: it compensates gravity and damps the motion.
arm = kg.load("ur5e")
model = arm.compile()


def hold(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compensate gravity and damp the motion."""
    return np.asarray(
        kg.dynamics.gravity_forces(model, q) - 5.0 * kg.dynamics.mass_matrix(model, q) @ v
    )


simulation = kg.Simulation(arm, control=hold)
simulation.advance(0.2)
still = float(np.abs(simulation.engine.v).max())


def push(time: float, q: np.ndarray, v: np.ndarray) -> kg.dynamics.Loads:
    """A force of 20 N on the hand, along x of the world."""
    return kg.dynamics.Loads.of(
        model, wrenches=np.array([[20.0, 0, 0, 0, 0, 0]]), links=np.array([6])
    )


simulation.sources.append(push)
simulation.advance(0.3)
pushed = simulation.run()
print(
    f"ur5e: at rest to {still:.1e} rad/s, then {np.abs(pushed.v[-1]).max():.2f} rad/s when pushed"
)
assert still < 1e-6 and np.abs(pushed.v[-1]).max() > 0.1
