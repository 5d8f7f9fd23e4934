"""Where a mechanism can go: clouds, zones, their boundary and size, joint maps, backlash."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.workspace.backlash_cloud import Backlash, backlash
    from kinegen.workspace.body import Boundary, boundary, dexterity, zone_boundary
    from kinegen.workspace.clouds import Cloud, CloudChunk, cloud, cloud_chunks, plan_cloud
    from kinegen.workspace.colours import colours_of
    from kinegen.workspace.export import write_mesh, write_points
    from kinegen.workspace.joint_maps import JointMap, joint_map
    from kinegen.workspace.layers import Layer
    from kinegen.workspace.measure import Measure
    from kinegen.workspace.runs.body import voxels_of_run
    from kinegen.workspace.runs.run import CloudRun, open_run, run, verify_run
    from kinegen.workspace.voxels import Voxels, compare_voxels, voxels_inside, voxels_of
    from kinegen.workspace.zones.result import Zone, ZoneMode
    from kinegen.workspace.zones.zone import zone, zone_slice

_HOMES = {
    "backlash_cloud": "Backlash backlash",
    "body": "Boundary boundary dexterity zone_boundary",
    "clouds": "Cloud CloudChunk cloud cloud_chunks plan_cloud",
    "colours": "colours_of",
    "export": "write_mesh write_points",
    "joint_maps": "JointMap joint_map",
    "layers": "Layer",
    "measure": "Measure",
    "runs.body": "voxels_of_run",
    "runs.run": "CloudRun open_run run verify_run",
    "voxels": "Voxels compare_voxels voxels_inside voxels_of",
    "zones.zone": "zone zone_slice",
    "zones.result": "Zone ZoneMode",
}

__all__ = [
    "Backlash",
    "Boundary",
    "Cloud",
    "CloudChunk",
    "CloudRun",
    "JointMap",
    "Layer",
    "Measure",
    "Voxels",
    "Zone",
    "ZoneMode",
    "backlash",
    "boundary",
    "cloud",
    "cloud_chunks",
    "colours_of",
    "compare_voxels",
    "dexterity",
    "joint_map",
    "open_run",
    "plan_cloud",
    "run",
    "verify_run",
    "voxels_inside",
    "voxels_of",
    "voxels_of_run",
    "write_mesh",
    "write_points",
    "zone",
    "zone_boundary",
    "zone_slice",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
