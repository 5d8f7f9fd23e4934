"""Shared: the session as a program knows it: text, mechanism, and where it stands now."""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import (
    AssemblyError,
    KinegenError,
    Problem,
    UsageError,
    unknown_name,
)
from kinegen.formats.load import load
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.configurations import checked
from kinegen.kinematics.solving.assembling.assembly import assemble, close, inputs_of
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.state import State
from kinegen.studio.wire.messages import ModelData, Snapshot, WallData

__all__ = ["GivenPose", "Shared"]

GivenPose: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]] | State
"""nq numbers, values by joint name (the others follow), or a state."""


class Shared:
    """What the studio sent last. All methods may be called from any thread.

    Args:
        folder: Where the files are that the text includes; None: it includes the library alone.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        self._snapshot: Snapshot | None = None
        self._layout = 0
        """Version since which q has meant the same."""
        self._q: Floats = np.zeros(0)
        self._own: Model | None = None
        """For poses, under the lock."""
        self._unreadable: KinegenError | None = None
        self._given: tuple[int, Mechanism, Model] | None = None
        """What the program was given: version, mechanism, model."""

    # What comes

    def take_snapshot(self, snapshot: Snapshot) -> bool:
        """Take over a session as it is now; False where its text was known."""
        with self._lock:
            before, self._snapshot = self._snapshot, snapshot
            model = snapshot.model
            same_joints = before is not None and _sizes(before.model) == _sizes(model)
            if not same_joints:
                self._layout = snapshot.version
            if snapshot.pose_changed or not same_joints:
                self._q = np.array(snapshot.q, dtype=float)
            if before is None or before.model.ints != model.ints:
                self._own, self._unreadable = None, None
            elif self._own is not None:
                reals = base64.b64decode(model.reals)
                self._own.forget_derived()
                self._own.reals[:] = np.frombuffer(reals, "<f8")
            return before is not None and before.text != snapshot.text

    def take_pose(self, version: int, q: Floats) -> bool:
        """Take over a pose; False where it belongs to another mechanism."""
        with self._lock:
            if not self._layout <= version <= self.version or len(q) != len(self._q):
                return False
            self._q = q
            return True

    # What is there

    @property
    def snapshot(self) -> Snapshot:
        """What the studio sent last; a view has it before anything else is asked."""
        assert self._snapshot is not None
        return self._snapshot

    @property
    def version(self) -> int:
        """Of the session; grows with every change."""
        return 0 if self._snapshot is None else self._snapshot.version

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.snapshot.model.name

    @property
    def text(self) -> str:
        """The RAFF text."""
        return self.snapshot.text

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the text, if anything."""
        snapshot = self.snapshot
        return tuple(
            Problem(snapshot.file or "text", one.line, one.column, one.message)
            for one in snapshot.problems
        )

    @property
    def wall(self) -> WallData | None:
        """The wall of screens that the file declares, as the page has it."""
        return self.snapshot.wall

    @property
    def q(self) -> Floats:
        """Where the mechanism stands now."""
        return self._q.copy()

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters [SI]."""
        with self._lock:
            data = self.snapshot.model
            reals = np.frombuffer(base64.b64decode(data.reals), "<f8")
            return {one.name: float(reals[one.index]) for one in data.parameters}

    @property
    def sites(self) -> list[str]:
        """Names of frames and links."""
        data = self.snapshot.model
        return [*(one.name for one in data.frames), *data.links]

    def check_site(self, name: str) -> str:
        """A frame or link; NameNotFoundError with what was probably meant."""
        if name not in self.sites:
            raise unknown_name("frame", name, f"mechanism '{self.name}'", self.sites)
        return name

    def mechanism_and_model(self) -> tuple[Mechanism, Model]:
        """The mechanism of the text and its model, for the program: made once per version."""
        with self._lock:
            if self._given is None or self._given[0] != self.version:
                mechanism = self._load()
                self._given = (self.version, mechanism, mechanism.compile())
            return self._given[1:]

    def _load(self) -> Mechanism:
        try:
            return load(self.text, folder=self.folder)
        except KinegenError as error:
            if self.problems:
                raise
            raise UsageError(
                f"the text of '{self.name}' cannot be read here: {error}; if it includes files, "
                "pass their folder: kg.connect(link, folder=…)"
            ) from None

    # Poses

    def closed(self, given: GivenPose) -> Floats:
        """A pose that can be shown, loops closed; errors say what is wrong with it."""
        with self._lock:
            model = self._model()
            if isinstance(given, State):
                given = given.q
            if given is None:
                raise UsageError("q is None; specify nq numbers, values by joint name, or a state")
            if model is None:
                return self._plain(given)
            if isinstance(given, Mapping):
                return self._by_name(model, given)
            q = checked(model, given)
            if is_closed(model, q, SHOWN_CLOSED):
                return q
            for locked in (inputs_of(model), ()):
                found, _ = close(model, q, locked=locked)
                if is_closed(model, found, SHOWN_CLOSED):
                    return found
            gap = loop_gap(model, q).distance
            raise AssemblyError(
                f"the loops of '{model.name}' are open by {gap:.3g} m at this q, and no closed "
                "pose was found near it",
                gap=gap,
            )

    def _by_name(self, model: Model, given: Mapping[str, float | Sequence[float]]) -> Floats:
        q = self._q.copy()
        named = checked(model, given)
        for name in given:
            q[model.joint(name).q] = named[model.joint(name).q]
        if is_closed(model, q, SHOWN_CLOSED):
            return q
        names = list(given)
        found, _ = close(model, q, locked=names)
        if is_closed(model, found, SHOWN_CLOSED):
            return found
        return assemble(model, q, locked=names, limits=False).q

    def _plain(self, given: Any) -> Floats:
        """A pose of a mechanism whose text cannot be read here: only its size is checked."""
        if isinstance(given, Mapping):
            assert self._unreadable is not None
            raise self._unreadable
        q = np.asarray(given, dtype=float)
        if q.shape != self._q.shape or not np.isfinite(q).all():
            raise UsageError(
                f"q of mechanism '{self.name}' has {len(self._q)} finite numbers, got shape "
                f"{q.shape}"
            )
        return q

    def _model(self) -> Model | None:
        """The model of poses; None where the text cannot be read here."""
        if self._own is None and self._unreadable is None:
            try:
                self._own = self._load().compile()
            except KinegenError as error:
                self._unreadable = error
        return self._own

    def show(self, q: Floats) -> None:
        """The program's own pose is what is shown, until another comes."""
        with self._lock:
            if len(q) == len(self._q):
                self._q = q


def _sizes(data: ModelData) -> list[tuple[str, int]]:
    """Names of the joints, and how many numbers of q each has."""
    return [(joint.name, joint.nq) for joint in data.joints]
