"""Fuzz RAFF reading: mutated library files and random bytes must give a mechanism or problems.

Run ``python -m bench.fuzz.raff [COUNT] [SEED]``; the default is 100,000 inputs. Prints the
counts, the time, the slowest input, and each kind of traceback once; exits 1 if there was any.
"""

from __future__ import annotations

import contextlib
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from kinegen.errors import RaffError
from kinegen.formats.load import load
from kinegen.formats.problems import FormatProblems
from kinegen.mechanism.load import library_file, library_names
from kinegen.mechanism.write import write
from kinegen.raff import read_raff

__all__ = ["mutate", "seeds", "try_text"]

# Pieces that have broken parsers before: nesting, huge numbers, YAML's odd features, encodings.
NASTY = (
    "((((", "))))", "[" * 60, "{" * 60, "- " * 60, "1e999", "-1e308*10", "9" * 400,
    "0.0000001e-400", "1/0", "sqrt(-1)", "2^9999", "9^9^9^9", "&a", "*a",
    "!!python/object:os.system", "<<: {}", "---\n", "...\n", "\x00", "\ufeff", "\u2028", "\x85",
    "\ud800", "\r\n", "\t", "\r", "'", '"', "|\n", ">\n", "? ", ": ", " #", "%", "@", "`", "~",
    "null", "none", "true", ".nan", ".inf", "0x10", "1_000", "1,5", "mm", "deg", "5 kg", "90 deg",
    "°", "−3", "π", "min(1, 2)", "a.b.c", "base", "world", "pi", "closes: {onto: base}",
    "type: free", "type: spherical", "start: [1, 2, 3]", "xyz: [1, 2, 3]", "limits: [1, 0]",
    "$(", "${", "<robot>", "motor: [true, none]", "shape: [auto, {box: [1, 1, 1]}]", "robots:\n",
    "robots: [{name: z, include: five-bar}]", "parameters: {a: b, b: a}", "é", "𝄞", "x" * 300,
)  # fmt: skip

WORDS = (
    "0", "-1", "1e13", "1e-320", "1e308", "1e999", "-0", "90 deg", "5 kg", "2 mm", "3 N.m",
    "7 rpm", "2 Hz", "pi/0", "sqrt(-2)", "2^0.5", "(1 m)^2", "none", "null", "true", "[]", "{}",
    "[1]", "[1, 2]", "[0, 0, 0]", "[1, 0, 0, 0]", "[[0, 1], none]", "{onto: base}", "base",
    "free", "fixed", "screw", "spherical", "planar", "universal", "cylindrical", "prismatic",
    "joints", "frames", "robots", "closes", "limits", "start", "motor", "{torque: 1}",
    "{force: 1}", "{xyz: [0, 0, 1]}", "{rpy: [1, 2, 3]}", "{box: [1, 1, 1]}", "auto", "a.stl",
    "[{name: z, include: five-bar}]", "crank", "nobody", '"min(1, 2)"', "min(1, 2)", "'#fff'",
    "#fff", "''",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9_.]+")
_VALUE = re.compile(r": ([^,\n{}\[\]]+)")


_EVERYTHING = Path(__file__).parents[2] / "tests" / "unit" / "raff" / "everything.raff"


def seeds() -> list[str]:
    """The library's texts, and one with every key (several times: it has the most to break)."""
    files = [*map(library_file, library_names()), *[_EVERYTHING] * 12]
    return [file.read_text(encoding="utf-8") for file in files]


