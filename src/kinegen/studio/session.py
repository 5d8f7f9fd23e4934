"""Session: one mechanism being worked on, its history, its pose; every change goes through it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_gap
from kinegen.mechanism.load import library_file, library_names
from kinegen.raff.formula import FormulaError
from kinegen.studio.history import History, Step
from kinegen.studio.project import Project
from kinegen.studio.scene_data import device_data, motion_data, object_data
from kinegen.studio.structure import apply_structure, describe
from kinegen.studio.wire import Notice, ProblemData, Snapshot
from kinegen.studio.workpiece import CLOSED, TextProblems, Workpiece

__all__ = ["Session"]

_SAME = 1e-9
"""Poses that differ by less are the same."""
_EMPTY = "raff: 1\nname: mechanism\njoints: []\n"


class Session:
    """A mechanism in work. Methods that change it are not to be called from two threads at once."""

    def __init__(
        self,
        project: Project,
        *,
        text: str = _EMPTY,
        file: str | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(9)
        """Names the session; who knows it may watch."""
        self.secret = secrets.token_urlsafe(24)
        """Who knows it may change the session."""
        self.project = project
        self.version = 1
        self.author = 0
        self.notices: list[Notice] = []
        """To be told to all who are in the session; whoever sends them empties the list."""
        self.problems: list[ProblemData] = []
        self.work = Workpiece.read(text, project, file)
        self.base_text = text
        """The text as it is on disk or in the library: what differs from it is unsaved."""
        self.layout_version = 1
        """Version since which poses have meant the same."""
        self.pose_changed = True
        self.live: Floats = self.work.start
        """The pose where the page has the mechanism now, between two steps."""
        first = Step("open", text, text, self.work.start, file)
        self._history = History(first, clock=clock) if clock else History(first)
        self._lock = threading.Lock()
        self._complain(self.work.complaint)

    # What it is

    @property
    def present(self) -> Step:
        """The state as it is now."""
        return self._history.present

    @property
    def dirty(self) -> bool:
        """Whether there is work that no file holds."""
        return self.present.text != self.base_text

    def snapshot(self) -> Snapshot:
        """All of it that is not the live pose."""
        step, work = self.present, self.work
        return Snapshot(
            version=self.version,
            author=self.author,
            text=step.text,
            file=step.file,
            dirty=self.dirty,
            title=work.mechanism.title or work.mechanism.name,
            description=work.mechanism.description or "",
            model=work.data,
            q=self.live.tolist(),
            pose_changed=self.pose_changed,
            problems=self.problems,
            undo=self._history.undo_label,
            redo=self._history.redo_label,
            motions=motion_data(work.mechanism, work.model),
            objects=object_data(work.mechanism, work.model, work.start, work.folder),
            devices=device_data(work.mechanism, work.model),
        )

    # The pose between steps

    def move(self, version: int, q: Floats) -> bool:
        """Take over the pose of a frame; False when it belongs to another model."""
        if version < self.layout_version or len(q) != self.work.model.nq:
            return False
        self.live = q
        return True

    # Changes

    def open(self, source: str, value: str, q: Sequence[float] | None = None) -> None:
        """Load a mechanism: a library name, a file of the project folder, or a text."""
        file = None
        if source == "library":
            text = library_file(value).read_bytes().decode("utf-8")
        elif source == "file":
            text, file = self.project.read(value), value
        else:
            text = value
        work = Workpiece.read(text, self.project, file)
        pose, complaint = work.start, work.complaint
        if q is not None:
            pose, complaint = work.close(work.checked(list(q)))
        name = work.mechanism.title or work.mechanism.name
        self._complain(complaint)
        self._go(work, pose, Step(f"open {name}", text, text, pose, file))
        self.base_text = text if source != "text" else ""

    def edit_text(self, text: str) -> None:
        """Take over the editor's text; with problems the last good model stays."""
        step = self.present
        if text == step.text:
            return
        try:
            work = Workpiece.read(text, self.project, step.file)
        except TextProblems as error:
            fresh = Step("edit text", text, step.good_text, step.q, step.file)
            self._history.add(fresh, merge="text")
            self._changed(problems=error.problems, pose_changed=False)
            return
        pose, complaint = work.carry(self.work, self.live)
        if complaint != self.work.complaint:
            self._complain(complaint)
        self._go(work, pose, Step("edit text", text, text, pose, step.file), merge="text")

    def set_numbers(
        self, changes: Sequence[tuple[str | None, str, float | str]], label: str = ""
    ) -> None:
        """Set numbers of parameters, joints and frames in the text: all of them, or none."""
        if not changes:
            raise UsageError("set_numbers needs at least one change")

        def apply(mechanism: Any) -> None:
            for owner, key, value in changes:
                if owner is None:
                    mechanism.set_parameter(key, value)
                elif key.split(".")[0] in ("xyz", "rpy") and key.count(".") == 1:
                    _set_coordinate(mechanism, owner, key, value)
                else:
                    mechanism.set_number(owner, key, value)

        what = ", ".join(key if owner is None else f"{owner}.{key}" for owner, key, _ in changes[:3])
        self._edit(apply, label or f"change {what}{', …' if len(changes) > 3 else ''}")

    def edit_structure(self, verb: str, arguments: dict[str, Any]) -> None:
        """Change the structure by one of the verbs of ``Mechanism``."""
        self._edit(
            lambda mechanism: apply_structure(mechanism, verb, arguments), describe(verb, arguments)
        )

    def commit_pose(self, q: Sequence[float], label: str) -> None:
        """Keep a pose as a step; open loops are closed first, and the page told so."""
        pose, complaint = self.work.checked(list(q)), None
        given = pose
        if self.work.model.loops and loop_gap(self.work.model, pose)[0] > CLOSED:
            pose, complaint = self.work.close(pose)
            if complaint:
                pose = self.present.q
                message = f"the pose was refused, for its loops are open: {complaint}"
            else:
                message = "the pose had open loops; it was closed again next to it"
            self.notices.append(Notice("warning", message))
        step = self.present
        changed = not _same(pose, given)
        self.live = pose
        if not _same(pose, step.q):
            self._history.add(Step(label or "move", step.text, step.good_text, pose, step.file))
        elif not changed:
            return
        self._changed(problems=self.problems, pose_changed=changed)

    def undo(self) -> None:
        """Take back the last step."""
        label = self._history.undo_label
        step = self._history.undo()
        if step is None:
            raise UsageError("there is nothing to undo")
        self._restore(step, label)

    def redo(self) -> None:
        """Do again what was taken back."""
        step = self._history.redo()
        if step is None:
            raise UsageError("there is nothing to redo")
        self._restore(step, step.label)

    def save(self, file: str, *, overwrite: bool = False) -> str:
        """Write the text to a file of the project folder."""
        step = self.present
        own = file == step.file
        path = self.project.save(file, step.text, overwrite=overwrite or own)
        self._history.replace_present(
            Step(step.label, step.text, step.good_text, step.q, path)
        )
        self.base_text = step.text
        self._changed(problems=self.problems, pose_changed=False)
        return path

    def edit(self, change: Callable[[Any], None], label: str) -> None:
        """Change the mechanism by any function of it: one step of undo, or nothing when it fails."""
        self._edit(change, label)

    # Inside

    def _edit(self, change: Callable[[Any], None], label: str) -> None:
        if self.problems:
            raise TextProblems(self.problems)
        # on a mechanism of its own: when anything fails nothing has happened
        trial = Workpiece.read(self.present.text, self.project, self.present.file).mechanism
        try:
            change(trial)
        except FormulaError as error:
            raise UsageError(str(error)) from None
        text = trial.to_raff()
        work = Workpiece.read(text, self.project, self.present.file)
        pose, complaint = work.carry(self.work, self.live)
        if complaint != self.work.complaint:
            self._complain(complaint)
        self._go(work, pose, Step(label, text, text, pose, self.present.file))

    def _go(self, work: Workpiece, pose: Floats, step: Step, *, merge: str | None = None) -> None:
        """Take over a workpiece and a pose as a new step."""
        self._history.add(step, merge=merge)
        self._take(work, pose)

    def _restore(self, step: Step, label: str | None) -> None:
        work = self.work
        if step.good_text != work.text or step.file != self.work_file:
            work = Workpiece.read(step.good_text, self.project, step.file)
        problems: list[ProblemData] = []
        if step.text != step.good_text:
            try:
                Workpiece.read(step.text, self.project, step.file)
            except TextProblems as error:
                problems = error.problems
        self._take(work, step.q, problems)

    def _take(
        self, work: Workpiece, pose: Floats, problems: list[ProblemData] | None = None
    ) -> None:
        same = work.same_joints(self.work)
        changed = not same or not _same(pose, self.live)
        self.work, self.live = work, pose
        self.work_file = self.present.file
        self._changed(problems=problems or [], pose_changed=changed, layout=not same)

    def _changed(
        self, *, problems: list[ProblemData], pose_changed: bool, layout: bool = False
    ) -> None:
        self.problems = problems
        self.pose_changed = pose_changed
        self.version += 1
        if layout:
            self.layout_version = self.version

    def _complain(self, complaint: str | None) -> None:
        if complaint:
            self.notices.append(Notice("warning", complaint))


def _same(a: Floats, b: Floats) -> bool:
    return a.shape == b.shape and bool(np.abs(a - b).max(initial=0.0) <= _SAME)


def _set_coordinate(mechanism: Any, owner: str, key: str, value: float | str) -> None:
    """One of the three numbers of xyz or rpy, which the row may not have yet."""
    rows = mechanism.joints if owner in mechanism.joints else mechanism.frames
    name, index = key.split(".")
    document = mechanism.document
    section = "joints" if owner in mechanism.joints else "frames"
    row = document.row(section, owner) if document and owner in rows else None
    if row is not None and document.find((section, row, name)) is None:
        three: list[float | str] = [0.0, 0.0, 0.0]
        three[int(index)] = value
        mechanism.set_value(owner, name, three)
    else:
        mechanism.set_number(owner, key, value)


def first_source(name: str, project: Project) -> tuple[str, str]:
    """What a word on the command line or in a link means: ('library' or 'file', value)."""
    if name in library_names():
        return "library", name
    if name.endswith(".raff"):
        return "file", name
    raise UsageError(f"'{name[:80]}' is neither in the library nor a file of the project folder")


_ = KinegenError
