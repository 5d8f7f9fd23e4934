"""LiveReplay: a log of a world in the place of a simulation: it plays and goes to any time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.records import size_of
from kinegen.studio.live.frames import LiveFacts, LiveFrame
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.messages import (
    LiveSettings,
    NodeData,
    PictureHead,
    ReleaseSignals,
    SensorData,
    SetAttribute,
    SignalData,
    SignalOverride,
    Touch,
)
from kinegen.world.log.player import LogRow, open_player

__all__ = ["LiveReplay", "LoggedWorld"]

LONGEST = 4000
"""Numbers of a signal that a page gets, at most."""
FIXED = "a log shows what has happened: it cannot be changed"


class LoggedWorld:
    """What a page sees of the world of a log, and that it cannot change it."""

    def __init__(self, replay: LiveReplay) -> None:
        self._replay = replay
        self.news: deque[str] = deque()
        self.remarks: list[str] = []

    def table(self) -> list[SignalData]:
        """All signals."""
        row = self._replay.row
        return [
            SignalData(
                name, self._replay.log.units.get(name, ""), size, name.rpartition(".")[0],
                "overridden" if name in row.overridden else "",
            )
            for name, size in self._replay.sizes.items()
        ]  # fmt: skip

    def numbers(self) -> Floats:
        """Numbers of all signals now."""
        made = [np.zeros(0)]
        for name, size in self._replay.sizes.items():
            found = self._replay.row.values.get(name)
            known = found is not None and np.size(found) == size
            made.append(np.ravel(found) if found is not None and known else np.full(size, np.nan))
        return np.concatenate(made)

    def sensors(self) -> list[SensorData]:
        """None: what they saw is in their signals."""
        return []

    def nodes(self) -> list[NodeData]:
        """None."""
        return []

    def pictures(self, wanted: Sequence[str]) -> Iterator[tuple[PictureHead, bytes]]:
        """None."""
        return iter(())

    def override(self, order: SignalOverride | ReleaseSignals) -> None:
        """Refused."""
        raise UsageError(FIXED)

    def set_attribute(self, order: SetAttribute) -> None:
        """Refused."""
        raise UsageError(FIXED)


class LiveReplay:
    """One log, with the methods of a simulation that the page uses."""

    reason = reactions_refused = ""
    agents = False
    steering = None

    def __init__(self, compiled: CompiledText, settings: LiveSettings, project: Project) -> None:
        """Open a log of the project folder at its beginning.

        Args:
            compiled: The world's mechanism.
            settings: Its ``log`` names the file.
            project: The folder.
        """
        assert settings.log is not None
        self.compiled, self.settings, self.page = compiled, settings, compiled.model
        place = project.path(settings.log)
        if not place.is_file():
            raise UsageError(f"there is no log '{settings.log}' in the project folder")
        self.log = open_player(place)
        try:
            self._open()
        except BaseException:
            self.log.close()
            raise

    def _open(self) -> None:
        compiled, settings = self.compiled, self.settings
        first, last = self.log.at(self.log.start), None
        self.sizes = {name: int(np.size(value)) for name, value in first.values.items()}
        last = self.log.at(self.log.end)
        for name, value in last.values.items():
            self.sizes.setdefault(name, int(np.size(value)))
        self.sizes = {name: size for name, size in self.sizes.items() if 0 < size <= LONGEST}
        self.time = self.log.start
        self.row: LogRow = self.log.at(self.time)
        self._check()
        names = [one.name for one in compiled.objects if not one.fixed]
        self.objects = [name for name in names if np.size(self.row.joints.get(name, ())) == 7]
        """Objects of the scene that moved."""
        self.world = LoggedWorld(self)
        self.pace = settings.speed

    def _check(self) -> None:
        """The log must be of this mechanism."""
        for joint in self.page.joints:
            width = joint.q.stop - joint.q.start
            found = self.row.joints.get(joint.name)
            if width and (found is None or np.size(found) != width):
                name = f" of world '{self.log.world}'" if self.log.world else ""
                self.log.close()
                raise UsageError(
                    f"the log '{self.settings.log}'{name} has no joint '{joint.name}' of "
                    f"'{self.page.name}': open the file of its world first"
                )

    @property
    def is_done(self) -> bool:
        """Whether it is at its end."""
        return self.time >= self.log.end

    ending = "the log is at its end"

    def run(self, passed: float) -> None:
        """Let real time pass [s]."""
        self.pace = self.settings.speed
        self._show(self.time + passed * self.settings.speed)

    def step(self, count: int = 1) -> None:
        """Some steps, each as long as the settings say."""
        self._show(self.time + count * self.settings.step)

    def go_to(self, time: float) -> None:
        """Go to a time [s]."""
        self._show(time)

    def again(self) -> None:
        """Begin again."""
        self._show(self.log.start)

    def _show(self, time: float) -> None:
        self.time = min(max(time, self.log.start), self.log.end)
        self.row = self.log.at(self.time)

    def set(self, settings: LiveSettings) -> None:
        """Another speed."""
        self.settings = settings

    def stop(self, reason: str) -> None:
        """Rest, for a reason in words."""
        self.reason = reason

    def release(self, client: int | None = None, number: int | None = None) -> None:
        """No hand holds anything here."""

    def touch(self, given: Touch, client: int = 0) -> None:
        """Refused."""
        raise UsageError(FIXED)

    def target(self, joint: str, values: Sequence[float], what: str = "position") -> None:
        """Refused."""
        raise UsageError(FIXED)

    def undo(self) -> bool:
        """Nothing can be undone."""
        return False

    def frame(self, *, reactions: bool = False) -> LiveFrame:
        """How it stands."""
        q = self.page.start()
        for joint in self.page.joints:
            if joint.q.stop > joint.q.start:
                q[joint.q] = np.ravel(self.row.joints[joint.name])
        facts = dict.fromkeys(LiveFacts._fields, 0.0) | {
            "time": self.time, "pace": self.pace, "clearance": np.inf, "near_link": -1.0,
            "near_object": -1.0, "least": np.inf, "least_object": -1.0,
            "recorded_from": self.log.start, "recorded": self.log.end,
        }  # fmt: skip
        assert len(facts) == size_of(LiveFacts)
        nothing = np.zeros(self.page.nv)
        objects = [np.ravel(self.row.joints[name]) for name in self.objects]
        return LiveFrame(
            LiveFacts(**facts), q, nothing, nothing, [], np.array(objects).reshape(-1, 7),
            signals=self.world.numbers(),
        )  # fmt: skip

    def close(self) -> None:
        """Close the file."""
        self.log.close()
