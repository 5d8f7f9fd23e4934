"""Orders of the impulse engine: fill of loops, and joints from the ground outward."""

from __future__ import annotations

from kinegen.dynamics.engines.impulse.order import elimination_order


def test_a_tree_fills_nothing_in() -> None:
    order = elimination_order([(0, 1), (1, 2), (2, 3), (1, 4)], [False, True, True, True, True])
    assert sorted(order.tie.tolist()) == [0, 1, 2, 3]
    # one block for each pair of joints that share a moving body
    assert len(order.row) == 4
    assert set(order.pieces[:, 0].tolist()) == set(range(4))


def test_outward_from_the_ground() -> None:
    # 3 - 2 - 1 - ground, with joint 0 the farthest out and given from the outside in
    order = elimination_order([(3, 2), (2, 1), (0, 1)], [False, True, True, True])
    assert order.sweep.tolist() == [[2, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_joints_of_loops_are_distinguished_from_those_of_trees() -> None:
    # ground - 1 - 2 - 3 - ground, and 4 on 2
    pairs = [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4)]
    order = elimination_order(pairs, [False, True, True, True, True])
    in_loop = {int(joint): bool(loop) for joint, _, loop in order.sweep}
    assert in_loop == {0: True, 1: True, 2: True, 3: True, 4: False}


def test_what_floats_starts_at_its_first_body() -> None:
    order = elimination_order([(2, 1), (3, 2), (-1, -1)], [False, True, True, True])
    assert order.sweep.tolist() == [[0, 0, 0], [1, 0, 0]]