def mutate(text: str, other: str, chance: random.Random) -> str:
    """A text with a few random edits."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + int(chance.expovariate(0.2)))
        kind = chance.randrange(14)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + chance.choice(NASTY) + text[at:]
        elif kind == 2:
            text = text[:at] + chance.choice(NASTY) + text[end:]
        elif kind == 3:
            text = text[:at] + chr(chance.randrange(32, 127)) + text[at:]
        elif kind == 4:
            text = text[:at] + text[at:end] * chance.randrange(2, 5) + text[end:]
        elif kind == 5:
            start = chance.randrange(len(other) + 1)
            text = text[:at] + other[start : start + chance.randrange(80)] + text[at:]
        elif kind == 6:
            lines = text.split("\n")
            chance.shuffle(lines)
            text = "\n".join(lines)
        elif kind < 12:
            text = exchange_word(text, other, chance)
        elif kind == 12:
            lines = text.split("\n")
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
            del lines[chance.randrange(len(lines))]
            text = "\n".join(lines)
        else:
            words = text.split(" ")
            first, second = chance.randrange(len(words)), chance.randrange(len(words))
            words[first], words[second] = words[second], words[first]
            text = " ".join(words)
    return text


def exchange_word(text: str, other: str, chance: random.Random) -> str:
    """A text with one word, number or value replaced: its YAML mostly stays good."""
    found = list(_VALUE.finditer(text)) if chance.random() < 0.6 else list(_WORD.finditer(text))
    if not found:
        return text
    words = _WORD.findall(other) or ["x"]
    values = [value.group(1) for value in _VALUE.finditer(other)] or ["0"]
    fresh = chance.choice((chance.choice(words), chance.choice(values), chance.choice(WORDS)))
    place = chance.choice(found)
    group = 1 if place.re is _VALUE else 0
    return text[: place.start(group)] + fresh + text[place.end(group) :]


def try_text(source: str | Path) -> str:
    """What came of an input: 'good' (and its rewriting equal), or 'problems'."""
    try:
        mechanism = load(source)
    except (RaffError, FormatProblems) as error:  # the second: the text looks like another format
        if not error.problems or any(p.line < 1 or p.column < 1 for p in error.problems):
            raise AssertionError("an error without a place") from error
        return "problems"
    if load(write(mechanism)) != mechanism and not any("." in name for name in mechanism.joints):
        raise AssertionError("written and read again, the mechanism differs")
    return "good"


def make_input(texts: Sequence[str], chance: random.Random, folder: Path) -> str | Path:
    """One input: mostly mutated texts, some random bytes as a file."""
    kind = chance.randrange(20)
    if kind == 0:
        file = folder / "fuzz.raff"
        data = chance.randbytes(chance.randrange(200))
        if chance.random() < 0.5:
            data = chance.choice(texts).encode()[: chance.randrange(2000)] + data
        file.write_bytes(data)
        return file
    if kind == 1:
        pieces = (chance.choice(NASTY) for _ in range(chance.randrange(1, 30)))
        return "raff: 1\njoints:\n" + "".join(pieces)
    return mutate(chance.choice(texts), chance.choice(texts), chance) + "\n"


def timed_again(content: str | bytes) -> float:
    """The best of three times of an input [s]: other programs' noise left out."""
    best = 1e9
    for _ in range(3):
        start = time.perf_counter()
        with contextlib.suppress(Exception):  # defects are reported by themselves
            read_raff(content)
        best = min(best, time.perf_counter() - start)
    return best


def main(count: int, seed: int) -> int:
    """Try ``count`` inputs and report."""
    import tempfile

    chance = random.Random(seed)
    texts = seeds()
    results: Counter[str] = Counter()
    broken: dict[str, tuple[str, str]] = {}
    slowest: list[tuple[float, str | bytes]] = []
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            source = make_input(texts, chance, Path(folder))
            start = time.perf_counter()
            try:
                results[try_text(source)] += 1
            except Exception:
                trace = traceback.format_exc()
                broken.setdefault("\n".join(trace.splitlines()[-4:]), (repr(source)[:2000], trace))
                results["broken"] += 1
            taken = time.perf_counter() - start
            if len(slowest) < 5 or taken > slowest[-1][0]:
                content = source.read_bytes() if isinstance(source, Path) else source
                slowest = sorted([*slowest, (taken, content)], key=lambda s: -s[0])[:5]
    seconds = time.perf_counter() - begin
    print(f"{count} inputs in {seconds:.1f} s: {dict(results)}")
    taken, content = max(
        ((timed_again(content), content) for _, content in slowest), key=itemgetter(0)
    )
    print(f"slowest, timed again: {1e3 * taken:.1f} ms: {content[:300]!r}")
    for source_text, trace in broken.values():
        print(f"\n{trace}\ninput: {source_text}")
    return 1 if broken else 0


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    count, seed = [*arguments, *(100_000, 1)[len(arguments) :]][:2]
    sys.exit(main(count, seed))
