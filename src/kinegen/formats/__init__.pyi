"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""

from kinegen.formats.mechanisms.stl import read_stl as read_stl
from kinegen.formats.motions.joint_table import path_file as path_file
from kinegen.formats.reports.map_report import map_report as map_report
from kinegen.formats.reports.path_report import path_report as path_report
from kinegen.formats.reports.steering_report import steering_report as steering_report
