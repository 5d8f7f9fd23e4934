"""Avatars from cameras: visual hulls carved from silhouettes, and where pictures come from."""

from kinegen.hull.background import silhouettes as silhouettes
from kinegen.hull.camera import PinholeCamera as PinholeCamera
from kinegen.hull.camera import camera_ring as camera_ring
from kinegen.hull.camera_file import CameraFile as CameraFile
from kinegen.hull.camera_file import read_cameras as read_cameras
from kinegen.hull.carving import Hull as Hull
from kinegen.hull.carving import carve as carve
from kinegen.hull.folders import PictureFolders as PictureFolders
from kinegen.hull.source import CarvedFrame as CarvedFrame
from kinegen.hull.source import Frame as Frame
from kinegen.hull.source import ImageSource as ImageSource
from kinegen.hull.source import hulls as hulls
from kinegen.hull.virtual import VirtualCameras as VirtualCameras
from kinegen.hull.virtual import WorldCameras as WorldCameras
