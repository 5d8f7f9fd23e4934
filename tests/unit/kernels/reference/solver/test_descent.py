"""The quick descent: what it takes on, what it keeps, when it gives up."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.reference.solver.descent import Descent, find_chain
from kinegen.kernels.reference.solver.equations import handle_equations
from kinegen.kernels.reference.solver.state import bind_solver, set_scales
from kinegen.kinematics.handles import pack_handles


def descent(
    model: kg.Model, target: kg.SE3, *, locked: np.ndarray | None = None, limits: bool = True
) -> Descent:
    solver = bind_solver(model.ints, model.reals)
    set_scales(solver)
    ints, reals = pack_handles(model, [kg.Handle.pose("tool", target)])
    chain = find_chain(model.blocks, model.site("tool"))
    assert chain is not None
    return Descent(
        chain, lambda q: handle_equations(solver, q, ints[0], reals[0]), model.blocks,
        solver.scale, solver.size, locked, limits=limits, step=1.0, met=1e-8,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "site", "count"),
    [("franka", "tool", 7), ("puma560", "wrist_1", 4), ("puma560", "base", None)],
)
def test_a_chain_is_the_joints_that_move_a_site(name: str, site: str, count: int | None) -> None:
    model = kg.load(name).compile()
    chain = find_chain(model.blocks, model.site(site))
    assert (None if chain is None else len(chain.q)) == count


def test_a_ball_on_the_way_is_left_to_the_solver() -> None:
    model = kg.load("stewart").compile()
    assert find_chain(model.blocks, model.site("handle")) is None


def test_a_near_target_is_met_within_limits() -> None:
    model = kg.load("franka").compile()
    rng = np.random.default_rng(2)
    for _ in range(10):
        q = rng.uniform(model.lower + 0.2, model.upper - 0.2)
        target = kg.pose(model, q + rng.uniform(-0.1, 0.1, model.nv), "tool")
        assert descent(model, target).run(q)
        assert kg.pose(model, q, "tool").is_close(target, tolerance=1e-6)
        assert ((q >= model.lower) & (q <= model.upper)).all()


def test_a_limit_is_not_passed_and_a_locked_joint_not_moved() -> None:
    model = kg.load("puma560").compile()
    locked = np.zeros(model.nv, dtype=np.int32)
    locked[1] = 1
    rng = np.random.default_rng(3)
    for _ in range(10):
        q = np.clip(rng.uniform(-3, 3, model.nv), model.lower, model.upper)
        before = q[1]
        target = kg.pose(model, rng.uniform(-3, 3, model.nv), "tool")
        descent(model, target, locked=locked).run(q)
        assert q[1] == before
        assert ((q >= model.lower) & (q <= model.upper)).all()


def test_a_target_out_of_reach_is_given_up() -> None:
    model = kg.load("puma560").compile()
    q = model.start()
    far = kg.SE3(kg.SO3.identity(), np.array([5.0, 0.0, 0.0]))
    made, _ = descent(model, far).search(q, 3, 0)
    assert made == 0
