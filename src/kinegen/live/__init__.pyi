"""Live: Python programs and the page share one session of the studio."""

from kinegen.live.async_view import AsyncView as AsyncView
from kinegen.live.controls import Button as Button
from kinegen.live.controls import Checkbox as Checkbox
from kinegen.live.controls import Choice as Choice
from kinegen.live.controls import Plot as Plot
from kinegen.live.controls import Readout as Readout
from kinegen.live.controls import Slider as Slider
from kinegen.live.core import Drag as Drag
from kinegen.live.core import Edit as Edit
from kinegen.live.items import Arrow as Arrow
from kinegen.live.items import Label as Label
from kinegen.live.items import Line as Line
from kinegen.live.items import Mesh as Mesh
from kinegen.live.items import Points as Points
from kinegen.live.items import Trace as Trace
from kinegen.live.view import View as View
