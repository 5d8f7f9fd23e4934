"""The processes of a bridge: the simulated world, its clock, the memory shared with protocols."""
