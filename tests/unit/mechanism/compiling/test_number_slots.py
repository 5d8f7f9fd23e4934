"""Slots of numbers: every number of a model has one name, found without a table of all of them."""

from __future__ import annotations

import pickle

import pytest

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.mechanism.compiling.number_slots import NumberSlots


@pytest.mark.parametrize("name", kg.library_names())
def test_every_number_has_one_name(name: str) -> None:
    """All places behind the parameters are reached, each once; pitches by screws alone."""
    model = kg.load(name).compile()
    slots = NumberSlots(model)
    found = [
        slot.index
        for owner in slots.owners()
        for key in slots.keys(owner)
        if (slot := slots.get(owner, key)) is not None
    ]
    first = model.blocks.offset("pitch")
    nameless = {
        first + i for i, joint in enumerate(model.joints) if joint.type is not JointType.SCREW
    }
    # couplings have joints and loops of their own in the arrays, which are nowhere
    count, placed = len(model.joints), model.blocks.offset("placements")
    nowhere = [*range(count, model.counts.joint)]
    nameless |= {first + i for i in nowhere}
    nowhere += range(model.counts.joint + len(model.loops), model.counts.joint + model.counts.loop)
    nameless |= {placed + 6 * i + k for i in nowhere for k in range(6)}
    # what follows has its ratios and its offset turned round: not as the file gives them
    ratio, offset = model.blocks.offset("ratio"), model.blocks.offset("offset")
    starts = model.blocks.int_part("term_start").tolist()
    for i, one in enumerate(model.couplings):
        if one.kind == "follows":
            nameless |= {offset + i, *range(ratio + starts[i], ratio + starts[i + 1])}
    everything = set(range(model.counts.parameter, model.blocks.value_count))
    assert sorted(found) == sorted(everything - nameless)


def test_a_slot_knows_its_formula() -> None:
    """As the file has it; a plain number has none."""
    text = "raff: 1\nparameters: {p: 2}\njoints:\n  - {name: A, parent: base, d: 2 * p, r: 1}\n"
    slots = NumberSlots(kg.load(text).compile())
    with_formula, without = slots.get("A", "d"), slots.get("A", "r")
    assert with_formula is not None and with_formula.formula == "2 * p"
    assert without is not None and without.formula is None
    assert slots.get("A", "x") is None and slots.get("B", "d") is None and not slots.keys("B")


def test_a_screw_keeps_its_pitch_apart_from_an_angle() -> None:
    """A screw that is placed by roll, pitch and yaw has two numbers called pitch."""
    text = (
        "raff: 1\njoints:\n  - {name: A, parent: base, type: screw, pitch: 0.5, rpy: [0, 2, 0]}\n"
    )
    model = kg.load(text).compile()
    assert model.number("A", "pitch") == 0.5
    assert model.transforms[0, 0] == pytest.approx(-0.41614683)  # cos 2


def test_a_pickled_model_holds_no_object_per_number() -> None:
    """Thirty objects per joint would be most of what a large model costs to send."""
    rows = "".join(f"  - {{name: J{i}, parent: base, d: {i}}}\n" for i in range(200))
    model = kg.load(f"raff: 1\njoints:\n{rows}").compile()
    numbers = model.reals.nbytes + model.ints.nbytes
    assert len(pickle.dumps(model)) < numbers + 200 * 150
    assert pickle.loads(pickle.dumps(model)).number("J7", "d") == 7.0
