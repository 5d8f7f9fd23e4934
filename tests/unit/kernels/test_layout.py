"""The layout of a model's two blocks: counts, parts, places."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.layout import HEADER_SIZE, LAYOUT_VERSION, OPERATIONS, Blocks, Counts
from kinegen.kernels.reference.base.formula import BINARY, UNARY
from kinegen.raff.formulas import operations

COUNTS = Counts(
    link=4, joint=5, loop=2, frame=3, parameter=2, formula=3, code=7, constant=4, dependent=5,
    nq=9, nv=8, coupling=1, term=2, profile=3, knot=4, based=1,
)  # fmt: skip


def test_the_header_is_read_back() -> None:
    header = COUNTS.header()
    assert header.dtype == np.int32
    assert len(header) == HEADER_SIZE
    assert header[0] == LAYOUT_VERSION
    assert Counts.read(header) == COUNTS
    assert (COUNTS.tree, COUNTS.placement) == (3, 10)


def test_parts_fill_the_blocks_without_gap_or_overlap() -> None:
    blocks = Blocks.empty(COUNTS)
    int_parts, real_parts = COUNTS.parts()
    for i, (name, size) in enumerate(int_parts, start=1):
        assert blocks.int_part(name).size == size
        blocks.int_part(name)[:] = i
    assert (blocks.ints[HEADER_SIZE:] > 0).all()
    assert [int(blocks.int_part(name).sum()) for name, _ in int_parts] == [
        i * size for i, (_, size) in enumerate(int_parts, start=1)
    ]
    for i, (name, size) in enumerate(real_parts, start=1):
        assert blocks.real_part(name).size == size
        blocks.real_part(name)[:] = i
        assert blocks.reals[blocks.offset(name)] == i
    assert (blocks.reals > 0).all()


def test_parts_are_views_not_copies() -> None:
    blocks = Blocks.empty(COUNTS)
    blocks.real_part("pitch")[0] = 3.5
    assert blocks.reals[blocks.offset("pitch")] == 3.5
    again = Blocks(blocks.ints, blocks.reals)
    assert again.real_part("pitch")[0] == 3.5
    assert again.value_count == blocks.offset("constants")


def test_a_model_can_be_rebuilt_from_its_blocks() -> None:
    """What the page gets: two arrays that say all about themselves."""
    model = kg.load("stewart").compile()
    blocks = Blocks(model.ints.copy(), model.reals.copy())
    assert blocks.counts == model.counts
    np.testing.assert_array_equal(blocks.real_part("start"), model.blocks.real_part("start"))
    np.testing.assert_array_equal(blocks.int_part("tree_order"), np.arange(13))


def test_operations_are_those_of_formulas_and_of_the_kernels() -> None:
    assert OPERATIONS[:2] == ["const", "name"]
    assert set(OPERATIONS[2:]) == set(operations.OPERATIONS)
    for name, (count, _) in operations.OPERATIONS.items():
        assert (name in UNARY, name in BINARY) == (count == 1, count == 2)


def test_int_blocks_are_refused_to_grow_silently() -> None:
    with pytest.raises(ValueError, match=r"could not broadcast"):
        Blocks.empty(COUNTS).int_part("tree_order")[:] = [0, 1, 2, 3]
