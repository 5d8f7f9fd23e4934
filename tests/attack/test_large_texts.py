"""Large texts: the work they make grows as they do, good ones and bad ones, and never faster."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import kinegen as kg
from bench.support.large_texts import LARGE_TEXTS, arm_text, sums_text
from kinegen.errors import KinegenError, NumberError
from kinegen.raff.formulas.parser import parse_formula
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project

FEW, MANY = 250, 1000
GROWTH = 1.25
"""How much more than in proportion counts may grow: dictionaries and digits do."""
PATIENCE = 15.0
"""[s of processor time] Five to ten times what it takes on a slow machine; what grows as the square
takes minutes."""


def calls(work: Callable[[], object]) -> int:
    """How many functions run: a measure of work that no other program disturbs."""
    count = 0

    def look(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    except KinegenError:
        pass
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind", LARGE_TEXTS)
def test_work_grows_with_the_text(kind: str, tmp_path: Path) -> None:
    """In the reader, in the compiler, and in what the studio sends a page."""
    make, project = LARGE_TEXTS[kind], Project(tmp_path)

    def read(text: str) -> None:
        CompiledText.read(text, project)

    calls(partial(read, make(FEW)))  # what is imported and remembered at first use
    few, many = (calls(partial(read, make(count))) for count in (FEW, MANY))
    assert many < GROWTH * MANY / FEW * few + 20_000, f"{few} calls became {many}"


@pytest.mark.parametrize("kind", LARGE_TEXTS)
def test_large_texts_take_seconds(kind: str, effort: int) -> None:
    """By the processor's clock, with a margin of ten: loops inside of one operation count too."""
    short = {"parameters": 50_000, "sums of parameters": 20_000}.get(kind, 2_000)
    text = LARGE_TEXTS[kind](short if effort == 1 else max(short, 20_000))
    start = time.process_time()
    try:
        kg.load(text).compile()
    except KinegenError as error:
        assert len(str(error)) < 100_000
    assert time.process_time() - start < PATIENCE


def test_sums_of_all_parameters_follow_every_one_of_them() -> None:
    """Their dependents are not listed one by one, and yet all of them are run."""
    count = 2000
    model = kg.load(sums_text(count)).compile()
    assert len(model.ints) < 100 * count
    half = count // 2
    first, middle = 5.0, 7.0
    model.parameters["p0"], model.parameters[f"p{half // 2}"] = first, middle
    own = np.arange(half) * 0.001
    own[0], own[half // 2] = first, middle
    sums = [model.parameters[f"s{i}"] for i in range(half)]
    np.testing.assert_allclose(sums, np.cumsum(own), rtol=1e-12)
    assert model.number("A", "d") == first
    with pytest.raises(NumberError, match="finite"):
        model.parameters["p0"] = 1e308
        model.parameters["p1"] = 1e308
    np.testing.assert_allclose(model.parameters["s0"], model.parameters["p0"])


def test_a_change_of_one_number_costs_little() -> None:
    """One row is read again, not the file."""
    text = arm_text(MANY)
    counts = []
    for mechanism in (kg.load(arm_text(FEW)), large := kg.load(text)):
        mechanism.set_number("J7", "d", 0.5)  # the text is parsed once
        counts.append(calls(partial(mechanism.set_number, "J8", "d", 0.25)))
    assert counts[1] < GROWTH * MANY / FEW * counts[0] < 50 * MANY
    for joint, number in (("J7", "0.5"), ("J8", "0.25")):
        at = text.index("0.01", text.index(f"name: {joint},"))
        text = text[:at] + number + text[at + 4 :]
    assert large.to_raff() == text


def test_a_formula_is_renamed_in_one_go() -> None:
    """A formula of 4000 characters with names all over, as included robots have them."""
    counts = []
    for length in (10, 80):
        formula = parse_formula(" + ".join([f"p{i}" for i in range(10)] * length))
        counts.append(calls(partial(formula.renamed, lambda name: f"robot.{name}")))
    assert counts[1] < 1.5 * 8 * counts[0]
    renamed = parse_formula("2*p0 + q").renamed(lambda name: f"robot.{name}")
    assert renamed.text == "2*robot.p0 + robot.q"
    assert renamed.name_places() == [("robot.p0", 2), ("robot.q", 13)]
