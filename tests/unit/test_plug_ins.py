"""Plug-ins of one kind: found without loading, loaded once, skipped when broken."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from kinegen.errors import KinegenError, NameNotFoundError
from kinegen.plug_ins import PlugIns

GROUP = "kinegen.numbers"


def __getattr__(name: str) -> Any:
    if name == "PICKY":
        raise KinegenError("install numbers first")
    raise AttributeError(name)


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> PlugIns[float]:
    theirs = (
        EntryPoint("tau", "math:tau", GROUP),
        EntryPoint("gone", "no_such_module_anywhere:x", GROUP),
        EntryPoint("odd", "math:sin", GROUP),
        EntryPoint("picky", f"{__name__}:PICKY", GROUP),
    )

    def found(**chosen: Any) -> tuple[EntryPoint, ...]:
        assert chosen == {"group": GROUP}
        return theirs

    monkeypatch.setattr(metadata, "entry_points", found)

    def accepts(one: Any) -> bool:
        return isinstance(one, float)

    return PlugIns[float]("number", GROUP, {"pi": "math:pi"}, accepts, "a float")


def test_names_are_known_without_loading(numbers: PlugIns[float]) -> None:
    assert numbers.names() == ("pi", "tau", "gone", "odd", "picky")
    assert not numbers._loaded


def test_all_are_those_that_can_be_loaded(numbers: PlugIns[float]) -> None:
    with pytest.warns(RuntimeWarning) as caught:
        assert set(numbers.all()) == {"pi", "tau"}
    said = [str(one.message) for one in caught]
    assert len(said) == 3
    assert "number plug-in 'gone' (no_such_module_anywhere:x) is skipped: ModuleNotFound" in said[0]
    assert "TypeError: math:sin is not a float but a builtin_function_or_method" in said[1]
    assert "KinegenError: install numbers first" in said[2]
    assert set(numbers.all()) == {"pi", "tau"}  # and no warning the second time


def test_an_unknown_name_is_reported_with_the_known_ones(numbers: PlugIns[float]) -> None:
    with pytest.raises(NameNotFoundError, match=r"did you mean 'tau'\?"):
        numbers.named("taw")
    with pytest.warns(RuntimeWarning), pytest.raises(NameNotFoundError) as caught:
        numbers.named("gone")
    assert "'gone' is not in Kinegen or its plug-ins; numbers: pi, tau, odd, picky" in str(caught)


def test_a_plug_in_says_itself_what_it_lacks(numbers: PlugIns[float]) -> None:
    for _ in range(2):
        with pytest.raises(KinegenError, match="install numbers first"):
            numbers.named("picky")
