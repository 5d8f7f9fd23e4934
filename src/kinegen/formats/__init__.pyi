"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""

from kinegen.formats.mechanisms.stl import read_stl as read_stl
from kinegen.formats.reports.result_figure import Figure as Figure
