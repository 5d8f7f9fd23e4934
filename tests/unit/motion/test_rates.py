import numpy as np

import kinegen as kg
from kinegen.motion.rates import rates, unrolled

MODEL = kg.load("ur5e").compile()


def test_polynomials_are_exact() -> None:
    t = np.cumsum(np.random.default_rng(0).uniform(0.01, 0.02, 40))  # not evenly spaced
    q = np.stack([t**k for k in range(5)] + [0 * t], axis=1)
    v, vdot = rates(MODEL, t, q, [slice(0, 40)])
    assert np.allclose(v[:, 1:5], np.stack([k * t ** (k - 1) for k in range(1, 5)], axis=1))
    assert np.allclose(vdot[:, 4], 12 * t**2, atol=1e-8)


def test_gaps_stay_gaps() -> None:
    t = np.linspace(0, 1, 20)
    q = np.tile(t[:, None], (1, 6))
    q[8:11] = np.nan
    v, vdot = rates(MODEL, t, q, [slice(0, 8), slice(11, 12), slice(12, 14), slice(14, 20)])
    assert np.isnan(v[8:12]).all()
    assert np.allclose(v[:8], 1)
    assert np.allclose(v[12:], 1)
    assert np.allclose(vdot[:8], 0, atol=1e-9)


def test_ball_joints_turn_at_their_angular_speed() -> None:
    model = kg.load("raff: 1\njoints:\n  - {name: ball, parent: base, type: spherical}\n").compile()
    t = np.linspace(0, 2, 60)
    w = np.array([0.3, -0.5, 0.8])
    q = np.array([kg.kinematics.integrate(model, None, w, dt=float(x)) for x in t])
    v, vdot = rates(model, t, q, [slice(0, 60)])
    assert np.allclose(v, w, atol=1e-6)
    assert np.allclose(vdot, 0, atol=1e-5)
    assert np.allclose(unrolled(model, q)[-1], 2 * w)
