"""``kinegen workspace --out NAME.zarr``: a cloud of any size into a store, here or on a cluster."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import load_mechanism, parse_closed
from kinegen.cli.options.body import body_json, print_body
from kinegen.cli.options.cluster import add_cluster
from kinegen.cli.options.ranges import parse_ranges
from kinegen.cli.output import count, length, print_table
from kinegen.cli.progress import ProgressLine, share
from kinegen.errors import UsageError
from kinegen.mechanism.model import Model
from kinegen.workspace.bodies.body import boundary
from kinegen.workspace.clouds.cloud import held_joints
from kinegen.workspace.runs.body import voxels_of_run
from kinegen.workspace.runs.run import CHUNK, CloudRun, run, verify_run

__all__ = ["SUFFIX", "add_store", "frames_of", "print_held", "run_into_store"]

SUFFIX = ".zarr"
STOPPED = 130
"""The exit code of Ctrl-C."""


def add_store(parser: argparse.ArgumentParser) -> None:
    """What goes with ``--out NAME.zarr``."""
    add_cluster(parser)
    parser.add_argument(
        "--float32", action="store_true", help=".zarr: single precision, half the size"
    )
    parser.add_argument(
        "--chunk",
        type=int,
        metavar="N",
        help=f".zarr: poses per piece; default: up to {CHUNK}",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed that shifts the random poses")
    parser.add_argument(
        "--tool-only", action="store_true", help="only the tool, without the links of its chain"
    )
    parser.add_argument(
        "--verify", action="store_true",
        help=".zarr: compute nothing, compare the checksums of the stored pieces; exit code 1 "
        "unless the store is complete",
    )  # fmt: skip


def frames_of(model: Model, options: argparse.Namespace) -> list[str] | None:
    """The frames that are asked for; None for all on the way to the tool."""
    if options.tool_only:
        return [options.frame or model.site_names[-1]]
    return None if options.frames is None else options.frames.replace(",", " ").split()


def print_held(held: Sequence[str]) -> None:
    """Which joints a cloud leaves where they are, if any."""
    if held:
        print(f"ball joints and free bases are held fixed: {', '.join(held)}")


def run_into_store(options: argparse.Namespace) -> int:
    """Make the cloud, or continue it; say how large it is."""
    if options.verify:
        return _verify(options)
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    line = ProgressLine()
    begin = time.perf_counter()

    def progress(done: int, total: int) -> None:
        if line.first is None and done:
            what = f"continues at {share(done, total)}" if done < total else "is complete"
            print(f"'{options.out}' {what}", file=sys.stderr)
        line(done, total)

    try:
        made = run(
            mechanism, options.out, frame=options.frame,
            frames=frames_of(model, options),
            ranges=parse_ranges(model, options.range), factor=options.factor, count=options.count,
            q=parse_closed(model, options.q), layer=options.layer, seed=options.seed,
            chunk=options.chunk,
            dtype="float32" if options.float32 else "float64", executor=options.cluster,
            progress=progress,
        )  # fmt: skip
    except KeyboardInterrupt:
        line.end()
        if not line.total:
            raise
        print(
            f"kinegen: stopped at {share(line.done, line.total)}; finished pieces are kept in "
            f"'{options.out}': the same command continues from there",
            file=sys.stderr,
        )
        return STOPPED
    except UsageError:
        line.end()
        raise
    line.end()
    _report(options, made, held_joints(model, made.frames), time.perf_counter() - begin)
    return 0


def _verify(options: argparse.Namespace) -> int:
    """Say what state the store is in."""
    state = verify_run(options.out)
    if options.json:
        print_json(
            {
                "store": options.out,
                "whole": state.is_whole,
                "pieces": state.pieces,
                "missing": list(state.missing),
                "faults": [
                    {"piece": fault.piece, "file": fault.file, "reason": fault.reason}
                    for fault in state.faults
                ],
            },
            error="" if state.is_whole else f"'{options.out}' is not complete",
        )
        return 0 if state.is_whole else 1
    for fault in state.faults:
        print(fault)
    if state.missing:
        listed = ", ".join(map(str, state.missing[:10])) + (" …" if state.missing[10:] else "")
        print(f"{count(len(state.missing), 'piece')} of {state.pieces} missing: {listed}")
    if state.is_whole:
        print(
            f"'{options.out}' is complete: {count(state.pieces, 'piece')}, every checksum matches"
        )
        return 0
    print(f"'{options.out}' is not complete; the same command without --verify computes the rest")
    return 1


def _report(
    options: argparse.Namespace, made: CloudRun, held: tuple[str, ...], seconds: float
) -> None:
    body = boundary(voxels_of_run(made)) if options.body else None
    points = made.pose_count * len(made.frames)
    if options.json:
        print_json(
            {
                **body_json(body),
                "name": made.store.about["name"],
                "poses": made.pose_count,
                "points": points,
                "seconds": seconds,
                "layer": made.plan["layer"],
                "store": options.out,
                "pieces": made.pieces,
                "made": made.made,
                "repaired": [str(fault) for fault in made.repaired],
                "ranges": {
                    one["name"]: {
                        "lower": one["lower"],
                        "upper": one["upper"],
                        "count": one["count"] if options.count is None else None,
                    }
                    for one in made.store.about["ranges"]
                },
                "held": list(held),
                "frames": {
                    frame: {"lower": ends[0], "upper": ends[1]}
                    for frame, ends in zip(made.frames, made.bounds, strict=True)
                },
            }
        )
        return
    for fault in made.repaired:
        print(f"computed again: {fault}", file=sys.stderr)
    there = made.pieces - made.made
    kept = f" ({there} already existed)" if there else ""
    print(
        f"{made.store.about['name']}: {count(made.pose_count, 'pose')}, {count(points, 'point')} "
        f"in {count(made.pieces, 'piece')}{kept}, {seconds:.3f} s"
    )
    print_held(held)
    print_table(
        ("frame", "x", "y", "z"),
        [
            (frame, *(f"{length(low)} … {length(high)}" for low, high in ends.T))
            for frame, ends in zip(made.frames, made.bounds, strict=True)
        ],
        right=(1, 2, 3),
    )
    print_body(body, made.frames[-1])
    print(f"wrote {options.out}")
