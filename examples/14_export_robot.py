"""Send a linkage with a loop to MuJoCo, Gazebo, USD and ROS, and see what each of them keeps."""

from pathlib import Path
from tempfile import TemporaryDirectory

import kinegen as kg

five_bar = kg.load("five-bar")

with TemporaryDirectory() as folder:
    for suffix in (".xml", ".sdf", ".usda", ".urdf"):
        done = kg.export(five_bar, Path(folder) / f"five-bar{suffix}", q={"A": 2.0})
        print(f"{done.format}: {len(done.files)} files, {done.bytes / 1000:.0f} kB")
        for note in done.notes:
            print("   ", note)

    # URDF describes trees: the loop is cut, and the file says where
    assert done.notes[0].startswith("loop cut at joint 'C'")

    # everything in one file for a colleague
    packed = kg.export(five_bar, Path(folder) / "five-bar.urdf.zip")

assert len(packed.files) == 1
