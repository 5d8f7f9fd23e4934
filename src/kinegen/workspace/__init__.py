"""Where a mechanism can go: clouds, zones, their boundary and size, joint maps, play."""
