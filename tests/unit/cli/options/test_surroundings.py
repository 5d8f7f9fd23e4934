"""Options for a floor and objects."""

from __future__ import annotations

import argparse

import pytest

import kinegen as kg
from kinegen.cli.options.surroundings import add_surroundings, surrounded
from kinegen.errors import UsageError


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_surroundings(parser)
    return parser.parse_args(words)


def test_a_floor_has_a_height() -> None:
    assert surrounded(asked(), kg.load("cart")).contacts.floor is None
    assert surrounded(asked("--floor"), kg.load("cart")).contacts.floor == 0.0
    assert surrounded(asked("--floor", "20 mm"), kg.load("cart")).contacts.floor == 0.02


def test_objects_must_be_there() -> None:
    with pytest.raises(UsageError, match="no objects"):
        surrounded(asked("--objects"), kg.load("cart"))
