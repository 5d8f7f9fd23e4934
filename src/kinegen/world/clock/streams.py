"""Random streams: one per name, so that no sensor's noise depends on what others do."""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["stream"]


def stream(seed: int, name: str) -> np.random.Generator:
    """Random numbers of one sensor or override: equal for an equal seed and name, always.

    Args:
        seed: The world's.
        name: Whose noise it is.
    """
    digest = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
