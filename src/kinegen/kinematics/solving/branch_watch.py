"""BranchWatch: whether a motion has come to another side of a singular pose."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from kinegen.errors import AssemblyError
from kinegen.kernels import Floats
from kinegen.kernels.singular_protocol import AIM_LIMIT
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.mechanism.model import Model

__all__ = ["BranchWatch"]

_known: WeakKeyDictionary[Model, dict[tuple[str, ...], BranchSigns]] = WeakKeyDictionary()
"""Signs found before: looking for their structure is slow, reading them is not."""


class BranchWatch:
    """The signs of a mechanism's branches at one pose, to compare later ones with."""

    def __init__(self, model: Model, q: Floats, handles: Sequence[Handle]) -> None:
        frames = tuple(dict.fromkeys(handle.frame for handle in handles if not handle.pin))
        known = _known.setdefault(model, {})
        self._signs: BranchSigns | None = None
        if len(frames) > AIM_LIMIT:
            return  # so many frames determine no branch
        try:
            if frames not in known:
                known[frames] = BranchSigns(model, list(frames) or None, home=q)
            self._before = known[frames].signs(q)
            self._signs = known[frames]
        except AssemblyError:
            return  # an open start has no branch yet

    def crossed(self, q: Floats) -> tuple[str, ...]:
        """Names of what changed sides since."""
        if self._signs is None:
            return ()
        now = zip(self._signs.names, self._before, self._signs.signs(q), strict=True)
        return tuple(dict.fromkeys(name for name, a, b in now if a * b < 0))
