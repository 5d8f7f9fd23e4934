"""Fuzz the border of the compiled kernels: absurd arguments must give a result or an exception.

Run ``python -m bench.fuzz.bindings [COUNT] [SEED]``; the default is 20,000 calls. A tour through
public functions records how every function and method of ``kinegen.kernels._native`` is called.
Each trial makes one recorded object again, repeats its calls with one of them spoilt (shape, type,
stride, None, huge or negative numbers, NaN), and continues with the others. A crash, a call that
Ctrl-C cannot end, or an exception that is not one of ``ALLOWED`` is a defect; ``make sanitize``
also finds reads out of bounds.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from bench.fuzz.calls.histories import History, copied, methods_of, objects, record
from bench.fuzz.calls.spoiling import ALLOWED, spoil_call
from bench.fuzz.calls.tour import tour
from kinegen.kernels import backend

__all__ = ["main"]

LONG = 2.0
"""[s] After this a call is interrupted, as Ctrl-C does: to be long is allowed."""
HANG = 60
"""[s] A call that continues after its interruption is a hang: the process ends with a traceback."""


class TooLong(Exception):
    """A call was interrupted because it took long."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Interrupts a long call; ends the process when that does not help."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, interrupt)
    faulthandler.dump_traceback_later(HANG, exit=True)
    signal.setitimer(signal.ITIMER_REAL, LONG, LONG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _summary(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype}{list(thing.shape)}"
    return repr(thing)[:60]


class Trial:
    """One history, with one of its calls spoilt."""

    def __init__(self, history: History, seed: int, say: Callable[[str], None]) -> None:
        self.rng = random.Random(seed)
        self.history = history
        self.say = say
        self.defects: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def run(self) -> None:
        """Make the object and call its methods; which call is spoilt, and how, is drawn."""
        history, rng = self.history, self.rng
        makes = not history.calls or rng.random() < 0.2
        chosen = -1 if makes else rng.randrange(len(history.calls))
        made = self._call(backend.module(), history.kind, history.arguments, history.options, makes)
        if made is not None:
            for i, (method, args, options) in enumerate(history.calls):
                self._call(made, method, args, options, i == chosen)

    def _call(
        self, owner: Any, name: str, args: tuple[Any, ...], options: dict[str, Any], spoilt: bool
    ) -> Any:
        args, options = objects(args), copied(options)
        if spoilt:
            args, options = spoil_call(self.rng, args, options)
        given = ", ".join(map(_summary, [*args, *options.values()]))
        self.say(f"{self.history.kind}: {name}({given})")
        try:
            with _limited():
                found = getattr(owner, name)
                return found(*args, **options) if callable(found) else found
        except ALLOWED as error:
            self.outcomes[type(error).__name__] += 1
        except TooLong:
            self.outcomes["interrupted"] += 1
        except Exception:
            self.defects.append(f"{self.history.kind}: {name}({given}): {traceback.format_exc()}")
        return None


def main(count: int = 20_000, seed: int = 0, only: str = "") -> int:
    """Run the trials; what is being called is noted in a file, so that a crash has a name."""
    histories = [history for history in record(tour) if only in history.kind]
    reached = {history.kind for history in histories}
    reached |= {f"{history.kind}.{call[0]}" for history in histories for call in history.calls}
    missing = methods_of(backend.module()) - reached
    if missing and not only:
        print("the tour does not reach", *sorted(missing))
        return 1
    outcomes: Counter[str] = Counter()
    defects: list[str] = []
    log = os.environ.get("KINEGEN_FUZZ_LOG") or tempfile.mkstemp(prefix="fuzz-bindings-")[1]
    with open(log, "w", encoding="utf-8") as noted, np.errstate(all="ignore"):

        def say(number: int, what: str) -> None:
            noted.seek(0)
            noted.truncate()
            noted.write(f"trial {number}: {what}")
            noted.flush()

        rng = random.Random(seed)
        for number in range(count):
            trial_seed = rng.randrange(2**32)
            history = histories[number % len(histories)]
            trial = Trial(history, trial_seed, partial(say, number))
            trial.run()
            outcomes += trial.outcomes
            defects += trial.defects
    os.remove(log)
    print(f"{count} trials:", *(f"{name} {n}," for name, n in outcomes.most_common()))
    for defect in sorted(set(defects))[:20]:
        print(defect)
    return 1 if defects else 0


if __name__ == "__main__":
    words = dict(enumerate(sys.argv[1:]))
    sys.exit(main(int(words.get(0, 20_000)), int(words.get(1, 0)), words.get(2, "")))
