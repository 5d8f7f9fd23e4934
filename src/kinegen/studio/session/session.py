"""Session: one mechanism being worked on, its history, its pose; every change goes through it."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.studio.session.compiled_text import CLOSED, CompiledText, TextProblems
from kinegen.studio.session.edits.history import History, Step
from kinegen.studio.session.edits.motions import changed_motion, check_motion, motion_entry
from kinegen.studio.session.edits.shelf import Shelf
from kinegen.studio.session.edits.structure import (
    Change,
    apply_numbers,
    apply_structure,
    describe,
    describe_numbers,
    remove_entry,
    set_entry,
)
from kinegen.studio.session.edits.text_log import TextLog
from kinegen.studio.session.files.conflicts import ConflictError
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.files.session_file import SessionFile
from kinegen.studio.session.files.sources import Source, text_of
from kinegen.studio.session.journals.log import Record
from kinegen.studio.session.reading.readers import Reader
from kinegen.studio.session.recordings import Recordings
from kinegen.studio.wire.messages import (
    ConflictData,
    ImportData,
    ModelData,
    MotionData,
    MotionEdit,
    Notice,
    ProblemData,
    Snapshot,
    StructureEdit,
)

__all__ = ["Session"]

_SAME = 1e-9
"""Poses that differ by less are the same."""
_MOST_IMPORTS = 50
"""Files of other formats whose remarks are remembered."""
_EMPTY = "raff: 1\nname: mechanism\njoints: []\n"


class Session(SessionFile):
    """A mechanism in work. Methods that change it are not to be called from two threads at once."""

    def __init__(
        self,
        project: Project,
        *,
        text: str = _EMPTY,
        file: str | None = None,
        reader: Reader | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(9)
        """Names the session; who knows it may watch."""
        self.secret = secrets.token_urlsafe(24)
        """Who knows it may change the session."""
        self.project = project
        self.reader = reader or Reader()
        """Reads texts, here or elsewhere."""
        self.version = 1
        self.author = 0
        self.notices: list[Notice] = []
        """For everybody in the session; the sender empties the list."""
        self.problems: list[ProblemData] = []
        self._shelf = Shelf()
        self.work = self._read(text, file)
        self._saved: dict[str, str] = {} if file is None else {file: text}
        """What is in the files that were opened or saved."""
        self.layout_version = 1
        """Version since which poses have meant the same."""
        self.pose_changed = True
        self.live: Floats = self.work.start
        """The pose where the page has the mechanism now, between two steps."""
        first = Step("open", text, text, self.work.start, file, text)
        self._history = History(first, clock=clock) if clock else History(first)
        self.work_file = file
        self._documents = self._document = 0
        self._imports: dict[int, ImportData] = {}
        """What was opened from other formats, by the number of its document."""
        self._typist = 0
        """Whose text is being taken over, 0 for nobody's."""
        self._texts = TextLog()
        self._texts.add(self.version, 0, text)
        self._complain(self.work.complaint)
        self._remark_start()

    @staticmethod
    def opened(project: Project, source: str, value: str, reader: Reader | None = None) -> Session:
        """A session that begins with a mechanism of the library or a file of the project."""
        reader = reader or Reader()
        found = text_of(project, reader, source, value)
        session = Session(project, text=found.text, file=found.file, reader=reader)
        session._note_import(found)
        return session

    @staticmethod
    def restored(project: Project, record: Record, reader: Reader | None = None) -> Session:
        """A session as a journal has it, with its steps, under a new name."""
        step = record.present
        file = None
        if step.file is not None:
            with contextlib.suppress(UsageError):  # the work counts more than a name it cannot have
                file = project.name_of(step.file)
        problems: list[ProblemData] = []
        session = None
        for text in dict.fromkeys([step.text, step.good_text, _EMPTY]):
            try:
                session = Session(project, text=text, file=file, reader=reader)
                break
            except KinegenError as error:
                found = error.problems if isinstance(error, TextProblems) else []
                problems = problems or found or [ProblemData(0, 0, str(error))]
        assert session is not None, "the empty text has no problems"
        session.problems = problems
        pose = session.live
        with contextlib.suppress(KinegenError):
            given = session.work.checked(record.live)
            pose = session.reader.close(session.work, project, given).q
        session.live = pose
        # a text that became unreadable, such as by a lost include, is there with its problems
        present = replace(step, good_text=session.work.text)
        if present.good_text != step.good_text:
            present = replace(present, q=pose)
        steps = [present if one is step else one for one in record.steps]
        steps = [replace(one, file=file) if one.file == step.file else one for one in steps]
        session._history = History(*steps, at=record.at)
        session._saved = dict(record.saved)
        session._document = step.document
        session._documents = max(one.document for one in steps)
        session._texts.add(session.version, step.document, step.text)
        return session

    # What it is

    @property
    def has_steps(self) -> bool:
        """Whether something can be taken back or done again."""
        return (self._history.undo_label or self._history.redo_label) is not None

    def snapshot(self) -> Snapshot:
        """All of it that is not the live pose."""
        step, work = self.present, self.work
        return Snapshot(
            version=self.version,
            author=self.author,
            text=step.text,
            file=step.file,
            dirty=self.dirty,
            title=work.title,
            description=work.description,
            model=cast(ModelData, work.data),
            q=self.live.tolist(),
            pose_changed=self.pose_changed,
            problems=self.problems,
            complaint=work.complaint,
            undo=self._history.undo_label,
            redo=self._history.redo_label,
            motions=work.motions,
            objects=work.objects,
            lights=work.lights,
            devices=work.devices,
            world=work.world,
            wall=work.wall,
            imported=self._imports.get(step.document),
        )

    def record(self) -> Record:
        """What the journal keeps: made at once, and never changed."""
        steps, at = self._history.kept()
        return Record(
            session=self.id,
            secret=self.secret,
            name=self.work.title,
            folder=str(self.project.folder),
            saved_at=time.time(),
            steps=steps,
            at=at,
            live=self.live,
            saved=dict(self._saved),
        )

    # The pose between steps

    def move(self, version: int, q: Floats) -> bool:
        """Take over the pose of a frame; False when it belongs to another model."""
        if version < self.layout_version or len(q) != self.work.model.nq:
            return False
        self.live = q
        return True

    # Changes

    def open(
        self, source: str, value: str, q: Sequence[float] | None = None, name: str = ""
    ) -> None:
        """Load a mechanism: a library name, a file of the project folder, or a text of a name."""
        found = text_of(self.project, self.reader, source, value, name)
        text, file = found.text, found.file
        work = self.reader.read(text, self.project, file)
        pose, complaint = work.start, work.complaint
        if q is not None:
            found_pose = self.reader.close(work, self.project, work.checked(list(q)))
            pose, complaint = found_pose.q, found_pose.complaint
        self._complain(complaint)
        base = text if source == "library" else ""
        if file is not None:
            self._saved[file] = text
        self._documents += 1
        self._note_import(found)
        step = Step(f"open {work.title}", text, text, pose, file, base, self._documents)
        self._go(work, pose, step)
        if q is None:
            self._remark_start()

    def edit_text(self, text: str, base: int | None = None) -> None:
        """Take over an editor's text; with problems the last good model stays.

        Args:
            text: All of it.
            base: Version whose text it was made from, None for the present one. What others have
                changed since is merged with it.

        Raises:
            ConflictError: When others have changed the same lines.
        """
        if base is not None:
            merged = self._texts.merged(text, base, self.version, self.author)
            if merged is None:
                step = self.present
                raise ConflictError(
                    "the same lines were changed by another page in the meantime",
                    ConflictData("session", step.file, step.text, str(self.version)),
                )
            text = merged
        self._typist = self.author
        try:
            # what two people type is not one step
            self._take_text(text, "edit text", merge=f"text {self.author}")
        finally:
            self._typist = 0

    def _take_text(self, text: str, label: str, merge: str | None = None) -> None:
        step = self.present
        if text == step.text:
            return
        try:
            work = self._read(text, step.file)
        except TextProblems as error:
            fresh = replace(step, label=label, text=text)
            self._history.add(fresh, merge=merge)
            self._changed(problems=error.problems, pose_changed=False)
            return
        before, pose = self.work, self.live
        origin = self._history.origin(merge) if merge else None
        if origin is not None:
            # half-typed numbers on the way must not move the mechanism for good
            before, pose = self._read(origin.good_text, origin.file), origin.q
        pose = self._carried(work, before, pose)
        fresh = replace(step, label=label, text=text, good_text=text, q=pose)
        self._go(work, pose, fresh, merge=merge)

    def look_at_disk(self) -> ConflictData | None:
        """Follow what others did to the file, and to those that its text includes."""
        conflict = super().look_at_disk()
        if not self.work.is_current() or self.problems:
            self._read_again()
        return conflict

    def _read_again(self) -> None:
        """Read the text again, for files that it includes were changed: they are as they are."""
        step, problems = self.present, list[ProblemData]()
        try:
            work = self._read(step.text, step.file)
        except TextProblems as error:
            work, problems = self.work, error.problems
        if work is self.work and problems == self.problems:
            return
        pose = self.live
        if not problems:
            pose = self._carried(work, self.work, pose)
            self._history.amend(replace(step, good_text=step.text, q=pose))
        self.notices.append(Notice("info", "files that the text includes were changed on disk"))
        self._take(work, pose, problems)

    def set_numbers(self, changes: Sequence[Change], label: str = "") -> None:
        """Set numbers of parameters, joints and frames in the text: all of them, or none."""
        self._edit(partial(apply_numbers, changes=changes), label or describe_numbers(changes))

    def edit_structure(self, edit: StructureEdit) -> None:
        """Change the structure as one of the methods of ``Mechanism`` does."""
        self._edit(partial(apply_structure, edit=edit), describe(edit))

    def commit_pose(self, q: Sequence[float], label: str, version: int | None = None) -> None:
        """Keep a pose as a step; open loops are closed first, and the page is notified.

        One of a version before this mechanism was opened, if any, comes too late and is forgotten.
        """
        if version is not None and version < self.layout_version:
            return
        pose, complaint = self.work.checked(list(q)), None
        given = pose
        if self.work.gap(pose) > CLOSED:
            closed = self.reader.close(self.work, self.project, pose)
            pose, complaint = closed.q, closed.complaint
            if complaint:
                pose = self.present.q
                message = f"the pose was rejected because its loops are open: {complaint}"
            else:
                message = "the loops of the pose were open; the nearest closed pose is used"
            self.notices.append(Notice("warning", message))
        step = self.present
        changed = not _same(pose, given)
        self.live = pose
        if not _same(pose, step.q):
            self._history.add(replace(step, label=label or "move", q=pose))
        elif not changed:
            return
        self._changed(problems=self.problems, pose_changed=changed)

    def undo(self) -> None:
        """Take back the last step."""
        step = self._history.undo()
        if step is None:
            raise UsageError("there is nothing to undo")
        try:
            self._restore(step)
        except KinegenError:
            self._history.redo()
            raise

    def redo(self) -> None:
        """Do again what was taken back."""
        step = self._history.redo()
        if step is None:
            raise UsageError("there is nothing to redo")
        try:
            self._restore(step)
        except KinegenError:
            self._history.undo()
            raise

    def store_motion(self, motion: MotionData) -> None:
        """Keep a motion in the text, in place of one of the same name."""
        known = [(joint.name, joint.q.stop - joint.q.start) for joint in self.work.model.joints]
        check_motion(motion, dict(known))
        entry = motion_entry(motion)
        change = partial(set_entry, section="motions", entry=entry)
        self._edit(change, f"store motion {motion.name}")

    def change_motion(self, edit: MotionEdit) -> None:
        """Remove, rename, trim, smooth, resample or speed up a stored motion."""
        entry = changed_motion(self.work.motions, self.work.model, edit)
        if entry is None:
            change = partial(remove_entry, section="motions", name=edit.name)
        else:
            change = partial(set_entry, section="motions", entry=entry, instead=edit.name)
        self._edit(change, f"{edit.KIND.replace('_', ' ')} {edit.name}")

    def keep(self, recordings: Recordings) -> None:
        """Store recordings that nobody finished as motions; those that cannot be stay there."""
        names = self.work.names()
        joints = [(joint.name, joint.q.stop - joint.q.start) for joint in self.work.model.joints]
        for name, motion in recordings.motions(joints, names).items():
            self.store_motion(motion)
            recordings.drop(name)
            self.notices.append(
                Notice("info", f"an unfinished recording was saved as motion '{motion.name}'")
            )

    # Inside

    def _note_import(self, source: Source) -> None:
        """Remember what a document was before: undo returns to documents with other remarks."""
        if source.imported is not None:
            self._imports[self._documents] = source.imported
            while len(self._imports) > _MOST_IMPORTS:
                del self._imports[next(iter(self._imports))]

    def _read(self, text: str, file: str | None) -> CompiledText:
        """What a text compiles to."""
        return self._shelf.read(self.reader, text, self.project, file)

    def _carried(self, work: CompiledText, before: CompiledText, pose: Floats) -> Floats:
        """A pose taken over by a new version; what is wrong with its loops is said once."""
        found = self.reader.carry(work, self.project, before, pose)
        complaint = found.complaint
        if work.model.mode is not None:
            complaint = complaint or work.complaint  # there may be no such mode
        if complaint != self.work.complaint:
            self._complain(complaint)
        return found.q

    def _edit(self, change: Callable[[Any], None], label: str) -> None:
        """Change the mechanism; ``change`` may be sent to another process."""
        if self.problems:
            raise TextProblems(self.problems)
        file = self.present.file
        text, made = self.reader.edit(self.present.text, self.project, file, change)
        if made is not None:
            self._shelf.keep(text, file, made)
        work = made or self._read(text, file)
        pose = self._carried(work, self.work, self.live)
        step = replace(self.present, label=label, text=text, good_text=text, q=pose)
        self._go(work, pose, step)

    def _go(
        self, work: CompiledText, pose: Floats, step: Step, *, merge: str | None = None
    ) -> None:
        """Take over a compiled text and a pose as a new step."""
        self._history.add(step, merge=merge)
        self._take(work, pose)

    def _restore(self, step: Step) -> None:
        work = self.work
        if step.good_text != work.text or step.file != self.work_file:
            work = self._read(step.good_text, step.file)
        problems: list[ProblemData] = []
        if step.text != step.good_text:
            try:
                self._read(step.text, step.file)
            except TextProblems as error:
                problems = error.problems
        # files that it includes may have been changed since
        fits = len(step.q) == work.model.nq
        self._take(work, step.q if fits else work.start, problems)

    def _take(
        self, work: CompiledText, pose: Floats, problems: list[ProblemData] | None = None
    ) -> None:
        # poses of what was open before mean nothing here, though its joints may be called the same
        same = work.same_joints(self.work) and self.present.document == self._document
        self._document = self.present.document
        changed = not same or not _same(pose, self.live)
        fresh = [remark for remark in work.remarks if remark not in self.work.remarks]
        if fresh:  # one at a time; the command check lists all
            self.notices.append(Notice("info", fresh[0]))
        self.work, self.live = work, pose
        self.work_file = self.present.file
        self._changed(problems=problems or [], pose_changed=changed, layout=not same)

    def _changed(
        self, *, problems: list[ProblemData], pose_changed: bool, layout: bool = False
    ) -> None:
        self.problems = problems
        self.pose_changed = pose_changed
        self.version += 1
        step = self.present
        self._texts.add(self.version, step.document, step.text, self._typist)
        if layout:
            self.layout_version = self.version

    def _complain(self, complaint: str | None) -> None:
        if complaint:
            self.notices.append(Notice("warning", complaint))

    def _remark_start(self) -> None:
        if self.work.start_remark:
            hint = "“Save as start pose” above the joints writes the closed pose into the text"
            self.notices.append(Notice("info", f"{self.work.start_remark}. {hint}."))


def _same(a: Floats, b: Floats) -> bool:
    return a.shape == b.shape and bool(np.abs(a - b).max(initial=0.0) <= _SAME)
