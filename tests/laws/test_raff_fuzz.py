"""Whatever is fed to the reader, it answers with a mechanism or with problems that have places."""

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.errors import KinegenError, RaffError
from kinegen.formats.load import load
from kinegen.mechanism.write import write
from kinegen.raff.emit import number_like
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from tests.support.examples import examples

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FIVE_BAR = """raff: 1
name: five-bar
parameters: {ground: 0.20, crank: 150 mm, coupler: 0.25}
joints:
  - {name: A, parent: base, motor: {torque: 2, speed: 6}, limits: [-170 deg, 170 deg]}
  - {name: B, parent: A, d: crank}
  - {name: E, parent: base, d: ground, motor: {torque: 2, speed: 6}}
  - {name: D, parent: E, d: crank}
  - {name: C, parent: B, d: coupler, closes: {onto: D, d: coupler}}
frames:
  - {name: handle, parent: B, d: coupler}
"""


def bench() -> ModuleType:
    """bench/fuzz/raff.py, whose mutations are shared with the long run."""
    spec = importlib.util.spec_from_file_location("fuzz_raff", ROOT / "bench" / "fuzz" / "raff.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_raff"] = module
    spec.loader.exec_module(module)
    return module


FUZZ = bench()
SEEDS = [FIVE_BAR, *FUZZ.seeds()]
PIECES = st.sampled_from([*FUZZ.NASTY, *FUZZ.WORDS, *FIVE_BAR.split(), "\n  - ", "\n"])


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32))
def test_edited_files_give_a_mechanism_or_problems(seed: int) -> None:
    chance = random.Random(seed)
    text = FUZZ.mutate(chance.choice(SEEDS), chance.choice(SEEDS), chance) + "\n"
    assert FUZZ.try_text(text) in ("good", "problems")


@settings(max_examples=examples(60))
@given(st.lists(PIECES, max_size=40))
def test_pieces_of_files_give_a_mechanism_or_problems(pieces: list[str]) -> None:
    assert FUZZ.try_text("raff: 1\njoints:\n  - " + " ".join(pieces) + "\n") in ("good", "problems")


@settings(max_examples=examples(40))
@given(data=st.binary(max_size=300), cut=st.integers(0, len(FIVE_BAR)))
def test_random_bytes_give_problems(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cut: int
) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzz.raff"
    file.write_bytes(FIVE_BAR[:cut].encode() + data)
    assert FUZZ.try_text(file) in ("good", "problems")


@settings(max_examples=examples(40))
@given(st.text(max_size=200))
def test_random_texts_give_problems(text: str) -> None:
    assert FUZZ.try_text(text + "\n") in ("good", "problems")


@settings(max_examples=examples(60))
@given(st.text(alphabet="()+-*/^.,0123456789eE abcsin°mdgpi", max_size=60))
def test_formulas_are_numbers_or_errors_with_a_place(text: str) -> None:
    try:
        formula = parse_formula(text)
    except FormulaError as error:
        assert 0 <= error.offset <= len(text)
        return
    try:
        value = formula.evaluate(dict.fromkeys(formula.names, 0.5))
    except KinegenError:
        return
    assert isinstance(value, float)
    assert parse_formula(formula.renamed(lambda name: f"x.{name}").text).names == {
        f"x.{name}" for name in formula.names
    }


@pytest.mark.parametrize(
    "text",
    [
        "raff: 1\nparameters: {a: " + "9" * 5000 + "}\n",
        "raff: 1\nparameters: {a: " + "9" * 4000 + " mm}\n",
        "raff: 1\nparameters: {a: 10**400}\n",
        "raff: 1\nparameters: {a: " + "(" * 3000 + "}\n",
        "raff: 1\nparameters: {a: " + "-" * 3000 + "1e999}\n",
        "raff: 1\njoints: " + "[" * 100_000 + "\n",
        "raff: 1\njoints:\n" + "- " * 100_000 + "\n",
        "raff: 1\n" + "".join(" " * i + "a:\n" for i in range(500)),
        "raff: 1\nname: " + "x" * 1_000_000 + "\n",
        "raff: 1\n" + "x" * 1_000_000 + ": 1\n",
        "raff: 1\nname: " + '"\\ud800"\n',
        "raff: 1\nname: \x00\n",
        "raff: 1\r\nname: x\r\njoints:\r\n\t- 1\r\n",
        "raff: 1\nparameters: {" + ", ".join(f"a{i}: a{i + 1}" for i in range(5000)) + "}\n",
        "raff: 1\njoints:\n" + "  - {name: A, parent: A}\n" * 3000,
        "raff: 1\njoints:\n"
        + "".join(f"  - {{name: J{i}, parent: K{i}, d: x{i}}}\n" for i in range(3000)),
        "%YAML 9.9\n---\nraff: 1\n",
        "raff: 1\n...\nraff: 1\n",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_extremes_give_problems(text: str) -> None:
    with pytest.raises(RaffError) as caught:
        load(text)
    assert caught.value.problems


def test_a_number_too_small_for_a_double_is_zero() -> None:
    text = "raff: 1\nparameters: {a: 1e-" + "9" * 3990 + " mm}\n"
    assert load(text).parameters["a"].formula.value == 0


@given(
    value=st.floats(-1e9, 1e9, allow_subnormal=False),
    unit=st.sampled_from(["mm", "deg", "in", "rpm", "°", "Nm", "gcm2", ""]),
)
def test_a_number_written_in_its_unit_is_the_number(value: float, unit: str) -> None:
    text = number_like(value, f"1 {unit}".strip())
    read = parse_formula(text).value
    assert read is not None
    # The unit's conversion rounds once when read and once when written.
    assert abs(read - value) <= 5e-16 * abs(value)
    assert text.endswith(unit)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["revolute", "prismatic", "universal", "spherical", "free", "planar"]),
            st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=6, max_size=6),
        ),
        max_size=6,
    )
)
def test_what_is_written_is_read_back(joints: list[tuple[str, list[float]]]) -> None:
    rows = [
        f"  - {{name: J{i}, type: {kind}, parent: {f'J{i - 1}' if i else 'base'}, gamma: {n[0]!r}, "
        f"b: {n[1]!r}, alpha: {n[2]!r}, d: {n[3]!r}, theta: {n[4]!r}, r: {n[5]!r}}}\n"
        for i, (kind, n) in enumerate(joints)
    ]
    mechanism = load("raff: 1\njoints:" + ("\n" + "".join(rows) if rows else " []\n"))
    again = load(write(mechanism))
    assert again == mechanism
    assert write(again) == write(mechanism)
