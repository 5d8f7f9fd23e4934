"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""

from kinegen.formats.mechanisms.bars import Bar as Bar
from kinegen.formats.mechanisms.bars import linkage_from_bars as linkage_from_bars
from kinegen.formats.reports.result_figure import Figure as Figure
from kinegen.formats.reports.result_figure import figure as figure
from kinegen.formats.workshop.flat.assembly import FlatAssembly as FlatAssembly
from kinegen.formats.workshop.flat.assembly import flat_assembly as flat_assembly
from kinegen.formats.workshop.parts_list import PartsList as PartsList
from kinegen.formats.workshop.parts_list import parts_list as parts_list
from kinegen.formats.workshop.sizes import Sizes as Sizes
from kinegen.formats.workshop.solid.assembly import solid_assembly as solid_assembly
from kinegen.formats.workshop.solid.part import SolidAssembly as SolidAssembly
