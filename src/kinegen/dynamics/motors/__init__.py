"""Motors: what they can give, their servos, targets and backlash."""
