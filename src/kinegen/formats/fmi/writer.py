"""Export of mechanisms as FMUs: units for co-simulation with a compiled engine and no Python."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence

from kinegen.dynamics.engines.reduced.engine import INTEGRATORS
from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.errors import FormatError, UsageError, unknown_name
from kinegen.formats.fmi.bodies import body_name, collisions_of
from kinegen.formats.fmi.bundle import bundle_of, token_of
from kinegen.formats.fmi.description import FmuFacts, model_description
from kinegen.formats.fmi.platforms import binaries, parse_platforms
from kinegen.formats.fmi.variable import FmuVariable
from kinegen.formats.fmi.variables import fmu_variables, held_variables
from kinegen.formats.format import Written
from kinegen.formats.workshop.sizes import parse_length, parse_switch
from kinegen.kernels import Floats, fmu_library
from kinegen.mechanism.graph import Mechanism

__all__ = ["write_unit"]

BUNDLE = "resources/kinegen.bin"
"""As in native/fmu/instance.hpp."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""Of the files in a unit: the same mechanism gives the same bytes."""
_LEFT_OUT = {
    "objects": "object",
    "people": "scripted visitor",
    "sensors": "sensor",
    "agents": "agent",
    "pulls": "pull",
    "robots": "robot",
}
"""Sections of a scene that a unit does not have; objects only where it is asked for."""


