"""Slots of numbers: found by owner and key, and sent to other processes as columns."""

from __future__ import annotations

import pickle
import pickletools

import kinegen as kg
from kinegen.mechanism.number_slots import NumberSlot, NumberSlots


def test_slots_come_through_a_pickle_once_and_twice() -> None:
    """A copy of a copy that was never looked at is equal as well."""
    given = {("A", "d"): NumberSlot(3, None), ("A", "r"): NumberSlot(5, "2 * p")}
    slots = NumberSlots(given)
    once = pickle.loads(pickle.dumps(slots))
    twice = pickle.loads(pickle.dumps(once))
    assert dict(slots) == dict(once) == dict(twice) == given
    assert len(twice) == 2 and twice.get(("A", "x")) is None


def test_pickled_slots_hold_no_object_per_number() -> None:
    """Thirty objects per joint would be most of what a large model costs to send."""
    slots = kg.load("amtec-7").compile()._number_slots
    text = pickle.dumps(slots)
    names = [value for _, value, _ in pickletools.genops(text) if isinstance(value, str)]
    assert "NumberSlots" in names and "NumberSlot" not in names
    assert dict(pickle.loads(text)) == dict(slots)
