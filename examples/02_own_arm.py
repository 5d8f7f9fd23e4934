"""Describe your own arm in a dozen lines, compute its poses, draw it, report a mistake."""

import math
import tempfile
from pathlib import Path

import kinegen as kg
from kinegen.formats.drawing.pictures.svg import draw

ARM = """\
raff: 1
name: my-arm
parameters: {upper: 300 mm, fore: 25 cm}

joints:
  - {name: waist, parent: base, r: 400 mm, limits: [-170 deg, 170 deg]}
  - {name: shoulder, parent: waist, alpha: 90 deg, start: 60 deg}
  - {name: elbow, parent: shoulder, d: upper, start: -80 deg}
  - {name: wrist, parent: elbow, d: fore, start: -60 deg}

frames:
  - {name: tool, parent: wrist, d: 80 mm}
"""

# kg.load takes a text, the path of a file or a library name.
mechanism = kg.load(ARM)
model = mechanism.compile()
tool = kg.pose(model, frame="tool").translation
print("tool at the start [m]:", tool.round(4))

folder = Path(tempfile.mkdtemp())
picture = draw(model, kg.forward(model)[: model.link_count], title="My arm")
(folder / "my-arm.svg").write_text(picture, encoding="utf-8")
mechanism.save(folder / "my-arm.raff")
print("file and picture are in", folder)

# Every mistake is reported with its place and, where possible, a suggestion.
try:
    kg.load(ARM.replace("alpha", "alhpa").replace("parent: elbow", "parent: elbwo"))
except kg.errors.RaffError as error:
    problems = error.problems
    print(error)

# The arm moves in a vertical plane: its pose follows from sums of three angles.
a, b, c = math.radians(60), math.radians(60 - 80), math.radians(60 - 80 - 60)
assert math.isclose(tool[0], 0.3 * math.cos(a) + 0.25 * math.cos(b) + 0.08 * math.cos(c))
assert math.isclose(tool[2], 0.4 + 0.3 * math.sin(a) + 0.25 * math.sin(b) + 0.08 * math.sin(c))
assert (folder / "my-arm.raff").read_text(encoding="utf-8") == ARM
assert picture.startswith("<svg")
assert [(p.line, "did you mean" in p.message) for p in problems] == [(7, True), (9, True)]
