"""Divides a mesh into convex parts with coacd: a program of its own, so that it can be stopped.

``python -m kinegen.kinematics.collisions.divide IN.npz OUT.npz``: vertices and faces in, the
corners of each part out. It ends with the process that started it.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np

__all__ = ["main"]

CONCAVITY = 0.05
"""How concave a part may be, against its size, before coacd divides it."""
MOST_PARTS = 32
MOST_CORNERS = 64
"""Of a part: more make contacts slower and hardly better."""
SEARCH = {"resolution": 500, "mcts_nodes": 10, "mcts_iterations": 40}
"""How hard coacd searches for good cuts: its own defaults take about ten times as long."""


def main(given: str, made: str) -> None:
    """Read a mesh, divide it, write the parts."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import coacd

    with np.load(given) as mesh:
        vertices, faces = mesh["vertices"], mesh["faces"]
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(vertices, faces), threshold=CONCAVITY, max_convex_hull=MOST_PARTS,
        decimate=True, max_ch_vertex=MOST_CORNERS, **SEARCH,
    )  # fmt: skip
    np.savez(made, *(np.asarray(corners, dtype=np.float64) for corners, _ in parts))


def _end_with_parent() -> None:
    """Standard input ends when the parent does."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
    os._exit(0)  # the other thread still reads
