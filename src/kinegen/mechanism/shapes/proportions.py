"""Proportions of automatic shapes, each with its meaning: the one table of Python and the page.

``make tables`` writes ``web/src/shapes/proportions.ts`` from here. Sizes of joints count in radii
of the bars that meet there, those of flat mechanisms in half widths and thicknesses of their bars,
unless the unit is given. Tolerances of the geometry itself stay beside the rules that need them.
"""

from __future__ import annotations

# Sizes of the whole mechanism

SEEN_LENGTH = 0.02
"""Share of the longest link below which a length does not count for the typical one."""
LEAST_UNIT = 0.2
"""Least typical length, as a share of the longest."""
MOST_UNIT = 0.6
"""Largest typical length, as a share of the longest."""
FLAT_HEIGHT = 0.25
"""Difference of heights [typical lengths] up to which joints count as lying in one plane."""
BAR_RADIUS = 0.14
"""Radius of a bar [typical lengths]."""
LIGHT_BAR = 0.42
"""Share of the radius that even the lightest bar has."""
HEAVY_BAR = 0.58
"""Share of the radius that grows with the weight that a bar carries."""
EVEN_WEIGHT = 0.45
"""Weight of every bar of a mechanism with loops, where none carries the others."""

# Joints

HOUSING_RADIUS = 1.4
"""Housing of a revolute joint."""
HOUSING_LENGTH = 2.7
"""Housing of a revolute joint, along its axis."""
MOTOR_HOUSING_RADIUS = 1.75
"""Housing of a revolute joint with a motor."""
MOTOR_HOUSING_LENGTH = 3.2
"""Housing of a revolute joint with a motor, along its axis."""
CAP_RADIUS = 0.68
"""Cap at the ends of a housing [radii of the housing]."""
CAP_EXCESS = 0.5
"""How much longer the cap is than its housing."""
RING_RADIUS = 1.04
"""Coloured ring of a motor [radii of what it encloses]."""
RING_LENGTH = 0.55
"""Coloured ring of a motor, along its axis."""
OVERRUN = 7.0
"""How much longer than the travel a rail or a shaft is."""
RAIL_WIDTH = 1.3
"""Rail of a slider on the ground."""
STOP_WIDTH = 2.4
"""Stops at the ends of a rail."""
STOP_LENGTH = 0.7
"""Stops at the ends of a rail, along it."""
CARRIAGE_WIDTH = 2.6
"""Carriage on a rail."""
CARRIAGE_LENGTH = 3.4
"""Carriage on a rail, along it."""
SLEEVE_SHARE = 0.55
"""Sleeve of a cylinder, as a share of its travel."""
ROD_SHARE = 0.95
"""Rod of a cylinder, as a share of its travel."""
SHORTEST_CYLINDER = 3.0
"""Least length of a sleeve and a rod."""
SLEEVE_RADIUS = 1.12
"""Sleeve of a cylinder."""
COLLAR_RADIUS = 1.42
"""Collar at the open end of a sleeve."""
COLLAR_LENGTH = 0.7
"""Collar at the open end of a sleeve, along it."""
ROD_RADIUS = 0.75
"""Rod of a cylinder."""
CROSS_RADIUS = 0.62
"""Pins of a universal joint's cross."""
CROSS_LENGTH = 4.4
"""Pins of a universal joint's cross, along them."""
HUB_RADIUS = 1.3
"""Hub of a universal joint's cross."""
BALL_RADIUS = 1.45
"""Ball of a spherical joint."""
BUSH_RADIUS = 1.5
"""Bush of a cylindrical joint."""
BUSH_LENGTH = 5.0
"""Bush of a cylindrical joint, along its axis."""
SHAFT_RADIUS = 0.7
"""Shaft of a cylindrical joint or a screw."""
NUT_RADIUS = 1.6
"""Nut of a screw."""
NUT_LENGTH = 2.2
"""Nut of a screw, along its axis."""
THREAD_PITCH = 1.1
"""Distance of the rings that show a thread."""
THREAD_LENGTH = 0.45
"""Rings that show a thread, along the axis."""
FEWEST_THREADS = 4
"""Rings that a short screw has."""
MOST_THREADS = 14
"""Rings that a long screw has at most."""
TABLE_WIDTH = 14.0
"""Table of a planar joint."""
TABLE_THICKNESS = 0.5
"""Table of a planar joint."""
TABLE_DROP = 0.75
"""How far below the joint the middle of its table is."""
PUCK_RADIUS = 2.2
"""Puck on the table of a planar joint."""

# Links of spatial mechanisms

