"""For the workshop: parts to cut and print, and their list."""
