"""Jobs: heavy work for pages, in processes of its own."""
