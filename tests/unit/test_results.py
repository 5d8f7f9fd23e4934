"""Results: plain data, tables and files by suffix."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen import results
from kinegen.plug_ins import PlugIns
from kinegen.results import GROUP, Result, csv_table


class Kind(enum.Enum):
    NEAREST = 1


@dataclass(frozen=True, slots=True)
class Inner:
    depth: float


@dataclass(frozen=True, slots=True, eq=False)
class Sample(Result):
    q: np.ndarray
    kind: Kind
    inner: tuple[Inner, ...] = ()
    reason: str = ""

    def columns(self) -> Mapping[str, Any]:
        return {"q [rad]": self.q, "note": [self.reason] * len(self.q)}


SAMPLE = Sample(np.array([0.1, np.nan]), Kind.NEAREST, (Inner(np.inf),), 'a "b", c')


def test_plain_data_hold_every_field() -> None:
    assert SAMPLE.to_dict() == {
        "q": [0.1, None],
        "kind": "nearest",
        "inner": [{"depth": None}],
        "reason": 'a "b", c',
    }


def test_files_by_suffix(tmp_path: Path) -> None:
    for suffix in (".json", ".npz", ".csv"):
        SAMPLE.save(tmp_path / f"x{suffix}")
    assert json.loads((tmp_path / "x.json").read_text()) == SAMPLE.to_dict()
    assert (tmp_path / "x.csv").read_text() == ('q [rad],note\n0.1,"a ""b"", c"\n,"a ""b"", c"\n')
    with np.load(tmp_path / "x.npz") as file:
        np.testing.assert_array_equal(file["q"], SAMPLE.q)


def test_other_suffixes_are_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        kg.errors.KinegenError, match=r"a Sample cannot be saved as 'x\.stl'.*\.json, "
    ):
        SAMPLE.save(tmp_path / "x.stl")
    assert not any(tmp_path.iterdir())


def text(result: Sample, name: str, *, upper: bool = False) -> bytes:
    return (result.reason.upper() if upper else result.reason).encode()


@pytest.fixture
def with_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = PlugIns("writer", GROUP, {"Sample.txt.log": f"{__name__}:text"}, callable, "callable")
    monkeypatch.setattr(results, "WRITERS", found)


@pytest.mark.usefixtures("with_text")
def test_writers_are_plug_ins(tmp_path: Path) -> None:
    SAMPLE.save(tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text() == SAMPLE.reason == SAMPLE.to_bytes("x.LOG").decode()
    assert SAMPLE.suffixes() == (".json", ".npz", ".csv", ".txt", ".log")


@pytest.mark.usefixtures("with_text")
def test_options_are_those_of_the_format() -> None:
    assert SAMPLE.to_bytes("x.txt", upper=True) == b'A "B", C'
    with pytest.raises(
        kg.errors.KinegenError, match=r"saved as \.txt has no option 'lower'; .*: upper"
    ):
        SAMPLE.to_bytes("x.txt", lower=True)
    with pytest.raises(kg.errors.KinegenError, match="it has none"):
        SAMPLE.to_bytes("x.json", upper=True)


def test_a_table_of_unequal_columns_is_a_mistake() -> None:
    with pytest.raises(kg.errors.KinegenError, match=r"\[1, 2\] rows"):
        list(csv_table({"a": [1, 2], "b": [1]}))


def test_a_long_table_is_written_piece_by_piece() -> None:
    pieces = list(csv_table({"a": np.arange(2.5 * results.ROWS), "b": [Kind.NEAREST] * 25_000}))
    assert len(pieces) == 4
    assert pieces[-1].endswith(b"24999.0,nearest\n")
