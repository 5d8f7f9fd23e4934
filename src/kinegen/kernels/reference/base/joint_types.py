"""The table of joint types by code, as the NumPy kernels look it up."""

from __future__ import annotations

from kinegen.joint_types import JointType

TRAITS = tuple(kind.info for kind in JointType)
"""Of each type, by its code."""
REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, FIXED = (
    info.code for info in TRAITS
)
NQ = tuple(info.nq for info in TRAITS)
NV = tuple(info.nv for info in TRAITS)
QUATERNIONS = frozenset(info.code for info in TRAITS if info.has_quaternion)
"""Types whose q begins with a quaternion."""
LENGTHS = tuple([k for k in range(info.nv) if info.is_length[k]] for info in TRAITS)
"""Which variables of a type slide."""
WHOLE_TURNS = tuple(
    [k for k in range(info.nv) if not (info.is_length[k] or info.has_pitch or info.has_quaternion)]
    for info in TRAITS
)
"""Which variables of a type may change by whole turns that move nothing."""
