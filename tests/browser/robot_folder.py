"""Small robots, made for tests: a ROS package with meshes of every kind, and the same arm of two
bars as xacro, SDF and MJCF folders with included files."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

CORNERS = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
"""Of a tetrahedron [m]."""
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
MESHES = ("base.stl", "upper.obj", "fore.dae", "hand.gltf", "tip.ply")


def write_robot(folder: Path, package: str = "arm_description") -> Path:
    """Write the package into a folder; its own folder."""
    root = folder / package
    for name in ("urdf", "meshes"):
        (root / name).mkdir(parents=True)
    (root / "urdf/arm.urdf").write_text(_urdf(package), encoding="utf-8")
    (root / "package.xml").write_text(f"<package><name>{package}</name></package>")
    (root / "README.md").write_text("An arm.")
    for name, content in _meshes().items():
        (root / "meshes" / name).write_bytes(content)
    return root


def write_xacro(folder: Path) -> Path:
    """A package whose robot consists of a macro in another file."""
    root = folder / "bars_description"
    for name in ("urdf", "meshes"):
        (root / name).mkdir(parents=True)
    (root / "package.xml").write_text("<package><name>bars_description</name></package>")
    (root / "meshes/bar.stl").write_bytes(_stl(1000.0))
    xmlns = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    (root / "urdf/bar.xacro").write_text(
        f"""<robot {xmlns}><xacro:macro name="bar" params="name parent">
<link name="${{name}}"><visual><geometry><mesh scale="0.001 0.001 0.001"
  filename="package://bars_description/meshes/bar.stl"/></geometry></visual></link>
<joint name="${{name}}_joint" type="continuous"><parent link="${{parent}}"/>
  <child link="${{name}}"/><origin xyz="0 0 0.15"/><axis xyz="0 1 0"/></joint>
</xacro:macro></robot>"""
    )
    (root / "urdf/bars.urdf.xacro").write_text(
        f"""<robot name="bars" {xmlns}>
<xacro:include filename="$(find bars_description)/urdf/bar.xacro"/>
<link name="ground"/>
<xacro:bar name="upper" parent="ground"/><xacro:bar name="fore" parent="upper"/></robot>"""
    )
    return root


def write_sdf(folder: Path) -> Path:
    """A world that includes a model, into which another one is merged."""
    root = folder / "worlds"
    for name in ("upper", "fore"):
        (root / name).mkdir(parents=True)
        (root / name / "bar.stl").write_bytes(_stl(1000.0))
    mass = "<inertial><mass>1</mass></inertial>"
    shape = (
        "<visual name='v'><geometry><mesh><uri>bar.stl</uri><scale>0.001 0.001 0.001</scale>"
        "</mesh></geometry></visual>"
    )
    joint = (
        "<joint name='{0}_joint' type='revolute'><parent>{1}</parent><child>{0}</child>"
        "<axis><xyz>0 1 0</xyz></axis></joint>"
    )
    (root / "fore/model.sdf").write_text(
        f"<sdf version='1.9'><model name='tip'><link name='fore'>{mass}{shape}</link></model></sdf>"
    )
    (root / "upper/model.sdf").write_text(
        f"<sdf version='1.9'><model name='bars'><link name='upper'>{mass}{shape}</link>"
        "<include merge='true'><uri>model://fore</uri><pose>0 0 0.15 0 0 0</pose></include>"
        f"{joint.format('upper', 'world')}{joint.format('fore', 'upper')}</model></sdf>"
    )
    (root / "bars.world").write_text(
        "<sdf version='1.9'><world name='w'><include><uri>model://upper</uri></include></world></sdf>"
    )
    return root


def write_mjcf(folder: Path) -> Path:
    """A scene that includes a robot with default classes, materials and keyframes."""
    root = folder / "menagerie"
    (root / "assets").mkdir(parents=True)
    (root / "assets/bar.stl").write_bytes(_stl(1000.0))
    (root / "bars.xml").write_text(
        """<mujoco model="bars"><compiler angle="radian" meshdir="assets"/>
<default><default class="bar"><mesh scale="0.001 0.001 0.001"/><joint axis="0 1 0"/>
  <geom type="mesh" mesh="bar" material="blue" contype="0" conaffinity="0"/></default></default>
<asset><material name="blue" rgba="0 0 1 1"/><mesh class="bar" file="bar.stl"/></asset>
<worldbody><body name="upper" childclass="bar" pos="0 0 0.15"><joint name="upper_joint"/><geom/>
  <body name="fore" pos="0 0 0.15"><joint name="fore_joint"/><geom/></body></body></worldbody>
<actuator><position joint="upper_joint" kp="5"/></actuator>
<keyframe><key name="home" qpos="0.1 0.2"/><key name="up" qpos="0 0"/></keyframe></mujoco>"""
    )
    (root / "scene.xml").write_text(
        '<mujoco model="bars"><include file="bars.xml"/><worldbody><light pos="0 0 2"/>'
        '<geom type="plane" size="1 1 1"/></worldbody></mujoco>'
    )
    return root


def _urdf(package: str) -> str:
    parts = ['<?xml version="1.0"?>', '<robot name="arm">']
    for i, mesh in enumerate(MESHES):
        scale = ' scale="0.001 0.001 0.001"' if mesh.endswith("stl") else ""
        file = f"package://{package}/meshes/{mesh}"
        parts.append(
            f'<link name="link{i}"><visual><geometry><mesh filename="{file}"{scale}/></geometry>'
            "</visual></link>"
        )
        if i:
            parts.append(
                f'<joint name="joint{i}" type="revolute"><parent link="link{i - 1}"/>'
                f'<child link="link{i}"/><origin xyz="0 0 0.15"/><axis xyz="0 1 0"/>'
                '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
            )
    parts.append('<gazebo reference="link0"/></robot>')
    return "\n".join(parts)


def _meshes() -> dict[str, bytes]:
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    faces = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
    return {
        "base.stl": _stl(1000.0),
        "upper.obj": f"mtllib upper.mtl\n{vertices}usemtl red\n{faces}".encode(),
        "upper.mtl": b"newmtl red\nKd 1 0 0\n",
        "fore.dae": _dae().encode(),
        "hand.gltf": _gltf(),
        "tip.ply": _ply().encode(),
    }


def _stl(scale: float) -> bytes:
    data = bytes(80) + struct.pack("<I", len(FACES))
    for face in FACES:
        data += struct.pack("<12fH", 0, 0, 0, *(scale * x for i in face for x in CORNERS[i]), 0)
    return data


def _dae() -> str:
    """In centimetres, with y up as many exporters write: robots use coordinates as they stand."""
    places = " ".join(str(100 * x) for corner in CORNERS for x in corner)
    index = " ".join(str(i) for face in FACES for i in face)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse>
<color>0 1 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">{places}</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>{index}</p>
</triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


def _gltf() -> bytes:
    places = b"".join(struct.pack("<3f", *corner) for corner in CORNERS)
    index = b"".join(struct.pack("<3H", *face) for face in FACES)
    data = base64.b64encode(places + index).decode()
    return json.dumps({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0, 0, 1, 1]}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0, 0, 0], "max": [0.1, 0.1, 0.1]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"uri": f"data:application/octet-stream;base64,{data}", "byteLength": 72}],
    }).encode()  # fmt: skip


def _ply() -> str:
    head = (
        "ply\nformat ascii 1.0\nelement vertex 4\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\n"
        "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
    vertices = "".join(f"{x} {y} {z} 255 128 0\n" for x, y, z in CORNERS)
    return head + vertices + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)
