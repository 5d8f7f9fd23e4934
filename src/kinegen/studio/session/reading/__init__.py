"""Large texts, read in processes of their own."""
