"""Drive: real servos on the wires that bridges simulate, moved within the limits of the file."""

from kinegen.drive.calibration import ServoZero as ServoZero
from kinegen.drive.calibration import find_zero as find_zero
from kinegen.drive.calibration import write_zeros as write_zeros
from kinegen.drive.comparison import Comparison as Comparison
from kinegen.drive.comparison import Differences as Differences
from kinegen.drive.helm import Helm as Helm
from kinegen.drive.helm import serial_ports as serial_ports
from kinegen.drive.port import Port as Port
from kinegen.drive.port import Reading as Reading
from kinegen.drive.robot_drive import Drive as Drive
from kinegen.drive.teaching import teach as teach
from kinegen.drive.wiggle import JointFit as JointFit
from kinegen.drive.wiggle import Wiggle as Wiggle
from kinegen.drive.wiggle import fit_wiggle as fit_wiggle
from kinegen.drive.wiggle import record_wiggle as record_wiggle
