"""Timeline: the steps of a world that can be repeated, and where somebody intervened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kinegen.errors import UsageError
from kinegen.world.clock.keyframes import Keyframes

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["TimeSpan", "Timeline"]


class TimeSpan(NamedTuple):
    """From one time to another [s]."""

    first: float
    last: float


class Timeline:
    """Where a world has been, so that it can go there again.

    What came later stays, so that it can be gone to again, until somebody intervenes: then the
    world takes another way.
    """

    def __init__(self, world: World, period: float) -> None:
        """Nothing has happened yet; ``period`` [s] is that of the moments that are kept."""
        self._world = world
        self.keyframes = Keyframes(period, world.settings.step)
        """Moments that the world can begin from again."""
        world.people.watch = self._people_changed
        world.people.overflow = self.keyframes.forget_before
        self._has_changed = False
        """Whether somebody intervened since the last step: the way here cannot be run again."""
        self.reached = 0
        """The last step that was made since somebody intervened."""
        self._came_by = -1
        """The last step at which somebody intervened, or to which it was brought back."""
        self._is_replaying = False
        """Whether steps are made that were made before."""

    @property
    def first(self) -> int:
        """The earliest step that can be gone to."""
        first = self.keyframes.first
        return self._world.count if first is None else first

    def intervened(self) -> None:
        """Somebody changed something by hand."""
        self._has_changed = True

    def begin_step(self) -> None:
        """Keep the moment before a step where that is due, and forget what becomes different."""
        world, count = self._world, self._world.count
        if self._has_changed:
            self._has_changed = False
            if self._came_by != count:
                world.people.forget_from(count)  # placements of the last time
            self._forget_later()
            self.keyframes.add_change(world.snapshot())
            self._came_by = count
            return
        if self._is_replaying:
            world.people.replay(count)
        elif self._departs:
            # here somebody intervened the last time, and nobody does now
            self._forget_from_here()
            return
        if self.keyframes.is_due(count):
            self.keyframes.add(world.snapshot())

    def end_step(self) -> None:
        """A step was made."""
        self.reached = max(self.reached, self._world.count)

    def brought_back(self) -> None:
        """The world stands at one of its own moments again."""
        self._has_changed, self._came_by = False, self._world.count

    def restored(self) -> None:
        """The world stands at a moment that may belong to another run."""
        self._has_changed = True
        self._forget_later()
        self._world.people.forget_from(self._world.count)

    def go_to(self, time: float) -> None:
        """Go to a time [s]: to the last moment kept before it, then on by making the steps."""
        world = self._world
        last = round(time / world.settings.step)
        start = self.keyframes.before(last)
        if last < world.count:
            if start is None:
                raise UsageError(
                    f"no snapshots exist before {time:g} s: create the world with keyframes=1"
                )
            world.bring_back(start)
            world.stage.notify("world", f"went back to {time:g} s", good=True)
        elif start is not None and start.count > world.count and not self._has_changed:
            world.bring_back(start)
        self._is_replaying = not (self._has_changed or self._departs)
        try:
            while world.count < last and not world.reason:
                self._is_replaying = self._is_replaying and world.count < self.reached
                world.step()
            if self._is_replaying:
                world.people.replay(world.count)
                self._came_by = world.count
        finally:
            self._is_replaying = False

    @property
    def _departs(self) -> bool:
        """Whether somebody intervened here the last time, and nobody does now."""
        count = self._world.count
        was_changed = self.keyframes.has_change(count) or self._world.people.was_changed(count)
        return was_changed and self._came_by != count

    def _forget_later(self) -> None:
        """What came later will become different."""
        self.keyframes.forget_after(self._world.count)
        self._world.people.forget_from(self._world.count + 1)
        self.reached = self._world.count

    def _forget_from_here(self) -> None:
        """What was done here and later will become different."""
        self.keyframes.forget_after(self._world.count - 1)
        self._world.people.forget_from(self._world.count)
        self.reached = self._world.count

    def _people_changed(self) -> int:
        """Somebody is placed or removed: what came later will become different.

        No moment is kept for this: the people remember each placement and its step.
        """
        if self._departs:
            self._forget_from_here()
        elif self._world.count < self.reached:
            self._forget_later()
        self._came_by = self._world.count
        return self._world.count
