"""Builds the studio's page into the package, when it is not there or its sources have changed.

Run by ``make`` and by CMake; a source distribution carries the built page and needs no Node.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
CLIENT = WEB.parent / "src" / "kinegen" / "studio" / "client"
STAMP = CLIENT / "stamp.txt"
NODE_MAJOR = 20
"""Oldest Node that the build tools run on."""


def main() -> None:
    """Build, unless the page in the package was built from just these sources."""
    now = sources_hash()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == now:
        return
    npm = find_npm()
    if not (WEB / "node_modules").is_dir() or not lock_is_installed():
        run(npm, "ci", "--no-audit", "--no-fund")
    run(npm, "run", "build")
    STAMP.write_text(now, encoding="utf-8")


def sources_hash() -> str:
    """A name for the state of everything the page is built from."""
    digest = hashlib.sha256()
    tops = ("src", "public", "index.html", "package-lock.json", "package.json")
    files = [file for top in tops for file in (WEB / top, *(WEB / top).rglob("*"))]
    files += [*WEB.glob("vite*.ts"), WEB.parent / "src/kinegen/raff/raff.schema.json"]
    for file in sorted(file for file in files if file.is_file()):
        digest.update(file.relative_to(WEB.parent).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def lock_is_installed() -> bool:
    """Whether node_modules was installed after the lock file last changed."""
    installed = WEB / "node_modules" / ".package-lock.json"
    lock = WEB / "package-lock.json"
    return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime


def find_npm() -> str:
    """The npm to use; ends the program with what to do when there is none."""
    node, npm = shutil.which("node"), shutil.which("npm")
    advice = (
        f"The studio's page is built with Node {NODE_MAJOR} or newer and npm: install them "
        "(Debian/Ubuntu 'apt install nodejs npm', macOS 'brew install node', Windows 'winget "
        "install OpenJS.NodeJS.LTS'), or set KINEGEN_STUDIO=none to install without the studio."
    )
    if node is None or npm is None:
        sys.exit(f"No {'node' if node is None else 'npm'} was found. {advice}")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(re.sub(r"\D*(\d+).*", r"\1", version.strip()))
    if major < NODE_MAJOR:
        sys.exit(f"Node {version.strip()} is too old. {advice}")
    return npm


def run(*command: str) -> None:
    """Run a step in the client's folder; its output is shown when it fails."""
    done = subprocess.run(
        command, cwd=WEB, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n'{' '.join(command)}' failed in {WEB.name}/")


if __name__ == "__main__":
    main()
