"""Motors with servos inside the steps: targets in, efforts out before every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.reduced import ServoArrays, ServoMode, ServoRow, ServoState
from kinegen.kernels.reference.reduced.engine import ReducedEngine, loop_targets, of_tree
from kinegen.kernels.reference.reduced.forces import find_efforts
from kinegen.kernels.reference.reduced.system import solve_system

__all__ = ["Servos", "push_servos", "turn_rotor"]

COPPER = 0.00393
"""Growth of the resistance of copper per kelvin."""
APPROACH = LOAD_SHARE = 0.3
STANDING = LIGHTEST = 1 / 16
PASSED = 1.02
"""Shares of a speed limit's approach, as in ``dynamics/motors/speed_limits.py``."""


@dataclass(slots=True, eq=False)
class Servos:
    """Motors, their targets, and where rotors and windings are."""

    is_stiff: bool
    """Whether gains look ahead."""
    modes: Ints
    """:class:`ServoMode` of each v, (nv,)."""
    rows: Floats
    """Numbers by :class:`ServoRow`, (rows, nv)."""
    place: Ints
    """The variable in q of each v, -1: a quaternion's."""
    target_q: Floats
    target_v: Floats
    target_effort: Floats
    state: Floats
    """Of the caller, by :class:`ServoState`, (rows, nv)."""
    given: Floats
    """Efforts of others than the servos, (nv,)."""

    @classmethod
    def of(cls, e: ReducedEngine, given: ServoArrays, tau: Floats) -> Servos:
        """As they are given for a run, on top of efforts tau."""
        is_stiff, modes, rows, targets, state = given
        if (~e.tree & (modes != ServoMode.NONE)).any():
            raise UsageError("servos inside the steps drive joints of the tree only")
        place = np.full(e.nv, -1, dtype=np.int32)
        for j, (_, q, v) in enumerate(e.variables):
            after = e.variables[j + 1] if j + 1 < len(e.variables) else (0, e.nq, e.nv)
            if after[1] - q == after[2] - v:
                place[v : after[2]] = np.arange(q, after[1])
        aim = np.split(targets, [e.nq, e.nq + e.nv])
        return cls(is_stiff, modes, rows, place, aim[0], aim[1], aim[2], state, np.array(tau))


def push_servos(e: ReducedEngine, s: Servos) -> Floats:
    """Efforts over the next step, (nv,): of all motors and of others."""
    h, slack = e.step, s.rows[ServoRow.HALF] > 0
    error, seen = what_servos_see(e, s, slack)
    linear = (s.modes == ServoMode.POSITION) | (s.modes == ServoMode.VELOCITY)
    push = servo_push(e, s, linear, slack, error, seen)
    wanted = np.where(s.modes == ServoMode.TORQUE, s.target_effort, push)
    low, high = effort_span(s, seen, *limit_speeds(e, s, seen, wanted, h))
    efforts = np.where(s.modes == ServoMode.NONE, 0.0, np.clip(wanted, low, high))
    # a motor whose target is a torque does not brake when it runs too fast
    efforts[(s.modes == ServoMode.TORQUE) & (efforts * wanted < 0)] = 0.0
    saturated = np.abs(efforts - wanted) > 1e-12 * (1 + np.abs(wanted))
    # a motor that is off still carries its rotor, and cools
    for i in np.flatnonzero(slack).tolist():
        bounds = (low[i], high[i]) if linear[i] else (efforts[i], efforts[i])
        push_i = wanted[i] if linear[i] else efforts[i]
        efforts[i] = push_through(s, i, push_i, bounds, float(e.q[s.place[i]]), e.v[i], h)
    warm(s, efforts, h)
    s.state[ServoState.WANTED], s.state[ServoState.EFFORT] = wanted, efforts
    s.state[ServoState.BEFORE] = np.where(s.modes == ServoMode.NONE, np.inf, e.v)
    s.state[ServoState.SATURATED] = saturated
    s.state[ServoState.SATURATIONS] += saturated
    return efforts + s.given


