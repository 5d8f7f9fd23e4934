"""URDF texts for the two readers: a whole one, odd ones, and spoilt ones; and how both compare."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import Any

from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.robot import Robot
from kinegen.formats.robots.read.urdf_reader.fast import fast_urdf_robot
from kinegen.formats.robots.read.urdf_reader.urdf import plain_urdf_robot

__all__ = ["ODD", "WHOLE", "difference", "spoilt"]

WHOLE = """<?xml version="1.0" ?>
<!-- all that the reader knows -->
<robot name="r&amp;d" xmlns:ros="http://ros.org">
  <material name="red"><color rgba="1 0.2 0 1"/><texture filename="a.png"/></material>
  <link name="base"/>
  <link name="arm é">
    <inertial><origin xyz="0 .1 -1e-3" rpy="0 0 0.1"/><mass value=" +1.5 "/>
      <inertia ixx="0.1" iyy="0.1" izz="0.12345678901234567" ixy="0" ixz="1E-5" iyz="0"/></inertial>
    <visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry>
      <material name="red"/></visual>
    <visual><geometry><mesh filename="package://p/a.stl" scale="1 1 -1"/></geometry>
      <material name="blue"><color rgba="0.5 0.502 1.5 1"/></material></visual>
    <visual><geometry><capsule radius="1" length="2"/></geometry></visual>
    <visual><geometry><cone/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
    <collision><geometry><sphere radius='2'/></geometry></collision>
    <ros:thing/><self_collide>true</self_collide>
  </link>
  <link name="tip"/><link name="finger"/><link name="cart"/><link name="ball"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="arm é"/>
    <origin rpy="1.5707963267948966 0
 3.14"/><axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/><safety_controller/></joint>
  <joint name="j2" type="continuous"><parent link="arm é"/><child link="tip"/>
    <limit effort="-1" velocity="0"/><mimic joint="j1" multiplier="-2" offset=".5"/></joint>
  <joint name="j3" type="prismatic"><parent link="tip"/><child link="finger"/>
    <axis xyz="1 1 0"/></joint>
  <joint name="j4" type="planar"><parent link="base"/><child link="cart"/>
    <axis xyz="0 0 0"/></joint>
  <joint name="j5" type="revolute"><parent link="cart"/><child link="ball"/>
    <limit effort="1" velocity="1"/></joint>
  <transmission name="t"><joint name="j1"><hardwareInterface>
      hardware_interface/EffortJointInterface </hardwareInterface></joint>
    <actuator name="m"><mechanicalReduction>-50</mechanicalReduction></actuator></transmission>
  <transmission name="u"><joint name="none"/></transmission>
  <gazebo><a><b/></a></gazebo><gazebo reference="x">text &lt; more</gazebo>
