"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""

from kinegen.formats.mechanisms.bars import Bar as Bar
from kinegen.formats.mechanisms.bars import linkage_from_bars as linkage_from_bars
from kinegen.formats.mechanisms.stl import read_stl as read_stl
from kinegen.formats.reports.result_figure import Figure as Figure
