from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.drawing.gltf import export_glb, export_gltf
from kinegen.motion.recording import Recording


def opened(text: str) -> tuple[dict[str, Any], bytes]:
    content = json.loads(text)
    (buffer,) = content["buffers"]
    data = base64.b64decode(buffer["uri"].partition(",")[2])
    assert len(data) == buffer["byteLength"]
    return content, data


def numbers(content: dict[str, Any], data: bytes, index: int) -> np.ndarray:
    entry = content["accessors"][index]
    view = content["bufferViews"][entry["bufferView"]]
    part = data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
    dtype = {5126: "<f4", 5125: "<u4"}[entry["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[entry["type"]]
    return np.frombuffer(part, dtype=dtype).reshape(entry["count"], width)


@pytest.mark.parametrize("name", ["five-bar", "stewart", "puma560", "humanoid-30"])
def test_links_stand_where_they_should(name: str) -> None:
    mechanism = kg.load(name)
    model = mechanism.compile()
    q = kg.assemble(model).q
    content, _ = opened(export_gltf(mechanism, q))
    assert len(content["nodes"]) == model.link_count + 1
    for node, row in zip(content["nodes"][1:], kg.forward(model, q), strict=False):
        x, y, z, w = node["rotation"]
        np.testing.assert_allclose([w, x, y, z], row[:4], atol=1e-12)
        np.testing.assert_allclose(node["translation"], row[4:], atol=1e-12)


def test_triangles_enclose_their_shapes() -> None:
    """Volume by the divergence theorem: closed, faces outward, right size."""
    mechanism = kg.load(
        "raff: 1\njoints:\n  - {name: A, parent: base, shape: {box: [0.1, 0.2, 0.3]}}\n"
        "  - {name: B, parent: A, d: 0.4, shape: {cylinder: [0.05, 0.2]}}\n"
        "  - {name: C, parent: B, d: 0.4, shape: {sphere: 0.1}}\n"
    )
    content, data = opened(export_gltf(mechanism))
    wanted = {"A": 0.006, "B": np.pi * 0.05**2 * 0.2, "C": 4 / 3 * np.pi * 0.001}
    for mesh in content["meshes"]:
        if mesh["name"] not in wanted:
            continue
        volume = 0.0
        for piece in mesh["primitives"]:
            points = numbers(content, data, piece["attributes"]["POSITION"]).astype(float)
            corners = numbers(content, data, piece["indices"]).reshape(-1, 3)
            a, b, c = (points[corners[:, k]] for k in range(3))
            volume += float(np.sum(a * np.cross(b, c)) / 6)
        assert volume == pytest.approx(wanted[mesh["name"]], rel=0.05)


def test_motion_becomes_an_animation() -> None:
    mechanism = kg.load("puma560")
    model = mechanism.compile()
    qs = np.array([[0.0] * 6, [1.0, 0.2, 0, 0, 0, 3.0]])
    motion = Recording.of(model, qs, [0.5, 1.5], name="wave")
    content, data = opened(export_gltf(mechanism, motions=[motion]))
    (animation,) = content["animations"]
    assert animation["name"] == "wave"
    times = numbers(content, data, animation["samplers"][0]["input"])[:, 0]
    assert times[0] == 0 and times[-1] == pytest.approx(1.0) and np.diff(times).max() < 0.04
    for channel in animation["channels"]:
        link = channel["target"]["node"] - 1
        table = numbers(content, data, animation["samplers"][channel["sampler"]]["output"])
        for time, got in ((0.5, table[0]), (1.5, table[-1])):
            row = kg.forward(model, motion.at(time))[link]
            want = row[4:] if channel["target"]["path"] == "translation" else row[[1, 2, 3, 0]]
            same = np.allclose(got, want, atol=1e-5) or np.allclose(got, -want, atol=1e-5)
            assert same, (link, channel["target"]["path"])


def test_binary_file_has_the_same_content() -> None:
    mechanism = kg.load("five-bar")
    raw = export_glb(mechanism)
    magic, version, length = struct.unpack_from("<4sII", raw)
    assert (magic, version, length) == (b"glTF", 2, len(raw))
    size, kind = struct.unpack_from("<I4s", raw, 12)
    assert kind == b"JSON"
    content = json.loads(raw[20 : 20 + size])
    text, data = opened(export_gltf(mechanism))
    assert raw[28 + size :] == data
    assert content["nodes"] == text["nodes"]


def test_without_a_pose_stated_starts_stay(tmp_path: Path) -> None:
    (tmp_path / "bars.raff").write_text(
        "raff: 1\njoints:\n"
        "  - {name: A, parent: base, start: 90 deg, motor: true}\n"
        "  - {name: B, parent: A, d: 0.3, start: -90 deg}\n"
        "  - {name: D, parent: base, d: 0.4, start: 90 deg}\n"
        "  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}\n",
        encoding="utf-8",
    )
    content, _ = opened(export_gltf(kg.load(tmp_path / "bars.raff")))
    np.testing.assert_allclose(content["nodes"][3]["translation"], [0, 0.3, 0], atol=1e-9)
