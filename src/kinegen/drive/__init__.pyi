"""Drive: real servos on the wires that bridges simulate, moved within the limits of the file."""

from kinegen.drive.comparison import Comparison as Comparison
from kinegen.drive.comparison import Differences as Differences
from kinegen.drive.port import Reading as Reading
from kinegen.drive.teaching import teach as teach
