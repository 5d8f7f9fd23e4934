"""Who may come in, and who must leave."""