def what_servos_see(e: ReducedEngine, s: Servos, slack: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How far the targets are, and speeds: those of rotors where backlash is between."""
    error, seen = np.empty(e.nv), e.v.copy()
    e.model.difference(e.q, s.target_q, error)
    error[slack] += e.q[s.place[slack]] - s.state[ServoState.ANGLE, slack]
    seen[slack] = s.state[ServoState.SPEED, slack]
    return error, seen


def servo_push(
    e: ReducedEngine, s: Servos, linear: NDArray[np.bool_], slack: NDArray[np.bool_],
    error: Floats, seen: Floats,
) -> Floats:  # fmt: skip
    """What servos of position and speed ask for, without the motors' limits of effort."""
    h, rows = e.step, s.rows
    kp = np.where(s.modes == ServoMode.POSITION, rows[ServoRow.KP], 0.0)
    kd = np.where(linear, rows[ServoRow.KD], 0.0)
    tight, speed = linear & ~slack, seen
    if not s.is_stiff:
        # what is held for a step fits its middle, foreseen by the speed and its last change
        before = s.state[ServoState.BEFORE]
        gained = np.where(tight & np.isfinite(before), seen - before, 0.0)
        error = error - np.where(tight, h / 2 * seen, 0.0)
        speed = seen + gained / 2
    full = kp * error + kd * (s.target_v - speed) + s.target_effort
    # a loop of speed inside one of place: no faster than the motor can
    with np.errstate(divide="ignore", invalid="ignore"):
        asked = np.where(kd > 0, kp / kd * error, 0.0) + s.target_v
    goal = np.clip(asked, -rows[ServoRow.SPEED], rows[ServoRow.SPEED])
    limited = (goal != asked) & (kd > 0)
    kp = np.where(limited, 0.0, kp)
    goal = np.where(limited, goal, s.target_v)
    push = np.where(linear, kp * error + kd * (goal - speed) + s.target_effort, 0.0)
    # rotors in backlash look ahead by themselves; joints feel what reaches them
    if s.is_stiff and tight.any():
        ahead = np.where(tight, push, np.where(linear, s.state[ServoState.EFFORT], 0.0))
        kp, kd = np.where(tight, kp, 0.0), np.where(tight, kd, 0.0)
        push = np.where(tight, look_ahead(e, ahead, kp, h * kd + h * h * kp), push)
    # at its limit a motor gives what holds that speed, which the limit alone bounds
    return np.where(limited, full, push)


def look_ahead(e: ReducedEngine, push: Floats, kp: Floats, slope: Floats) -> Floats:
    """Efforts of springs kp and dampers as they will be after the step."""
    drift = push - e.step * kp * e.v
    wrenches, e.wrenches = e.wrenches, None  # servos do not know what else pushes
    e.tau = drift
    f, _ = find_efforts(e, e.q, e.v)
    e.wrenches = wrenches
    vdot, _ = solve_system(e, e.q, f, loop_targets(e, e.q, of_tree(e, e.v)), slope)
    return np.asarray(drift - slope * vdot)


def limit_speeds(
    e: ReducedEngine, s: Servos, speed: Floats, wanted: Floats, h: float
) -> tuple[Floats, Floats]:
    """Least and greatest efforts that bring motors to their speed limits and not beyond.

    What each pushes against, which is what of its last effort did not accelerate it, and as much
    more as brings it nearer to its limit.
    """
    load, before = s.state[ServoState.LOAD], s.state[ServoState.BEFORE]
    low, high, rate = np.full(e.nv, -np.inf), np.full(e.nv, np.inf), APPROACH / h
    for i in np.flatnonzero(np.isfinite(s.rows[ServoRow.SPEED])).tolist():
        limit, start = s.rows[[ServoRow.SPEED, ServoRow.INERTIA], i]
        if not start > 0:
            continue
        if not abs(wanted[i]) > LIGHTEST * rate * start * (limit - abs(speed[i])):
            load[i] = 0.0
            continue
        slack = s.rows[ServoRow.HALF, i] > 0
        inertia = s.rows[ServoRow.ROTOR, i] if slack else inertia_of(e, i)
        if np.isfinite(before[i]):
            gained, most = e.v[i] - before[i], s.rows[ServoRow.EFFORT, i]
            # through backlash, the effort that reached the joint is the load of the rotor
            moved = 0.0 if slack else inertia * gained / h
            found = min(most, max(-most, s.state[ServoState.EFFORT, i] - moved))
            # a load that is gone is gone at once: what held a finger does not throw it
            left = min(max(0.0, found), max(min(0.0, found), load[i]))
            stands = max(abs(speed[i]), abs(gained)) <= STANDING * limit
            load[i] = left + (1.0 if stands else LOAD_SHARE) * (found - left)
            if (speed[i] if load[i] > 0 else -speed[i]) > PASSED * limit:
                load[i] *= 0.5
        high[i] = load[i] + rate * inertia * (limit - speed[i])
        low[i] = load[i] - rate * inertia * (limit + speed[i])
    return low, high


def inertia_of(e: ReducedEngine, i: int) -> float:
    """Inertia of variable i of the tree within a step, loops closed."""
    still = np.zeros_like(loop_targets(e, e.q, of_tree(e, e.v)))
    vdot, _ = solve_system(e, e.q, np.eye(e.nv)[i], still)
    return 1 / float(vdot[i]) if vdot[i] > 0 else 0.0


def effort_span(s: Servos, speed: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Least and greatest effort of each motor at its speed, within those of its speed limit."""
    effort, stall = s.rows[ServoRow.EFFORT], s.rows[ServoRow.STALL]
    with np.errstate(divide="ignore", invalid="ignore"):
        curve = np.where(np.isfinite(stall), speed / s.rows[ServoRow.NO_LOAD], 0.0)
        high, low = np.minimum(high, stall * (1 - curve)), np.maximum(low, -stall * (1 + curve))
        low, high = np.clip(low, -effort, effort), np.clip(high, -effort, effort)
        # what the windings' temperatures leave
        limit, derate = s.rows[ServoRow.LIMIT], s.rows[ServoRow.DERATE]
        temperature = s.state[ServoState.TEMPERATURE]
        share = np.clip((limit - temperature) / (limit - derate), 0.0, 1.0)
        share = np.where(temperature <= derate, 1.0, share)
        share = np.where(temperature >= limit, 0.0, share)
        left = np.where(
            share >= 1, np.inf, np.where(share <= 0, 0.0, share * np.minimum(effort, stall))
        )
    left = np.where(np.isfinite(s.rows[ServoRow.PER_AMPERE]), left, np.inf)
    return np.maximum(low, -left), np.minimum(high, left)


def push_through(
    s: Servos, i: int, push: float, bounds: tuple[float, float], at: float, v: float, h: float
) -> float:
    """What reaches the joint of motor i, at ``at``, through its backlash over a step."""
    rows, state = s.rows[:, i], s.state[:, i]
    kp = rows[ServoRow.KP] if s.modes[i] == ServoMode.POSITION else 0.0
    kd = rows[ServoRow.KD] if s.modes[i] in (ServoMode.POSITION, ServoMode.VELOCITY) else 0.0
    state[ServoState.SPEED], flank = turn_rotor(
        (state[ServoState.ANGLE], state[ServoState.SPEED], rows[ServoRow.ROTOR]),
        (push, kp, kd, *bounds), (at + h * v, v),
        (rows[ServoRow.HALF], rows[ServoRow.FLANK_STIFFNESS], rows[ServoRow.FLANK_DAMPING]), h,
    )  # fmt: skip
    state[ServoState.ANGLE] += h * state[ServoState.SPEED]
    return flank


def turn_rotor(
    rotor: tuple[float, float, float],
    servo: tuple[float, float, float, float, float],
    joint: tuple[float, float],
    teeth: tuple[float, float, float],
    h: float,
) -> tuple[float, float]:
    """Speed of a rotor after a step, and what its teeth give the joint in it.

    Its servo and its teeth act as they will at the end of the step, so that neither stiff gains nor
    a light rotor can ring.

    Args:
        rotor: Its angle, speed and inertia.
        servo: What it gives at the start, its gains kp and kd, its least and greatest effort.
        joint: Where it will be at the end of the step, and its speed.
        teeth: Half the backlash, stiffness and damping of a flank.
        h: The step [s].
    """
    push, kp, kd, low, high = servo
    start, slope = push + kd * rotor[1], h * kp + kd
    found = _turn(rotor, start, slope, joint, teeth, h)
    given = start - slope * found[0]
    if not low <= given <= high:
        found = _turn(rotor, min(high, max(low, given)), 0.0, joint, teeth, h)
    return found


def _turn(
    rotor: tuple[float, float, float],
    push: float,
    slope: float,
    joint: tuple[float, float],
    teeth: tuple[float, float, float],
    h: float,
) -> tuple[float, float]:
    """As :func:`turn_rotor`, for an effort push - slope times the speed."""
    (angle, speed, inertia), (at, v), (half, stiffness, damping) = rotor, joint, teeth
    mass, drive = inertia / h + slope, inertia / h * speed + push
    free = drive / mass
    apart = angle + h * free - at
    if abs(apart) <= half:
        return free, 0.0
    side = 1.0 if apart > 0 else -1.0
    deep = angle - at - side * half
    turned = (drive - stiffness * deep + damping * v) / (mass + damping + h * stiffness)
    if side * (deep + h * turned) <= 0:  # it comes to rest at the flank
        turned = -deep / h
    flank = drive - mass * turned
    # teeth push, they never pull
    return (turned, flank) if side * flank > 0 else (free, 0.0)


def warm(s: Servos, efforts: Floats, h: float) -> None:
    """Let windings warm up over a step."""
    has = np.isfinite(s.rows[ServoRow.PER_AMPERE])
    rows, before = s.rows[:, has], s.state[ServoState.TEMPERATURE, has]
    current = efforts[has] / rows[ServoRow.PER_AMPERE]
    resistance = rows[ServoRow.RESISTANCE] * (1 + COPPER * (before - 25))
    final = rows[ServoRow.AMBIENT] + current**2 * resistance * rows[ServoRow.TO_AIR]
    decay = np.exp(-h / (rows[ServoRow.TO_AIR] * rows[ServoRow.CAPACITY]))
    s.state[ServoState.CURRENT, has] = current
    s.state[ServoState.TEMPERATURE, has] = final + (before - final) * decay
