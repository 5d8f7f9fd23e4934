"""Memory: the least of what machine, limits and control groups leave, and errors that say so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinegen.errors import KinegenError
from kinegen.memory import (
    NotEnoughMemoryError,
    available_memory,
    byte_text,
    check_memory,
    names_memory,
)

pytestmark = pytest.mark.slow

GB = 10**9


class Linux:
    """A machine with 8 GB free whose files are made up."""

    def __init__(self, folder: Path) -> None:
        self.proc, self.cgroups = folder / "proc", folder / "cgroup"
        self.write("proc/meminfo", "MemTotal: 99 kB\nMemAvailable:    8000000 kB\nMemFree: 1 kB\n")

    def write(self, name: str, text: str) -> None:
        path = self.proc.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def available(self) -> int:
        return available_memory(self.proc, self.cgroups)


@pytest.fixture
def linux(tmp_path: Path) -> Linux:
    return Linux(tmp_path)


def test_without_limits_it_is_what_the_machine_has(linux: Linux) -> None:
    assert linux.available() == 8_192_000_000


def test_groups_of_version_2_up_to_the_first(linux: Linux) -> None:
    linux.write("proc/self/cgroup", "0::/user/job\n")
    linux.write("cgroup/user/job/memory.max", "max\n")
    linux.write("cgroup/user/memory.max", f"{2 * GB}\n")
    linux.write("cgroup/user/memory.current", f"{GB}\n")
    assert linux.available() == GB
    # files that were read are given back
    linux.write("cgroup/user/memory.stat", f"anon 5\ninactive_file {GB // 2}\n")
    assert linux.available() == 3 * GB // 2
    linux.write("cgroup/user/job/memory.high", f"{GB // 4}\n")
    assert linux.available() == GB // 4
    linux.write("cgroup/user/memory.current", f"{9 * GB}\n")
    assert linux.available() == 0


def test_groups_of_version_1(linux: Linux) -> None:
    linux.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/job/one\n0::/\n")
    linux.write("cgroup/memory/job/one/memory.limit_in_bytes", "9223372036854771712\n")
    linux.write("cgroup/memory/memory.limit_in_bytes", f"{3 * GB}\n")
    linux.write("cgroup/memory/memory.usage_in_bytes", f"{GB}\n")
    assert linux.available() == 2 * GB


def test_inside_a_container_whose_path_is_that_of_the_outside(linux: Linux) -> None:
    linux.write("proc/self/cgroup", "0::/docker/abcdef\n")
    linux.write("cgroup/memory.max", f"{GB}\n")
    assert linux.available() == GB


@pytest.mark.parametrize(
    "text", ["", "\n", "nonsense", "0::", "4:memory", ":::", "0::/../../etc\n", "\0"]
)
def test_strange_files_are_no_limits(linux: Linux, text: str) -> None:
    linux.write("proc/self/cgroup", text)
    linux.write("proc/self/statm", text)
    linux.write("cgroup/memory.max", text)
    assert linux.available() == 8_192_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v is Linux's")
def test_the_limits_of_the_process_count() -> None:
    words = (
        "import resource; from kinegen.memory import available_memory;"
        "resource.setrlimit(resource.{}, (2_000_000_000,) * 2); print(available_memory())"
    )
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        done = subprocess.run(
            [sys.executable, "-c", words.format(name)], capture_output=True, text=True, check=True
        )
        assert 0 < int(done.stdout) < 2_000_000_000


def test_what_does_not_fit_is_refused_with_both_numbers() -> None:
    check_memory(1, "nothing", "")
    with pytest.raises(
        NotEnoughMemoryError, match=r"a list takes about 1e\+03 PB; .* available\. Do"
    ):
        check_memory(10**18, "a list", "Do less.")


def test_memory_that_runs_out_inside_is_named() -> None:
    @names_memory("a large array: take a smaller one")
    def make(size: int) -> np.ndarray:
        return np.empty(size)

    assert make(3).shape == (3,)
    with pytest.raises(KinegenError, match=r"not enough memory for a large array \(Unable to") as e:
        make(10**17)
    assert isinstance(e.value, MemoryError) and "take a smaller one. " in str(e.value)


def test_bytes_in_words() -> None:
    assert [byte_text(n) for n in (0, 999, 1500, 2 * GB)] == [
        "0 bytes",
        "999 bytes",
        "1.5 kB",
        "2 GB",
    ]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from kinegen.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v is Linux's")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("workspace amtec-7", "the available memory is"),
        ("workspace amtec-7 --count 100000000 --tool-only", "the available memory is"),
        ("workspace lynx6 --count 100 --out small.zarr", ""),
        ("workspace lynx6 --count 100 --chunk 900000000 --out other.zarr", ""),
        ("assemble four-bar --modes", ""),
    ],
)
def test_a_limited_process_is_refused_in_words_or_works(
    tmp_path: Path, words: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "2000000000", *words.split()],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert (done.returncode, said in done.stderr) == (1 if said else 0, True), done.stderr
