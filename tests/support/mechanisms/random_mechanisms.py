"""Random mechanisms of every joint type, with loops, frames and formulas, for laws and twins."""

from __future__ import annotations

import math

import numpy as np

from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    BASE,
    Closure,
    Coupling,
    CouplingKind,
    Follows,
    Frame,
    Joint,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula

TYPES = tuple(JointType)


def random_placement(rng: np.random.Generator, kind: PlacementKind | None = None) -> Placement:
    if kind is None:
        kind = PlacementKind(int(rng.integers(2)))
    numbers = rng.uniform(-1, 1, 6)
    # a few exact zeros and right angles, as real files have
    for i in np.flatnonzero(rng.random(6) < 0.3):
        numbers[i] = 0.0
    return Placement(kind, tuple(Formula.constant(float(n)) for n in numbers))  # type: ignore[arg-type]


def random_mechanism(
    seed: int,
    *,
    joint_count: int = 8,
    loop_count: int = 2,
    types: tuple[JointType, ...] = TYPES,
    chain: bool = False,
    coupled: bool = False,
) -> Mechanism:
    """A random tree of joints with cut joints and frames; parameters drive some numbers.

    With ``coupled``, joint variables follow each other, by ratios and by the profiles of cams.
    """
    rng = np.random.default_rng(seed)
    mechanism = Mechanism(name=f"random-{seed}")
    mechanism.parameters["p"] = Parameter("p", Formula.constant(0.7))
    mechanism.parameters["twice"] = Parameter("twice", parse_formula("2*p + 0.1"))
    links = [BASE]
    for i in range(joint_count + loop_count):
        name = f"j{i}"
        cut = i >= joint_count
        type_ = types[int(rng.integers(len(types)))]
        placement = random_placement(rng, PlacementKind.KLEINFINGER)
        if i % 3 == 0:
            numbers = list(placement.numbers)
            numbers[3] = parse_formula("twice*sin(p) + 0.2")
            placement = Placement(placement.kind, tuple(numbers))  # type: ignore[arg-type]
        parent = links[-1] if chain else links[int(rng.integers(len(links)))]
        closes = None
        if cut:
            onto = rng.choice([link for link in links if link != parent])
            closes = Closure(str(onto), random_placement(rng))
        mechanism.joints[name] = Joint(
            name,
            type_,
            parent,
            placement,
            closes=closes,
            pitch=Formula.constant(0.3) if type_ is JointType.SCREW else None,
        )
        if not cut:
            links.append(name)
    for i in range(3):
        parent = links[int(rng.integers(len(links)))]
        mechanism.frames[f"f{i}"] = Frame(f"f{i}", parent, random_placement(rng))
    _sit_on_frames(mechanism, rng)
    if coupled:
        couple(mechanism, rng)
    return mechanism


def _sit_on_frames(mechanism: Mechanism, rng: np.random.Generator) -> None:
    """Put the second joint on a frame that sits on another one, and the last loop onto a frame."""
    joints, frames = list(mechanism.joints.values()), mechanism.frames
    if len(joints) > 1:
        frames["mount"] = Frame("mount", "under", random_placement(rng))
        frames["under"] = Frame("under", joints[1].parent, random_placement(rng))
        joints[1].parent = "mount"
    closes = joints[-1].closes if joints else None
    if closes is not None:
        frames["landing"] = Frame("landing", closes.onto, random_placement(rng))
        closes.onto = "landing"


def couple(mechanism: Mechanism, rng: np.random.Generator) -> None:
    """One coupling of each kind of equation, as far as there are variables for them."""
    free = [
        (joint, name)
        for joint in mechanism.joints.values()
        if not joint.type.info.has_quaternion
        for name, _ in joint.type.info.variables
    ]
    rng.shuffle(free)

    def take() -> str:
        joint, name = free.pop()
        return f"{joint.name}.{name}"

    def some() -> Formula:
        return Formula.constant(float(rng.uniform(0.3, 2.0)))

    singles = [one for one in free if one[0].type.info.nv == 1]
    if singles and len(free) > 1:
        free.remove(singles[0])
        singles[0][0].follows = Follows(take(), parse_formula("-p"), some())
    if len(free) > 2:
        members = (take(), take(), take())
        numbers = (some(), parse_formula("twice"), some())
        mechanism.couplings["sum"] = Coupling(
            "sum", CouplingKind.RELATION, members, numbers, "relation", offset=some()
        )
    profiles = (
        parse_formula("0.2*sin(x) + hypot(p, x)*atan2(x, 2)^2 - exp(-x*x/8)/(3 + cos(x)^3)"),
        tuple(
            (Formula.constant(math.tau * i / 7), parse_formula(f"p*{0.1 * ((3 * i) % 7)}"))
            for i in range(8)
        ),
        (
            (Formula.constant(-1.0), some()),
            (parse_formula("p"), some()),
            (Formula.constant(2.5), some()),
        ),
    )
    for i, profile in enumerate(profiles):
        if len(free) > 1:
            mechanism.couplings[f"cam{i}"] = Coupling(
                f"cam{i}", CouplingKind.CAM, (take(), take()), profile=profile
            )


def random_q(model: object, rng: np.random.Generator) -> np.ndarray:
    """A random configuration: angles within ±π, lengths within ±1 m, unit quaternions."""
    q = np.zeros(model.nq)  # type: ignore[attr-defined]
    for joint in model.joints:  # type: ignore[attr-defined]
        part = rng.uniform(-math.pi, math.pi, joint.q.stop - joint.q.start)
        if joint.type in {JointType.SPHERICAL, JointType.FREE}:
            part[:4] = rng.normal(size=4)
            part[:4] /= np.linalg.norm(part[:4])
        q[joint.q] = part
    return q


def random_model(seed: int) -> Model:
    """The model of a random mechanism; every other one has couplings."""
    return random_mechanism(seed, coupled=seed % 2 == 1).compile()