ON_GROUND = 1.2
"""Distance from the origin up to which the base needs no pedestal."""
HOUSING_OVERLAP = 0.8
"""Share of two housings' step that must lie between neighbouring joints on one axis."""
TOOL_STEP = 0.5
"""The same before the tool."""
LEAST_PLATE = 2.0
"""Least extent of a plate; a smaller link is drawn as bars."""
PLATE_MARGIN = 1.5
"""How far a plate extends beyond its joints."""
PLATE_THICKNESS = 1.2
"""Thickness of a plate."""
TOOL_BAR = 0.7
"""Bar to a frame without a joint."""
SHORTEST_BAR = 0.5
"""Bars that are shorter than this are not drawn."""
SHORT_PIECE = 0.5
"""Length [typical lengths] up to which a piece of an elbow is drawn as a socket."""
ALONG_AXIS = 0.999
"""Cosine above which two directions count as parallel."""
SOCKET_EXCESS = 1.15
"""How far a socket extends beyond its corner."""
SOCKET_RADIUS = 1.25
"""Socket between a joint and a bar along its axis."""
FLANGE_HEIGHT = 0.45
"""Middle of the tool flange above the end of the last housing."""
FLANGE_RADIUS = 1.15
"""Tool flange."""
FLANGE_LENGTH = 0.5
"""Tool flange, along its axis."""
LONGEST_ELBOW = 1.3
"""Legs of an elbow [distances of its ends] beyond which a straight bar is drawn."""
NARROW_PLATE = 0.75
"""Second extent of a plate's joints, against the least one, below which they lie in a line."""
UNEVEN_PLATE = 0.5
"""Third extent of a plate's joints, against the least one, above which they lie in no plane."""

# The ground of spatial mechanisms

PLATE_SIDE = 0.1
"""Height [typical lengths] from which the mechanism stands on one side of its ground plate."""
PLATE_SHIFT = 1.5
"""How far the ground plate then lies below the joints."""
GROUND_MARGIN = 2.6
"""How far a ground plate extends beyond its joints."""
GROUND_FOOT = 0.6
"""Half of the ground plate's thickness, on which stands are placed."""
STAND_GAP = 0.01
"""Gap [typical lengths] from which a stand is drawn between two robots."""
PEDESTAL_HEIGHT = 1.2
"""Height [radii of the housing] from which a joint has a pedestal."""
PEDESTAL_OFFSET = 0.05
"""Distance from the origin [typical lengths] up to which a joint is above it."""
PEDESTAL_RADIUS = 0.92
"""Column of a pedestal [radii of the housing]."""
PEDESTAL_FOOT = 0.4
"""Thickness of a pedestal's foot [radii of the housing]."""
PEDESTAL_WIDTH = 1.7
"""Radius of a pedestal's foot [radii of the housing]."""
UPRIGHT_AXIS = 0.8
"""Vertical part of an axis above which its joint stands on a disc."""
DISC_OVERLAP = 0.05
"""How far the disc reaches into the housing [radii of the housing]."""
DISC_THICKNESS = 0.5
"""Thickness of the disc [radii of the housing]."""
DISC_RADIUS = 1.6
"""Radius of the disc [radii of the housing]."""
BLOCK_HEIGHT = 1.6
"""Height of the block under a joint that lies [radii of the housing]."""
BLOCK_LENGTH = 0.8
"""Length of the block [lengths of the housing]."""
BLOCK_WIDTH = 2.0
"""Width of the block [radii of the housing]."""

# Flat mechanisms: bars in layers

FLAT_BAR_WIDTH = 0.085
"""Half width of a flat bar [typical lengths]."""
FLAT_BAR_THICKNESS = 0.9
"""Thickness of a flat bar [half widths]."""
LAYER_STEP = 1.08
"""Distance of layers [thicknesses]: a thin gap stays between bars."""
SAME_PLACE = 0.2
"""Distance within which pins count as one."""
GROUND_PAD = 1.9
"""Pad under a joint on the ground."""
GROUND_BAR = 0.75
"""Half width of a bar of the ground."""
GROUND_BAR_THICKNESS = 0.8
"""Thickness of a bar of the ground."""
PIN_BELOW = 0.35
"""How far a pin extends below its lowest layer [layers]."""
PIN_ABOVE = 0.62
"""How far a pin extends above its highest layer [layers]."""
PIN_RADIUS = 0.52
"""Pin of a joint."""
MOTOR_BASE = 0.5
"""Where a motor begins above the highest layer [layers]."""
MOTOR_HEIGHT = 0.85
"""Height of a motor [layers]."""
MOTOR_RADIUS = 1.25
"""Motor of a flat joint."""
MOTOR_RING_START = 0.28
"""Where a motor's ring begins [layers]."""
MOTOR_RING_END = 0.58
"""Where a motor's ring ends [layers]."""
MOTOR_RING_RADIUS = 1.3
"""Ring of a flat joint's motor."""
FLAT_RAIL_WIDTH = 1.1
"""Rail of a flat slider."""
FLAT_STOP_WIDTH = 2.6
"""Stops of a flat rail, across it."""
FLAT_STOP_THICKNESS = 1.3
"""Stops of a flat rail [thicknesses]."""
FLAT_STOP_LENGTH = 0.7
"""Stops of a flat rail, along it."""
SLIDER_LAYER = 0.5
"""How far below its bar's layer a flat carriage lies [layers]."""
SLIDER_WIDTH = 2.3
"""Flat carriage, across the rail."""
SLIDER_THICKNESS = 1.9
"""Flat carriage [thicknesses]."""
SLIDER_LENGTH = 3.2
"""Flat carriage, along the rail."""
FIELD_DEPTH = 0.1
"""Of a height field below 0, against its shorter side."""
