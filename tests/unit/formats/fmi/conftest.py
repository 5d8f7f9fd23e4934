"""Units for the tests of this folder, each exported once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kinegen as kg
from tests.support.units.driven import DrivenUnit


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Exports, each made once."""
    folder, known = tmp_path_factory.mktemp("units"), {}

    def make(source: str, **options: str) -> Path:
        key = (source, *sorted(options.items()))
        if key not in known:
            known[key] = folder / f"unit{len(known)}.fmu"
            kg.export(kg.load(source), known[key], options=options)
        return known[key]

    return make


@pytest.fixture
def open_unit() -> Iterator[Callable[..., DrivenUnit]]:
    units: list[DrivenUnit] = []

    def open_one(path: Path, version: str = "2", **values: float) -> DrivenUnit:
        units.append(DrivenUnit(path, version).begin(**values))
        return units[-1]

    yield open_one
    for unit in units:
        unit.end()
