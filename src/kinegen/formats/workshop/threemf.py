"""3MF: all parts of a mechanism in one file for printers, with names, colours and units.

A 3MF file is a zip of three XML files: 3MF Core Specification 1.3, 3MF Consortium, 2022.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from kinegen.errors import UsageError
from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.sizes import parse_word
from kinegen.formats.workshop.solid.options import SOLID_OPTIONS, solids_asked
from kinegen.formats.workshop.solid.part import SolidAssembly
from kinegen.formats.workshop.solid.printing import PrintedPart, bed_places, printed_parts
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.version import __version__

__all__ = ["FORMAT", "LAYOUTS", "threemf_bytes"]

LAYOUTS = ("bed", "assembled")
"""Where parts are: side by side on the bed of a printer, or as in the pose."""

_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" '
    'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>'
    "</Types>\n"
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="rel0" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>\n'
)
_DATE = (1980, 1, 1, 0, 0, 0)
"""Of the files in the zip: the same parts give the same bytes."""


def threemf_bytes(assembly: SolidAssembly, *, layout: str = "bed") -> tuple[bytes, list[str]]:
    """The file, and what a maker should know.

    Args:
        assembly: The parts.
        layout: 'bed': side by side, or 'assembled'.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"layout={layout}: use one of {', '.join(LAYOUTS)}")
    parts, messages = printed_parts(assembly)
    if layout == "bed":
        places = [(np.eye(3), place) for place in bed_places(parts)]
    else:
        poses = [one.part.X_WS for one in parts]
        places = [(X.so3.matrix, 1000 * X.translation) for X in poses]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in (
            ("[Content_Types].xml", _TYPES),
            ("_rels/.rels", _RELATIONS),
            ("3D/3dmodel.model", _model(assembly.name, parts, places)),
        ):
            info = zipfile.ZipInfo(name, _DATE)
            archive.writestr(info, text.encode(), zipfile.ZIP_DEFLATED)
    return out.getvalue(), messages


def _model(
    title: str, parts: Sequence[PrintedPart], places: Sequence[tuple[Floats, Floats]]
) -> str:
    colors = list(dict.fromkeys(one.part.color for one in parts))
    bases = [
        f"<base name={quoteattr(color)} displaycolor={quoteattr(color.upper() + 'FF')}/>"
        for color in colors
    ]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<model unit="millimeter" xml:lang="en-US" xmlns="{_CORE}">',
        f'<metadata name="Title">{_escaped(title)}</metadata>',
        f'<metadata name="Application">Kinegen {__version__}</metadata>',
        "<resources>",
        f'<basematerials id="1">{"".join(bases)}</basematerials>',
    ]
    for number, one in enumerate(parts, 2):
        lines.append(
            f'<object id="{number}" type="model" name={quoteattr(one.part.name)} pid="1" '
            f'pindex="{colors.index(one.part.color)}"><mesh><vertices>'
        )
        lines += [
            f'<vertex x="{x:.7g}" y="{y:.7g}" z="{z:.7g}"/>'
            for x, y, z in one.mesh.vertices.tolist()
        ]
        lines.append("</vertices><triangles>")
        lines += [
            f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in one.mesh.triangles.tolist()
        ]
        lines.append("</triangles></mesh></object>")
    lines += ["</resources>", "<build>"]
    for number, (R, p) in enumerate(places, 2):
        # Points are rows there: the matrix is transposed.
        numbers = " ".join(f"{round(v, 9) + 0.0:.10g}" for v in [*R.T.ravel(), *p])
        lines.append(f'<item objectid="{number}" transform="{numbers}"/>')
    return "\n".join([*lines, "</build>", "</model>", ""])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    layout = parse_word("layout", options.get("layout", "bed"), LAYOUTS)
    data, messages = threemf_bytes(solids_asked(mechanism, q, options), layout=layout)
    return Written(data, tuple(messages))


FORMAT = Format(
    "3mf",
    "every part as a printable solid in one file, with names and colours [mm]",
    (".3mf",),
    write=_write,
    options={**SOLID_OPTIONS, "layout": "bed (default): side by side, or assembled"},
    media_type="model/3mf",
    needs={"manifold3d": "workshop"},
)
