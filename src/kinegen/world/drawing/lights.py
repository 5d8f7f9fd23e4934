"""Light: what lights a world, and how cameras draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.world.drawing.colors import Color, color_of

if TYPE_CHECKING:
    from kinegen.world.bodies.mount import Mount
    from kinegen.world.bodies.stage import Stage

__all__ = ["MOST", "Light", "add_lights", "add_usual_lights", "lights_of", "set_lights"]

AMBIENT = 0.1
"""Share of light from all sides where a file has lights of its own: shadows are not black."""
AFAR = 7.0
"""How far from the middle of the world directional lights are drawn, for their shadows [m]."""
GLOSS = 0.1
"""Share of a light that shiny spots reflect."""
MOST = 7
"""Lights that MuJoCo draws: OpenGL's eight, less that which is on all sides."""


@dataclass(frozen=True, slots=True)
class Light:
    """A light of a file, on what carries it."""

    name: str
    kind: str
    """'directional' or 'point'."""
    parent: str
    mount: Mount
    direction: Floats
    """The way its light travels, a unit vector in its own axes; of a directional light."""
    color: Color
    color_name: str
    """As in the file."""
    intensity: float
    """At the start: 1 makes a white surface that faces it white, from 1 m for a point light."""

    @property
    def is_directional(self) -> bool:
        """Whether its light is parallel."""
        return self.kind == "directional"

    def state(self, intensity: float) -> Floats:
        """Position [m] and direction in the world, red, green and blue now, (9,)."""
        R, p = self.mount.place()
        along = R @ self.direction
        # NaN, where the signal is cut, is off too
        strength = intensity if intensity > 0 else 0.0
        at = -AFAR * along if self.is_directional else p
        return np.concatenate([at, along, strength * np.array(self.color)])


def lights_of(stage: Stage) -> tuple[Light, ...]:
    """The lights that the file of a world declares."""
    return tuple(_light(stage, row) for row in stage.mechanism.scene.get("lights", ()))


def _light(stage: Stage, row: dict[str, Any]) -> Light:
    parent = row.get("parent", stage.mechanism.base_name)
    given = row.get("direction", (0.0, 0.0, -1.0))
    along = np.array([stage.number(one, 0.0) for one in given])
    if not along.any():
        raise UsageError(f"the direction of light '{row['name']}' must not be [0, 0, 0]")
    color = row.get("color", "white")
    return Light(
        row["name"], row["type"], parent, stage.mount(parent, row.get("at")),
        along / np.linalg.norm(along), color_of(color, 0), color,
        stage.number(row.get("intensity"), 1.0),
    )  # fmt: skip


# As MuJoCo draws them


def add_usual_lights(mj: Any, spec: Any) -> None:
    """Two lamps and a pale sky, for files that declare no lights."""
    for xyz, strength in (((2.0, -3.0, 6.0), 0.6), ((-4.0, 3.0, 5.0), 0.3)):
        light = spec.worldbody.add_light(pos=xyz, diffuse=[strength] * 3, castshadow=strength > 0.5)
        light.dir, light.specular = [-x for x in xyz], [GLOSS] * 3
        light.type = mj.mjtLightType.mjLIGHT_DIRECTIONAL
    spec.add_texture(
        name="sky", type=mj.mjtTexture.mjTEXTURE_SKYBOX, builtin=mj.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.90, 0.93, 0.96], rgb2=[0.70, 0.76, 0.82], width=64, height=384,
    )  # fmt: skip


def add_lights(mj: Any, spec: Any, lights: Sequence[Light]) -> None:
    """The lights of a file instead: only those, and a little light from all sides."""
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = [AMBIENT] * 3, [0.0] * 3, [0.0] * 3
    for one in lights:
        made = spec.worldbody.add_light(castshadow=one.is_directional)
        if one.is_directional:
            made.type = mj.mjtLightType.mjLIGHT_DIRECTIONAL
        else:
            # MuJoCo's own point lights are not drawn: a spot that is open all around is
            made.type, made.cutoff, made.exponent = mj.mjtLightType.mjLIGHT_SPOT, 180.0, 0.0
            made.attenuation = [0.0, 0.0, 1.0]


def set_lights(model: Any, states: Floats) -> None:
    """Put lights where they are now; ``states`` are those of :meth:`Light.state`, (n, 9)."""
    for i, state in enumerate(states):
        model.light_pos[i], model.light_dir[i], color = state[:3], state[3:6], state[6:]
        model.light_diffuse[i], model.light_specular[i] = color, GLOSS * color
        model.light_active[i] = bool(color.any())
