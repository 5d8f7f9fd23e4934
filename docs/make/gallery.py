"""Draws the library and the figures of two papers, and writes the pages that show them.

``make gallery`` runs this. The pictures of the library and the pages depend on the library alone:
drawing twice gives the same bytes, and ``tests/contract/test_docs.py`` compares them with the files
in the repository; ``tests/contract/test_figures.py`` makes every figure again.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

import kinegen as kg
from kinegen.cli import main as kinegen
from kinegen.formats.drawing.pictures.svg import draw

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "gallery" / "mechanisms.md"
FIGURES_PAGE = DOCS / "gallery" / "figures.md"
PICTURES = DOCS / "images" / "mechanisms"
FIGURES = DOCS / "images" / "figures"

SECTIONS: dict[str, tuple[str, ...]] = {
    "Arms": (
        *("puma560", "ur5e", "franka", "franka-hand", "so101", "irb2400", "pa10", "a255"),
        *("rhino-xr3", "teachmover", "teachmover-hand", "lynx6", "pioneer2", "bionic-3"),
        *("amtec-7", "arm-6", "arm-and-wall", "serial-5", "redundant-7"),
    ),
    "Trees and floating bases": ("humanoid-30", "cart", "crawler"),
    "Planar linkages": (
        *("four-bar", "slider-crank", "five-bar", "five-bar-b", "eight-bar", "eight-bar-b"),
        *("peaucellier", "quick-return", "3-rrr"),
    ),
    "Gears and cams": (
        *("planetary-gear", "geared-five-bar", "parallel-gripper", "cam-follower", "grooved-cam"),
    ),
    "Spatial closed loops": (
        *("stewart", "delta", "tricept", "parallel-18", "hybrid-9", "five-bar-spatial"),
        "bricard",
    ),
}
"""The page's sections, each with its mechanisms in the order they are shown."""

INTRODUCTION = """\
# Mechanisms

This page shows every mechanism of the library in its start pose. `kinegen studio NAME` opens one,
and `kinegen draw NAME` draws it. Link shapes are derived from the joints if the file states none.
The degrees of freedom are those of all joints together; each loop removes some of them.

The [worlds](worlds.md) of the library have a page with films, and the [figures of two
papers](figures.md) one with commands. `make gallery` creates this page and its pictures.
"""


@dataclass(frozen=True)
class Figure:
    """A figure of a paper and the command that makes it."""

    number: str
    title: str
    command: str = ""
    """Without its name and ``--out``; empty where no command makes it."""
    note: str = ""
    picture: str = ""
    """In `docs/images`, where it is not `figures/PAPER-NUMBER.svg`."""


_MAP = 'map lynx6 --box "10 cm 10 cm 20 cm; 32 cm 10 cm 20 cm" --points 60 --wrist "0 deg"'
_LONG = 'lynx6 --set a2="20 cm" --set a3="20 cm" --shape'

