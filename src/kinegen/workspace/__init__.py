"""Where a mechanism can go: clouds, zones, their boundary and size, joint maps, backlash."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.workspace.backlash_cloud import Backlash, backlash
    from kinegen.workspace.body import Boundary, boundary, dexterity, zone_boundary
    from kinegen.workspace.clouds import Cloud, CloudChunk, cloud, cloud_chunks, plan_cloud
    from kinegen.workspace.colours import colours_of
    from kinegen.workspace.export import write_mesh, write_points
    from kinegen.workspace.joint_maps import JointMap, joint_map, present_branch
    from kinegen.workspace.layers import Layer
    from kinegen.workspace.map_proposal import MapProposal, propose_map
    from kinegen.workspace.measure import Measure
    from kinegen.workspace.progressive.body import PlacedBody, smooth_surface, sweep_body, zone_body
    from kinegen.workspace.progressive.cells import CellValues, density_cells, dexterity_cells
    from kinegen.workspace.progressive.cloud import CloudLook, CloudPart, ProgressiveCloud
    from kinegen.workspace.progressive.plan import CloudPlan, propose_cloud
    from kinegen.workspace.progressive.zone import ZonePlan, propose_zone, way_through
    from kinegen.workspace.runs.body import voxels_of_run
    from kinegen.workspace.runs.run import CloudRun, open_run, run, verify_run
    from kinegen.workspace.voxels import (
        Voxels,
        align_voxels,
        compare_voxels,
        join_voxels,
        voxels_inside,
        voxels_of,
    )
    from kinegen.workspace.zones.result import Zone, ZoneMode
    from kinegen.workspace.zones.zone import zone, zone_slice

_HOMES = {
    "backlash_cloud": "Backlash backlash",
    "body": "Boundary boundary dexterity zone_boundary",
    "clouds": "Cloud CloudChunk cloud cloud_chunks plan_cloud",
    "colours": "colours_of",
    "export": "write_mesh write_points",
    "joint_maps": "JointMap joint_map present_branch",
    "layers": "Layer",
    "measure": "Measure",
    "progressive.plan": "CloudPlan propose_cloud",
    "progressive.cloud": "CloudLook CloudPart ProgressiveCloud",
    "progressive.cells": "CellValues density_cells dexterity_cells",
    "progressive.zone": "ZonePlan propose_zone way_through",
    "progressive.body": "PlacedBody smooth_surface sweep_body zone_body",
    "map_proposal": "MapProposal propose_map",
    "runs.body": "voxels_of_run",
    "runs.run": "CloudRun open_run run verify_run",
    "voxels": "Voxels align_voxels compare_voxels join_voxels voxels_inside voxels_of",
    "zones.zone": "zone zone_slice",
    "zones.result": "Zone ZoneMode",
}

__all__ = [
    "Backlash",
    "Boundary",
    "CellValues",
    "Cloud",
    "CloudChunk",
    "CloudLook",
    "CloudPart",
    "CloudPlan",
    "CloudRun",
    "JointMap",
    "Layer",
    "MapProposal",
    "Measure",
    "PlacedBody",
    "ProgressiveCloud",
    "Voxels",
    "Zone",
    "ZoneMode",
    "ZonePlan",
    "align_voxels",
    "backlash",
    "boundary",
    "cloud",
    "cloud_chunks",
    "colours_of",
    "compare_voxels",
    "density_cells",
    "dexterity",
    "dexterity_cells",
    "join_voxels",
    "joint_map",
    "open_run",
    "plan_cloud",
    "present_branch",
    "propose_cloud",
    "propose_map",
    "propose_zone",
    "run",
    "smooth_surface",
    "sweep_body",
    "verify_run",
    "voxels_inside",
    "voxels_of",
    "voxels_of_run",
    "way_through",
    "write_mesh",
    "write_points",
    "zone",
    "zone_body",
    "zone_boundary",
    "zone_slice",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
