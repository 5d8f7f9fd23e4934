"""Programs that try random files and arguments until something breaks."""