</robot>
"""

ODD = [
    "",
    "<robot/>",
    "<robot name='a'",
    "<robot><link name='a'/></robot>",
    "<robot name=''><link name='a'/></robot><robot/>",
    "<robot><link name='a'/></robot> text",
    "text <robot><link name='a'/></robot>",
    "<robot><link name='a'/><link name='a'/></robot>",
    "<robot><link name='a' name='b'/></robot>",
    "<robot><link name='a'x='b'/></robot>",
    "<robot><link name='&#97;'/></robot>",
    "<robot><link name='&#0;'/></robot>",
    "<robot><link name='&unknown;'/></robot>",
    "<robot><link name='a<b'/></robot>",
    "<robot><link name='a\n\tb\r\nc\rd'/></robot>",
    "<robot><link name='a'/>]]></robot>",
    "<robot><link name='a'/>&amp;&bad;</robot>",
    "<robot><link name='a'/><!-- a -- b --></robot>",
    "<robot><link name='a'/><!-- a ---></robot>",
    "<robot><link name='a'/><!-- <!ENTITY x 'y'> --></robot>",
    "<!-- <?xml version='1.0'?> --><?xml version='1.0'?><robot><link name='a'/></robot>",
    "<?xml version='1.0'?><?xml version='1.0'?><robot><link name='a'/></robot>",
    "<?xml\nversion='1.0'\r\n?>\n<robot><link name='a'><x/></link>\n<y/></robot>",
    "<?xml-stylesheet href='a'?><robot><link name='a'/></robot>",
    "<robot><?xml version='1.0'?><link name='a'/></robot>",
    "<!DOCTYPE robot><robot><link name='a'/></robot>",
    "<!DOCTYPE robot [<!ENTITY e 'x'>]><robot><link name='&e;'/></robot>",
    "<robot><![CDATA[x]]><link name='a'/></robot>",
    "<robot xmlns='http://a'><link name='a'/></robot>",
    "<robot xmlns:x='http://a'><x:link name='b'/><link name='a'/></robot>",
    "<robot xmlns:x=''><link name='a'/></robot>",
    "<robot><x:gazebo/><link name='a'/></robot>",
    "<robot><gazebo x:y='1'/><link name='a'/></robot>",
    "<robot><link name='a'/></ robot>",
    "<robot><link name='a'/></robot\n>",
    "<robot ><link name = 'a' /></robot>",
    "<robot><link name='a'></robot></link>",
    "<robot><1/><link name='a'/></robot>",
    "<robot><é/><link name='a'/></robot>",
    "<robot><link name='a'/>\x01</robot>",
    "<robot><link name='a\uffff'/></robot>",
    "<robot><link name='a\ud800'/></robot>",
    "\ufeff<robot><link name='a'/></robot>",
    "<robot><link name='a'/><kinegen/></robot>",
    "<Robot><link name='a'/></Robot>",
    "<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='1_0'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='١'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='1e999'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='1e-999'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='nan'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='0x1p3'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='1e'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='.'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value='5.'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><mass value=''/></inertial></link></robot>",
    "<robot><link name='a'><inertial><origin xyz='1,2,3'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><origin xyz='1 2 3 4'/></inertial></link></robot>",
    "<robot><link name='a'><inertial><origin xyz='1e308 1e308 0'/></inertial></link></robot>",
    "<robot><link name='a'><visual/></link></robot>",
    "<robot><link name='a'><visual><geometry/></visual></link></robot>",
    "<robot><link name='a'><visual><geometry><mesh scale='0 1 1'/></geometry></visual></link>"
    "</robot>",
    "<robot><link/></robot>",
    "<robot><joint name='j' type='fixed'/><link name='a'/></robot>",
]
"""Texts that are unusual or wrong, most of them in one way."""
_PIECES = [
    "<", ">", "/", "'", '"', "&", "&amp;", "&#65;", "<!--", "-->", "]]>", "<![CDATA[", "<?xml ?>",
    "=", " ", "\n", "\r", "\x00", "é", "\uffff", "0", "-", ".", "e", "1e400", "nan", "x:", "xmlns",
    "<link name='a'/>", "</link>", "<joint>", "</robot>",
]  # fmt: skip


def spoilt(rng: random.Random, text: str) -> str:
    """A text with a few mistakes: pieces added, left out, doubled or exchanged."""
    if rng.random() < 0.5:  # still sound
        at = rng.choice([i for i, c in enumerate(text) if c.isalnum()] or [0])
        return text[:at] + rng.choice("0123456789ab.-e _") + text[at + 1 :]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        until = min(len(text), at + rng.choice((0, 0, 1, 2, 5, 40)))
        other = rng.randrange(len(text) + 1)
        piece = rng.choice((*_PIECES, text[other : other + rng.choice((1, 10, 60))], ""))
        text = text[:at] + piece + text[until:]
        if rng.random() < 0.05:
            text = text[: rng.randrange(len(text) + 1)]
    return text


def difference(text: str) -> str | None:
    """What the two readers make differently of a text; empty: nothing; None: declined."""
    fast = fast_urdf_robot(text, "f.urdf")
    if fast is None:
        return None
    try:
        plain = plain_urdf_robot(text, "f.urdf")
    except FormatProblems as error:
        return f"the compiled reader accepts what has problems: {error}"
    return _robots(fast, plain)


def _robots(fast: Robot, plain: Robot) -> str:
    if sorted(fast.left_out) != sorted(plain.left_out):
        return f"remarks: {fast.left_out} and {plain.left_out}"
    for kind in ("name", "links", "joints", "loops", "frames", "gravity", "remarks"):
        one, other = getattr(fast, kind), getattr(plain, kind)
        if isinstance(one, dict):
            if list(one) != list(other):
                return f"{kind}: {list(one)} and {list(other)}"
            for name in one:
                found = _parts(fast, one[name], plain, other[name])
                if found:
                    return f"{kind}, {name}: {found}"
        elif one != other:
            return f"{kind}: {one} and {other}"
    return ""


def _parts(fast: Robot, one: Any, plain: Robot, other: Any) -> str:
    """What differs between two links, joints or shapes, their places in the text included."""
    for field in fields(one):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if field.name == "at":
            if first == 1 == second:
                continue
            first, second = fast.source.problem(first, ""), plain.source.problem(second, "")
        elif field.name in {"shapes", "collisions"} and len(first) == len(second):
            found = [_parts(fast, a, plain, b) for a, b in zip(first, second, strict=True)]
            first, second = [text for text in found if text], []
        if first != second:
            return f"{field.name}: {first} and {second}"
    return ""
