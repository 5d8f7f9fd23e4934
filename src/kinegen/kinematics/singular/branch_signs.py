"""Branches by signs: on which side of each singularity a mechanism stands."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from kinegen.errors import AssemblyError
from kinegen.kernels import Floats
from kinegen.kernels.protocols.singular import AIM_LIMIT
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.singularity import Probe
from kinegen.kinematics.singular.task_rows import Tasks
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["BranchSigns", "BranchWatch", "branch_signature"]

_ZERO = 1e-9
"""Values below this are those of a singular pose."""
_known: WeakKeyDictionary[Model, dict[tuple[str, ...], BranchSigns]] = WeakKeyDictionary()
"""Signs found before: looking for their structure is slow, reading them is not."""


class BranchSigns:
    """Signs that distinguish the branches of a mechanism; the same number in every pose.

    The frames' rows with the loop rows determine all joints, and so do the loop rows over the
    joints without inputs. Each of these systems falls into the smallest blocks that determine one
    another in turn: for an arm its shoulder, elbow and wrist, for a parallel robot its legs. A
    block's determinant is zero at a singular pose, and its sign gives the side.
    """

    def __init__(
        self,
        model: AnyModel,
        tasks: Tasks | None = None,
        *,
        inputs: Sequence[str] | None = None,
        start: Configuration = None,
    ) -> None:
        """Find the blocks.

        Args:
            model: the compiled mechanism.
            tasks: frames that are moved; without any, only the loops count.
            inputs: joints that are driven; by default those with motors.
            start: any ordinary pose; by default the assembled start.
        """
        model = model_of(model)
        self.probe = Probe(model, assemble(model, start, limits=False).q, tasks, inputs)
        labels = [
            joint.name if len(joint.type.info.variables) == 1 else f"{joint.name} {variable}"
            for joint in model.joints
            for variable, _ in joint.type.info.variables
        ]
        self.names: tuple[str, ...] = tuple(
            ("held: " if held else "") + "+".join(labels[i] for i in variables)
            for held, variables in self.probe.monitor.blocks()
        )
        """Variables of the block that each sign belongs to; 'held: …' where the inputs hold."""

    def values(self, q: Floats) -> Floats:
        """Smallest singular value of each block, with the sign of its determinant.

        It changes smoothly through zero where a singularity is crossed.
        """
        return self.probe.monitor.signs(q)

    def signs(self, q: Floats) -> tuple[int, ...]:
        """-1, 1, or 0 at a singularity, for each block."""
        return tuple(0 if abs(x) < _ZERO else int(np.sign(x)) for x in self.values(q))


def branch_signature(
    model: AnyModel,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    inputs: Sequence[str] | None = None,
) -> tuple[int, ...]:
    """Signs that change exactly when a singular pose is crossed; 0 at a singular pose.

    Two poses with different signatures are on different branches: no motion between them avoids the
    singular poses. Mechanisms that are redundant for their frames, or whose inputs do not determine
    them, have no such branches, and their signature is short or empty. For many poses of one model,
    reuse a :class:`BranchSigns`, which also names the signs.
    """
    model = model_of(model)
    here = configuration(model, q)
    try:
        signs = BranchSigns(model, tasks, inputs=inputs)
    except AssemblyError:  # the file's own start does not close
        signs = BranchSigns(model, tasks, inputs=inputs, start=here)
    return signs.signs(here)


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
                known[frames] = BranchSigns(model, list(frames) or None, start=q)
            self._before = known[frames].signs(q)
            self._signs = known[frames]
        except AssemblyError:
            return  # an open start has no branch yet

    def crossed(self, q: Floats) -> tuple[str, ...]:
        """Names of what changed sign since."""
        if self._signs is None:
            return ()
        now = zip(self._signs.names, self._before, self._signs.signs(q), strict=True)
        return tuple(dict.fromkeys(name for name, a, b in now if a * b < 0))
