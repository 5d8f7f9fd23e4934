"""What a search for a design finds, and tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kinegen.kernels import Floats

__all__ = ["Candidate", "Design", "DesignProgress", "Progress"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Where one start has led."""

    start: int
    parameters: dict[str, float]
    """Values of the free parameters [SI, rad]."""
    error: float
    """Mean distance (root of the mean square) of the frame from the wanted points [m]."""
    worst: float
    """Largest distance [m]."""
    share: float
    """Largest distance as a share of the wanted points' extent."""
    q: Floats
    """A closed configuration at each wanted point, (n, nq)."""
    connected: bool
    """Whether one motion passes all points without being taken apart: no branch defect."""
    clearance: float
    """Least distance from a singular pose, dimensionless; infinite where there is none."""
    motion: Floats
    """Configurations in turn: a whole turn of the input, else those at the wanted points."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignProgress:
    """How far a search has come; handed to the callback after every step and some tries."""

    start: int
    """Which of the starts."""
    starts: int
    iteration: int
    error: float
    """Mean distance (root of the mean square) from the wanted points [m], clearance included."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Parameters that were found, and how well they do."""

    parameters: dict[str, float]
    """Values of the free parameters [SI, rad]."""
    error: float
    """Mean distance (root of the mean square) of the frame from the wanted points [m]."""
    worst: float
    """Largest distance [m]."""
    share: float
    """Largest distance as a share of the wanted points' extent."""
    q: Floats
    """A closed configuration at each wanted point, (n, nq)."""
    connected: bool
    """Whether one motion passes all points without being taken apart: no branch defect."""
    clearance: float
    """Least distance from a singular pose, dimensionless; infinite where there is none."""
    starts: int
    steps: int
    cancelled: bool
    history: tuple[tuple[dict[str, float], float], ...]
    """Every design that was the best so far, with its error, for previews and undo."""
    candidates: tuple[Candidate, ...]
    """Where each start has led, the best first."""


Progress = Callable[[DesignProgress], bool | None]
"""Called after every step; returning False stops the search with the best design so far."""
