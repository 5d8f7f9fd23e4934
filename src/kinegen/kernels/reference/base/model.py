"""The compiled model as the NumPy kernels see it: its two blocks, and what they look up there."""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import NQ, NV
from kinegen.kernels.reference.base.transform import transform


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model's structure as lists, and its numbers in place: they may change between calls."""

    blocks: Blocks
    nq: int
    nv: int
    joint_type: list[int]
    joint_parent: list[int]
    joint_child: list[int]
    joint_q: list[int]
    joint_v: list[int]
    tree_order: list[int]
    link_joint: list[int]
    """The joint that carries a link, -1 for the base."""
    loop_joint: list[int]
    frame_link: list[int]
    pitch: Floats
    transforms: Floats
    """Of all placements, (placement_count, 12)."""

    def q_of(self, joint: int) -> slice:
        """A joint's part of q."""
        first = self.joint_q[joint]
        return slice(first, first + NQ[self.joint_type[joint]])

    def v_of(self, joint: int) -> slice:
        """A joint's part of v."""
        first = self.joint_v[joint]
        return slice(first, first + NV[self.joint_type[joint]])

    def joint_transform(self, joint: int) -> Floats:
        """X_PF: where a joint is on its parent link."""
        return self._placement(joint)

    def loop_transform(self, loop: int) -> Floats:
        """X_BK: where the cut joint of a loop lands on its child link."""
        return self._placement(self.blocks.counts.joint + loop)

    def frame_transform(self, frame: int) -> Floats:
        """Where a named frame is on its link."""
        return self._placement(self.blocks.counts.joint + self.blocks.counts.loop + frame)

    def _placement(self, index: int) -> Floats:
        row = self.transforms[index]
        return transform(row[:9].reshape(3, 3), row[9:])

    @property
    def site_count(self) -> int:
        """Links and named frames."""
        return self.blocks.counts.link + self.blocks.counts.frame

    def site_link(self, site: int) -> int:
        """The link that a site is on: a link's own frame, or a named frame."""
        links = self.blocks.counts.link
        return site if site < links else self.frame_link[site - links]


def bind_model(ints: Ints, reals: Floats) -> Model:
    """The model in two blocks."""
    blocks = Blocks(ints, reals)

    def part(name: str) -> list[int]:
        numbers: list[int] = blocks.int_part(name).tolist()
        return numbers

    return Model(
        blocks,
        blocks.counts.nq,
        blocks.counts.nv,
        part("joint_type"),
        part("joint_parent"),
        part("joint_child"),
        part("joint_q"),
        part("joint_v"),
        part("tree_order"),
        part("link_joint"),
        part("loop_joint"),
        part("frame_link"),
        blocks.real_part("pitch"),
        blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE),
    )
