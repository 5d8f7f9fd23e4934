"""Change lengths while a model is in use, and store the change in its text."""

import math

import kinegen as kg

TEXT = """\
raff: 1
name: boom
parameters:
  mast: 1.2 m        # from the floor to the hinge
  boom: 80 cm
  tip: boom/4        # follows the boom
joints:
  - {name: lift, parent: base, b: mast, alpha: 90 deg, start: 30 deg}
frames:
  - {name: hook, parent: lift, xyz: [boom + tip, 0, 0]}
"""

mechanism = kg.load(TEXT)
model = mechanism.compile()
before = kg.pose(model).translation

# Write into the compiled model: all dependent numbers follow, nothing is compiled again.
model.parameters["boom"] = 1.0
after = kg.pose(model).translation
print("hook:", before.round(4), "->", after.round(4))
print("tip follows:", model.parameters["tip"], "m =", model.parameters.formula("tip"))

# Change numbers that are not parameters in the same way: here the mast is rotated by 90°.
model.set_number("lift", "gamma", math.pi / 2)
turned = kg.pose(model).translation

# A number that is computed by a formula cannot be overwritten.
try:
    model.parameters["tip"] = 0.1
except kg.errors.KinegenError as error:
    refusal = str(error)
    print(refusal)

# An edit of the mechanism changes one token of its text: comments, order and units are kept.
mechanism.set_parameter("boom", 1.0)
text = mechanism.to_raff()
print(text)

assert abs((after - before)[0] - 1.25 * 0.2 * math.cos(math.radians(30))) < 1e-12
assert model.parameters["tip"] == 0.25
assert max(abs(turned - [0, after[0], after[2]])) < 1e-12
assert "boom/4" in refusal
assert text == TEXT.replace("80 cm", "100 cm")
assert kg.load(text).compile().parameters["boom"] == 1.0
