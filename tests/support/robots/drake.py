"""A robot as Kinegen reads it from an SDF file beside the same robot in Drake.

Drake reads SDF by libsdformat, which Gazebo reads it with too. What Drake does not read is removed
from its text before: joints that close loops, gearboxes, shapes.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np

import kinegen as kg
from kinegen import JointType
from tests.support.robots.files import FOLDER, once, pip
from tests.support.robots.twins import least_force, renamed, rounding_joints, unequal

__all__ = ["compare_with_drake", "drake"]

VERSION = "1.51.1"
_REMOVED = {"visual", "collision", "plugin", "contact", "sensor"}
_TINY = 1e-9
"""[kg]: libsdformat replaces a mass of 0 by 1 kg."""


def drake(name: str) -> Any:
    """A module of Drake, which is fetched into a folder of its own at the first use."""
    home = FOLDER / f"drake-{VERSION}"
    with once(home) as is_needed:
        if is_needed:
            pip(["install", "--target", str(home)], f"drake=={VERSION}")
    if str(home) not in sys.path:
        sys.path.append(str(home))
    return importlib.import_module(f"pydrake.{name}")


def compare_with_drake(mechanism: kg.Mechanism, text: str, seed: int = 0) -> list[str]:
    """What differs between a robot and Drake's of the same SDF text; empty if nothing does."""
    loops = {name for name, joint in mechanism.joints.items() if joint.closes is not None}
    loops |= rounding_joints(mechanism)
    plant = drake("multibody.plant").MultibodyPlant(0.0)
    parser = drake("multibody.parsing").Parser(plant)
    parser.SetAutoRenaming(True)
    instances = parser.AddModelsFromString(for_drake(text, loops), "sdf")
    plant.Finalize()
    model, context = mechanism.compile(), plant.CreateDefaultContext()
    joints = {given: name for name, given in renamed(mechanism, "joint").items()}
    links = renamed(mechanism, "link")
    rng = np.random.default_rng(seed)
    q, twin_q, T = _random_pose(model, plant, loops, rng, joints)
    plant.SetPositions(context, twin_q)
    poses, found = kg.poses(model, q), []
    for instance in instances:
        for i in plant.GetBodyIndices(instance):
            body = plant.get_body(i)
            scoped = f"{plant.GetModelInstanceName(instance)}::{body.name()}"
            own = (links.get(one, one) for one in (scoped, body.name()))
            name = next((one for one in own if one in poses), None)
            if name is None:
                found.append(f"no link '{scoped}'")
                continue
            theirs = plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4()
            found += unequal(f"pose of '{name}'", poses[name].matrix, theirs, size=1.0)
    moving = [i for joint in model.joints if joint.name not in loops
           for i in range(joint.v.start, joint.v.stop)]  # fmt: skip
    if plant.num_velocities() != len(moving):
        return [*found, f"{len(moving)} velocities instead of {plant.num_velocities()}"]
    ours = kg.dynamics.mass_matrix(model, q)[np.ix_(moving, moving)]
    T = T[:, moving]
    found += unequal("mass matrix", ours, T.T @ plant.CalcMassMatrix(context) @ T)
    ours = kg.dynamics.gravity_forces(model, q)[moving]
    theirs = -T.T @ plant.CalcGravityGeneralizedForces(context)
    return found + unequal("gravity forces", ours, theirs, least=least_force(model))


def for_drake(text: str, loops: set[str]) -> str:
    """A text without what Drake does not read."""
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            cut = child.tag == "joint" and (
                child.get("name") in loops or child.get("type") == "gearbox"
            )
            if cut or child.tag in _REMOVED or _is_ground(child):
                parent.remove(child)
    for mass in root.iter("mass"):
        if float(mass.text or 0) == 0:
            mass.text = str(_TINY)
    names: set[str] = set()
    for model in root.iter("model"):
        name, number = model.get("name", ""), 0
        while model.get("name", "") in names:  # twins are numbered, as here
            number += 1
            model.set("name", f"{name}_{number}")
        names.add(model.get("name", ""))
        if any(one.get("name") == "world" for one in model.findall("link")):
            _rename_world(model)
    return ElementTree.tostring(root, encoding="unicode")


def _is_ground(element: Any) -> bool:
    """A link called 'world' and nothing else."""
    is_named = element.tag == "link" and element.get("name") == "world"
    return is_named and element.find("inertial") is None


def _rename_world(model: Any) -> None:
    """A link must not be called 'world' there."""
    for one in model.iter():
        if one.tag == "link" and one.get("name") == "world":
            one.set("name", "world_link")
        elif one.tag in {"parent", "child"} and (one.text or "").strip() == "world":
            one.text = "world_link"


def _random_pose(
    model: kg.Model, plant: Any, loops: set[str], rng: Any, joints: dict[str, str]
) -> tuple[Any, Any, Any]:
    """A pose in both, and Drake's velocities as a matrix times ours."""
    maths = drake("math")
    q, twin_q = model.start(), np.zeros(plant.num_positions())
    T = np.zeros((plant.num_velocities(), model.nv))
    for joint in model.joints:
        if joint.v.stop == joint.v.start or joint.name in loops:
            continue
        quat, x = rng.normal(size=4), rng.normal(size=3)
        quat /= np.linalg.norm(quat)
        R, v = kg.SO3(quat).matrix, joint.v.start
        if joint.type is JointType.FREE:
            body = _body(plant, joints.get(joint.name, joint.name).removesuffix("_free"))
            at, speed = body.floating_positions_start(), body.floating_velocities_start_in_v()
            q[joint.q] = twin_q[at : at + 7] = [*quat, *x]
            # ours in the body's axes, linear first; Drake's in the world's, angular first
            T[speed : speed + 3, v + 3 : v + 6] = T[speed + 3 : speed + 6, v : v + 3] = R
            continue
        twin = _joint(plant, joints.get(joint.name, joint.name))
        at, speed = twin.position_start(), twin.velocity_start()
        if joint.type is JointType.SPHERICAL:
            q[joint.q] = quat
            twin_q[at : at + 3] = maths.RollPitchYaw(maths.RotationMatrix(R)).vector()
            T[speed : speed + 3, v : v + 3] = R
        else:
            count = joint.v.stop - joint.v.start
            q[joint.q] = twin_q[at : at + count] = x[:count]
            T[speed : speed + count, v : v + count] = np.eye(count)
    return q, twin_q, T


def _body(plant: Any, name: str) -> Any:
    """By its own name, or by that of its model and its own."""
    instance, _, own = name.rpartition("::")
    return plant.GetBodyByName(own, plant.GetModelInstanceByName(instance)) if instance else (
        plant.GetBodyByName(own)
    )  # fmt: skip


def _joint(plant: Any, name: str) -> Any:
    instance, _, own = name.rpartition("::")
    return plant.GetJointByName(own, plant.GetModelInstanceByName(instance)) if instance else (
        plant.GetJointByName(own)
    )  # fmt: skip
