"""A run in words and tables, for people."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.cli.options.targets import joint_text
from kinegen.cli.output import angle, count, length, print_table
from kinegen.cli.terminal import as_shown
from kinegen.dynamics.simulation.run import Run
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["print_run"]

DOUBTFUL = 0.01
"""Energy drift above which a smaller step is proposed."""
SMALLEST = 1e-9
"""Gaps below this [m, m/s] are said to be below it: loops closed to rounding."""


def print_run(
    made: Run, took: float, saturation: Mapping[str, float], *, touches: bool = False
) -> None:
    """Print what a run was, how well it was computed, and where every joint ended.

    Args:
        made: The run.
        took: Seconds of computing.
        saturation: Share of the time that motors were at their limits, by joint.
        touches: Whether bodies could touch.
    """
    for remark in made.remarks:
        print(as_shown(f"note: {remark}"))
    print(
        f"{made.model.name}: {made.duration:g} s in {count(made.steps, 'step')} of "
        f"{made.step * 1000:g} ms, engine {made.engine}"
    )
    if not made.complete:
        print(as_shown(f"ended early: {made.reason}"))
    rows = _rows(made, took, saturation, touches)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(as_shown(f"  {name.ljust(width)}  {value}"))
    moving = [joint for joint in made.model.joints if joint.q.stop > joint.q.start]
    if not moving:
        print("The mechanism has no moving joint.")
        return
    print()
    print_table(
        ("joint", "start", "end", "fastest"),
        [
            (j.name, joint_text(j, made.q[0]), joint_text(j, made.q[-1]), _fastest(j, made))
            for j in moving
        ],
        right=(1, 2, 3),
    )
    if made.is_still and made.complete:
        print("Nothing moves: the mechanism is in equilibrium at its start.")
    elif made.energy_drift > DOUBTFUL and made.complete:
        print("The energy drift is large: use a smaller --step.")


def _rows(
    made: Run, took: float, saturation: Mapping[str, float], touches: bool
) -> list[tuple[str, str]]:
    rows = [
        ("computed in", f"{took:.3g} s"),
        ("energy at the start", _joules(float(made.energy[0]))),
        ("energy at the end", _joules(float(made.energy[-1]))),
    ]
    if made.work.any():
        rows.append(("work done on it, minus losses", _joules(float(made.work[-1]))))
    if not made.is_still:
        scale = _joules(made.energy_scale)
        rows.append(("energy drift", f"{made.energy_drift:.2g} of {scale} in motion"))
    if made.model.constraint_count:
        rows.append(("widest loop gap", _micro(made.max_gap, "µm")))
        rows.append(("fastest loop opening", _micro(made.max_velocity_gap, "µm/s")))
    for name, share in saturation.items():
        rows.append((f"motor {name} at its limit", f"{share:.1%} of the time"))
    if touches:
        rows.append(("most contacts at once", str(int(made.contacts.max()))))
    return rows


def _joules(value: float) -> str:
    return f"{value:.6g} J"


def _micro(value: float, unit: str) -> str:
    return f"{value * 1e6:.3g} {unit}" if value >= SMALLEST else f"below 0.001 {unit}"


def _fastest(joint: ModelJoint, made: Run) -> str:
    shown = []
    for unit, write in (("angle", angle), ("length", length)):
        columns = [
            joint.v.start + k
            for k, (_, quantity) in enumerate(joint.type.info.variables)
            if quantity == unit
        ]
        if columns:
            shown.append(f"{write(float(abs(made.v[:, columns]).max()))}/s")
    return ", ".join(shown)
