"""Robot descriptions of other programs: their readers, and the neutral robot that these fill."""
