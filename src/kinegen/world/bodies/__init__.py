"""What a world is made of: what each engine moves, nodes, rays and contacts."""
