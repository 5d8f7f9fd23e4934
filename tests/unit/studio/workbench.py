"""Questions about a library mechanism as a page asks them: what is answered, and the pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import orjson

import kinegen as kg
from kinegen.studio.jobs.answers import answer
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import decode
from kinegen.studio.wire.message import PieceHead, Question

Head = TypeVar("Head", bound=PieceHead)


class Pieces:
    """Keeps what a job sends while it runs."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, bytes]] = []

    def __call__(self, label: str, share: float | None) -> None:
        """Progress is not looked at."""

    def piece(self, head: PieceHead, data: bytes) -> None:
        self.sent.append((head, data))

    def of(self, kind: str) -> list[tuple[Any, bytes]]:
        return [(head, data) for head, data in self.sent if head.KIND == kind]

    def kind(self, kind: type[Head]) -> list[tuple[Head, bytes]]:
        """Those with heads of one class."""
        return [(head, data) for head, data in self.sent if isinstance(head, kind)]


def compiled_of(name: str, **parameters: float) -> CompiledText:
    mechanism = kg.load(name)
    for key, value in parameters.items():
        mechanism.set_parameter(key, value)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def put(
    compiled: CompiledText, kind: str, q: npt.NDArray[Any] | None = None, **fields: Any
) -> tuple[Any, Pieces]:
    """The answer to a question as a page sends it, and the pieces before it."""
    pose = (compiled.start if q is None else q).tolist()
    question = decode(orjson.dumps({"kind": kind, "request": 1, "q": pose, **fields}))
    assert isinstance(question, Question)
    pieces = Pieces()
    return answer(compiled, compiled.checked(question.q), question, pieces), pieces


def points_of(head: Any, data: bytes) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Places (n, 3) and tags of a piece of points."""
    count = head.count
    xyz = np.frombuffer(data, "<f4", 3 * count).reshape(-1, 3)
    assert len(data) == count * (20 if head.valued else 16)
    return xyz, np.frombuffer(data, "<u4", count, 12 * count)


def values_of(head: Any, data: bytes) -> npt.NDArray[Any]:
    """Values of a piece of points."""
    return np.frombuffer(data, "<f4", head.count, 16 * head.count)
