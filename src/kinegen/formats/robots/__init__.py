"""Robot descriptions of other programs: one module per format, over readers and writers."""
