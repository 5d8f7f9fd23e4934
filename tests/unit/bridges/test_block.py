"""Numbers between processes: whole, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from kinegen.bridges.block import Block
from kinegen.errors import KinegenError

WRITER = """
import sys, numpy as np
from kinegen.bridges.block import Block
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


def test_a_dead_writer_is_reported() -> None:
    block = Block.local(3)
    block.write(np.ones(3))
    assert block.read().tolist() == [1, 1, 1]
    block._words[0] += np.uint64(1)  # as if it had died in the middle
    with pytest.raises(KinegenError, match="died"):
        block.read()
