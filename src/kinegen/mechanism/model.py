"""Model: a mechanism compiled to arrays and index maps; structure frozen, numbers live."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kinegen.errors import NumberError, UsageError, unknown_name
from kinegen.kernels import (
    Blocks,
    BoundDynamics,
    BoundModel,
    BoundSolver,
    Counts,
    Floats,
    Ints,
    bind,
    dynamics,
    solver,
)
from kinegen.kernels.layout import INERTIA_SIZE, TRANSFORM_SIZE
from kinegen.mechanism.compiling.number_slots import NumberSlot, NumberSlots
from kinegen.mechanism.model_parts import (
    CouplingTerm,
    JointIndex,
    LinkMass,
    ModelCoupling,
    ModelFrame,
    ModelJoint,
    ModelLoop,
    SiteIndex,
)
from kinegen.mechanism.parameters import Parameters, is_finite

if TYPE_CHECKING:
    from kinegen.mechanism.graph import Mechanism

__all__ = ["Model"]


class Model:
    """A compiled mechanism.

    The structure (which link carries which, by which joints) never changes; the numbers do, in
    place and without compiling again: ``model.parameters['crank'] = 0.2`` or
    ``model.set_number('A', 'd', 0.2)``. The base is link 0 and its frame is the world W. q stacks
    the joints in the file's order.
    """

    # attributes and not properties: every call looks at them
    nq: Final[int]
    """Size of a configuration q."""
    nv: Final[int]
    """Size of a velocity v: the variables of all joints, before the loops constrain them."""
    link_count: Final[int]
    """Number of links, the base included."""
    site_names: Final[tuple[str, ...]]
    """Names of all sites: links first, then frames."""

    def __init__(
        self,
        name: str,
        blocks: Blocks,
        *,
        link_names: tuple[str, ...],
        joints: tuple[ModelJoint, ...],
        loops: tuple[ModelLoop, ...],
        frames: tuple[ModelFrame, ...],
        couplings: tuple[ModelCoupling, ...] = (),
        parameter_slots: Mapping[str, NumberSlot],
        formulas: tuple[tuple[str, str], ...],
        link_shapes: tuple[Any, ...],
        link_collisions: tuple[Any, ...],
        link_colors: tuple[str | None, ...],
        link_masses: tuple[LinkMass, ...],
        compiled_from: Mechanism | bytes,
        mode: str | None = None,
    ) -> None:
        self.name = name
        self.mode = mode
        """Assembly mode that the file names: signs or a number; None where it names none."""
        self.blocks = blocks
        self.nq = blocks.counts.nq
        self.nv = blocks.counts.nv
        self.link_count = blocks.counts.link
        self.link_names = link_names
        self.joints = joints
        self.loops = loops
        self.frames = frames
        self.couplings = couplings
        """Relations between joint variables; their rows are behind those of the loops."""
        self.constraint_count = blocks.counts.loop
        """Loops and couplings together: rows of their equations come in sixes."""
        self.quaternion_joints = tuple(joint for joint in joints if joint.type.info.has_quaternion)
        """Joints whose part of q begins with a quaternion wxyz."""
        self.link_shapes = link_shapes
        """Shape of each link as in the file: 'auto', 'none', a mesh, primitives."""
        self.link_collisions = link_collisions
        """Shape for contacts of each link as in the file, None where it is the shape itself."""
        self.link_colors = link_colors
        """Colour of each link as in the file, None where not given."""
        self.formulas = formulas
        """(what it gives, its text) of each formula, in the order they run."""
        self.kernels: BoundModel = bind(blocks.ints, blocks.reals)
        self._solver: BoundSolver | None = None
        self._dynamics: BoundDynamics | None = None
        self._compiled_from = compiled_from
        self._packed = compiled_from if isinstance(compiled_from, bytes) else None
        self._link_masses = link_masses
        self._masses_due = not all(given.is_whole for given in link_masses[1:])
        self._size: float | None = None
        self.parameters = Parameters(self, parameter_slots)
        self._joint_index = {joint.name: i for i, joint in enumerate(joints)}
        self._sites = {name: SiteIndex(i) for i, name in enumerate(link_names)}
        behind = enumerate(frames, len(link_names))
        self._sites.update({frame.name: SiteIndex(i) for i, frame in behind})
        self.site_names = tuple(self._sites)
        self.raise_for(self.kernels.update())

    def __reduce__(self) -> tuple[Any, ...]:
        """Created again from its two blocks and its names, so that it passes between processes."""
        names = {
            "link_names": self.link_names,
            "joints": self.joints,
            "loops": self.loops,
            "frames": self.frames,
            "couplings": self.couplings,
            "parameter_slots": dict(self.parameters.slots),
            "formulas": self.formulas,
            "link_shapes": self.link_shapes,
            "link_collisions": self.link_collisions,
            "link_colors": self.link_colors,
            "link_masses": tuple(map(copy, self._link_masses)),  # the only parts that change
            "compiled_from": self._packed_mechanism(),
            "mode": self.mode,
        }
        return _remade, (self.name, self.ints, self.reals, names)

    def __repr__(self) -> str:
        sizes = [("joint", len(self.joints)), ("loop", len(self.loops))]
        if self.couplings:
            sizes.append(("coupling", len(self.couplings)))
        parts = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in sizes)
        return f"Model('{self.name}', {parts}, nq={self.nq}, nv={self.nv})"

    @property
    def compiled_from(self) -> Mechanism:
        """The mechanism at the time of compiling; do not edit it.

        It contains what the arrays do not: motors, springs between points, surfaces, objects.
        Numbers that have changed since then are only in the model.
        """
        if isinstance(self._compiled_from, bytes):
            import pickle  # only for models of other processes

            unpacked: Mechanism = pickle.loads(zlib.decompress(self._compiled_from))
            self._compiled_from = unpacked
        return self._compiled_from

    def _packed_mechanism(self) -> bytes:
        """The mechanism for another process: packed once, unpacked only where it is needed."""
        if self._packed is None:
            import pickle

            self._packed = zlib.compress(pickle.dumps(self._compiled_from), level=1)
        return self._packed

    # Sizes

    @property
    def counts(self) -> Counts:
        """The number of elements of each kind."""
        return self.blocks.counts

    # Arrays

    @property
    def ints(self) -> Ints:
        """The frozen block: structure."""
        return self.blocks.ints

    @property
    def reals(self) -> Floats:
        """The live block: parameters, numbers, transforms. Written by the kernels only."""
        return self.blocks.reals

    @property
    def transforms(self) -> Floats:
        """Placed frames (placement_count, 12): rotation by rows, translation [m]."""
        return self.blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)

    @property
    def lower(self) -> Floats:
        """Lower joint limits per v [rad, m]; -inf if there is none."""
        return self.blocks.real_part("lower")

    @property
    def upper(self) -> Floats:
        """Upper joint limits per v [rad, m]; inf if there is none."""
        return self.blocks.real_part("upper")

    @property
    def speed(self) -> Floats:
        """Largest motor speeds per v [rad/s, m/s]; inf if not given."""
        return self.blocks.real_part("speed")

    @property
    def effort(self) -> Floats:
        """Largest motor torques or forces per v [N m, N]; inf if not given."""
        return self.blocks.real_part("effort")

    @property
    def inertia(self) -> Floats:
        """Mass [kg], centre [m], inertia xx yy zz xy xz yz [kg m²] per link, (link_count, 10).

        Values that the file does not give are computed from the shapes of the links
        (``mechanism.masses``).
        """
        if self._masses_due:
            self._fill_masses()
        return self.blocks.real_part("inertia").reshape(-1, INERTIA_SIZE)

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity, world axes [m/s²], (3,)."""
        return self.blocks.real_part("gravity")

    @property
    def size(self) -> float:
        """The mechanism's own size [m]: the mean reach of its placed frames, 1 if it has none."""
        if self._size is None:
            reach = np.abs(self.transforms[:, 9:]).sum(axis=1)
            placed = reach[reach > 0]
            self._size = float(placed.mean()) if len(placed) else 1.0
        return self._size

    @property
    def solver(self) -> BoundSolver:
        """The solver of this model, created at first use; do not share it between threads."""
        if self._solver is None:
            self._solver = solver(self.blocks.ints, self.blocks.reals)
        return self._solver

    @cached_property
    def dynamics(self) -> BoundDynamics:
        """The dynamics of this model, created at first use; do not share it between threads."""
        # asked for again whenever masses are due (forget_derived): calls need not look
        if self._masses_due:
            self._fill_masses()
        self._dynamics = self._dynamics or dynamics(self.blocks.ints, self.blocks.reals)
        return self._dynamics

    def _fill_masses(self) -> None:
        """Masses that follow from shapes, as the numbers are now."""
        # imported here: kinematics never needs it
        from kinegen.mechanism.compiling.masses import fill_masses

        self._masses_due = False
        rows = self.blocks.real_part("inertia").reshape(-1, INERTIA_SIZE)
        fill_masses(self, self._link_masses, rows)

    def forget_derived(self, owner: str = "", key: str = "") -> None:
        """Discard everything derived from numbers that are about to change.

        Args:
            owner: The link whose own number is given from now on, '' for none.
            key: The number.
        """
        self._size = None
        part = key.partition(".")[0]
        if part in ("mass", "centre", "inertia") and owner in self._sites:
            setattr(self._link_masses[self._sites[owner]], part, True)
        self._masses_due = not all(given.is_whole for given in self._link_masses[1:])
        if self._masses_due:
            self.__dict__.pop("dynamics", None)

    # Configurations

    def zero(self) -> Floats:
        """The neutral q: every variable 0, every quaternion the identity."""
        q = np.zeros(self.nq)
        for joint in self.quaternion_joints:
            q[joint.q.start] = 1.0
        return q

    def start(self) -> Floats:
        """The file's starting q."""
        q = self.blocks.real_part("start").copy()
        for joint in self.quaternion_joints:
            quat = q[joint.q.start : joint.q.start + 4]
            length = math.hypot(*quat)
            if length == 0:
                raise NumberError(
                    f"the start of joint '{joint.name}' is a quaternion of length 0, which is not "
                    "a rotation; the identity is 1 0 0 0"
                )
            quat /= length
        return q

    # Names

    def constraint_text(self, number: int) -> str:
        """A loop or coupling by its number, for a sentence: ``the loop closed by 'C'``."""
        if number >= len(self.loops):
            return self.couplings[number - len(self.loops)].text
        return f"the loop closed by '{self.joints[self.loops[number].joint].name}'"

    def coupling_terms(self, coupling: ModelCoupling) -> list[CouplingTerm]:
        """The variables of a coupling with their current ratios."""
        first = int(self.blocks.int_part("term_start")[coupling.loop - len(self.loops)])
        count = len(coupling.joints)
        places = self.blocks.int_part("term_v")[first : first + count].tolist()
        ratios = self.blocks.real_part("ratio")[first : first + count].tolist()
        joints = [self.joints[i] for i in coupling.joints]
        return [
            CouplingTerm(joint, v - joint.v.start, ratio)
            for joint, v, ratio in zip(joints, places, ratios, strict=True)
        ]

    def coupling_offset(self, coupling: ModelCoupling) -> float:
        """Current sum of the terms of a coupling, minus the profile of a cam [rad, m]."""
        return float(self.blocks.real_part("offset")[coupling.loop - len(self.loops)])

    def joint(self, name: str) -> ModelJoint:
        """A joint by name."""
        return self.joints[self.joint_index(name)]

    def joint_index(self, name: str) -> JointIndex:
        """A joint's index by name."""
        try:
            return JointIndex(self._joint_index[name])
        except KeyError:
            raise unknown_name(
                "joint", name, f"mechanism '{self.name}'", self._joint_index
            ) from None

    def site(self, name: str) -> SiteIndex:
        """A link or a frame by name; if both have the name, the frame."""
        try:
            return self._sites[name]
        except KeyError:
            names = [frame.name for frame in self.frames] + list(self.link_names)
            raise unknown_name("frame", name, f"mechanism '{self.name}'", names) from None

    # Numbers

    def number(self, owner: str, key: str) -> float:
        """The current value of a number of a joint or frame, such as ``number('B', 'd')`` [SI]."""
        return float(self.reals[self.number_slot(owner, key).index])

    def set_number(self, owner: str, key: str, value: float) -> None:
        """Change one number of a joint or frame in place, such as ``set_number('B', 'd', 0.2)``."""
        slot = self.number_slot(owner, key)
        if slot.formula is not None:
            raise NumberError(
                f"'{key}' of '{owner}' follows the formula '{slot.formula}'; set its parameters, "
                "or replace the formula in the mechanism and compile again"
            )
        if not is_finite(value):
            raise NumberError(
                f"'{key}' of '{owner}' cannot be {value!r}: use a finite number [SI, rad]"
            )
        self.forget_derived(owner, key)
        self.kernels.set_number(slot.index, value)

    def varied(self, parameters: Mapping[str, float]) -> Model:
        """A copy with other values of some parameters; those that follow from others stay so.

        Args:
            parameters: Values by name; names that the mechanism does not have are passed over.
        """
        made = deepcopy(self)
        for name, value in parameters.items():
            if name in made.parameters and made.parameters.formula(name) is None:
                made.parameters[name] = value
        return made

    def take_numbers(self, other: Model) -> None:
        """Copy all parameters and numbers of a model with the same joints and frames."""
        self.forget_derived()
        for name, slot in other.parameters.slots.items():
            self.reals[self.parameters.slots[name].index] = other.reals[slot.index]
        for owner in other._number_slots.owners():
            for key in other._number_slots.keys(owner):
                here, there = self.number_slot(owner, key), other.number_slot(owner, key)
                self.reals[here.index] = other.reals[there.index]
        masses = dict(zip(other.link_names, other._link_masses, strict=True))
        self._link_masses = tuple(
            copy(masses.get(name, own))
            for name, own in zip(self.link_names, self._link_masses, strict=True)
        )
        self.raise_for(self.kernels.update())
        self.forget_derived()

    @cached_property
    def _number_slots(self) -> NumberSlots:
        return NumberSlots(self)

    def number_slot(self, owner: str, key: str) -> NumberSlot:
        """Where a number of a joint or frame is stored, and the formula it follows."""
        slot = self._number_slots.get(owner, key)
        if slot is None:
            keys = self._number_slots.keys(owner)
            if keys:
                raise unknown_name("number", key, f"'{owner}'", keys)
            raise unknown_name(
                "joint or frame",
                owner,
                f"mechanism '{self.name}'",
                self._number_slots.owners(),
                plural="joints and frames",
            )
        return slot

    def raise_for(self, status: int) -> None:
        """Turn a kernel's return value into an error that names the formula."""
        if status > 0:
            what, text = self.formulas[status - 1]
            raise NumberError(
                f"{what} = '{text}' in mechanism '{self.name}' has no finite value with these "
                "parameters"
            )
        if status < 0:
            raise UsageError(f"mechanism '{self.name}' has no such number")


def _remade(name: str, ints: Ints, reals: Floats, names: dict[str, Any]) -> Model:
    """A model as another process had it."""
    # copies: what comes over a wire may not be written to
    blocks = Blocks(np.array(ints), np.array(reals))
    blocks.ints.flags.writeable = False
    return Model(name, blocks, **names)
