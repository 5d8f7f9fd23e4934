"""Cut and print a linkage: drawings at true scale, solids, a parts list."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import kinegen as kg

folder = Path(tempfile.mkdtemp())
linkage = kg.load("peaucellier")
sizes = kg.formats.Sizes(width=0.016, hole=0.004)  # metres: bars of 16 mm, pins of 4 mm

# What a laser cutter needs: SVG here, DXF with kinegen[workshop].
options = {"width": "16mm", "hole": "4mm", "sheet": "300x200mm", "ground": "yes"}
made = kg.export(linkage, folder / "peaucellier.svg", format="cut", options=options)
print(f"wrote {made.files[0]}")
for note in made.notes:
    print(f"  {note}")

# Which part lies above which, and how far apart its holes are.
assembly = kg.formats.flat_assembly(linkage, sizes=sizes)
for part in sorted(assembly.parts, key=lambda one: one.level):
    print(f"level {part.level}: {part.name}, a {part.kind} of {part.described(sizes)}")

listed = kg.formats.parts_list(linkage, sizes=sizes, material="plywood")
for row in listed.parts:
    print(f"{row.count} x {', '.join(row.names)}: {'; '.join(map(str, row.holes))}")
print(f"all parts weigh {1000 * (listed.mass or 0):.0f} g")

# The same mechanism as a Python program, and back.
kg.export(linkage, folder / "peaucellier.py")
again = kg.load(folder / "peaucellier.py")

bar = assembly.part("OA")
distance = math.dist(bar.holes[0].at, bar.holes[1].at)
assert again == linkage and abs(distance - 0.2) < 1e-12
