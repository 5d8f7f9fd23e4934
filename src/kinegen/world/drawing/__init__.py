"""How a world looks: colours, shapes, lights, pictures."""
