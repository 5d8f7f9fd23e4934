"""The studio: a web page in which mechanisms are loaded, seen, dragged, edited and recorded."""
