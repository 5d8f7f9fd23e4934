"""Turn a Denavit-Hartenberg table into a readable RAFF file."""

import math

import numpy as np
import numpy.typing as npt

import kinegen as kg
from kinegen.formats.mechanisms.denavit_hartenberg import Convention, read_denavit_hartenberg

# The Stanford arm, standard convention. Numbers: P. Corke's Robotics Toolbox, after R. Paul,
# "Modelling, trajectory calculation and servoing of a computer controlled arm", Stanford, 1972.
TABLE = """\
| joint    | theta | d [mm] | a | alpha [deg] |
|----------|-------|--------|---|-------------|
| waist    | q1    | 412    | 0 | -90         |
| shoulder | q2    | 154    | 0 | 90          |
| boom     | -pi/2 | q3     | 0 | 0           |
| roll     | q4    | 0      | 0 | -90         |
| bend     | q5    | 0      | 0 | 90          |
| turn     | q6    | 263    | 0 | 0           |
"""

mechanism = read_denavit_hartenberg(TABLE, convention=Convention.STANDARD, name="stanford-arm")
text = mechanism.to_raff()
print(text)

model = kg.load(text).compile()
q = np.array([0.3, -0.5, 0.4, 0.2, 0.7, -0.1])
X_WT = kg.pose(model, q, "tool")
print("tool:", X_WT.translation.round(4))


def row(theta: float, d: float, a: float, alpha: float) -> npt.NDArray[np.float64]:
    """One row of the table as in the textbook: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    c, s = math.cos(theta), math.sin(theta)
    ca, sa = math.cos(alpha), math.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )


by_hand = np.linalg.multi_dot(
    [
        row(q[0], 0.412, 0, -math.pi / 2),
        row(q[1], 0.154, 0, math.pi / 2),
        row(-math.pi / 2, q[2], 0, 0),
        row(q[3], 0, 0, -math.pi / 2),
        row(q[4], 0, 0, math.pi / 2),
        row(q[5], 0.263, 0, 0),
    ]
)
assert [joint.type.value for joint in model.joints].count("prismatic") == 1
assert model.joint("boom").type is kg.JointType.PRISMATIC
assert model.parameters["d1"] == 0.412
assert np.allclose(X_WT.matrix, by_hand, atol=1e-12)
