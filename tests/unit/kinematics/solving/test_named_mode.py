"""The assembly mode that a file names."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import AssemblyError, RaffError
from kinegen.kinematics.solving.named_mode import mode_keys, mode_pose, mode_signs
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.load import load_document
from kinegen.mechanism.model import Model
from kinegen.mechanism.write import write
from kinegen.raff.document import Document

FOUR_BAR = """\
raff: 1
parameters: {crank: 0.2}
joints:
  - {name: A, parent: base, start: 60 deg, motor: true}
  - {name: B, parent: A, d: crank, start: -40 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""


def made(mode: str | None, text: str = FOUR_BAR) -> Model:
    line = "" if mode is None else f'mode: "{mode}"\n'
    return load_document(Document(text + line)).compile()


@pytest.mark.parametrize(("mode", "sign"), [(None, 1), ("1", 1), ("2", -1), ("+", 1), ("-", -1)])
def test_the_start_is_in_the_mode_that_is_named(mode: str | None, sign: int) -> None:
    model = made(mode)
    q = kg.assemble(model).q
    assert is_closed(model, q)
    assert q[0] == pytest.approx(math.radians(60)), "motors hold their starts"
    assert math.copysign(1, q[3]) == sign
    assert abs(q[2] - math.radians(90)) < math.pi, "no whole turns more than it takes"


@pytest.mark.parametrize("crank", [0.1, 0.15, 0.25, 0.29])
def test_signs_name_the_same_branch_for_other_lengths(crank: float) -> None:
    model = made("-")
    model.parameters["crank"] = crank
    q = kg.assemble(model).q
    assert is_closed(model, q) and q[3] < 0
    other = made("-", FOUR_BAR.replace("crank: 0.2", f"crank: {crank}"))
    np.testing.assert_allclose(kg.assemble(other).q, q, atol=1e-8)


def test_joints_that_are_named_are_reached_within_the_mode() -> None:
    model = made("-")
    found = kg.assemble(model, {"A": math.radians(120)}, locked=["A"])
    assert found.q[3] < 0 and not found.branch_changed
    assert found.q[0] == math.radians(120)


def test_a_whole_pose_is_left_in_its_own_mode() -> None:
    plus = kg.assemble(made("+")).q
    np.testing.assert_array_equal(kg.assemble(made("-"), plus).q, plus)


def test_modes_that_are_not_there_are_listed() -> None:
    for mode in ("3", "++"):
        with pytest.raises(
            AssemblyError, match=r"mode '.*', which .* A held; its modes: 1 \"\+\", 2"
        ):
            kg.assemble(made(mode))
    with pytest.raises(RaffError, match="neither a number"):
        made("up")
    loose = FOUR_BAR.replace(", motor: true", "")
    with pytest.raises(AssemblyError, match="still moves"):
        kg.assemble(made("-", loose))


def test_every_mode_of_the_library_can_be_named() -> None:
    for name in ("3-rrr", "eight-bar", "five-bar"):
        mechanism = kg.load(name)
        model = mechanism.compile()
        modes = kg.assembly_modes(model)
        keys = mode_keys(model, modes)
        assert len(set(keys)) == len(modes) == len(mode_signs(model, modes))
        for mode, key in zip(modes, keys, strict=True):
            named = kg.load(name)
            named.mode = key
            found = kg.kinematics.difference(model, mode.q, mode_pose(named.compile()))
            turns = found / math.tau
            np.testing.assert_allclose(turns, turns.round(), atol=1e-6)


def test_the_mode_is_written_and_passes_between_processes() -> None:
    mechanism = load_document(Document(FOUR_BAR + 'mode: "-"\n'))
    assert load_document(Document(write(mechanism))).mode == "-"
    assert pickle.loads(pickle.dumps(mechanism.compile())).mode == "-"
