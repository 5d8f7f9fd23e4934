"""Fuzz the compiled reader of URDF: spoilt texts must be declined or read as in Python.

Run ``python -m bench.fuzz.urdf [COUNT] [SEED]``; the default is 20,000 texts. ``make sanitize``
runs it with checks for reads out of bounds.
"""

from __future__ import annotations

import random
import sys

from tests.support.robots.urdf_texts import ODD, WHOLE, difference, spoilt


def main() -> None:
    """Try the texts; the first difference ends it."""
    count, seed = (int(one) for one in (sys.argv[1:] + ["20000", "1"][len(sys.argv) - 1 :])[:2])
    rng = random.Random(seed)
    read = 0
    for number in range(count):
        text = spoilt(rng, WHOLE if rng.random() < 0.7 else rng.choice(ODD))
        if rng.random() < 0.02:
            text = rng.randbytes(rng.randrange(300)).decode("utf-8", "replace")
        found = difference(text)
        if found:
            sys.exit(f"text {number} of seed {seed}: {found}\n{text}")
        read += found is not None
    print(f"{count} texts: {read} read as in Python, {count - read} declined")


if __name__ == "__main__":
    main()
