"""Worker processes: how jobs come to them, and what they send back."""
