"""A list of calls on the WebAssembly kernels, run by one Node process."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.kernels import backend

NODE = shutil.which("node")
RUNNER = Path(__file__).with_name("runner.mjs")
HANG = 120
"""[s] A call that never ends would else stop the suite; the whole program takes a second or two."""

OK, BAD_SIZE, BAD_VERSION, BAD_INDEX, BAD_HANDLE = 0, -1, -2, -3, -4
"""What the exports return when they refuse: ``Status`` and ``PageStatus`` of the C++ sources."""
BAD_NUMBER, NOT_FINITE = -6, -10

NEEDS_WASM = [
    pytest.mark.skipif(NODE is None, reason="node is not on PATH: nothing runs WebAssembly here"),
    pytest.mark.skipif(
        backend.name() != "native", reason="the compiled kernels are not in use: nothing to compare"
    ),
]
"""For the ``pytestmark`` of a module that compares the two."""

Argument = float | np.ndarray | dict[str, Any]


@dataclass
class Answer:
    """What one call returned, and its arrays as they were sent and as they are after it."""

    sent: list[np.ndarray]
    returned: int | None = None
    arrays: list[np.ndarray] = field(default_factory=list)
    trap: str | None = None


@dataclass
class Check:
    """A call and what the native kernel gives for the same input."""

    kernel: str
    answer: Answer
    returned: int | None
    """None: what it returns does not matter."""
    outputs: list[np.ndarray]
    """What the last of the call's arrays must hold, in their first numbers."""
    quaternions: bool = False
    """Whether outputs with rows of seven numbers are poses, whose quaternion's sign is free."""

    def compare(self, tolerance: float, where: str) -> None:
        """Assert that both sides agree."""
        message = f"{where}: {self.kernel}"
        assert self.answer.trap is None, f"{message}: {self.answer.trap}"
        if self.returned is not None:
            assert self.answer.returned == self.returned, message
        theirs = self.answer.arrays[len(self.answer.arrays) - len(self.outputs) :]
        for ours, room in zip(self.outputs, theirs, strict=True):
            other = room.ravel()[: ours.size].reshape(ours.shape)
            if self.quaternions and ours.shape[-1:] == (7,):
                # q and -q are the same rotation, and at half a turn either may come out
                flip = np.sum(ours[..., :4] * other[..., :4], axis=-1, keepdims=True) < 0
                other = np.where(flip & (np.arange(7) < 4), -other, other)
            np.testing.assert_allclose(other, ours, atol=tolerance, rtol=0, err_msg=message)


class Program:
    """Calls to run in order; each gives an Answer that is filled when the program has run."""

    def __init__(self) -> None:
        self.imports: list[Any] = []
        self.exports: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._answers: list[Answer] = []
        self._kept: dict[str, np.ndarray] = {}

    @property
    def called(self) -> set[str]:
        return {str(call["call"]) for call in self._calls}

    def call(self, name: str, *arguments: Argument, result: str | None = None) -> Answer:
        """Add a call; arrays are passed as a pointer and a count. ``result`` names what returns."""
        sent = [self._array(a) for a in arguments if isinstance(a, np.ndarray) or _is_array(a)]
        self._calls.append(
            {"call": name, "arguments": [_encoded(a) for a in arguments], "result": result}
        )
        self._answers.append(Answer(sent))
        return self._answers[-1]

    def keep(self, name: str, array: np.ndarray) -> dict[str, Any]:
        """The argument for an array that stays in memory; later calls name it {"kept": NAME}."""
        self._kept[name] = array.copy()
        return {**_encoded(array), "keep": name}

    def bind(self, name: str, ints: np.ndarray, reals: np.ndarray) -> Answer:
        """Bind a model's blocks; they stay in memory as NAME.ints and NAME.reals."""
        given = self.keep(f"{name}.ints", ints), self.keep(f"{name}.reals", reals)
        return self.call("kg_bind", *given, result=name)

    def run(self, module: bytes, folder: Path) -> None:
        """Run all calls in one Node process and fill their answers."""
        assert NODE is not None
        files = [folder / name for name in ("kernels.wasm", "calls.json", "results.json")]
        files[0].write_bytes(module)
        files[1].write_text(json.dumps(self._calls))
        command = [NODE, str(RUNNER), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
        assert done.returncode == 0, done.stderr
        got = json.loads(files[2].read_text())
        self.imports, self.exports = got["imports"], got["exports"]
        for answer, result in zip(self._answers, got["results"], strict=True):
            answer.trap = result.get("trap")
            answer.returned = result.get("returned")
            if answer.trap is None:
                answer.arrays = [
                    np.frombuffer(base64.b64decode(text), dtype=like.dtype).reshape(like.shape)
                    for text, like in zip(result["arrays"], answer.sent, strict=True)
                ]

    def _array(self, argument: Any) -> np.ndarray:
        if isinstance(argument, np.ndarray):
            return argument.copy()
        return self._kept[argument.get("keep") or argument["kept"]]


def _is_array(argument: Argument) -> bool:
    return isinstance(argument, dict) and ("keep" in argument or "kept" in argument)


def _encoded(value: Argument) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    kind = {"float64": "f64", "int32": "i32", "uint8": "u8"}[value.dtype.name]
    raw = np.ascontiguousarray(value).tobytes()
    return {"array": base64.b64encode(raw).decode(), "type": kind}
