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
from kinegen.results import WRITERS, Result, Writer, csv_table


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
    with pytest.raises(kg.KinegenError, match=r"a Sample cannot be saved as 'x\.stl'.*\.json, "):
        SAMPLE.save(tmp_path / "x.stl")
    assert not any(tmp_path.iterdir())


def test_writers_are_plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer("Sample", (".txt",), lambda result, name: result.reason.encode())
    monkeypatch.setattr(WRITERS, "all", lambda: {"text": writer})
    SAMPLE.save(tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text() == SAMPLE.reason
    assert SAMPLE.suffixes() == (".json", ".npz", ".csv", ".txt")


def test_a_table_of_unequal_columns_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="shorter"):
        csv_table({"a": [1, 2], "b": [1]})
