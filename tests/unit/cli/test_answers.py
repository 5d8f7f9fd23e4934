"""JSON for programs: one shape, strict values, one document."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

from kinegen.cli import answers


def test_json_has_plain_values_only(capsys: pytest.CaptureFixture[str]) -> None:
    answers.print_json(
        {
            "array": np.array([1.5, -0.0, math.inf, math.nan]),
            "number": np.float64(2.5),
            "whole": np.int32(3),
            "flag": np.bool_(True),
            "pair": (1, [2, None]),
            4: "é",
        }
    )
    out = capsys.readouterr().out
    assert json.loads(out) == {
        "ok": True,
        "error": None,
        "problems": [],
        "array": [1.5, 0.0, None, None],
        "number": 2.5,
        "whole": 3,
        "flag": True,
        "pair": [1, [2, None]],
        "4": "é",
    }
    assert "-0.0" not in out
    assert "é" in out


def test_json_keeps_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    values = [0.1 + 0.2, math.pi, 1e-300, 1e22]
    answers.print_json({"values": values})
    assert json.loads(capsys.readouterr().out)["values"] == values


def test_a_failure_keeps_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    answers.print_json({"nearest": 1.0}, error="not\nreached")
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "error": "not reached",
        "problems": [{"message": "not reached"}],
        "nearest": 1.0,
    }


def test_only_the_document_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with answers.one_document(sys.stdout) as document:
        print("by the way")
        answers.print_json({"first": 1})
        answers.print_json({"second": 2})
        document.end(0, 130)
        answers.print_json({"third": 3}, at_once=True)
    out, err = capsys.readouterr()
    assert (json.loads(out)["second"], err) == (2, "by the way\n")
