"""Equations of an MJCF file: connections of bodies are loops, relations of joints are couplings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.formats.robots.read.conversion.hinge_pairs import joined_hinges
from kinegen.formats.robots.read.robot import (
    Mimic,
    MotionKind,
    RobotCam,
    RobotJoint,
    RobotRelation,
)
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import Transform, from_quat, inverse

if TYPE_CHECKING:
    from kinegen.formats.robots.read.mjcf_reader.model import MjcfModel

__all__ = ["read_equations"]

_BODY, _SITE = 1, 6
"""What equations connect, as MuJoCo numbers it."""
_CONNECT, _WELD, _JOINT, _TENDON = 0, 1, 2, 3
"""Kinds of equations, as MuJoCo numbers them."""
_WRAPS_JOINT = 1
"""What a fixed tendon winds around, as MuJoCo numbers it."""


def read_equations(found: MjcfModel) -> None:
    """Add the loops and couplings of a model to its robot."""
    model, robot = found.model, found.robot
    for i in range(model.neq):
        at = found.place("equality", i)
        name = model.equality(i).name or f"loop{i + 1}"
        kind, connects = int(model.eq_type[i]), int(model.eq_objtype[i])
        if not model.eq_active0[i]:
            robot.leave_out(at, f"<equality> '{name}', which is not active")
        elif kind in (_CONNECT, _WELD) and connects == _BODY:
            _body_loop(found, i, name, at)
        elif kind in (_CONNECT, _WELD) and connects == _SITE:
            _site_loop(found, i, name, at)
        elif kind == _JOINT:
            _joints(found, i, name, at)
        elif kind == _TENDON and _tendons(found, i, name, at):
            continue
        else:
            robot.leave_out(at, f"<equality> '{name}'")
    robot.loops = joined_hinges(robot.loops)


def _body_loop(found: MjcfModel, i: int, name: str, at: Element | int) -> None:
    """MuJoCo's connect is a ball joint, its weld a fixed one."""
    model, data = found.model, found.model.eq_data[i]
    if int(model.eq_type[i]) == _CONNECT:
        X_P, X_O, kind = _pose(data[:3]), _pose(data[3:6]), MotionKind.BALL
    else:  # anchor in the second body; pose of the second in the first
        X_P, X_O, kind = _pose(data[3:6], data[6:10]), _pose(data[:3]), MotionKind.FIXED
    parent, child = (found.bodies[int(ids[i])] for ids in (model.eq_obj1id, model.eq_obj2id))
    _add_loop(found, RobotJoint(name, kind, parent, child, at, X_P, X_JC=inverse(X_O)))


def _site_loop(found: MjcfModel, i: int, name: str, at: Element | int) -> None:
    """A connection of two sites: their points, or their whole frames."""
    model = found.model
    sites = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    found.consumed |= {*sites}
    is_weld = int(model.eq_type[i]) == _WELD
    X_P, X_O = (
        _pose(model.site_pos[s], model.site_quat[s]) if is_weld else _pose(model.site_pos[s])
        for s in sites
    )
    parent, child = (found.bodies[model.site_bodyid[s]] for s in sites)
    kind = MotionKind.FIXED if is_weld else MotionKind.BALL
    _add_loop(found, RobotJoint(name, kind, parent, child, at, X_P, X_JC=inverse(X_O)))


def _add_loop(found: MjcfModel, loop: RobotJoint) -> None:
    loop.has_motor = False
    found.robot.loops.append(loop)


def _joints(found: MjcfModel, i: int, name: str, at: Element | int) -> None:
    """A joint's variable as a polynomial of another one's, both counted from their references."""
    model, robot, data = found.model, found.robot, found.model.eq_data[i]
    one, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    joint = robot.joints[found.joint_names[one]]
    if other < 0:
        text = f"<equality> '{name}', which holds joint '{joint.name}' in place"
        robot.leave_out(at, text)
        return
    leader = found.joint_names[other]
    at_one, at_other = model.qpos0[model.jnt_qposadr[[one, other]]]
    powers = np.polynomial.Polynomial(data[:5])(np.polynomial.Polynomial([-at_other, 1.0]))
    factors = [float(one) for one in powers.coef]
    factors[0] += float(at_one)
    if any(data[2:5]):
        robot.couplings.append(RobotCam(name, at, joint.name, leader, tuple(factors)))
    elif joint.mimic is None:
        joint.mimic = Mimic(leader, factors[1], factors[0])
    else:
        terms = ((joint.name, 1.0), (leader, -factors[1]))
        robot.couplings.append(RobotRelation(name, at, terms, factors[0]))


def _tendons(found: MjcfModel, i: int, name: str, at: Element | int) -> bool:
    """A fixed tendon of constant length is a linear relation of joints."""
    model, data = found.model, found.model.eq_data[i]
    tendon, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    if other >= 0 or data[1:5].any():
        return False
    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    wraps = range(first, first + count)
    if count < 2 or any(int(model.wrap_type[k]) != _WRAPS_JOINT for k in wraps):
        return False
    terms = [(found.joint_names[int(model.wrap_objid[k])], float(model.wrap_prm[k])) for k in wraps]
    # the tendon keeps the length that it has in the reference pose, plus the constant
    total = float(model.tendon_length0[tendon] + data[0])
    found.robot.couplings.append(RobotRelation(name, at, tuple(terms), total))
    found.consumed_tendons.add(tendon)
    return True


def _pose(xyz: Any, quat: Any = (1.0, 0.0, 0.0, 0.0)) -> Transform:
    return from_quat([float(one) for one in xyz], [float(one) for one in quat])
