"""``kinegen studio``: the page in which mechanisms are seen, dragged and edited."""

from __future__ import annotations

import argparse
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from kinegen.cli.answers import print_json
from kinegen.errors import KinegenError, UsageError

if TYPE_CHECKING:
    from kinegen.studio.server.serve import Running

EXAMPLES = [
    "kinegen studio",
    "kinegen studio stewart",
    "kinegen studio my-arm.raff",
    "kinegen studio exploring-cart --agents",
    "kinegen studio run.mcap",
    "kinegen studio --folder robots --port 8123 --no-browser",
    "kinegen studio --host 0.0.0.0",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show, where to serve it."""
    parser.add_argument(
        "mechanism", metavar="NAME", nargs="?", help="a library name, a file, or a log of a world"
    )
    parser.add_argument("--world", metavar="NAME", help="world of a log that does not contain it")
    parser.add_argument(
        "--folder", metavar="DIR", help="project folder; default: the file's, or this one"
    )
    parser.add_argument("--port", type=int, help="default: a free port")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; default: this machine only; any other address is served over "
        "TLS",
    )
    parser.add_argument("--tls", action="store_true", help="use TLS on this machine too")
    parser.add_argument(
        "--new-token",
        action="store_true",
        help="create a new token; earlier links and browsers lose access",
    )
    parser.add_argument(
        "--quota",
        type=int,
        default=1024,
        metavar="MB",
        help="how much the studio may write into the project folder; default: 1024",
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        help="log file for requests and writes, '-' for the terminal; default: in the state folder",
    )
    parser.add_argument(
        "--linger",
        type=float,
        metavar="SECONDS",
        help="stop when no page and no program has been connected for this long; default: never",
    )
    parser.add_argument(
        "--agents",
        action="store_true",
        help="let worlds start the programs that their files name as agents; anyone who has the "
        "link can then run programs as you",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="another origin that may connect, such as a development server; may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        from kinegen.studio.server.serve import FIRST, Settings, run
    except ImportError as error:
        raise UsageError(
            f"the studio needs the package {error.name}: pip install 'kinegen[studio]'"
        ) from None
    if options.quota < 0:
        raise UsageError(f"--quota takes a number of MB, got {options.quota}")

    if options.linger is not None and not options.linger >= 0:
        raise UsageError(f"--linger takes a number of seconds, got {options.linger:g}")

    first, folder, replay = _shown(options, FIRST)
    settings = Settings(
        first=first,
        folder=folder,
        host=options.host,
        port=options.port,
        tls=options.tls,
        origins=frozenset(options.origin),
        new_token=options.new_token,
        log=options.log,
        quota=options.quota * 2**20,
        warm=True,
        linger=options.linger,
        agents=options.agents,
        replay=replay,
    )

    def ready(running: Running) -> None:
        facts: dict[str, Any] = {
            "link": running.link,
            "port": running.port,
            "folder": str(folder.resolve()),
        }
        made = running.certificate
        facts |= {"fingerprint": made.fingerprint if made else None}
        print_json(facts, at_once=True)

    return run(
        settings,
        browser=not options.no_browser,
        say=_say,
        ready=ready if options.json else None,
    )


def _shown(options: argparse.Namespace, first: str) -> tuple[str, Path, str | None]:
    """What is shown first, the project folder, and the log that is played, if any."""
    from kinegen.mechanism.load import find_file, is_in_library

    folder = Path(options.folder or ".")
    if options.world and not _is_log(options.mechanism):
        raise UsageError("--world is for logs, such as 'kinegen studio run.csv --world room.raff'")
    if not options.mechanism:
        return first, folder, None
    if is_in_library(options.mechanism):
        return options.mechanism, folder, None
    file = Path(options.mechanism)
    if _is_log(options.mechanism):
        folder = Path(options.folder) if options.folder else file.parent
        replay = _inside(folder, file)
        return _world_of(folder, file, options.world), folder, replay
    if not file.is_file():
        find_file(options.mechanism)  # which says what is wrong
    folder = Path(options.folder) if options.folder else _folder_of(file)
    return _inside(folder, file), folder, None


def _is_log(name: str | None) -> bool:
    from kinegen.world.log.log import SUFFIXES

    if name is None or Path(name).suffix.lower() not in SUFFIXES or not Path(name).is_file():
        return False
    if Path(name).suffix.lower() == ".mcap":
        return True
    with open(name, "rb") as file:  # a table of Denavit-Hartenberg parameters is a .csv file too
        return file.read(8) == b"time [s]"


def _inside(folder: Path, file: Path) -> str:
    """The path of a file in the project folder."""
    try:
        return file.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        raise UsageError(f"'{file}' is not in the project folder '{folder}'") from None


def _world_of(folder: Path, log: Path, given: str | None) -> str:
    """What a log is shown with: a library name, or a file that is written where there is none."""
    from kinegen.mechanism.load import is_in_library
    from kinegen.world.log.player import open_player

    if given is not None:
        return given if is_in_library(given) else _inside(folder, Path(given))
    with open_player(log) as player:
        world, text = player.world, player.text
    if is_in_library(world):
        return world
    beside = log.with_suffix(".raff")
    if not text:
        raise UsageError(
            f"'{log}' does not have its world: name it, as in 'kinegen studio {log} --world "
            "room.raff'"
        )
    if not beside.exists():
        from kinegen.files import write_atomically

        write_atomically(beside, text.encode())
        _say(f"wrote {beside}: the world of the log")
    return _inside(folder, beside)


def _folder_of(file: Path) -> Path:
    """The folder that holds a file and the meshes that it names, as packages of robots lie."""
    from kinegen.formats.load import load
    from kinegen.mechanism.mesh_names import mesh_names

    if file.suffix.lower() == ".raff":
        return file.parent
    try:
        meshes = list(mesh_names(load(file)))
    except KinegenError:  # which the page shows
        return file.parent
    upwards = max((PurePosixPath(mesh).parts.count("..") for mesh in meshes), default=0)
    return file.parent.joinpath(*[".."] * upwards).resolve()


def _say(line: str) -> None:
    print(line, flush=True)  # with --json on standard error, as all but the document
