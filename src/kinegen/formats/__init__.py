"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""
