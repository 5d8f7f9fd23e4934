"""Numbers that are formulas of parameters, in Python."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinegen.kernels.layout import OPERATIONS, TRANSFORM_SIZE, Blocks
from kinegen.kernels.reference.base.profile import bend_tables
from kinegen.kernels.reference.base.transform import place

BAD_INDEX = -3

UNARY: dict[str, Callable[[float], float]] = {
    "neg": lambda x: -x,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sqrt": math.sqrt,
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
    "round": lambda x: float(round(x)),
    "sign": lambda x: float((x > 0) - (x < 0)),
}
BINARY: dict[str, Callable[[float, float], float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": math.pow,
    "atan2": math.atan2,
    "min": lambda x, y: min(y, x),
    "max": lambda x, y: max(y, x),
    "hypot": math.hypot,
}


def run(blocks: Blocks, formula: int) -> float:
    """Value of one formula; not-a-number where it has none."""
    first, last = (int(n) for n in blocks.int_part("formula_start")[formula : formula + 2])
    code = blocks.int_part("code").reshape(-1, 2)[first:last]
    stack: list[float] = []
    for number, argument in code.tolist():
        operation = OPERATIONS[number]
        try:
            if operation == "const":
                stack.append(float(blocks.real_part("constants")[argument]))
            elif operation == "name":
                stack.append(float(blocks.real_part("parameters")[argument]))
            elif operation in BINARY:
                y = stack.pop()
                stack.append(BINARY[operation](stack.pop(), y))
            else:
                stack.append(UNARY[operation](stack.pop()))
        except (ValueError, ZeroDivisionError, OverflowError):
            return math.nan
        if not math.isfinite(stack[-1]):
            return math.nan  # atan(1e300*1e300) is no 90°: an overflow on the way is a refusal
    return stack[0]


def refresh(blocks: Blocks) -> None:
    """Place every frame again from its six numbers; bend the curves of cams."""
    placements = blocks.real_part("placements").reshape(-1, 6)
    transforms = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
    own = [
        place(kind, placements[i])
        for i, kind in enumerate(blocks.int_part("placement_kind").tolist())
    ]
    for i, frame in blocks.int_part("based").reshape(-1, 2).tolist():
        own[i] = own[frame] @ own[i]  # frames come before what sits on them
    for row, X in zip(transforms, own, strict=True):
        row[:] = np.concatenate([X[:3, :3].ravel(), X[:3, 3]])
    bend_tables(blocks)


def update(blocks: Blocks, formulas: list[int]) -> int:
    """Run formulas in order and place the frames; 1 + the first that is not finite, or 0."""
    targets = blocks.int_part("formula_target")
    for formula in formulas:
        value = run(blocks, formula)
        if not math.isfinite(value):
            return 1 + formula
        blocks.reals[targets[formula]] = value
    refresh(blocks)
    return 0


def set_parameter(blocks: Blocks, index: int, value: float) -> int:
    """Set a parameter and what depends on it, or change nothing and say which formula refused."""
    if not 0 <= index < blocks.counts.parameter:
        return BAD_INDEX
    first, last = blocks.int_part("dependent_start")[index : index + 2].tolist()
    dependents: list[int] = []
    for entry in blocks.int_part("dependents")[first:last].tolist():
        if entry < 0:  # ~f ends the list and stands for all formulas from f on
            dependents += range(~entry, blocks.counts.formula)
            break
        dependents.append(entry)
    before = blocks.reals.copy()
    blocks.reals[index] = value
    status = update(blocks, dependents)
    if status:
        blocks.reals[:] = before
    return status


def set_number(blocks: Blocks, index: int, value: float) -> int:
    """Set one number behind the parameters and place its frame."""
    if not blocks.counts.parameter <= index < blocks.value_count:
        return BAD_INDEX
    blocks.reals[index] = value
    refresh(blocks)
    return 0
