"""One calling convention: ``f(model, q, frame, …, *, options)``, named results, ``save(path)``."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import kinegen as kg

NAMESPACES = ("kinematics", "dynamics", "workspace", "motion", "formats")
ORDER = ("model", "q", "frame")
"""Positional arguments that come first, in this order; ``qs`` and ``frames`` are the plurals."""
PLURALS = {"qs": "q", "frames": "frame"}
OTHER_WORDS = {"mechanism": "model", "home": "q or start", "guess": "start", "tool_frame": "frame"}
NO_RESULTS = {"SE3", "Curve", "Model", "Mechanism", "Evaluator"}
"""Classes that functions return and that are no results of a computation."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public functions by their public path."""
    for path, package in [("", kg), *((f"{name}.", getattr(kg, name)) for name in NAMESPACES)]:
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isfunction(value):
                yield f"{path}{name}", value


def signatures() -> dict[str, inspect.Signature]:
    return {name: inspect.signature(function) for name, function in functions()}


def refused(kind: str, found: set[str]) -> None:
    assert not found, f"{kind}: these do not follow the convention"


def test_positional_arguments_come_in_one_order() -> None:
    wrong = set()
    for name, signature in signatures().items():
        positional = [
            PLURALS.get(one.name, one.name)
            for one in signature.parameters.values()
            if one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        leading = [one for one in ORDER if one in positional]
        if positional[: len(leading)] != leading:
            wrong.add(name)
    refused("order", wrong)


def test_a_mechanism_is_taken_wherever_a_model_is() -> None:
    wrong = set()
    for name, signature in signatures().items():
        first = next(iter(signature.parameters.values()), None)
        if first is not None and first.name == "model" and "AnyModel" not in str(first.annotation):
            wrong.add(name)
    refused("mechanism or model", wrong)


def test_one_word_for_each_thing() -> None:
    wrong = set()
    for name, signature in signatures().items():
        for one in signature.parameters.values():
            is_pose = "Configuration" in str(one.annotation)
            if one.name in OTHER_WORDS or (is_pose and one.name not in POSES):
                wrong.add(f"{name}({one.name})")
    refused("words", wrong)


POSES = {"q", "q0", "q1", "start", "posture"}
"""Names of arguments that take a configuration; ``start`` is where a search begins."""


def test_results_have_named_fields() -> None:
    tuples = re.compile(r"\btuple\[(?![^][]*\.\.\.\])")
    refused("tuples", {
        name for name, signature in signatures().items()
        if tuples.search(str(signature.return_annotation))
    })  # fmt: skip


def test_methods_return_named_fields() -> None:
    tuples = re.compile(r"\btuple\[(?![^][]*\.\.\.\])")
    classes = {kg.Simulation, kg.State, kg.Model} | {
        value
        for package in (kg.dynamics, kg.devices)
        for value in (getattr(package, name) for name in package.__all__)
        if inspect.isclass(value)
    }
    wrong = set()
    for kind in classes:
        for name, value in vars(kind).items():
            method = (
                value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            )
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            if tuples.search(str(inspect.signature(method).return_annotation)):
                wrong.add(f"{kind.__name__}.{name}")
    assert not wrong


def test_every_result_can_be_saved() -> None:
    wrong = set()
    for name, function in functions():
        returned = str(inspect.signature(function).return_annotation)
        module = importlib.import_module(function.__module__)
        value = getattr(module, returned, None)
        if inspect.isclass(value) and value.__module__.startswith("kinegen"):
            if returned not in NO_RESULTS and not hasattr(value, "save"):
                wrong.add(f"{name} -> {returned}")
    refused("save", wrong)
