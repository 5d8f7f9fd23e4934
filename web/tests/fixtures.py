"""Library mechanisms and the kernels as JSON, for the page's tests; names are the arguments."""

import base64
import json
import sys
from dataclasses import asdict

import numpy as np

import kinegen
from kinegen.kernels.backend import wasm_bytes
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.mechanism.model import Model
from kinegen.studio.wire.data.model import model_data

PULLS = 40
"""Ticks of the drag that is compared."""


def pull(model: Model, q: np.ndarray) -> dict[str, object]:
    """A drag of the last frame far out of reach: where it ends, and why there in words."""
    name = model.site_names[-1]
    target = kinegen.pose(model, q, name).translation + model.size * np.array([6.0, 5.0, 4.0])
    dragger = Dragger(model, q, [Handle(name, target)])
    for _ in range(PULLS):
        report = dragger.tick()
    result = dragger.result(report)
    return {"target": target.tolist(), "q": result.q.tolist(), "reason": result.reason,
            "outcome": result.outcome.name.lower()}  # fmt: skip


def singular(model: Model, q: np.ndarray) -> dict[str, float | None]:
    """Distances to singular poses of both kinds; None where there is none."""
    found = kinegen.kinematics.singularities(model, q)
    distances = {"task": found.task_distance, "gain": found.gain_distance}
    return {kind: d if np.isfinite(d) else None for kind, d in distances.items()}


def fixture(name: str) -> dict[str, object]:
    """A mechanism as the page gets it, and what Python finds about it."""
    mechanism = kinegen.load(name)
    model = mechanism.compile()
    start = kinegen.assemble(model).q if model.loops else model.start()
    data = model_data(mechanism, model, start)
    return {
        "data": asdict(data),
        "poses": kinegen.forward(model, start).ravel().tolist(),
        "jacobian": kinegen.jacobian(model, start, model.site_names[-1]).ravel().tolist(),
        "size": model.size,
        "pull": pull(model, start),
        "singular": singular(model, start),
    }


def main() -> None:
    """Write everything to standard output."""
    json.dump(
        {
            "wasm": base64.b64encode(wasm_bytes()).decode(),
            "models": {name: fixture(name) for name in sys.argv[1:]},
        },
        sys.stdout,
    )


main()
