"""However a mechanism is edited, its text says what its graph says, and comments stay."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.errors import KinegenError
from kinegen.formats.load import load
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import library_file, library_names
from tests.support.examples import examples

pytestmark = pytest.mark.slow

EVERYTHING = Path(__file__).parents[1] / "unit" / "raff" / "everything.raff"
TEXTS = [file.read_text(encoding="utf-8") for file in map(library_file, library_names())]
TEXTS += [EVERYTHING.read_text(encoding="utf-8")] * 5
BLOCK = """raff: 1
name: block   # everything one key per line
parameters:
  # lengths
  a: 150 mm   # first
  b:
    value: 2*a
    min: 0
joints:
# at the margin
- name: A   # one
  parent: base
  d: a
  limits:
    - -90 deg   # lower
    - 90 deg
- name: B

  parent: A     # two
  closes:
    # where
    onto: base
    d: b
frames:
  - {name: f, parent: A,   # three
     d: a}   # four
"""
NUMBERS = ["0.123", "15 mm", "-30 deg", "2", "1/3", "a/2", '"max(1, 2)"', "1e-3", "nothing"]
KEYS = [
    "d",
    "r",
    "theta",
    "alpha",
    "b",
    "gamma",
    "mass",
    "start",
    "limits.0",
    "limits.1",
    "closes.d",
]
COMMENT = re.compile(r"(?:^|\s)#.*$", re.M)


def edit(mechanism: Mechanism, chance: random.Random) -> bool:
    """One random edit, of which many are refused; whether it takes text away."""
    places = [*mechanism.joints, *mechanism.frames]
    place, other = chance.choice(places), chance.choice(places)
    name = f"N{chance.randrange(1000)}"
    number = chance.choice(NUMBERS).strip('"')
    kind = chance.randrange(10)
    if kind == 0 and mechanism.parameters:
        mechanism.set_parameter(chance.choice([*mechanism.parameters]), number)
    elif kind == 1 and mechanism.parameters:
        mechanism.set_parameter(chance.choice([*mechanism.parameters]), chance.uniform(0.1, 1))
    elif kind == 2:
        mechanism.set_number(place, chance.choice(KEYS), number)
    elif kind == 3:
        mechanism.set_number(place, chance.choice(KEYS), chance.uniform(-1, 1))
    elif kind == 4:
        mechanism.add_joint(name, place, d=number, note="a: b, [c]")
    elif kind == 5:
        mechanism.remove_joint(place) if place in mechanism.joints else mechanism.remove_frame(
            place
        )
    elif kind == 6:
        mechanism.rename(place, chance.choice([name, other]))
    elif kind == 7 and mechanism.parameters:
        mechanism.rename_parameter(chance.choice([*mechanism.parameters]), name)
    elif kind == 8:
        mechanism.set_value(place, chance.choice(["limits", "color", "parent", "shape", "d"]), None)
    else:
        mechanism.set_value(place, "limits", [-0.1, "2"])
    return kind in (5, 8, 9)


@settings(max_examples=examples(40))
@given(st.integers(0, 2**32))
def test_text_and_graph_stay_equal(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice([*TEXTS, *[BLOCK] * 10])
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
    mechanism = load(text)
    for _ in range(8):
        before, old = mechanism.to_raff(), load(mechanism.to_raff())
        try:
            takes_away = edit(mechanism, chance)
        except KinegenError:
            assert mechanism.to_raff() == before
            assert mechanism == old
            continue
        after = mechanism.to_raff()
        if mechanism.problems():  # other numbers may not like a parameter's new value
            break
        assert load(after) == mechanism
        lost = [c for c in COMMENT.findall(before) if c.strip() not in after]
        assert not lost or takes_away
        assert after.count("\r\n") == after.count("\n") or "\r\n" not in before
