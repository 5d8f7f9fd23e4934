"""Session file: the file that a session's text belongs to, and what others do to it."""

from __future__ import annotations

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.session.edits.history import History, Step
from kinegen.studio.session.files.conflicts import OnDisk, disk_conflict, look, save
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.messages import ConflictData, Notice, ProblemData

__all__ = ["SessionFile"]


class SessionFile:
    """The part of a session that reads and writes its file; `Session` has the rest."""

    project: Project
    version: int
    notices: list[Notice]
    problems: list[ProblemData]
    _history: History
    _saved: dict[str, str]
    """What is in the files that were opened or saved."""

    @property
    def present(self) -> Step:
        """The state as it is now."""
        return self._history.present

    @property
    def dirty(self) -> bool:
        """Whether there is work that no file holds."""
        return self.present.text != self.base

    @property
    def base(self) -> str:
        """The text as it is on disk or in the library."""
        step = self.present
        return self._saved.get(step.file, "") if step.file else step.base

    def save(self, file: str, *, overwrite: str | None = None) -> str:
        """Write the text to a file of the project folder.

        Args:
            file: Its path there.
            overwrite: Version of the file that is to be replaced though it is not what was read or
                written here last.

        Raises:
            ConflictError: When the file holds something else.
        """
        step = self.present
        file = self.project.name_of(file)
        known = self._saved.get(file) if file == step.file else None
        path = save(self.project, file, step.text, known=known, overwrite=overwrite)
        self._history.saved(path)
        self._saved[path] = step.text
        self._changed(problems=self.problems, pose_changed=False)
        return path

    def look_at_disk(self) -> ConflictData | None:
        """Follow what others did to the file: its text is taken over where nothing is lost by it.

        Returns:
            What is on disk, where the user has to choose; None where all is well.
        """
        step = self.present
        if step.file is None:
            return None
        known = self._saved.get(step.file)
        try:
            found = look(self.project, step.file)
        except UsageError as error:
            found, reason = OnDisk(None), str(error)
        else:
            reason = f"'{step.file}' was deleted or renamed on disk; save it to write it again"
        if found.data is None:
            if known is not None:
                # no file holds the text now
                del self._saved[step.file]
                self.notices.append(Notice("warning", reason))
                self._changed(problems=self.problems, pose_changed=False)
            return None
        text = found.text
        if text in (known, step.text):
            if text != known:
                self._saved[step.file] = step.text
                self._changed(problems=self.problems, pose_changed=False)
            return None
        if text is None or step.text != known:
            return ConflictData("disk", step.file, text, found.version)
        try:
            self._adopt(step.file, text)
        except KinegenError:  # it takes too long to read: the text here stays
            return ConflictData("disk", step.file, text, found.version)
        message = f"'{step.file}' was changed on disk; this is its new text; undo restores yours"
        self.notices.append(Notice("info", message))
        return None

    def take_from_disk(self, version: str) -> None:
        """Take over the file's text as it is on disk, in place of the text here.

        Raises:
            ConflictError: When it has changed again since that version was seen.
        """
        file = self.present.file
        if file is None:
            raise UsageError("the text does not belong to a file")
        found = look(self.project, file)
        if found.version != version:
            raise disk_conflict(file, found, self._saved.get(file))
        if found.text is None:
            raise UsageError(f"'{file}' is not UTF-8 text")
        self._adopt(file, found.text)

    def _adopt(self, file: str, text: str) -> None:
        before = self.version
        self._take_text(text, f"read {file} again")
        # not earlier: a text that was not taken over must not be overwritten unseen
        self._saved[file] = text
        if self.version == before:
            self._changed(problems=self.problems, pose_changed=False)

    def _take_text(self, text: str, label: str, merge: str | None = None) -> None:
        raise NotImplementedError

    def _changed(
        self, *, problems: list[ProblemData], pose_changed: bool, layout: bool = False
    ) -> None:
        raise NotImplementedError
