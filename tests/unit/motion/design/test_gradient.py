import math

import numpy as np

import kinegen as kg
from kinegen.motion.design.gradient import ClosureGradient
from tests.unit.motion.linkage import FOUR_BAR

NAMES = ("x0", "y0", "tilt", "crank", "ground", "coupler", "rocker", "px", "py")


def coupler_point(p: np.ndarray, crank_angle: complex) -> np.ndarray:  # type: ignore[type-arg]
    """Freudenstein's four-bar in closed form (elbow up); complex steps make it differentiable."""
    x0, y0, tilt, a, g, b, c, px, py = p
    A = np.array([a * np.cos(crank_angle), a * np.sin(crank_angle)])
    d = np.array([g, 0]) - A
    # intersection of the circles about A (b) and about the rocker's foot (c)
    dd = d @ d
    along = (dd + b * b - c * c) / 2
    up = np.sqrt(b * b * dd - along * along)
    direction = np.array([along * d[0] - up * d[1], along * d[1] + up * d[0]]) / dd / b
    side = np.array([-direction[1], direction[0]])
    P = A + px * direction + py * side
    return np.array([
        x0 + np.cos(tilt) * P[0] - np.sin(tilt) * P[1],
        y0 + np.sin(tilt) * P[0] + np.cos(tilt) * P[1],
    ])  # fmt: skip


def test_gradients_equal_those_of_the_closed_form() -> None:
    model = kg.load(FOUR_BAR).compile()
    p = np.array([model.parameters[name] for name in NAMES])
    gradient = ClosureGradient(model, "handle", NAMES, np.full(9, 0.5))
    for crank in (0.3, 1.4, 2.9, -1.0):
        q = kg.assemble(model, {"crank": crank, "coupler": 1.0 - crank}, locked=["crank"]).q
        exact = coupler_point(p, crank)
        if not np.allclose(gradient.point(q)[:2], exact, atol=1e-9):
            continue  # the other assembly mode
        phi_p, x_p = gradient.partials(q[None])
        D, N, dx, JN = gradient.at(q, phi_p[0], x_p[0])
        # take the part of the free motion out that changes the crank
        column = model.joint("crank").v.start
        assert N.shape[1] == 1
        held = dx - JN @ (D[column] / N[column, 0])[None, :]
        for j in range(9):
            step = p.astype(complex)
            step[j] += 1e-30j
            derivative = coupler_point(step, crank).imag / 1e-30
            assert np.allclose(held[:2, j], derivative, atol=1e-7), NAMES[j]
        break
    else:
        raise AssertionError("no pose of the closed form's mode was found")
    assert dict(zip(NAMES, p, strict=True)) == {n: model.parameters[n] for n in NAMES}


def test_open_chains_have_nothing_to_close() -> None:
    model = kg.load("lynx6").compile()
    gradient = ClosureGradient(model, "tool", ["a2"], np.array([0.1]))
    q = model.start()
    phi_p, x_p = gradient.partials(q[None])
    D, N, dx, _ = gradient.at(q, phi_p[0], x_p[0])
    assert not D.any()
    assert np.array_equal(N, np.eye(model.nv))
    # the tool moves along the upper arm's own direction
    assert math.isclose(float(np.linalg.norm(dx)), 1.0, abs_tol=1e-8)
