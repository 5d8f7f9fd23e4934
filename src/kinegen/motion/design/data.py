"""What a search for a design finds, and reports while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kinegen.kernels import Floats
from kinegen.results import Columns, Result

__all__ = ["Candidate", "Design", "DesignProgress", "Improvement", "Progress"]

SAME = 1e-3
"""Designs whose parameters differ by less, as shares of their ranges, are one."""
USUAL = 40
"""Steps of a start, about."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate(Result):
    """The result of one start of a design."""

    start: int
    parameters: dict[str, float]
    """Values of the free parameters [SI, rad]."""
    error: float
    """Mean distance (root of the mean square) of the frame from the target points [m]."""
    worst: float
    """Largest distance [m]."""
    share: float
    """Largest distance as a share of the target points' extent."""
    q: Floats
    """A closed configuration at each target point, (n, nq)."""
    connected: bool
    """Whether one motion passes all points without opening a loop: no branch defect."""
    clearance: float
    """Least distance from a singular pose, dimensionless; infinite where there is none."""
    motion: Floats
    """Configurations in turn: a whole turn of the input, else those at the target points."""

    def is_like(self, other: Candidate, ranges: Mapping[str, tuple[float, float]]) -> bool:
        """Whether two starts led to the same design.

        Args:
            other: The result of another start.
            ranges: Lowest and highest value of each free parameter.
        """
        return (
            max(
                abs(other.parameters[name] - value) / (ranges[name][1] - ranges[name][0])
                for name, value in self.parameters.items()
            )
            < SAME
        )


@dataclass(frozen=True, slots=True, eq=False)
class DesignProgress:
    """How far a search has come; handed to the callback after every step and some tries."""

    start: int
    """Which of the starts."""
    starts: int
    iteration: int
    error: float
    """Mean distance (root of the mean square) from the target points [m], clearance included."""
    best: float
    """The least of all starts [m]."""
    parameters: dict[str, float]
    tried: int
    """Random designs that were tried so far."""
    is_best: bool
    """Whether these are the best parameters so far."""
    motion: Callable[[], Floats]
    """Gives configurations in turn, as in :class:`Candidate`; to be called at once."""
    found: Candidate | None = None
    """Where this start has led, at its last report."""

    def share(self, tries: int) -> float:
        """About how much of a search with so many random designs is done, 0 … 1."""
        # trying takes about as long as a start or two
        done = self.start + min(1.0, self.iteration / USUAL) + self.tried / max(tries, 1)
        return min(1.0, done / (self.starts + 1))


@dataclass(frozen=True, slots=True)
class Improvement:
    """A design that was the best so far."""

    parameters: dict[str, float]
    """Values of the free parameters [SI, rad]."""
    error: float
    """Mean distance (root of the mean square) from the target points [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Design(Result):
    """The parameters of a design, and how well they fit the goal."""

    parameters: dict[str, float]
    """Values of the free parameters [SI, rad]."""
    error: float
    """Mean distance (root of the mean square) of the frame from the target points [m]."""
    worst: float
    """Largest distance [m]."""
    share: float
    """Largest distance as a share of the target points' extent."""
    q: Floats
    """A closed configuration at each target point, (n, nq)."""
    connected: bool
    """Whether one motion passes all points without opening a loop: no branch defect."""
    clearance: float
    """Least distance from a singular pose, dimensionless; infinite where there is none."""
    extent: float
    """Diagonal of the box around the target points [m]."""
    starts: int
    steps: int
    cancelled: bool
    history: tuple[Improvement, ...]
    """Every design that was the best so far, for previews and undo."""
    candidates: tuple[Candidate, ...]
    """Results of all starts, the best first."""

    def columns(self) -> Columns:
        """A row per candidate, the best first: its parameters [SI, rad] and its error."""
        rows = self.candidates
        return {
            **{name: [row.parameters[name] for row in rows] for name in self.parameters},
            "error [m]": [row.error for row in rows],
            "worst [m]": [row.worst for row in rows],
            "clearance": [row.clearance for row in rows],
            "connected": [row.connected for row in rows],
        }


Progress = Callable[[DesignProgress], bool | None]
"""Called after every step; returning False stops the search with the best design so far."""