def write_unit(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    """A mechanism with its motors as an FMU.

    Raises:
        FormatError: The mechanism has something that units cannot simulate; it is named.
    """
    version = _version(options.get("fmi", "2"))
    integrator = options.get("integrator", "auto")
    if integrator != "auto" and integrator not in INTEGRATORS:
        raise unknown_name("integrator", integrator, "the engine", ["auto", *INTEGRATORS])
    platforms = parse_platforms(options.get("platforms"))
    run = _simulation(mechanism, q, options, integrator)
    _refuse(run)
    held = held_variables(run)
    variables = fmu_variables(run, held)
    draft = bundle_of(run, variables, held, integrator=integrator, token="")
    identifier = _identifier(mechanism.name)
    libraries = binaries(platforms, version, identifier)
    token = token_of(draft + fmu_library() + str(version).encode())
    facts = FmuFacts(
        mechanism.name, identifier, token, mechanism.title or mechanism.name, run.engine.step
    )
    notes = tuple(_notes(mechanism, run, objects=parse_switch(options, "objects", True)))
    contents = {
        "modelDescription.xml": model_description(version, facts, variables),
        **libraries,
        BUNDLE: bundle_of(run, variables, held, integrator=integrator, token=token),
        "documentation/index.html": _page(mechanism, run, variables, notes),
    }
    return Written(_zipped(contents), notes)


def _simulation(
    mechanism: Mechanism, q: Floats | None, options: Mapping[str, str], integrator: str
) -> Simulation:
    """What the unit does, at its start."""
    step = _seconds(options.get("step", "0.001"))
    mode = options.get("mode", "")
    if mode and mode not in (one.value for one in Mode):
        raise unknown_name("mode", mode, "a motor", [one.value for one in Mode])
    model = mechanism.compile()
    driven = [joint.name for joint in model.joints if mechanism.joints[joint.name].has_motor]
    if mode and not driven:
        raise UsageError(f"mechanism '{mechanism.name}' has no motors: it takes no option 'mode'")
    system = System.of(
        model, objects=parse_switch(options, "objects", True), floor=_floor(mechanism, options)
    )
    if q is not None:  # objects start where the file puts them
        given, q = q, system.model.start()
        for joint in model.joints:
            q[system.model.joint(joint.name).q] = given[joint.q]
    return Simulation(
        system, q, step=step, hold=bool(driven), record=0, integrator=integrator,
        modes=dict.fromkeys(driven, mode) if mode else None,
    )  # fmt: skip


def _refuse(run: Simulation) -> None:
    """FormatError for motors that the compiled servos do not have."""
    servos = run.servos
    if servos is None:
        return
    where = f"mechanism '{run.model.name}'"
    for joint in run.model.joints:
        places = range(joint.v.start, joint.v.stop)
        driven = [i for i in places if servos.motors.driven[i]]
        if driven and joint.is_cut:
            raise FormatError(
                f"the motor of joint '{joint.name}' closes a loop of {where}, which FMUs cannot "
                "drive: let another joint of the loop have 'closes'"
            )
        if any(servos.motors.modes[i] is Mode.COMPUTED for i in driven):
            raise FormatError(
                f"motor '{joint.name}' of {where} computes its torques, which FMUs cannot do: "
                "export with the option mode=position, velocity or torque"
            )
    if servos.profiles.profiles:
        given = run.model.compiled_from.joints
        names = [
            name for name, one in given.items() if any("profile" in (m or ()) for m in one.motors)
        ]
        raise FormatError(
            f"motors of {where} follow a motion profile, which FMUs do not have: "
            f"{', '.join(names)}; remove 'profile'"
        )
    if servos.laws:
        raise FormatError(
            f"motors of {where} have a controller or actuator of a plug-in, which an FMU without "
            "Python cannot run: remove 'controller' and 'actuator'"
        )


def _notes(mechanism: Mechanism, run: Simulation, *, objects: bool) -> Iterator[str]:
    """What the unit leaves out, and which of its numbers do not follow its parameters."""
    yield from run.remarks
    for key, word in _LEFT_OUT.items():
        rows = mechanism.scene.get(key) or ()
        if rows and not (key == "objects" and objects):
            names = ", ".join(f"'{row['name']}'" for row in rows if "name" in row)
            several = "s" if len(rows) > 1 else ""
            yield f"left out, because an FMU contains the mechanism only: {word}{several} {names}"
    if not run.model.parameters:
        return
    whole = run.model.compiled_from
    fixed = [name for name in run.model.link_names[1:] if not _is_whole(whole, name)]
    if fixed:
        yield (
            "masses, centres and inertias computed from shapes do not change with the lengths that "
            "are set in the FMU; set them as well: "
            + ", ".join(f"{body_name(run, 'links', name)}.mass" for name in fixed)
        )
    if collisions_of(run) is not None:
        yield "shapes for contacts do not change with the lengths that are set in the FMU"
    if run.servos is not None:
        yield (
            "gains, stall and no-load data of motors do not change with the parameters that are "
            "set in the FMU"
        )
        if run.servos.backlash is not None:
            yield (
                "the stiffness of teeth with backlash does not change with the parameters that are "
                "set in the FMU"
            )


def _is_whole(mechanism: Mechanism, name: str) -> bool:
    link = mechanism.joints[name].link
    return link.mass is not None and link.inertia is not None


def _page(
    mechanism: Mechanism, run: Simulation, variables: Sequence[FmuVariable], notes: Sequence[str]
) -> bytes:
    """A page for people: what the unit is, and its variables."""
    rows = "\n".join(
        f"<tr><td>{html.escape(one.name)}</td><td>{one.kind.causality}</td><td>{one.unit}</td>"
        f"<td>{html.escape(one.description)}</td></tr>"
        for one in variables
    )
    listed = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    title = html.escape(mechanism.title or mechanism.name)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>
<h1>{title}</h1>
<p>{html.escape(mechanism.description or "")}</p>
<p>Source: {html.escape(mechanism.source or "not given")}</p>
<p>Steps of {run.engine.step:g} s within each step of the master. Lengths in m, angles in rad.
Contains the engine of Kinegen (MIT licence).</p>
<ul>{listed}</ul>
<table><tr><th>variable</th><th>causality</th><th>unit</th><th>meaning</th></tr>
{rows}
</table></body></html>
""".encode()


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            info = zipfile.ZipInfo(name, _DATE)
            # libraries must be allowed to run where files are unpacked with their rights
            info.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _identifier(name: str) -> str:
    """A C identifier from a mechanism's name."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return found if re.match(r"[A-Za-z_]", found) else f"_{found}"


def _version(text: str) -> int:
    if text not in ("2", "3", "2.0", "3.0"):
        raise UsageError(f"the version of FMI must be 2 or 3, got '{text}'")
    return int(text[0])


def _floor(mechanism: Mechanism, options: Mapping[str, str]) -> float | None:
    """Height of the floor [m], if any: as asked for, or as in the file."""
    given = options.get("floor")
    if given is None:
        own = mechanism.world.get("floor")
        return None if own is None else float(own.evaluate(mechanism.compile().parameters))
    if given == "no":
        return None
    return parse_length("floor", given)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1:
        raise UsageError(
            f"the option 'step' must be a time in seconds below 1, such as 0.001, got '{text}'"
        )
    return seconds
