"""Files of a session: the project folder, the library, what others change meanwhile."""
