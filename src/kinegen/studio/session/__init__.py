"""Sessions: mechanisms being worked on, their history and their files."""
