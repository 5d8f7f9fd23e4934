"""The protocol: what both sets of kernels offer, under the same names."""

from __future__ import annotations

import inspect

import pytest

from kinegen.kernels import reference
from kinegen.kernels.backend import module
from kinegen.kernels.protocols.base import BoundModel, TaskKind
from kinegen.kernels.protocols.loops import BoundLoops, BoundMotion

KERNELS = [name for name in vars(BoundModel) if not name.startswith("_")]
MOTIONS = [
    (room, name)
    for room in (BoundLoops, BoundMotion)
    for name in vars(room)
    if not name.startswith("_")
]


def test_there_are_kernels_to_look_at() -> None:
    assert {"forward_poses", "site_jacobian", "loop_residual", "integrate"} <= set(KERNELS)


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_is_in_both_sets(kernel: str) -> None:
    assert callable(getattr(module().BoundModel, kernel))
    assert callable(getattr(reference.BoundModel, kernel))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_reference_has_the_signature_of_the_protocol(kernel: str) -> None:
    ours = inspect.signature(getattr(reference.BoundModel, kernel))
    wanted = inspect.signature(getattr(BoundModel, kernel))
    assert list(ours.parameters) == list(wanted.parameters)
    assert ours.return_annotation == wanted.return_annotation


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_is_described(kernel: str) -> None:
    assert inspect.getdoc(getattr(BoundModel, kernel))


@pytest.mark.parametrize(("room", "kernel"), MOTIONS)
def test_loops_and_motions_are_in_both_sets(room: type, kernel: str) -> None:
    assert callable(getattr(getattr(module(), room.__name__), kernel))
    ours = inspect.signature(getattr(getattr(reference, room.__name__), kernel))
    wanted = inspect.signature(getattr(room, kernel))
    assert list(ours.parameters) == list(wanted.parameters)
    assert ours.return_annotation == wanted.return_annotation
    assert inspect.getdoc(getattr(room, kernel))


def test_tasks_have_their_rows() -> None:
    assert [(kind.name, kind.value, kind.row_count) for kind in TaskKind] == [
        ("POSE", 0, 6),
        ("POINT", 1, 3),
        ("ROTATION", 2, 3),
    ]
