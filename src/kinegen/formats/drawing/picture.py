"""A picture of a mechanism in any pose, in one call."""

from __future__ import annotations

from kinegen.formats.drawing.pictures.svg import draw
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.positions import forward
from kinegen.mechanism.any_model import AnyModel, model_of

__all__ = ["picture"]


def picture(
    model: AnyModel,
    q: Configuration = None,
    *,
    size: tuple[int, int] = (800, 600),
    view: str | tuple[float, float] = "auto",
    title: str | None = None,
    frames: bool = True,
    theme: str = "light",
    names: bool = False,
) -> str:
    """A mechanism drawn at q, as the text of an SVG file.

    Args:
        model: The mechanism or its model.
        q: Configuration; default: the file's start.
        size: Of the page [px].
        view: 'auto', 'iso', 'front', 'top', 'side', or (azimuth, elevation) of the eye [deg].
        title: Written in the upper left corner.
        frames: Whether named frames are drawn.
        theme: 'light' or 'dark'.
        names: Whether joints are named.
    """
    model = model_of(model)
    links = forward(model, q)[: model.link_count]
    return draw(
        model, links, size=size, view=view, title=title, frames=frames, theme=theme, names=names
    )