PAPERS: dict[str, tuple[str, str, tuple[Figure, ...]]] = {
    "ras": (
        "3D-RAS",
        "T. J. Mateo Sanguino, J. M. Andújar Márquez, the paper on 3D-RAS, University of Huelva. "
        "The paper states no lengths, so the arms are those of the library; where the paper's "
        "curves are out of reach for the real Lynx 6, its two bars are set to 20 cm.",
        (
            Figure(
                "1", "Robotic Arm Simulator with the Lynx 6", picture="studio-numbers.png",
                note="A user interface. Its counterpart is the studio, `kinegen studio lynx6`, "
                "with parameters and joint table under *Parameters*, the matrix of every segment "
                "under *Frames*, and inverse kinematics by dragging.",
            ),
            Figure("2a", "bionic arm, 3 axes", "draw bionic-3", picture="mechanisms/bionic-3.svg"),
            Figure("2b", "A255, 4 axes", "draw a255", picture="mechanisms/a255.svg"),
            Figure("2c", "IRB 2400, 5 axes", "draw irb2400", picture="mechanisms/irb2400.svg"),
            Figure("2d", "Pioneer 2, 5 axes", "draw pioneer2", picture="mechanisms/pioneer2.svg"),
            Figure(
                "3", "2D joint workspace, each joint in a chart",
                _MAP,
                "The hand moves along x and stays horizontal. Horizontal red lines are the joint "
                "limits; a lamp is red when its joint exceeds them.",
            ),
            Figure(
                "3-combined", "2D joint workspace, all joints in one chart",
                f"{_MAP} --combined",
            ),
            Figure(
                "4a", "forward workspace of the bionic arm",
                'workspace bionic-3 --frames "turn shoulder elbow wrist tool" --count 4000 '
                "--palette paper",
            ),
            Figure(
                "4b", "forward workspace of the A255",
                "workspace a255 --count 4000 --palette paper",
            ),
            Figure(
                "4c", "forward workspace of the IRB 2400",
                'workspace irb2400 --frames "axis1 axis2 axis3 axis5 tool" --count 4000 '
                "--palette paper",
            ),
            Figure(
                "4d", "forward workspace of the Pioneer 2",
                'workspace pioneer2 --frames "turn shoulder elbow wrist_bend tool" --count 4000 '
                "--palette paper",
            ),
            Figure(
                "5", "forward workspace of the Lynx 6, Factor 15",
                "workspace lynx6 --factor 15 --palette paper",
                "The paper's ranges 180, 90, 90, 180 degrees, divided by 15: "
                "12 · 6 · 6 · 12 = 5184 poses.",
            ),
            Figure(
                "6", "surface trajectory",
                "path lynx6 --shape surface --surface waves --index 7 --points 20",
                "The paper does not state the surface of its screenshot; `--surface` accepts nine "
                "names and any formula.",
            ),
            Figure(
                "7a", "hyperbolic paraboloid, 25 curves",
                f"path {_LONG} volume --volume hyperbolic-paraboloid --index 24 --points 25",
            ),
            Figure(
                "7b", "epicycloid", f"path {_LONG} volume --volume epicycloid --points 350",
                "Equations 28 to 30 as printed: v runs from 0 to 0, so all 70 curves are the same.",
            ),
            Figure(
                "7c", "Möbius belt, 28 curves",
                "path lynx6 --shape volume --volume moebius-belt --index 14 --points 28",
            ),
            Figure(
                "7d", "latitudinal sphere, 28 curves",
                f"path {_LONG} volume --volume latitudinal-sphere --index 3 --points 28",
            ),
            Figure(
                "8", "seam of two pipes: intersection, trajectory, from above, from the side",
                f'path {_LONG} seam --pipes "8 cm 9 cm" --offset "25 cm 25 cm 15 cm" --points 32 '
                '--view "auto; 35,30; top; front"',
            ),
            Figure("9", "average scores of students and teachers",
                   note="A bar chart of a questionnaire, which is outside the scope of Kinegen."),
            Figure("10", "students' opinion in two years", note="The same questionnaire."),
        ),
    ),
    "rd": (
        "RobotDesigner",
        "G. Zhelev, “Software for graphical investigation of planar and spatial closed kinematic "
        "chains for robots and manipulators”, Journal of Theoretical and Applied Mechanics 43(1), "
        "2013. This paper states no lengths either.",
        (
            Figure("1", "the two constructions of the triangle method",
                   note="Sketches of the geometry, not results. The method itself is "
                   "`kinegen zone --method triangles`, which creates figure 5."),
            Figure(
                "2", "menu with buttons", picture="studio-text.png",
                note="A user interface. Its counterpart is the studio, "
                "`kinegen studio five-bar-b`.",
            ),
            Figure(
                "3", "planar and spatial view of a motion along an ellipse",
                'path five-bar --shape ellipse --corners "0 24 cm 0; 20 cm 39 cm 0" --points 60 '
                '--view "top; -70,35"',
                "Points that can be reached are black, as in the paper.",
            ),
            Figure("4a", "five-bar", "draw five-bar-b --names --view top",
                   "The length of any bar can be changed, such as `--set l3=\"35 cm\"`; "
                   "`kinegen assemble` reports whether the loop closes."),
            Figure("4b", "eight-bar", "draw eight-bar --names --view top"),
            Figure("5a", "zone of reachability of the five-bar", 'zone five-bar-b --step "4 deg"'),
            Figure("5b", "zone of reachability of the eight-bar", 'zone eight-bar --step "4 deg"'),
            Figure(
                "6", "backlash of 3° in the joints of the spatial five-bar",
                'backlash five-bar-spatial --angle "3 deg"',
            ),
            Figure(
                "7", "speeds of the joints of the eight-bar",
                'plot eight-bar --shape ellipse --centre "20 cm 50 cm 0" --radius "10 cm" '
                "--points 120 --charts speeds",
                "The handle moves at constant speed; the chart has gaps where the curve is out of "
                "reach.",
            ),
        ),
    ),
}  # fmt: skip
"""The numbered figures of each paper, in order: key of its files, name, source, figures."""

