"""Reading large texts: how the time grows with what they hold, up to a hundred thousand.

Run ``python -m bench.files.reading [--most N] [--studio]``. For each kind of text
(``large_texts.py``): the time to load and compile it, and the exponent of a straight line through
the logarithms, where 1 is linear growth. With ``--studio`` the whole way of an edit in the studio,
as a reader process goes it: the text read, compiled, described for a page, and encoded. Times
are those of the processor. Timing decides nothing: the bar is printed as met or missed.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable

import numpy as np

import kinegen as kg
from bench.support.large_texts import LARGE_TEXTS, arm_text
from bench.support.notes import note
from kinegen.errors import KinegenError
from kinegen.studio.session import compiled_text
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import encoded

BAR = 5.0
"""[s] 100,000 parameters or joints, loaded and compiled."""
BARRED = ("parameters", "chain of joints", "joints side by side")
STEP = math.sqrt(10)


def load(text: str) -> None:
    """Load and compile."""
    kg.load(text).compile()


def show(text: str) -> None:
    """What the studio does with an edited text."""
    with tempfile.TemporaryDirectory() as folder:
        encoded(compiled_text.CompiledText.read(text, Project(folder)).data)


def seconds(work: Callable[[str], None], text: str) -> float:
    """Processor time that a text takes; problems of bad texts are what they are."""
    start = time.process_time()
    try:
        work(text)
    except KinegenError:
        pass
    return time.process_time() - start


def exponent(counts: list[int], times: list[float]) -> float:
    """Slope of the straight line through the logarithms."""
    return float(np.polyfit(np.log(counts), np.log(times), 1)[0])


def main() -> None:
    """Print one row per kind of text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=100_000, help="largest count")
    parser.add_argument("--studio", action="store_true", help="the studio's way")
    arguments = parser.parse_args()
    steps = int(math.log(arguments.most / 1000, STEP) + 1e-9)
    counts = [round(arguments.most / STEP**i) for i in range(steps, -1, -1)]
    work = show if arguments.studio else load
    compiled_text.LARGEST_TEXT = 10**9  # type: ignore[attr-defined]
    seconds(work, arm_text(10))
    print(f"{'':28}" + "".join(f"{count:>9}" for count in counts) + "  exponent")
    for kind, make in LARGE_TEXTS.items():
        times = [seconds(work, make(count)) for count in counts]
        for count, taken in zip(counts, times, strict=True):
            note(f"{kind}, {count}", taken, "s")
        bar = ""
        if kind in BARRED and arguments.most >= 100_000 and not arguments.studio:
            bar = "  met" if times[-1] <= BAR else f"  missed: {BAR:g} s"
        row = "".join(f"{taken:9.3f}" for taken in times)
        print(f"{kind:28}{row}{exponent(counts, times):10.2f}{bar}", flush=True)


if __name__ == "__main__":
    main()
