"""The TypeScript of the messages."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import kinegen.studio.wire as package
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.message import Message, Question
from kinegen.studio.wire.typescript import schema_hash, typescript


def test_every_message_has_a_kind_and_is_written() -> None:
    text = typescript()
    # one that a page sends and that is passed on to programs is the same message both ways
    kinds = [cls.KIND for cls in {*wire.TO_PAGE, *wire.FROM_PAGE}]
    assert len(set(kinds)) == len(kinds)
    for cls in (*wire.TO_PAGE, *wire.FROM_PAGE):
        assert f"export interface {cls.__name__} {{" in text
        assert f'kind: "{cls.KIND}";' in text
    assert schema_hash() in text


def test_every_message_class_is_in_one_direction() -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    gc.collect()  # what a dataclass with slots was made of is still a subclass until then
    found, left = set[type](), [Message]
    while left:
        left += (inner := left.pop().__subclasses__())
        found |= {cls for cls in inner if cls.__module__.startswith(package.__name__)}
    bases = {wire.StructureEdit, wire.MotionEdit, wire.SimulationOrder, wire.SignalOverride}
    assert found - {Question, wire.DriveOrder, *bases} == {
        *wire.TO_PAGE,
        *wire.FROM_PAGE,
    }
