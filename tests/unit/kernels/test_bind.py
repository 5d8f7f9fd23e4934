"""Binding: the compiled kernels refuse blocks and arrays that would make them read astray."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.backend import bind, name
from kinegen.kernels.layout import Blocks

pytestmark = pytest.mark.skipif(
    name() != "native", reason="KINEGEN_KERNELS=reference: Python checks its own indices"
)


@pytest.fixture
def model() -> kg.Model:
    return kg.load("stewart").compile()


def copy(model: kg.Model) -> Blocks:
    return Blocks(model.ints.copy(), model.reals.copy())


def test_a_copy_of_the_blocks_is_a_model(model: kg.Model) -> None:
    blocks = copy(model)
    poses = np.empty((len(model.site_names), 7))
    bind(blocks.ints, blocks.reals).forward_poses(model.start(), poses)
    np.testing.assert_array_equal(poses, kg.forward(model))


@pytest.mark.parametrize("index", range(14))
@pytest.mark.parametrize("change", [-1, 1, 1 << 20])
def test_a_changed_header_is_refused(model: kg.Model, index: int, change: int) -> None:
    blocks = copy(model)
    blocks.ints[index] += change
    with pytest.raises(ValueError, match=r"not a model of this version"):
        bind(blocks.ints, blocks.reals)


@pytest.mark.parametrize("keep", [0, 1, 15, 16, -1])
def test_shortened_and_lengthened_blocks_are_refused(model: kg.Model, keep: int) -> None:
    blocks = copy(model)
    for ints, reals in (
        (blocks.ints[:keep], blocks.reals),
        (blocks.ints, blocks.reals[:keep]),
        (np.append(blocks.ints, np.int32(0)), blocks.reals),
        (blocks.ints, np.append(blocks.reals, 0.0)),
    ):
        with pytest.raises(ValueError, match=r"not a model"):
            bind(ints, reals)


INDICES = {
    "joint_type": 9,
    "joint_parent": 14,
    "joint_child": 14,
    "joint_q": 42,
    "joint_v": 36,
    "tree_order": 18,
    "link_joint": 18,
    "loop_joint": 18,
    "frame_link": 14,
    "placement_kind": 2,
    "formula_target": 1 << 20,
    "formula_start": 1 << 20,
    "dependent_start": 1 << 20,
    "dependents": 1 << 20,
}
"""Parts that hold indices, with the first number that none of them may reach."""


@pytest.mark.parametrize("part", INDICES)
def test_an_index_out_of_range_is_refused(model: kg.Model, part: str) -> None:
    # below 0 dependents are ranges, to the last formula
    lowest = -INDICES[part] if part == "dependents" else -2
    for value in (lowest, INDICES[part]):
        for at in (0, -1):
            blocks = copy(model)
            blocks.int_part(part)[at] = value
            with pytest.raises(ValueError, match=r"not a model"):
                bind(blocks.ints, blocks.reals)


@pytest.mark.parametrize(
    ("part", "at", "value"),
    [("joint_parent", 0, 1), ("link_joint", 0, 0), ("link_joint", 1, 3), ("tree_order", 0, 5)],
)
def test_links_that_form_no_tree_are_refused(
    model: kg.Model, part: str, at: int, value: int
) -> None:
    """A circle of parents would send every walk to the base on forever, and out of memory."""
    blocks = copy(model)
    blocks.int_part(part)[at] = value
    with pytest.raises(ValueError, match=r"do not form a tree"):
        bind(blocks.ints, blocks.reals)


def spoil_constant(code: np.ndarray) -> None:
    code.reshape(-1, 2)[:, 1] = 1 << 20


def spoil_operation(code: np.ndarray) -> None:
    code.reshape(-1, 2)[:, 0] = 99


def only_binary(code: np.ndarray) -> None:
    code.reshape(-1, 2)[:, 0] = 3


@pytest.mark.parametrize("spoil", [spoil_constant, spoil_operation, only_binary])
def test_formula_code_that_makes_no_sense_has_no_value(
    model: kg.Model, spoil: Callable[[np.ndarray], None]
) -> None:
    blocks = copy(model)
    spoil(blocks.int_part("code"))
    assert bind(blocks.ints, blocks.reals).update() == 1  # the first formula refuses


@pytest.mark.parametrize(
    ("kernel", "good"),
    [
        ("forward_poses", (42, 7 * 15)),
        ("forward_links", (42, 12 * 14)),
        ("link_twists", (42, 36, 6 * 14)),
        ("loop_poses", (42, 14 * 5)),
        ("loop_residual", (42, 6 * 5)),
        ("loop_jacobian", (42, 6 * 5 * 36)),
        ("integrate", (42, 36, 42)),
        ("difference", (42, 42, 36)),
    ],
)
def test_arrays_of_the_wrong_size_or_kind_are_refused(
    model: kg.Model, kernel: str, good: tuple[int, ...]
) -> None:
    call = getattr(model.kernels, kernel)
    call(*map(np.zeros, good))
    for i, size in enumerate(good):
        for wrong in (
            np.zeros(size - 1),
            np.zeros(size + 1),
            np.zeros(size, dtype=np.float32),
            np.zeros(size, dtype=np.int64),
            np.zeros(2 * size)[::2],
            np.zeros(size).astype(">f8"),
            [0.0] * size,
            None,
        ):
            arguments = [*map(np.zeros, good)]
            arguments[i] = wrong  # type: ignore[call-overload]
            with pytest.raises((ValueError, TypeError, BufferError)):
                call(*arguments)


def test_a_result_cannot_go_into_a_read_only_array(model: kg.Model) -> None:
    out = np.zeros(30)
    out.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        model.kernels.loop_residual(np.zeros(42), out)


@pytest.mark.parametrize("site", [-1, 15, 1 << 30, -(1 << 31)])
def test_sites_and_tasks_that_do_not_exist_are_refused(model: kg.Model, site: int) -> None:
    q, J = model.start(), np.zeros((6, 36))
    with pytest.raises(ValueError, match=r"no such link or frame"):
        model.kernels.site_jacobian(q, site, np.zeros(3), -1, np.zeros(7), J)
    if site != -1:  # -1 are the world's axes
        with pytest.raises(ValueError, match=r"no such link or frame"):
            model.kernels.site_jacobian(q, 0, np.zeros(3), site, np.zeros(7), J)
    tasks = np.array([[site, 0]], dtype=np.int32)
    with pytest.raises(ValueError, match=r"no such link or frame"):
        model.kernels.augmented_jacobian(q, tasks, np.zeros((36, 36)))
    with pytest.raises(ValueError, match=r"no such task"):
        model.kernels.augmented_jacobian(q, np.array([[0, 3]], dtype=np.int32), np.zeros((36, 36)))


@pytest.mark.parametrize("index", [-1, 1 << 20])
def test_parameters_and_numbers_that_do_not_exist_are_refused(model: kg.Model, index: int) -> None:
    before = model.reals.copy()
    assert model.kernels.set_parameter(index, 1.0) < 0
    assert model.kernels.set_number(index, 1.0) < 0
    assert model.kernels.set_number(0, 1.0) < 0  # a parameter is no such number
    np.testing.assert_array_equal(model.reals, before)
