"""Numbers between processes: whole, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from kinegen.bridges.process.block import Block
from kinegen.errors import KinegenError

WRITER = """
import sys, numpy as np
from kinegen.bridges.process.block import Block
block = Block.opened(sys.argv[1])
for k in range(20000):
    block.write(np.full(block.size, float(k)))
block.write(np.full(block.size, -1.0))
"""


def test_a_reader_never_sees_half_of_it() -> None:
    block = Block.shared(300)
    process = subprocess.Popen([sys.executable, "-c", WRITER, block.path])
    seen = set()
    try:
        while True:
            found = block.read()
            assert (found == found[0]).all()
            seen.add(found[0])
            if found[0] == -1:
                break
            assert process.poll() in (None, 0)
    finally:
        process.wait()
    assert not os.path.exists(block.path)  # the name is gone, whoever is killed


def test_a_writer_that_is_interrupted_leaves_what_was_there_before() -> None:
    """It may be interrupted for long, or die: readers do not wait for it."""

    class Interrupted(Exception):
        """In the middle of the numbers."""

    class Numbers(np.ndarray):  # type: ignore[type-arg]
        def __setitem__(self, place: object, values: object) -> None:
            super().__setitem__((place, 0), 9.0)
            raise Interrupted

    block = Block.local(3)
    for value in (1.0, 2.0):
        block.write(np.full(3, value))
        whole, block._numbers = block._numbers, block._numbers.view(Numbers)
        with pytest.raises(Interrupted):
            block.write(np.full(3, 9.0))
        block._numbers = whole
        assert block.read().tolist() == [value] * 3
        assert block.first() == value


def test_damaged_memory_is_reported() -> None:
    block = Block.local(3)
    block.write(np.ones(3))
    block._numbers[:] = 5.0
    with pytest.raises(KinegenError, match="damaged"):
        block.read()
