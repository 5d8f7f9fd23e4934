"""Load mechanisms of the library, list their contents and compute the poses of their parts."""

import kinegen as kg

names = kg.library_names()
print(f"{len(names)} mechanisms: {', '.join(names)}\n")

# A mechanism is the description; its model is the compiled form for computations.
mechanism = kg.load("puma560")
model = mechanism.compile()
print(mechanism.title)
print(model)
print("joints:", ", ".join(mechanism.joints))
print("frames:", ", ".join(mechanism.frames))

# Poses are relative to the world frame, which is the frame of the link `base`.
X_WT = kg.pose(model, frame="tool")
print("tool at the start [m]:", X_WT.translation.round(4))

# Values by joint name [rad]; the other joints stay at the file's start.
X_WT_turned = kg.pose(model, {"waist": 1.0}, "tool")
print("waist turned by 1 rad:", X_WT_turned.translation.round(4))

# The same for all links and frames at once.
for name, X_WS in kg.poses(model).items():
    print(f"{name:>12}: {X_WS.translation.round(3)}")

assert "stewart" in names
assert (model.nq, model.nv, len(model.joints), len(model.loops)) == (6, 6, 6, 0)
# Turning the waist keeps the tool's height and its distance from the waist's axis.
assert abs(X_WT_turned.translation[2] - X_WT.translation[2]) < 1e-12
turn = kg.SE3(kg.SO3.exp([0, 0, 1.0]))
assert X_WT_turned.is_close(turn @ X_WT)