ABOUT_FIGURES = """\
# Figures of two papers

This page shows each numbered figure of the papers on 3D-RAS and RobotDesigner, with the command
that creates the same picture. `--out` also accepts `.pdf` and `.png`, and `.csv`, `.npz` or `.ply`
for the points themselves. `--palette paper` uses the colours of 3D-RAS; the default palette is
colour-blind-safe.
"""


def picture_of(paper: str, figure: Figure) -> Path:
    """The file that shows a figure."""
    return DOCS / "images" / (figure.picture or f"figures/{paper}-{figure.number}.svg")


def command_of(paper: str, figure: Figure) -> str:
    """The whole command of a figure."""
    return f"kinegen {figure.command} --out {picture_of(paper, figure).name}"


def make_figures() -> None:
    """Run the commands of all figures."""
    FIGURES.mkdir(exist_ok=True)
    made = set()
    for paper, (_, _, figures) in PAPERS.items():
        for figure in figures:
            if figure.command and not figure.picture:
                with contextlib.chdir(FIGURES), contextlib.redirect_stdout(io.StringIO()):
                    code = kinegen(shlex.split(command_of(paper, figure))[1:])
                if code:
                    raise SystemExit(f"{command_of(paper, figure)}: exit code {code}")
                made.add(picture_of(paper, figure).name)
    for file in FIGURES.iterdir():
        if file.name not in made:
            file.unlink()


def _figure(paper: str, name: str, figure: Figure) -> str:
    parts = [f"### Figure {figure.number.replace('-', ', ')}: {figure.title}"]
    if figure.command:
        parts.append(f"```sh\n{command_of(paper, figure)}\n```")
    if figure.note:
        parts.append(textwrap.fill(figure.note, 100, break_on_hyphens=False))
    if figure.command or figure.picture:
        picture = picture_of(paper, figure).relative_to(DOCS).as_posix()
        parts.append(f"![{name}, figure {figure.number}](../{picture})")
    return "\n\n".join(parts) + "\n"


def picture(name: str) -> str:
    """The SVG text of a library mechanism in its start pose."""
    mechanism = kg.load(name)
    model = mechanism.compile()
    return draw(model, kg.forward(model)[: model.link_count], title=mechanism.title)


def page() -> str:
    """The Markdown text of the page with the library."""
    shown = [name for names in SECTIONS.values() for name in names]
    if sorted(shown) != kg.library_names():
        odd = sorted(set(shown) ^ set(kg.library_names()))
        raise SystemExit(f"SECTIONS and the library differ in: {', '.join(odd) or 'duplicates'}")
    parts = [INTRODUCTION]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name) for name in names]
    return "\n".join(parts)


def figures_page() -> str:
    """The Markdown text of the page with the papers' figures."""
    parts = [ABOUT_FIGURES]
    for paper, (name, source, figures) in PAPERS.items():
        parts.append(f"## {name}\n\n{textwrap.fill(source, 100)}\n")
        parts += [_figure(paper, name, figure) for figure in figures]
    return "\n".join(parts)


def _entry(name: str) -> str:
    mechanism = kg.load(name)
    model = mechanism.compile()
    title = mechanism.title or name
    sizes = [(len(model.joints), "joint"), (len(model.loops), "loop"), (model.nv, "joint degree")]
    if model.couplings:
        sizes.insert(2, (len(model.couplings), "coupling"))
    counted = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in sizes) + " of freedom"
    text = textwrap.fill(" ".join((mechanism.description or "").split()), 100)
    source = f"[file](../../src/kinegen/mechanism/library/{name}.raff)"
    image = f"![{title}](../images/mechanisms/{name}.svg)"
    return f"### {title}\n\n{image}\n\n`{name}` · {counted} · {source}\n\n{text}\n"


def main() -> None:
    """Write the pages and all pictures, and remove pictures of mechanisms that are gone."""
    PICTURES.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    FIGURES_PAGE.write_text(figures_page(), encoding="utf-8", newline="\n")
    names = kg.library_names()
    for name in names:
        (PICTURES / f"{name}.svg").write_text(picture(name), encoding="utf-8", newline="\n")
    for file in PICTURES.glob("*.svg"):
        if file.stem not in names:
            file.unlink()
    make_figures()
    print(f"drew {len(names)} mechanisms and the figures into {PICTURES}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
